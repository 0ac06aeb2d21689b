"""Quixo once more, slow and obvious: cells by name, cubes by what they show, moves by their texts.

Written from the rules alone; it shares nothing with the engine but the notation, so that the two can be
held against each other.
"""

from collections import Counter

COLUMNS = "abcde"


class SecondQuixo:
    def __init__(self, seats, size=5, repetition=True, ply_limit=200):
        self.seats, self.size = seats, size
        self.repetition, self.ply_limit = repetition, ply_limit
        self.columns = COLUMNS[:size]
        self.numbers = [str(i + 1) for i in range(size)]
        self.cubes = {c + n: "." for c in self.columns for n in self.numbers}  # Q2
        self.ply = 0
        self.outcome = None
        self.visits = Counter([self.place()])

    @property
    def seat(self):
        return self.ply % self.seats

    def place(self):
        rows = ["".join(self.cubes[c + n] for c in self.columns) for n in reversed(self.numbers)]
        return "/".join(rows) + f" {self.seat}"

    def text(self):
        return f"{self.place()} {self.ply}"

    def side_of(self, cube):
        return {"X": 0, "0": 0, "2": 0, "O": 1, "1": 1, "3": 1}.get(cube)

    def may_take(self, cell):
        column, number = cell
        if column not in (self.columns[0], self.columns[-1]) and number not in ("1", self.numbers[-1]):
            return False
        cube = self.cubes[cell]
        if cube == ".":
            return True
        if self.ply < self.seats:
            return False
        return cube == ("XO"[self.seat] if self.seats == 2 else str(self.seat))

    def line_of(self, cell, end):
        """The cells of the row or column, so that the cube comes in behind the last."""
        column, number = cell
        line = [column + n for n in self.numbers] if end in "NS" else [c + number for c in self.columns]
        return line if end in "NE" else line[::-1]

    def legal(self):
        if self.outcome:
            return []
        moves = []
        for cell in self.cubes:
            for end in "NESW":
                if self.may_take(cell) and self.line_of(cell, end)[-1] != cell:
                    team = [self.seat % 2, self.seat % 2 + 2]
                    moves += [cell + end] if self.seats == 2 else [f"{cell}{end}@{t}" for t in team]
        return sorted(moves) or ["--"]

    def play(self, text):
        mover = self.seat % 2
        if text != "--":
            cell, end, dot = text[:2], text[2], text[4:]
            line = self.line_of(cell, end)
            shown = [self.cubes[c] for c in line]
            del shown[line.index(cell)]
            shown.append(dot or "XO"[self.seat])
            self.cubes.update(zip(line, shown, strict=True))
        self.ply += 1
        self.visits[self.place()] += 1
        self.outcome = self.ended(mover)

    def ended(self, mover):
        lined = {self.side_of(line[0]) for line in self.full_lines()}
        if 1 - mover in lined:
            return self.placing(1 - mover), "opponent-line"
        if mover in lined:
            return self.placing(mover), "line"
        if self.repetition and self.visits[self.place()] == 3:
            return (1,) * self.seats, "repetition"
        if self.ply == self.ply_limit:
            return (1,) * self.seats, "ply-limit"
        return None

    def placing(self, winner):
        return tuple(1 if seat % 2 == winner else 2 for seat in range(self.seats))

    def full_lines(self):
        pairs = list(zip(self.columns, self.numbers, strict=True))
        cells = [[c + n for n in self.numbers] for c in self.columns]
        cells += [[c + n for c in self.columns] for n in self.numbers]
        cells += [[c + n for c, n in pairs]]
        cells += [[c + n for c, n in zip(self.columns, reversed(self.numbers), strict=True)]]
        shown = [[self.cubes[cell] for cell in line] for line in cells]
        return [s for s in shown if s[0] != "." and len({self.side_of(cube) for cube in s}) == 1]
