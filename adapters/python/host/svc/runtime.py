"""The interface for functions of Python endpoints: the database, the configuration, the client, the user."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, TypeVar

from . import _hooks, _parameters, _state, _values
from ._errors import DatabaseError, HostError, OutsideCall, UserError

__all__ = [
    "DatabaseError",
    "HostError",
    "OutsideCall",
    "UserError",
    "audit",
    "config",
    "db",
    "mcp",
    "on_init",
    "on_shutdown",
    "user",
]

_Hook = TypeVar("_Hook", bound=Callable[[], Any])


def on_init(function: _Hook) -> _Hook:
    """Runs a function once in each process, before the first call of its file.

        @on_init
        def connect(): ...
    """
    return _hooks.on_init(function)


def on_shutdown(function: _Hook) -> _Hook:
    """Runs a function when a process of the server ends normally."""
    return _hooks.on_shutdown(function)


class _Database:
    def execute(self, sql: str, params: Optional[Mapping[str, Any]] = None) -> List[Dict[str, Any]]:
        """Runs one statement with `$name` parameters; returns its rows as dictionaries. Raises DatabaseError.

            rows = db.execute("SELECT name FROM users WHERE id = $id", {"id": 7})
        """
        _parameters.check_text(sql, "the statement")
        return _state.ask("execute", sql=sql, params=_parameters.to_sql(params or {}))


class _Config:
    def __init__(self) -> None:
        self._text: Optional[str] = None

    def get_secret(self, name: str) -> Optional[Dict[str, Any]]:
        """Returns the parameters of a secret that svc-site.yml names under `secrets`; None for another name."""
        return _state.ask("secret", name=name)

    def get_setting(self, path: str, default: Any = None) -> Any:
        """Returns a value of svc-site.yml by its path, such as "sql_tools.enabled"."""
        found: Any = self.site_config
        for step in path.split("."):
            if not isinstance(found, dict) or step not in found:
                return default
            found = found[step]
        return found

    @property
    def site_config(self) -> Dict[str, Any]:
        """The content of svc-site.yml under the active profile, with all defaults."""
        return self._all()["site"]

    @property
    def user_config(self) -> Dict[str, Any]:
        """The part of the user file for this project and profile, without the values of secrets."""
        return self._all()["user"]

    def _all(self) -> Dict[str, Any]:
        # Each caller gets objects of its own, because functions may change them.
        if self._text is None:
            self._text = json.dumps(_state.ask("config"))
        return json.loads(self._text)


class _Told:
    """The result of a notification. Awaiting it is optional."""

    def __await__(self) -> Iterator[None]:
        return iter(())


_TOLD = _Told()


class _Client:
    def debug(self, text: str) -> _Told:
        """Sends the client a log message for developers."""
        return self._tell("debug", text)

    def info(self, text: str) -> _Told:
        """Sends the client a log message."""
        return self._tell("info", text)

    def warning(self, text: str) -> _Told:
        """Sends the client a warning."""
        return self._tell("warning", text)

    def error(self, text: str) -> _Told:
        """Sends the client a message about an error that does not end the call."""
        return self._tell("error", text)

    def progress(self, done: float, total: Optional[float] = None, text: str = "") -> _Told:
        """Reports progress to the client: `done` of `total` steps."""
        _state.ask("progress", done=float(done), total=None if total is None else float(total), text=_cut(text))
        return _TOLD

    def _tell(self, level: str, text: str) -> _Told:
        _state.ask("notice", level=level, text=_cut(text))
        return _TOLD


def _cut(text: Any) -> str:
    return str(text)[: _state.MAX_TEXT]


class _User:
    """The user of the call. Without authentication it is falsy, and all its fields are None."""

    def __bool__(self) -> bool:
        return _state.user() is not None

    def __getattr__(self, name: str) -> Any:
        if name not in _USER_FIELDS:
            raise AttributeError(f"user has no {name}; it has {', '.join(_USER_FIELDS)}")
        return (_state.user() or {}).get(name)

    def __repr__(self) -> str:
        return f"<user {self.id!r}>"


_USER_FIELDS = (
    "id",
    "username",
    "email",
    "name",
    "provider",
    "role",
    "permissions",
    "groups",
    "capabilities",
    "claims",
    "external_token",
)


class Event:
    """An action of a call in another system. It ends with its `with` block, as an error if the block raises."""

    def __init__(self, kind: str, fields: Dict[str, Any]) -> None:
        self.kind = kind
        self.status: Optional[str] = None
        self.summary: Optional[str] = fields.get("summary")
        self.error: Optional[str] = None
        self.details: Optional[Dict[str, Any]] = fields.get("details")
        self._fields = fields

    def __enter__(self) -> Event:
        self._started, self._clock = time.time(), time.perf_counter()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is not None:
            self.error = self.error or kind.__name__
        audit.add(
            self.kind,
            **{**self._fields, "summary": self.summary, "details": self.details},
            started_at=self._started,
            duration_ms=(time.perf_counter() - self._clock) * 1000,
            status=self.status or ("success" if self.error is None else "error"),
            error=self.error,
        )


class _Audit:
    def event(
        self,
        kind: str = "external",
        *,
        target: Optional[str] = None,
        operation: Optional[str] = None,
        summary: Optional[str] = None,
        details: Optional[Dict[str, Any]] = None,
    ) -> Event:
        """Starts an event of the call's audit record: `with audit.event(target="api.example.com"): ...`"""
        fields = {"target": target, "operation": operation, "summary": summary, "details": details}
        return Event(kind, fields)

    def add(
        self,
        kind: str = "external",
        *,
        target: Optional[str] = None,
        operation: Optional[str] = None,
        status: str = "success",
        summary: Optional[str] = None,
        error: Optional[str] = None,
        details: Optional[Dict[str, Any]] = None,
        started_at: Optional[float] = None,
        duration_ms: float = 0,
    ) -> None:
        """Adds an event that has already ended to the audit record of the call."""
        event = {
            "kind": kind,
            "started_at": time.time() if started_at is None else started_at,
            "duration_ms": duration_ms,
            "status": status,
            "target": target,
            "operation": operation,
            "summary": summary,
            "error": error,
            "details": details,
        }
        _state.ask("event", event=_values.to_plain(event))


db = _Database()
config = _Config()
mcp = _Client()
user = _User()
audit = _Audit()
