"""What functions return, in the JSON forms of SQL values (docs/reference/types.md)."""

import json

from . import _errors, _forms

_MAX_DEPTH = 200


def dumps(value):
    """A value as JSON text, and whether it is bytes."""
    return _write(value), isinstance(value, (bytes, bytearray, memoryview))


def _write(value):
    """Nearly every value is as C writes it; only the others are walked through.

    Integers beyond 2^53 - 1 are for the host to turn into texts, which finds them faster.
    """
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError, _errors.NoValue):
        return _ENCODER.encode(to_plain(value))


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_forms.of, separators=(",", ":"))


def to_plain(value, path="result", depth=0):
    """A value made of what JSON has; raises NoValue, which names the place."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, (int, float)) and not hasattr(value, "value"):
        return _number(value)
    if isinstance(value, str) and not hasattr(value, "value"):
        return str(value)
    if depth > _MAX_DEPTH:
        raise _errors.NoValue(f"{path[:100]} ... is nested too deeply, or contains itself.")
    if isinstance(value, dict):
        return {
            _key(key, path): to_plain(part, f"{path}[{key!r}]", depth + 1) for key, part in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [to_plain(part, f"{path}[{index}]", depth + 1) for index, part in enumerate(value)]
    try:
        form = _forms.of(value)
    except _errors.NoValue as error:
        raise _errors.NoValue(f"{path} is {error}") from None
    return to_plain(form, path, depth + 1)


def _number(value):
    if isinstance(value, float):
        return _forms.of_float(float(value))
    return _forms.of_int(int(value))


def _key(key, path):
    """Keys are the text of their own form."""
    if isinstance(key, str):
        return str(key)
    form = to_plain(key, f"the key {key!r} of {path}")
    return form if isinstance(form, str) else json.dumps(form, ensure_ascii=False, separators=(",", ":"))
