"""Converts values of types that JSON does not have."""

import base64
import functools
import sys

from . import _errors, _frames, _times

_MAX_INT = 2**53 - 1


def of(value):
    """Converts a value one step towards JSON; parts of the result may need conversion too. Raises NoValue."""
    for kind in type(value).__mro__:
        form = _FORMS.get((kind.__module__.split(".")[0], kind.__name__))
        if form is not None:
            return form(value)
    if hasattr(type(value), "__dataclass_fields__"):
        return {name: getattr(value, name) for name in _field_names(type(value))}
    return _of_shape(value)


@functools.lru_cache(256)
def _field_names(kind):
    """Lists the fields of a dataclass; class variables and arguments of `__post_init__` are none."""
    import dataclasses

    return [field.name for field in dataclasses.fields(kind)]


def _of_shape(value):
    """Converts types that are recognised by their methods: pydantic's models, other mappings, iterators."""
    if hasattr(type(value), "model_dump"):
        return value.model_dump()
    if hasattr(value, "keys") and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    if is_listable(value):
        return list(value)
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    raise _errors.NoValue(
        f"of type {name}, which has no JSON form. Return dictionaries, lists, texts, numbers, dates or dataclasses."
    )


def is_listable(value):
    """Returns whether a value of another type than a list becomes the list of its items."""
    return hasattr(value, "__next__") or isinstance(value, (set, frozenset)) or type(value).__name__ in _LISTABLE


def is_unicode(text):
    """Returns whether UTF-8 can hold a text: it has no half of a surrogate pair."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def of_int(value):
    """Returns an integer if JavaScript can represent it exactly, else its digits as text."""
    return value if -_MAX_INT <= value <= _MAX_INT else str(value)


def of_float(value):
    """Returns a float; None for NaN and infinities, 0.0 for -0.0."""
    return value + 0.0 if value - value == 0 else None


def of_decimal(value):
    """Returns a number if a float keeps it, with up to 15 significant digits, else all digits as text."""
    if not value.is_finite():
        return None
    text = format(value, "f")
    whole, _, fraction = text.lstrip("-").partition(".")
    if fraction.strip("0") == "":
        return int(value) if value.copy_abs() <= _MAX_INT else text
    significant = (whole + fraction.rstrip("0")).lstrip("0")
    number = float(text) if len(significant) <= 15 else 0.0
    # Smaller floats have fewer digits, or none.
    return number if abs(number) >= sys.float_info.min else text


def _of_bytes(value):
    return base64.b64encode(value).decode("ascii")


_LISTABLE = {"dict_keys", "dict_values", "dict_items", "odict_keys", "odict_values", "odict_items", "range", "deque"}

#: Conversions by the first part of the module's name and the class name, so that no library is imported for this.
_FORMS = {
    ("builtins", "bytes"): _of_bytes,
    ("builtins", "bytearray"): _of_bytes,
    ("builtins", "memoryview"): _of_bytes,
    ("enum", "Enum"): lambda value: value.value,
    ("decimal", "Decimal"): of_decimal,
    ("uuid", "UUID"): str,
    ("pathlib", "PurePath"): str,
    ("ipaddress", "_IPAddressBase"): str,
    ("datetime", "datetime"): _times.of_datetime,
    ("datetime", "date"): _times.of_date,
    ("datetime", "time"): _times.of_time,
    ("datetime", "timedelta"): _times.of_timedelta,
    **_frames.FORMS,
}
