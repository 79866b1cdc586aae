"""Describes exceptions for the host."""

import os

from . import _errors, _modules, _state

_OWN = os.path.dirname(os.path.abspath(__file__))


def describe(error):
    """Describes an exception: its kind, type and text, and the line of the project that raised it."""
    file, line = _place(error)
    return {
        "kind": _kind(error),
        "type": type(error).__name__,
        "message": _text(error)[: _state.MAX_TEXT],
        "file": file,
        "line": line,
        "traceback": _traceback(error),
        "number": getattr(error, "number", None) if isinstance(error, _errors.HostError) else None,
    }


def _kind(error):
    kinds = (
        (_errors.UserError, "refused"),
        (_errors.NoFunction, "function"),
        (_errors.NoValue, "value"),
        (_errors.TooLarge, "large"),
        (_errors.HostError, "host"),
        (_errors.OutsideCall, "outside"),
    )
    return next((name for kind, name in kinds if isinstance(error, kind)), "raised")


def _text(error):
    try:
        return str(error)
    except BaseException:
        return "(its text cannot be read)"


def _place(error):
    """Returns file and line of the innermost frame in the project's own code."""
    if isinstance(error, SyntaxError) and error.filename:
        return _modules.shown(error.filename), error.lineno
    found = (None, None)
    trace = error.__traceback__
    while trace is not None:
        file = _modules.shown(trace.tb_frame.f_code.co_filename)
        if file is not None:
            found = (file, trace.tb_lineno)
        trace = trace.tb_next
    return found


def _traceback(error):
    """Formats the traceback without the frames of this package that come before the project's own."""
    import traceback

    trace = error.__traceback__
    while trace is not None and _is_own(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    try:
        lines = traceback.format_exception(type(error), error, trace)
    except BaseException:
        return ""
    text = "".join(lines)
    # A part of an argument would not be recognised, and the stack alone has none.
    return text if len(text) <= _state.MAX_TEXT else "".join(traceback.format_tb(trace))[: _state.MAX_TEXT]


def _is_own(path):
    return path.startswith((_OWN, "<frozen importlib"))
