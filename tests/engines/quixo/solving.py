"""Solving the 3×3 game backwards, through the game contract."""

from collections import Counter, deque
from itertools import product

WIN, LOSS, DRAW = "win", "loss", "draw"


class Solution:
    """What every board is worth to the side to move, and in how many plies a won or lost one ends.

    All 3**9 boards count, as cubes of the side to move and of its opponents; whoever moves is taken to be X.
    """

    def __init__(self, game):
        self.game = game
        self.options = game.full_options({"size": 3, "repetition": False})
        self.worth, self.plies = {}, {}
        self._solve([self.state(cubes) for cubes in product(".XO", repeat=9)])

    def state(self, cubes):
        rows = "/".join("".join(cubes[i : i + 3]) for i in (0, 3, 6))
        return self.game.position(f"{rows} 0 100", 2, self.options, bytes(32))

    def counts(self):
        """How many boards are won, lost and drawn."""
        total = Counter(self.worth.values())
        return [total[WIN], total[LOSS], total[DRAW]]

    def _solve(self, states):
        parents, open_replies, queue = {}, {}, deque()
        for state in states:
            board = boards(state)
            self.worth[board], self.plies[board] = DRAW, 0
            if state.outcome:
                self.worth[board] = WIN if state.outcome.placing[0] == 1 else LOSS
                queue.append(board)
            replies = {boards(state.apply(move)) for move in state.legal_moves()}
            open_replies[board] = len(replies)
            for reply in replies:
                parents.setdefault(reply, []).append(board)
        while queue:
            reply = queue.popleft()
            for board in parents.get(reply, ()):
                open_replies[board] -= 1
                if self.worth[board] == DRAW and (self.worth[reply] == LOSS or not open_replies[board]):
                    self.worth[board] = WIN if self.worth[reply] == LOSS else LOSS
                    self.plies[board] = self.plies[reply] + 1
                    queue.append(board)


def boards(state):
    return state.mine, state.theirs
