"""A record from a file, shown like a match of this service; nothing of it is kept."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from flask import jsonify, render_template, request

from engines.errors import GameError
from engines.record import verify
from service.api.errors import ApiError
from service.errors import Unavailable
from service.web.blueprint import web
from service.web.show.replay import Replay
from service.web.show.sheet import sheet_of
from service.web.upload import MAX_RECORD_BYTES, read_record

_at_work = threading.BoundedSemaphore(2)  # replaying takes time, and the other pages want some too


@web.get("/viewer")
def viewer_page() -> str:
    return render_template("web/viewer.html", limit=MAX_RECORD_BYTES)


@web.post("/viewer")
def show_record() -> Any:
    """The page for a record; for scripts as JSON with its frames."""
    sent = request.files.get("record")
    body = sent.read() if sent else b""
    if not body:
        raise ApiError("bad-request", "Choose a record's file first.")
    whole, read = read_record(body)
    if not _at_work.acquire(blocking=False):
        raise Unavailable("Other records are being checked; try again in a moment", 5)
    try:
        return _shown(whole, read, sent.filename if sent else "")
    finally:
        _at_work.release()


def _shown(whole: Mapping[str, Any], read: Mapping[str, Any], name: str | None) -> Any:
    replay = Replay(read["header"], bytes.fromhex(read["secret"]))
    try:
        replay.extend(list(enumerate(read["events"], start=1)))
    except (GameError, StopIteration) as error:
        raise ApiError("invalid", f"Event {len(replay.frames) + 1} cannot be replayed: {error}") from None
    sheet = sheet_of(replay, None, read["result"], reveal=True, linked=False)
    page = render_template("web/record.html", sheet=sheet, problems=verify(whole), name=name)
    if request.accept_mimetypes.best_match(("text/html", "application/json")) != "application/json":
        return page
    frames = [frame | {"id": number} for number, frame in replay.frames_for(0, (), reveal=True)]
    return jsonify({"page": page, "frames": frames})
