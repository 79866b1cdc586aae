"""Writes the results of functions in the JSON forms of SQL values (docs/reference/types.md)."""

import json

from . import _errors, _forms

_MAX_DEPTH = 200


def dumps(value):
    """Returns a value as JSON text, and whether it is bytes. Raises NoValue."""
    whole = list(value) if _is_iterator(value) else value
    return _write(whole), isinstance(value, (bytes, bytearray, memoryview))


def _write(value):
    """Encodes a value with C's encoder, which handles nearly every value; the others are converted in Python first.

    Integers beyond 2^53 - 1 stay numbers here: the host finds them faster and turns them into texts.
    """
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError, _errors.NoValue):
        return _ENCODER.encode(to_plain(value))


def _form(value):
    """Refuses an iterator inside of a value: it gives its items once, and the encoder may stop at a later value."""
    if _is_iterator(value):
        raise TypeError
    return _forms.of(value)


def _is_iterator(value):
    return hasattr(value, "__next__")


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_form, separators=(",", ":"))


def to_plain(value, path="result", depth=0):
    """Converts a value to types of JSON. Raises NoValue with the path of the part that has no JSON form."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, (int, float)) and not hasattr(value, "value"):
        return _number(value)
    if isinstance(value, str) and not hasattr(value, "value"):
        return str(value)
    if depth > _MAX_DEPTH:
        raise _errors.NoValue(f"{path[:100]} ... is nested too deeply, or contains itself.")
    if isinstance(value, dict):
        return _plain_dict(value, path, depth)
    if isinstance(value, (list, tuple)):
        return [to_plain(part, f"{path}[{index}]", depth + 1) for index, part in enumerate(value)]
    try:
        form = _forms.of(value)
    except _errors.NoValue as error:
        raise _errors.NoValue(f"{path} is {error}") from None
    return to_plain(form, path, depth + 1)


def _plain_dict(value, path, depth):
    plain = {}
    for key, part in value.items():
        name = _key(key, path)
        if name in plain:
            raise _errors.NoValue(f"{path} has two keys whose text is {name!r}, which an object cannot have.")
        plain[name] = to_plain(part, f"{path}[{key!r}]", depth + 1)
    return plain


def _number(value):
    if isinstance(value, float):
        return _forms.of_float(float(value))
    return _forms.of_int(int(value))


def _key(key, path):
    """Converts a key to a text: its JSON form, as JSON text if it is not a text."""
    if isinstance(key, str):
        return str(key)
    form = to_plain(key, f"the key {key!r} of {path}")
    return form if isinstance(form, str) else json.dumps(form, ensure_ascii=False, separators=(",", ":"))
