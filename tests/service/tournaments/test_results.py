"""Results as records and as columns."""

import random

import pytest

from service.tournaments.formats import FORMATS
from service.tournaments.pairing import Options, Result
from service.tournaments.results import FAULTS, Results, packed, record_type
from tests.service.tournaments.playing import random_results


def test_a_record_is_eight_bytes_for_two_seats():
    assert packed(Result(3, (7, 259), (1, 2), (None, "timeout")), points=False) == bytes(
        [7, 0, 3, 1, 1, 2, 0, 4]
    )
    assert [record_type(seats, False).itemsize for seats in (2, 3, 4)] == [8, 12, 16]
    assert record_type(2, True).itemsize == 16


def test_the_codes_of_faults_never_change():
    assert FAULTS == (
        "withdrawn", "illegal-move", "malformed-reply", "timeout", "unreachable", "http-error", "too-large",
        "resigned", "no-show",
    )  # fmt: skip


def test_an_unknown_fault_is_refused():
    with pytest.raises(ValueError, match="'boredom' is no reason for a fault; the reasons are: withdrawn"):
        packed(Result(0, (0, 1), (1, 2), (None, "boredom")), points=False)


def test_records_in_game_order_give_the_same_columns():
    schedule = FORMATS["round-robin"].schedule(9, Options(seats=3), None, {})
    played = list(random_results(schedule, random.Random(1), games=[0, 1, 4, 7, 8]))
    size = record_type(3, False).itemsize
    data = bytearray(9 * size)
    for result in played:
        data[result.game * size : (result.game + 1) * size] = packed(result, points=False)
    one, other = Results.from_records(bytes(data), 3), Results.of(played, 3)
    for name in ("games", "seats", "placing", "faults"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert other.points is None


def test_a_game_points_column():
    results = Results.of(
        [Result(0, (0, 1), (1, 2), points=(45, -3)), Result(1, (1, 0), (1, 2))], 2, points=True
    )
    assert results.points.tolist() == [[45, -3], [0, 0]]
    assert results.without([0]).points.tolist() == [[0, 0]]
    assert results.without([0]).joined(results).games.tolist() == [1, 0, 1]
