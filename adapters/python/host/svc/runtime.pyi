"""What the functions of Python endpoints use: the database, the configuration, the client, the caller."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

_Hook = TypeVar("_Hook", bound=Callable[[], Any])

class UserError(Exception):
    """Raise it to tell the client something: its text is public, every other exception's is not."""

class HostError(Exception):
    """What was asked of the server failed; `code` says why."""

    code: str

class DatabaseError(HostError):
    """A statement failed; the log of the server has the database's own words."""

class OutsideCall(RuntimeError):
    """The runtime was used by code that belongs to no running call."""

def on_init(function: _Hook) -> _Hook:
    """Runs a function once in each process, before the first call of its file."""

def on_shutdown(function: _Hook) -> _Hook:
    """Runs a function when a process of the server ends in peace."""

class _Database:
    def execute(self, sql: str, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Runs one statement with `$name` parameters; its rows come back as dictionaries.

        Raises DatabaseError.
        """

class _Config:
    def get_secret(self, name: str) -> dict[str, Any] | None:
        """The parameters of a secret that svc-site.yml names under `secrets`; None for any other."""
    def get_setting(self, path: str, default: Any = None) -> Any:
        """A value of svc-site.yml by its path, such as "sql_tools.enabled"."""
    @property
    def site_config(self) -> dict[str, Any]:
        """svc-site.yml under the active profile, with what was left out filled in."""
    @property
    def user_config(self) -> dict[str, Any]:
        """What the user's configuration has for this project and profile, without values of secrets."""

class _Client:
    def debug(self, text: str) -> Awaitable[None]:
        """Tells the client something about the call that only developers care for."""
    def info(self, text: str) -> Awaitable[None]:
        """Tells the client something about the call."""
    def warning(self, text: str) -> Awaitable[None]:
        """Warns the client."""
    def error(self, text: str) -> Awaitable[None]:
        """Tells the client of an error that does not end the call."""
    def progress(self, done: float, total: float | None = None, text: str = "") -> Awaitable[None]:
        """Tells the client how far the call is."""

class _User:
    """Who makes the call. False, and None in every field, where nobody is authenticated."""

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
    """Something that a call did elsewhere; it ends with its `with` block, and as an error when that raises."""

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
        """A part of the call that its audit record tells of: `with audit.event(target="api.example.com"): ...`"""
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
        """Adds what is over already to the audit record of the call."""

db: _Database
config: _Config
mcp: _Client
user: _User
audit: _Audit
