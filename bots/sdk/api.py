"""One kept-alive connection to the service's API, for a bot that fetches its turns."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_S = 45  # a poll waits up to 30 s at the other end


class ApiError(Exception):
    """The service refused: `status`, and in `str()` what it said."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"the service answered {status}: {detail}")
        self.status = status


class ApiAway(Exception):
    """The service cannot be reached or is busy; try again in `retry_s` seconds."""

    def __init__(self, why: str, retry_s: float | None = None) -> None:
        super().__init__(why)
        self.retry_s = retry_s


@dataclass(slots=True)
class Api:
    """Calls of one thread. `server` is the service's address; raises ValueError if it is none."""

    server: str
    key: str
    _connection: http.client.HTTPConnection | None = None

    def __post_init__(self) -> None:
        url = urlsplit(self.server)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(
                f"{self.server!r} is no service's address; write it like https://arbiter.example"
            )

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The JSON answered, None for 204; raises ApiError or ApiAway."""
        status, headers, data = self._exchange(method, path, body)
        if status in (429, 503):
            after = headers.get("Retry-After", "")
            raise ApiAway(f"the service answered {status}", float(after) if after.isdecimal() else None)
        if status >= 500:
            raise ApiAway(f"the service answered {status}")
        if status >= 400:
            raise ApiError(status, _detail(data))
        return json.loads(data) if data else None

    def _exchange(
        self, method: str, path: str, body: Mapping[str, Any] | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        kept = self._connection is not None
        try:
            return self._exchange_once(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if kept and not isinstance(error, TimeoutError):  # the service may close an idle connection
                return self._exchange(method, path, body)
            raise ApiAway(f"no answer from {self.server}: {error or type(error).__name__}") from error

    def _exchange_once(
        self, method: str, path: str, body: Mapping[str, Any] | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        connection = self._connection = self._connection or self._connect()
        connection.request(method, urlsplit(self.server).path.rstrip("/") + path, _written(body), headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read()  # type: ignore[return-value]

    def _connect(self) -> http.client.HTTPConnection:
        url = urlsplit(self.server)
        assert url.hostname
        kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        return kind(url.hostname, url.port, timeout=TIMEOUT_S)

    def close(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None


def _written(body: Mapping[str, Any] | None) -> bytes | None:
    return None if body is None else json.dumps(body, ensure_ascii=False).encode()


def _detail(data: bytes) -> str:
    """What a problem document says (RFC 9457), or the body as it came."""
    try:
        problem = json.loads(data)
    except ValueError:
        return data[:200].decode(errors="replace")
    return str(problem.get("detail") or problem.get("title")) if isinstance(problem, dict) else str(problem)
