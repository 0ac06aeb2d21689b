"""The only code that opens sockets to bots and reads a clock for them.

network = Network(Guard.of(networks, ports))        one per process
line = Line(Endpoint.parse(url), network)           one per match and bot
exchange = line.post(body, headers, limit_us)       body and receipt; raises BotFault and OurFault
line.abort()                                        from another thread
line.close()                                        when the match ends
"""

from service.endpoint import BadUrl, Endpoint
from workers.bot_client.address import Guard
from workers.bot_client.canary import Canary, canary_ok
from workers.bot_client.clocks import Clocks
from workers.bot_client.dial import Network, Proxy
from workers.bot_client.errors import (
    Abandoned,
    Blocked,
    BotFault,
    HttpError,
    Malformed,
    OurFault,
    Starved,
    Timeout,
    TooLarge,
    Unreachable,
)
from workers.bot_client.exchange import Exchange, Line, Message
from workers.bot_client.receipts import Answer, Receipt
from workers.bot_client.resolver import Resolver

__all__ = [
    "Abandoned",
    "Answer",
    "BadUrl",
    "Blocked",
    "BotFault",
    "Canary",
    "Clocks",
    "Endpoint",
    "Exchange",
    "Guard",
    "HttpError",
    "Line",
    "Malformed",
    "Message",
    "Network",
    "OurFault",
    "Proxy",
    "Receipt",
    "Resolver",
    "Starved",
    "Timeout",
    "TooLarge",
    "Unreachable",
    "canary_ok",
]
