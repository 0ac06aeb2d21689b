"""A tournament's records are read while they are sent, however many there are."""

from service.exporting import AT_ONCE, records_of


def read_so_far(venue) -> tuple[int, int]:
    """How many matches and how many records the store has been asked for."""
    stats = venue.store.db.run("INFO", "commandstats")
    return tuple(stats.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in ("hgetall", "get"))


def test_no_more_is_read_than_is_sent(venue):
    contest = venue.play_out(venue.tournament(venue.bots(12, concurrency=11)))
    assert contest.games_total == 66 > AT_ONCE
    venue.store.db.run("CONFIG", "RESETSTAT")
    found = records_of(venue.store, contest, "", lambda match: True)
    first = next(found)
    assert first["events"][-1]["type"] == "finished"
    assert read_so_far(venue) == (AT_ONCE, 1)
    assert len(list(found)) == 65
    assert read_so_far(venue) == (66, 66)
