"""A tournament's records as one file of JSON Lines, sent as it is read."""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from flask import Response, json, request, stream_with_context

from service.api.blueprint import Blueprint
from service.api.context import settings, store
from service.api.errors import ApiError
from service.api.objects import asker_id, may_see, seen_tournament
from service.api.streams import stopping, streams
from service.errors import Unavailable
from service.exporting import records_of
from service.pseudonyms import in_force

JSON_LINES = "application/jsonl"
GZIP = 16 + zlib.MAX_WBITS

exports = Blueprint("exports", __name__, url_prefix="/v1/tournaments", description="Everything in one file.")


@exports.route("/<tournament_id>/records")
@exports.response(200, content_type=JSON_LINES, schema={"type": "string"})
@exports.alt_response(409, response="CONFLICT")
def records(tournament_id: str) -> Any:
    """All records of a tournament

    JSON Lines: a line for every game that is over and counts, in the order of the schedule; each is what
    `/v1/matches/{match_id}/record` gives to whoever asks, and `arbiter verify FILE` checks them all. A game
    whose record cannot be read there has no line: it is not over, private, withheld while its deck is played
    with, or deleted by its age. `games_done` of the tournament says how many there can be. Compressed where
    the request accepts gzip. An answer that is cut short has no end: ask again.
    """
    return all_records(tournament_id)


def all_records(tournament_id: str) -> Response:
    """The answer, also for the page; raises NotFound, ApiError, Unavailable."""
    tournament = seen_tournament(tournament_id)
    if in_force(store().tournaments.get(tournament_id)):
        raise ApiError("record-withheld", "Records name the players; they are there after the tournament.")
    lines = _lines(records_of(store(), tournament, asker_id(), may_see))
    first = list(islice(lines, 1))  # what is refused is refused before the answer begins
    response = _sent(chain(first, lines), f"{tournament_id}.jsonl")
    response.call_on_close(lines.close)
    return response


def _lines(found: Iterable[dict[str, Any]]) -> Generator[bytes, None, None]:
    """Holds one of the places for streams. Raises Unavailable at a stop: the client sees a cut."""
    streams.take(settings().max_streams, "streams")
    try:
        for record in found:
            if stopping.is_set():
                raise Unavailable("the server is being stopped", 5)
            yield json.dumps(record).encode() + b"\n"
    finally:
        streams.free()


def _sent(lines: Iterator[bytes], name: str) -> Response:
    zipped = request.accept_encodings["gzip"] > 0
    body = stream_with_context(_zipped(lines) if zipped else lines)
    response = Response(body, mimetype=JSON_LINES)
    response.headers["Cache-Control"] = "no-store"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.vary.update(("Accept-Encoding", "Authorization"))
    if zipped:
        response.content_encoding = "gzip"
    return response


def _zipped(lines: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=GZIP)
    for line in lines:
        if part := packer.compress(line):
            yield part
    yield packer.flush()
