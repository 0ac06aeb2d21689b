"""Checks by the doctor on a bot's page, for its owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import redirect, url_for

from service.api.context import store
from service.models import Examination, ExaminationState
from service.web.blueprint import web
from service.web.forms import need_owner
from service.web.inside import ask

Finding = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ShownCheck:
    """A check with its findings, those that matter most first."""

    made: Examination
    bad: Sequence[Finding]
    advice: Sequence[Finding]
    rest: Sequence[Finding]

    @property
    def under_way(self) -> bool:
        return self.made.state in (ExaminationState.WAITING, ExaminationState.RUNNING)


def last_check(bot_id: str) -> ShownCheck | None:
    """The bot's last check, if it is still known."""
    made = store().examinations.latest(bot_id)
    if made is None:
        return None
    found = store().examinations.findings(made.id)
    bad, advice = ([f for f in found if f["level"] == level] for level in ("error", "advice"))
    return ShownCheck(made, bad, advice, [f for f in found if f["level"] in ("ok", "note")])


@web.post("/bots/<bot_id>/check")
def check_bot(bot_id: str) -> Any:
    need_owner()
    ask("POST", f"/v1/bots/{bot_id}/checks", {}).check()
    return redirect(url_for("web.bot", bot_id=bot_id, _anchor="check"), 303)
