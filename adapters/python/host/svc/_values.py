"""Writes the results of functions in the JSON forms of SQL values (docs/reference/types.md)."""

import itertools
import json

from . import _errors, _forms

_MAX_DEPTH = 200
_CONTAINERS = (dict, list, tuple)
_PLAIN = (*_CONTAINERS, str, int, float, type(None))


class _Nesting(dict):
    """Whether values of a type hold other values. C code looks up the usual types."""

    def __missing__(self, kind):
        return issubclass(kind, _CONTAINERS)


_NESTING = _Nesting({**dict.fromkeys(_CONTAINERS, True), **dict.fromkeys((str, int, float, bool, type(None)), False)})


def dumps(value, max_rows, max_bytes):
    """Returns a value as JSON text, whether it is bytes, and whether it is a list that is cut to its first rows.

    Raises NoValue or TooLarge. The bytes are counted as characters, which are never more.
    """
    found = value if isinstance(value, _PLAIN) else _first(value, max_rows + 1)
    truncated = isinstance(found, (list, tuple)) and len(found) > max_rows
    text = _write(found[:max_rows] if truncated else found)
    if len(text) > max_bytes:
        raise _errors.TooLarge(f"The function returned more than {max_bytes} bytes.")
    return text, isinstance(value, (bytes, bytearray, memoryview)), truncated


def _first(value, most):
    """Returns the first items of an iterator, and the form of another value. The other items are never made."""
    if _forms.is_listable(value):
        return list(itertools.islice(value, most))
    try:
        return _forms.of(value)
    except _errors.NoValue:
        # The encoder adds the place to the error.
        return value


def _write(value):
    """Encodes a value with C's encoder, which handles nearly every value; the others are converted in Python first.

    Integers beyond 2^53 - 1 stay numbers here: the host finds them faster and turns them into texts.
    """
    forms = []

    def to_form(part):
        form = _form(part)
        if isinstance(form, _CONTAINERS):
            forms.append(form)
        return form

    try:
        text = _encoder(to_form).encode(value)
        if _forms.is_unicode(text) and not _mixes_keys([value, *forms], text.count("{")):
            return text
    except (TypeError, ValueError, RecursionError, _errors.NoValue):
        pass
    plain = to_plain(value)
    text = _encoder(None).encode(plain)
    if _forms.is_unicode(text):
        return text
    half = _place_of_half(plain, "result")
    raise _errors.NoValue(f"{half} is a text that is not valid Unicode, such as the name of a file in another encoding.")


def _place_of_half(plain, path):
    """Returns the place of the first text with half of a surrogate pair; None if there is none."""
    if isinstance(plain, str):
        return None if _forms.is_unicode(plain) else path
    parts = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, part in parts:
        bad_key = isinstance(key, str) and not _forms.is_unicode(key)
        found = f"a key of {path}" if bad_key else _place_of_half(part, f"{path}[{key!r}]")
        if found is not None:
            return found
    return None


def _form(value):
    """Refuses an iterator inside of a value: it gives its items once, and the encoder may stop at a later value."""
    if _is_iterator(value):
        raise TypeError
    return _forms.of(value)


def _mixes_keys(level, most):
    """Whether a dictionary has texts and others as keys, which may be the same text in JSON; C's encoder writes both.

    `level` is a list of values without a cycle. There are at most `most` dictionaries, so the last one ends the search.
    """
    while level:
        dicts = [part for part in level if isinstance(part, dict)]
        if not all(isinstance(key, str) for key in set().union(*dicts)) and any(map(_is_mixed, dicts)):
            return True
        most -= len(dicts)
        if most <= 0:
            return False
        nested = [part.values() if isinstance(part, dict) else part for part in level if isinstance(part, _CONTAINERS)]
        parts = list(itertools.chain.from_iterable(nested))
        level = list(itertools.compress(parts, map(_NESTING.__getitem__, map(type, parts))))
    return False


def _is_mixed(dictionary):
    return len({isinstance(key, str) for key in dictionary}) > 1


def _encoder(default):
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=default, separators=(",", ":"))


def _is_iterator(value):
    return hasattr(value, "__next__")


def to_plain(value, path="result", depth=0):
    """Converts a value to types of JSON. Raises NoValue with the path of the part that has no JSON form."""
    if value is None or value is True or value is False:
        return value
    # As C's encoder reads them, whose types may have other methods: members of an Enum are what they hold.
    if isinstance(value, float):
        return _forms.of_float(float.__float__(value))
    if isinstance(value, int):
        return _forms.of_int(int.__int__(value))
    if isinstance(value, str):
        return str.__str__(value)
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
        name = to_key(key, path)
        if name in plain:
            raise _errors.NoValue(f"{path} has two keys whose text is {name!r}, which an object cannot have.")
        plain[name] = to_plain(part, f"{path}[{key!r}]", depth + 1)
    return plain


def to_key(key, path):
    """Converts a key to a text: its JSON form, as JSON text if it is not a text. Raises NoValue."""
    if isinstance(key, str):
        return str.__str__(key)
    # C's encoder keeps the sign of -0.0 in a key.
    if isinstance(key, float) and key - key == 0:
        return float.__repr__(key)
    form = to_plain(key, f"the key {key!r} of {path}")
    return form if isinstance(form, str) else json.dumps(form, ensure_ascii=False, separators=(",", ":"))
