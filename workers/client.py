"""The REST API from a program's side, over requests: what the `arbiter` client commands and the demo use."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import requests

TIMEOUT_S = 30.0
TRIES = 5


class ApiError(RuntimeError):
    """The service refused: `problem` is its RFC 9457 body, `status` the HTTP status, `str()` for people."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        lines = [str(problem.get("detail") or problem.get("title") or f"the service answered {status}")]
        lines += [f"  {e.get('field')}: {e.get('detail')}" for e in problem.get("errors", [])]
        super().__init__("\n".join(lines))
        self.status = status
        self.problem = problem


class Client:
    """A server and, where one is needed, a key. Waits as told when the server is busy (429, 503)."""

    def __init__(self, server: str, key: str | None = None) -> None:
        self.server = server.rstrip("/")
        self.key = key
        self._session = requests.Session()
        self._session.trust_env = False
        if key:
            self._session.headers["Authorization"] = f"Bearer {key}"

    def get(self, path: str, **params: Any) -> Any:
        return self._call("GET", path, params=params)

    def text(self, path: str, **params: Any) -> str:
        """An answer that is no JSON."""
        return self._answer("GET", path, params=params).text

    def post(self, path: str, body: Mapping[str, Any], **headers: str) -> Any:
        return self._call("POST", path, json=dict(body), headers=headers)

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._call("PUT", path, json=dict(body))

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._call("PATCH", path, json=dict(body), headers={"If-Match": "*"})

    def delete(self, path: str) -> Any:
        return self._call("DELETE", path)

    def pages(self, path: str, **params: Any) -> Iterator[Any]:
        """Every item of a list, page by page."""
        while True:
            page = self.get(path, **params)
            yield from page["items"]
            if page["next"] is None:
                return
            params["cursor"] = page["next"]

    def lines(self, path: str) -> Iterator[bytes]:
        """The lines of a long answer as they come; raises requests.RequestException if it is cut short."""
        with self._answer("GET", path, stream=True) as answer:
            yield from answer.iter_lines(chunk_size=1 << 16)

    def _call(self, method: str, path: str, **options: Any) -> Any:
        answer = self._answer(method, path, **options)
        return answer.json() if answer.content else None

    def _answer(self, method: str, path: str, **options: Any) -> requests.Response:
        for left in range(TRIES - 1, -1, -1):
            answer = self._session.request(method, self.server + path, timeout=TIMEOUT_S, **options)
            if answer.status_code in (429, 503) and left:
                time.sleep(min(float(answer.headers.get("Retry-After", "1")), 10.0))
                continue
            break
        if answer.status_code >= 400:
            raise ApiError(answer.status_code, _problem(answer))
        return answer


def _problem(answer: requests.Response) -> Mapping[str, Any]:
    if "json" in answer.headers.get("Content-Type", ""):
        body = answer.json()
        if isinstance(body, dict):
            return body
    return {
        "detail": f"{answer.request.method} {answer.url} was answered {answer.status_code} {answer.reason}"
    }
