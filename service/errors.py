"""What the service refuses, or cannot do just now.

    ServiceError
    ├── NotFound       there is no such thing (or none that the asker may know of)
    ├── Conflict       the thing's present state, or somebody who came first, does not allow it
    ├── Refused        policy or a bound does not allow it
    └── Unavailable    Redis is away, slow or full: the same call may work a little later

`problem` is the error's wire name: the last part of an answer's `type` (`/problems/<problem>`), listed in
`service.api.problems`. `detail` says what is wrong, where, and what to do instead. `field` is the request's
member at fault, dotted ("seats.1"), if there is one.
"""

from __future__ import annotations


class ServiceError(Exception):
    """Base of the errors above; `str()` is the detail."""

    def __init__(self, problem: str, detail: str, field: str | None = None) -> None:
        super().__init__(detail)
        self.problem = problem
        self.detail = detail
        self.field = field


class NotFound(ServiceError):
    """There is no such thing; usually `not-found`, or `unknown-bot` when a request names it."""


class Conflict(ServiceError):
    """Somebody came first, or the state has moved on: `wrong-state`, `name-taken`, `stale` ..."""


class Refused(ServiceError):
    """Policy says no: `quota`, `own-bot-both-sides`, `unverified-bot` ..."""


class Unavailable(ServiceError):
    """The store did not answer; nothing is known to be wrong with the call. Retry after `retry_after_s`."""

    def __init__(self, detail: str, retry_after_s: int = 2) -> None:
        super().__init__("unavailable", detail)
        self.retry_after_s = retry_after_s
