"""The exceptions of svc.runtime."""


class UserError(Exception):
    """Raise it to tell the client something: its text is public, every other exception's is not."""


class HostError(Exception):
    """What was asked of the server failed; `code` says why."""

    def __init__(self, message, code="internal", number=None):
        super().__init__(message)
        self.code = code
        self.number = number


class DatabaseError(HostError):
    """A statement failed; the log of the server has the database's own words."""


class OutsideCall(RuntimeError):
    """The runtime was used by code that belongs to no running call."""


class NoFunction(Exception):
    """The file has no function of the name."""


class NoValue(Exception):
    """A value has no form on the other side."""


def from_reply(error):
    """The exception for what the host answered."""
    kind = DatabaseError if error.get("database") else HostError
    return kind(error["message"], error["code"], error.get("number"))
