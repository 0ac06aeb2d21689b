"""Everything the service keeps, in Redis. `Store.connect(url)` has one member for each noun.

No other package speaks to Redis. What Redis cannot do just now is raised as service.errors.Unavailable.
"""

from service.store.bots import BotFilter
from service.store.listing import MatchFilter
from service.store.once import Once
from service.store.store import Store
from service.store.tournaments import TournamentFilter

__all__ = ["BotFilter", "MatchFilter", "Once", "Store", "TournamentFilter"]
