"""Sorry! written a second time: slow, obvious, by walking the board pawn by pawn, to compare the engine with.

It shares nothing with engines/: pawns are (colour letter, number) in a dict, squares are names, every pawn
walks one square at a time, a 7 is tried in every order, and the deck is shuffled from the spec by hand.
"""

import hashlib
import hmac
from itertools import count

SIDES = "rbyg"
TRACK = [str(n) for n in range(60)]
ZONE = [":1", ":2", ":3", ":4", ":5"]
TRIANGLES = {}  # triangle: (owner, the squares slid over, the triangle first)
for number, owner in enumerate(SIDES):
    for begin, end in ((1, 4), (9, 13)):
        path = TRACK[15 * number + begin : 15 * number + end + 1]
        TRIANGLES[path[0]] = (owner, path)
ENTRIES = {owner: TRACK[15 * number + 2] for number, owner in enumerate(SIDES)}
CIRCLES = {owner: TRACK[15 * number + 4] for number, owner in enumerate(SIDES)}
FACES = ["1"] * 5 + [face for face in "2 3 4 5 7 8 10 11 12 Sorry!".split() for _ in range(4)]  # noqa: SIM905
HAND_SIZE = 5


def ahead(colour, square):
    """The next square, None past HOME."""
    if square == ENTRIES[colour]:
        return ZONE[0]
    if square in ZONE:
        return "H" if square == ZONE[-1] else ZONE[ZONE.index(square) + 1]
    return None if square == "H" else TRACK[(TRACK.index(square) + 1) % 60]


def behind(colour, square):
    if square == ZONE[0]:
        return ENTRIES[colour]
    if square in ZONE:
        return ZONE[ZONE.index(square) - 1]
    return TRACK[(TRACK.index(square) - 1) % 60]


def walk(colour, square, steps):
    for _ in range(abs(steps)):
        square = ahead(colour, square) if steps > 0 else behind(colour, square)
        if square is None:
            return None
    return square


class Blocked(Exception):
    pass


def at(pawns, square):
    """The pawn on a track square, or None."""
    found = [pawn for pawn, place in pawns.items() if place == square and square in TRACK]
    assert len(found) <= 1
    return found[0] if found else None


def land(pawns, pawn, square):
    """The pawns after one of them has landed on a square and slid; raises Blocked (S8)."""
    colour = pawn[0]
    if square != "H":
        for other, place in pawns.items():
            if other != pawn and other[0] == colour and place == square:
                raise Blocked
    after = dict(pawns)
    after[pawn] = None
    path = [square]
    if square in TRIANGLES and TRIANGLES[square][0] != colour:
        path = TRIANGLES[square][1]
    for passed in path:
        other = at(after, passed)
        if other is not None:
            after[other] = "S"
    after[pawn] = path[-1]
    return after


def freeze(pawns):
    """A position with pawns of a colour interchangeable (S20)."""
    return frozenset(
        (colour, tuple(sorted(p for (c, _), p in pawns.items() if c == colour))) for colour in SIDES
    )


class Reference:
    """A game from its seed: `listed()` gives texts and positions, `play(text)` goes on."""

    def __init__(self, variant, seats, seed, options):
        self.variant, self.seats, self.options = variant, seats, options
        self.colours = {2: "ry", 3: "rby", 4: "rbyg"}[seats]
        self.words = count()
        self.seed = seed
        self.totals = [0] * seats
        self.deal_number = 1
        self.over = None
        self.out = []
        self.first = 0
        if options["first"] == "seed":
            assert seats < 5
            self.first = self.word(b"first", 0) % seats  # a word refused below 5 seats is one in 2**62
        self.begin()

    # chance

    def word(self, label, number):
        message = label + number.to_bytes(8, "big")
        return int.from_bytes(hmac.new(self.seed, message, hashlib.sha256).digest()[:8], "big")

    def shuffle(self, cards):
        cards = list(cards)
        for last in reversed(range(1, len(cards))):
            fair = 2**64 // (last + 1) * (last + 1)
            word = next(w for n in self.words if (w := self.word(b"deck", n)) < fair)
            chosen = word % (last + 1)
            cards[last], cards[chosen] = cards[chosen], cards[last]
        return cards

    def draw(self):
        if not self.pile:
            self.pile, self.discards = self.shuffle(self.discards), []
        return self.pile.pop(0)

    # turns

    def begin(self):
        self.pile, self.discards = self.shuffle(FACES), []
        staying = [self.colours[seat] for seat in self.staying()]
        self.pawns = {(colour, number): "S" for colour in staying for number in range(4)}
        self.turn, self.mover = 0, self.first
        self.hands = [[] for _ in range(self.seats)]
        if self.variant == "sorry-points":
            for colour in staying:
                self.pawns[colour, 0] = CIRCLES[colour]
            for number in range(HAND_SIZE * self.seats):
                seat = (self.first + number) % self.seats
                if seat not in self.out:
                    self.hands[seat].append(self.draw())
        else:
            self.hands[self.mover] = [self.draw()]

    def staying(self):
        return [seat for seat in range(self.seats) if seat not in self.out]

    def next_seat(self, seat):
        return next(s for n in range(1, 5) if (s := (seat + n) % self.seats) not in self.out)

    def team(self, seat):
        colours = [self.colours[seat]]
        if self.variant == "sorry-teams":
            colours.append(self.colours[(seat + 2) % 4])
        return colours

    def listed(self):
        """Canonical text to position, for every legal move."""
        if self.over:
            return {}
        hand = self.hands[self.mover]
        found = {}
        for card in set(hand):
            found |= self.of_card(card)
        if found:
            return found
        lost = [f"{card} --" for card in hand] if self.variant == "sorry-points" else ["--"]
        return dict.fromkeys(lost, self.pawns)

    def of_card(self, card):
        best = {}
        for parts, after in self.tries(card):
            text = " ".join([card, *parts])
            key = freeze(after)
            if key not in best or (len(parts), text) < best[key][:2]:
                best[key] = (len(parts), text, after)
        found = {text: after for _, text, after in best.values()}
        if card == "11" and found and not any("-" in text for text in found):
            found["11 --" if self.variant == "sorry-points" else "--"] = self.pawns
        return found

    def tries(self, card):
        """Every way to play a card: the parts' texts and the pawns after them."""
        if card == "7":
            limit = 8 if self.variant == "sorry-teams" else 2
            yield from self.share(self.pawns, [], 7, limit, [])
            return
        for pawn in self.own():
            for text, square in self.landings(card, pawn):
                try:
                    if "x" in text and card == "11":
                        yield [text], self.change(pawn, square)
                    else:
                        yield [text], land(self.pawns, pawn, square)
                except Blocked:
                    pass

    def own(self):
        return [pawn for pawn in self.pawns if pawn[0] in self.team(self.mover)]

    def landings(self, card, pawn):
        """Text and square of each way a single pawn may go."""
        colour, place = pawn[0], self.pawns[pawn]
        if place == "S" and card in ("1", "2"):
            yield f"{colour}S-{CIRCLES[colour]}", CIRCLES[colour]
        if place == "S" and card == "Sorry!":
            for other, square in self.pawns.items():
                if other[0] != colour and square in TRACK:
                    yield f"{colour}Sx{square}", square
        if place in ("S", "H") or card == "Sorry!":
            return
        for steps in {"4": [-4], "10": [10, -1]}.get(card, [int(card)]):
            square = walk(colour, place, steps)
            if square is not None:
                yield f"{colour}{place}-{square}", square
        if card == "11" and place in TRACK:
            for other, square in self.pawns.items():
                if other[0] not in self.team(self.mover) and square in TRACK:
                    yield f"{colour}{place}x{square}", square

    def change(self, pawn, square):
        """The pawn and the one on `square` change places, then the first one slides."""
        swapped = dict(self.pawns)
        other = at(swapped, square)
        swapped[other], swapped[pawn] = swapped[pawn], None
        return land(swapped, pawn, square)

    def share(self, pawns, used, left, limit, parts):
        if left == 0:
            yield parts, pawns
            return
        if limit == 0:
            return
        for pawn in self.own():
            place = pawns[pawn]
            if pawn in used or place in ("S", "H"):
                continue
            for steps in range(1, left + 1):
                square = walk(pawn[0], place, steps)
                if square is None:
                    break
                try:
                    after = land(pawns, pawn, square)
                except Blocked:
                    continue
                part = f"{pawn[0]}{place}-{square}"
                yield from self.share(after, [*used, pawn], left - steps, limit - 1, [*parts, part])

    def play(self, text):
        """Go on by a canonical text."""
        after = self.listed()[text]
        hand = self.hands[self.mover]
        card = text.split()[0] if text != "--" else hand[0]
        moved = freeze(after) != freeze(self.pawns)
        self.pawns = after
        hand.remove(card)
        self.discards.append(card)
        if all(self.pawns[pawn] == "H" for pawn in self.own()):
            self.turn += 1
            return self.finish("all-home", self.mover)
        points = self.variant == "sorry-points"
        if points:
            hand.append(self.draw())
        if not (card == "2" and (moved or not points)):
            self.turn += 1
            self.mover = self.next_seat(self.mover)
            if self.turn == self.options["turn_limit"]:
                return self.finish("turn-limit", None)
        if not points:
            self.hands[self.mover].append(self.draw())
        return None

    # the end

    def leave(self, seat):
        """A seat, in team play its team, forfeits (S31)."""
        gone = [s for s in (seat, *range(self.seats)) if self.colours[s] in self.team(seat)]
        self.out += list(dict.fromkeys(gone))
        self.pawns = {p: place for p, place in self.pawns.items() if p[0] not in self.team(seat)}
        for leaver in self.out:
            self.discards += self.hands[leaver]
            self.hands[leaver] = []
            self.totals[leaver] = 0
        left = self.staying()
        if len(left) == len(self.team(seat)):
            for stayer in left:
                if self.variant == "sorry-points":
                    self.totals[stayer] += 5 * self.home(stayer)
                else:
                    self.discards += self.hands[stayer]
                    self.hands[stayer] = []
            self.rank([0] * self.seats, "last-standing")
        elif self.mover in self.out:
            self.mover = self.next_seat(self.mover)
            if self.variant != "sorry-points":
                self.hands[self.mover].append(self.draw())

    def home(self, seat):
        return [place for (colour, _), place in self.pawns.items() if colour == self.colours[seat]].count("H")

    def rank(self, merits, reason):
        """End the match: stayers by merit, then who left, the last to leave first; a team is one."""
        merits = [-1 - self.out[::-1].index(s) if s in self.out else merits[s] for s in range(self.seats)]
        if self.variant == "sorry-teams":
            merits = [max(merits[seat % 2], merits[seat % 2 + 2]) for seat in range(4)]
            places = [1 if merit == max(merits) else 2 for merit in merits]
        else:
            places = [1 + sum(other > merit for other in merits) for merit in merits]
        self.over = (tuple(places), reason, tuple(self.totals) if self.variant == "sorry-points" else None)

    def finish(self, reason, winner):
        if self.variant != "sorry-points":
            won = self.team(winner) if winner is not None else []
            self.rank([int(colour in won) for colour in self.colours], reason)
            return
        for seat in self.staying():
            self.totals[seat] += 5 * self.home(seat)
        if winner is not None:
            others = [self.home(seat) for seat in self.staying() if seat != winner]
            self.totals[winner] += 5 * sum(4 - home for home in others)
            bonuses = [b for most, b in ((2, 25), (1, 50), (0, 100)) if all(home <= most for home in others)]
            self.totals[winner] += sum(bonuses) if self.options["bonus"] == "all" else max([0, *bonuses])
        if self.deal_number == self.options["deals"]:
            self.rank(self.totals, reason if self.deal_number == 1 else "deals-played")
            return
        self.deal_number += 1
        takes_first = self.options["winner_first"] and winner is not None
        self.first = winner if takes_first else self.next_seat(self.first)
        self.begin()
