"""The interface for functions of Python endpoints: the database, the configuration, the client, the user."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

_Hook = TypeVar("_Hook", bound=Callable[[], Any])

class UserError(Exception):
    """Raise this to show the client a text. The texts of other exceptions appear in the log only."""

class HostError(Exception):
    """A request to the server failed; `code` says why."""

    code: str

class DatabaseError(HostError):
    """A statement failed. The server's log has the message of the database."""

class OutsideCall(RuntimeError):
    """The runtime was used outside of a running call."""

def on_init(function: _Hook) -> _Hook:
    """Runs a function once in each process, before the first call of its file.

        @on_init
        def connect(): ...
    """

def on_shutdown(function: _Hook) -> _Hook:
    """Runs a function when a process of the server ends normally."""

class _Database:
    def execute(self, sql: str, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Runs one statement with `$name` parameters; returns its rows as dictionaries. Raises DatabaseError.

            rows = db.execute("SELECT name FROM users WHERE id = $id", {"id": 7})
        """

class _Config:
    def get_secret(self, name: str) -> dict[str, Any] | None:
        """Returns the parameters of a secret that svc-site.yml names under `secrets`; None for another name."""
    def get_setting(self, path: str, default: Any = None) -> Any:
        """Returns a value of svc-site.yml by its path, such as "sql_tools.enabled"."""
    @property
    def site_config(self) -> dict[str, Any]:
        """The content of svc-site.yml under the active profile, with all defaults."""
    @property
    def user_config(self) -> dict[str, Any]:
        """The part of the user file for this project and profile, without the values of secrets."""

class _Client:
    def debug(self, text: str) -> Awaitable[None]:
        """Sends the client a log message for developers."""
    def info(self, text: str) -> Awaitable[None]:
        """Sends the client a log message."""
    def warning(self, text: str) -> Awaitable[None]:
        """Sends the client a warning."""
    def error(self, text: str) -> Awaitable[None]:
        """Sends the client a message about an error that does not end the call."""
    def progress(self, done: float, total: float | None = None, text: str = "") -> Awaitable[None]:
        """Reports progress to the client: `done` of `total` steps."""

class _User:
    """The user of the call. Without authentication it is falsy, and all its fields are None."""

    id: str | None
    username: str | None
    email: str | None
    name: str | None
    provider: str | None
    role: str | None
    permissions: list[str] | None
    groups: list[str] | None
    capabilities: list[str] | None
    claims: dict[str, Any] | None
    external_token: str | None
    def __bool__(self) -> bool: ...

class Event:
    """An action of a call in another system. It ends with its `with` block, as an error if the block raises."""

    kind: str
    status: str | None
    summary: str | None
    error: str | None
    details: dict[str, Any] | None
    def __enter__(self) -> Event: ...
    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...

class _Audit:
    def event(
        self,
        kind: str = "external",
        *,
        target: str | None = None,
        operation: str | None = None,
        summary: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> Event:
        """Starts an event of the call's audit record: `with audit.event(target="api.example.com"): ...`"""
    def add(
        self,
        kind: str = "external",
        *,
        target: str | None = None,
        operation: str | None = None,
        status: str = "success",
        summary: str | None = None,
        error: str | None = None,
        details: dict[str, Any] | None = None,
        started_at: float | None = None,
        duration_ms: float = 0,
    ) -> None:
        """Adds an event that has already ended to the audit record of the call."""

db: _Database
config: _Config
mcp: _Client
user: _User
audit: _Audit
