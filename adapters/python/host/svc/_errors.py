"""The exceptions of svc.runtime."""


class UserError(Exception):
    """Raise this to show the client a text. The texts of other exceptions appear in the log only."""


class HostError(Exception):
    """A request to the server failed; `code` says why."""

    def __init__(self, message, code="internal", number=None):
        super().__init__(message)
        self.code = code
        self.number = number


class DatabaseError(HostError):
    """A statement failed. The server's log has the message of the database."""


class OutsideCall(RuntimeError):
    """The runtime was used outside of a running call."""


class NoFunction(Exception):
    """The file has no function of this name."""


class NoValue(Exception):
    """A value cannot be expressed in the other language."""


class TooLarge(Exception):
    """The result of a function is larger than the host reads."""


def from_reply(error):
    """Creates the exception for an error in the host's answer."""
    kind = DatabaseError if error.get("database") else HostError
    return kind(error["message"], error["code"], error.get("number"))
