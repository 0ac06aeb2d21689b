"""Frames: what moved, checked against the positions of whole random games of every kind."""

from __future__ import annotations

from collections import Counter

import pytest

from engines.record import positions, setup_from
from engines.registry import GAMES
from service.web.films import Film
from service.web.show.replay import LONGEST, Replay, cut
from service.web.show.stages import STAGES
from tests.service.web.playing import ALL_TABLES, header_for, played, record_from, refused

IDS = [f"{game.name} {seats}" for game, seats in ALL_TABLES]


def replay_of(game, seats, seed=1, **options):
    header, secret = header_for(game, seats, seed, **options)
    events = played(header, secret, seed, fault_at=30 if seed % 2 else -1)
    replay = Replay(header, secret)
    replay.extend(list(enumerate(events, start=1)))
    return replay, header, secret, events


def test_every_game_can_be_drawn():
    assert STAGES.keys() == GAMES.keys()


def looks_of(view) -> Counter[str]:
    """The pieces that a view has, by their drawings."""
    if "cells" in view:
        names = {".": "blank", "X": "x", "O": "o", "0": "x0", "1": "o1", "2": "x2", "3": "o3"}
        return Counter(names[cube] for row in view["cells"] for cube in row)
    out = {view["colours"][seat] for seat in view["out"]}
    return Counter(c[0] for c in view["colours"] if c not in out for _ in range(4))


@pytest.mark.parametrize(("game", "seats"), ALL_TABLES, ids=IDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_pieces_stand_where_the_rules_have_them(game, seats, seed):
    replay, header, secret, events = replay_of(game, seats, seed)
    reached = list(positions(setup_from(header, secret, events[0]), events))
    state, _ = reached[-1]
    opened = replay.stage.opening(state.view(None))
    shown = Counter((p.look, p.x, p.y) for p in replay.scene.pieces if p.look != "gone")
    wanted = Counter((p.look, p.x, p.y) for p in opened.pieces if p.look != "gone")
    if game.name.startswith("quixo"):
        assert shown == wanted
    else:  # on START and HOME each pawn has a corner of its own, whichever it is
        assert Counter(p.place for p in replay.scene.pieces) == Counter(p.place for p in opened.pieces)
    assert Counter(p.look for p in replay.scene.pieces if p.look != "gone") == looks_of(state.view(None))


@pytest.mark.parametrize(("game", "seats"), ALL_TABLES, ids=IDS)
def test_pieces_come_where_they_are_by_their_motions_alone(game, seats):
    """Only the first frame, and one in which a seat fell out, place pieces without moving them."""
    for seed in (2, 4, 6, 8):
        replay, *_ = replay_of(game, seats, seed)
        placed = [frame for frame in replay.frames if "set" in frame]
        assert [frame["kind"] for frame in placed] == ["started"]


def test_a_new_deal_places_the_pawns_anew():
    replay, *_ = replay_of(GAMES["sorry-points"], 2, 2, deals=3)
    assert sum("set" in frame for frame in replay.frames) == 3


@pytest.mark.parametrize(("game", "seats"), ALL_TABLES, ids=IDS)
def test_a_scene_in_the_middle_is_what_was_shown_then(game, seats):
    header, secret = header_for(game, seats, 2)
    events = played(header, secret, 2)
    replay = Replay(header, secret)
    for number, event in enumerate(events, start=1):
        replay.extend([(number, event)])
        if number % 7 == 0:
            then = [(p.look, p.x, p.y) for p in replay.scene.pieces]
            assert [(p.look, p.x, p.y) for p in replay.scene_at(number).pieces] == then
    assert replay.over
    assert replay.frames[-1]["to_move"] is None


def test_events_that_come_twice_or_too_early_change_nothing():
    header, secret = header_for(GAMES["quixo"], 2)
    events = list(enumerate(played(header, secret), start=1))
    replay = Replay(header, secret)
    replay.extend(events[:6])
    replay.extend(events[2:4])
    replay.extend(events[9:12])
    assert len(replay.frames) == 6
    replay.extend(events)
    assert len(replay.frames) == len(events)


def test_hands_are_seen_by_their_owner_until_the_end():
    replay, *_ = replay_of(GAMES["sorry-points"], 3, 2)
    hidden = replay.frames_for(0)[5][1]["hands"]
    own = replay.frames_for(0, seats={1})[5][1]["hands"]
    known = replay.frames_for(0, reveal=True)[5][1]["hands"]
    assert hidden == [5, 5, 5]
    assert own[0] == own[2] == 5
    assert len(own[1]) == 5
    assert own[1] == known[1]
    assert [len(hand) for hand in known] == [5, 5, 5]


def test_receipts_are_seen_by_their_owner_only():
    replay, *_ = replay_of(GAMES["quixo"], 2, 2)
    assert not any("receipt" in frame for _, frame in replay.frames_for(0, reveal=True))
    own = [frame for _, frame in replay.frames_for(0, seats={0}) if "receipt" in frame]
    assert own
    assert all(frame["seat"] == 0 for frame in own)
    assert "connect 0.21 ms" in own[0]["receipt"]


def test_a_fault_is_a_frame_of_its_own():
    replay, *_ = replay_of(GAMES["sorry"], 3, 1)
    fault = next(frame for frame in replay.frames if frame["kind"] == "fault")
    assert fault["fault"]["reason"] == "timeout"
    assert fault["say"] == "fails (time ran out) and is out"
    assert fault["stands"][fault["seat"]] == "out"
    gone = [piece for piece in fault["set"] if piece[0] == "gone"]
    assert len(gone) == 8  # the four of the seat that fell out, and green's, whom nobody plays


def test_a_refused_answer_that_may_be_repeated_moves_nothing():
    header, secret = header_for(GAMES["quixo"], 2)
    events = played(header, secret, stop_after=3)
    turn = events[-1]["turn"] + 1
    events.append(refused(turn, turn % 2, "z9N", "z9N: z9 is not on the 5×5 board (Q1)"))
    replay = Replay(header, secret)
    replay.extend(list(enumerate(events, start=1)))
    assert "moved" not in replay.frames[-1]
    assert "set" not in replay.frames[-1]
    assert replay.frames[-1]["say"].endswith("and is asked again")
    assert replay.frames[-1]["fault"]["got"] == "z9N"


def test_what_others_wrote_is_cut():
    header, secret = header_for(GAMES["quixo"], 2)
    events = played(header, secret)
    bot_move = next(event for event in events if event["type"] == "move")
    bot_move["comment"] = "x" * 10_000
    replay = Replay(header, secret)
    replay.extend(list(enumerate(events, start=1)))
    longest = max(len(frame.get("comment", "")) for frame in replay.frames)
    assert longest == LONGEST
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"


def test_frames_of_a_record_are_those_of_its_match():
    replay, header, secret, events = replay_of(GAMES["quixo-teams"], 4, 2)
    record = record_from(header, secret, events)
    other = Replay(record["header"], bytes.fromhex(record["secret"]))
    other.extend(list(enumerate(record["events"], start=1)))
    assert other.frames == replay.frames


class Shelf:
    """A store that has these events."""

    def __init__(self, events):
        self.matches, self.kept = self, events

    def events(self, match_id, after):
        return list(enumerate(self.kept, start=1))[after:]

    def turn_age_ms(self, match_id):
        return 7000


def test_the_newest_frame_says_how_long_its_turn_has_been_going_on():
    header, secret = header_for(GAMES["quixo"], 2)
    film = Film("m", Replay(header, secret))
    film.look(Shelf(played(header, secret, 1, stop_after=4)))
    *before, (_, newest) = film.frames(0, (), False)
    assert all("age_ms" not in frame for _, frame in before)
    assert 7000 <= newest["age_ms"] < 9000


def test_a_film_of_a_match_whose_last_seconds_were_lost_is_made_anew():
    """D5: after a power loss other moves may follow than those that were shown."""
    header, secret = header_for(GAMES["quixo"], 2)
    first, then = (played(header, secret, seed, stop_after=count) for seed, count in ((1, 9), (2, 12)))
    shelf = Shelf(first)
    film = Film("m", Replay(header, secret))
    assert len(film.look(shelf).frames) == len(first)
    shelf.kept = then
    assert [frame.get("move") for frame in film.look(shelf).frames] == [e.get("move") for e in then]


def test_a_film_looks_no_oftener_than_asked():
    header, secret = header_for(GAMES["quixo"], 2)
    events = played(header, secret)
    shelf = Shelf(events[:4])
    film = Film("m", Replay(header, secret))
    film.look(shelf, 60)
    shelf.kept = events
    assert len(film.look(shelf, 60).frames) == 4
    assert film.look(shelf).over
