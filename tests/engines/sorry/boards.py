"""Short ways to write positions in tests."""

from engines.registry import GAMES
from engines.sorry.board import COLOURS, LETTERS, PLACE_NAMES, decode
from engines.sorry.cards import BY_NAME, DECK, NAMES

SEED = bytes(range(32))
SEAT_LETTERS = {2: "ry", 3: "rby", 4: "rbyg"}


def pawns(text):
    """`r=S,S,17,:3 y=...` as a dict of lists."""
    return {
        letter: places.split(",") for letter, _, places in (field.partition("=") for field in text.split())
    }


def drawn(text, card, *, game="sorry", seats=2, to=0, discards="-", turn=0, **options):
    """The position of a game by card drawn; colours that are not written are on START."""
    full = dict.fromkeys(SEAT_LETTERS[seats], ["S"] * 4) | pawns(text)
    left = len(DECK) - 1 - (0 if discards == "-" else discards.count(",") + 1)
    line = " ".join(f"{letter}={','.join(places)}" for letter, places in full.items())
    line += f" to={to} card={card} draw={left} discards={discards} ply=0 turn={turn} first=0"
    return GAMES[game].position(line, seats, GAMES[game].full_options(options), SEED)


def held(text, *hands, to=0, turn=0, deal=1, scores=None, discards="-", **options):
    """The position of a points game with the seats' hands; `*5` is a hand dealt at random."""
    seats = len(hands)
    full = dict.fromkeys(SEAT_LETTERS[seats], ["S"] * 4) | pawns(text)
    left = len(DECK) - 5 * seats - (0 if discards == "-" else discards.count(",") + 1)
    line = " ".join(f"{letter}={','.join(places)}" for letter, places in full.items())
    line += f" to={to} hands={'/'.join(hands)} draw={left} discards={discards} ply=0 turn={turn} first=0"
    line += f" deal={deal} scores={','.join(map(str, scores or [0] * seats))}"
    game = GAMES["sorry-points"]
    return game.position(line, seats, game.full_options(options), SEED)


def board_pawns(state, board):
    """The pawns of a board, by letter."""
    return {
        LETTERS[colour]: [PLACE_NAMES[place] for place in decode(board, colour)]
        for colour in state.setup.colours
    }


def played(state, text):
    return state.apply(state.move(text))


def texts(state):
    return [str(move) for move in state.legal_moves()]


def all_but(*taken):
    """The deck without some cards, as the discards of a position."""
    cards = list(DECK)
    for name in taken:
        cards.remove(BY_NAME[name])
    return ",".join(NAMES[card] for card in cards)


__all__ = ["COLOURS", "SEED", "all_but", "board_pawns", "drawn", "held", "pawns", "played", "texts"]
