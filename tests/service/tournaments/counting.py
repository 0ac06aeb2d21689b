"""What the schedule tests count."""

from collections import Counter
from itertools import combinations, groupby


def tables_of(cycle):
    return [cycle.seats(index) for index in range(cycle.count)]


def games_of(schedule):
    return [schedule.game(index) for index in range(schedule.count)]


def meetings(tables):
    """How often every two players who meet at all meet, by pair."""
    return Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))


def seat_spread(tables):
    """The largest difference between one player's counts of two seats."""
    sat = Counter((player, seat) for table in tables for seat, player in enumerate(table))
    players = {player for table in tables for player in table}
    counts = [[sat[player, seat] for seat in range(len(tables[0]))] for player in players]
    return max(max(count) - min(count) for count in counts)


def longest_run(tables, player):
    """The longest run of games that a player sits in one seat."""
    seats = [table.index(player) for table in tables if player in table]
    return max(len(list(run)) for _, run in groupby(seats))
