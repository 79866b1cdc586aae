"""Converts the parameters of a statement to SQL types by their Python types."""

from . import _errors, _forms, _times, _values


def to_sql(params):
    """Converts parameters to the form that the host binds. Raises TypeError or ValueError."""
    if not hasattr(params, "items"):
        raise TypeError("db.execute takes its parameters as a dictionary by name, and $name in the SQL")
    named = [(_values.to_key(name, "the parameters"), value) for name, value in params.items()]
    return {name.lstrip("$"): _bound(value, name) for name, value in named}


def check_text(text, what):
    """Raises ValueError for a text that is not valid Unicode: the database would replace parts of it."""
    if isinstance(text, str) and not _forms.is_unicode(text):
        raise ValueError(f"{what} is not valid Unicode")
    return text


def _bound(value, name):
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return check_text(value, f"${name}")
    if isinstance(value, float):
        return float(value) if value - value == 0 else {"float": str(float(value))}
    if isinstance(value, int):
        return {"integer": str(int(value))}
    if isinstance(value, (list, tuple, set, frozenset)):
        return {"list": [_bound(part, f"{name}[{index}]") for index, part in enumerate(value)]}
    if isinstance(value, dict):
        keyed = [(check_text(_values.to_key(key, f"${name}"), f"a key of ${name}"), part) for key, part in value.items()]
        fields = {key: _bound(part, f"{name}.{key}") for key, part in keyed}
        if len(fields) < len(value):
            raise TypeError(f"${name} has two keys of one text, which a STRUCT cannot have")
        return {"struct": fields}
    return _of_type(value, name)


def _of_type(value, name):
    for kind in type(value).__mro__:
        known = _TYPES.get((kind.__module__, kind.__name__))
        if known is not None:
            return known(value, name)
    return _bound(_plain(value, name), name)


def _plain(value, name):
    try:
        form = _forms.of(value)
    except _errors.NoValue:
        form = value
    if type(form) is type(value):
        raise TypeError(f"${name} is a {type(value).__name__}, which has no SQL type")
    return form


def _datetime(value, _name):
    text = _times.of_datetime(value)
    return {"type": "TIMESTAMPTZ" if text.endswith("Z") else "TIMESTAMP", "text": text}


def _time(value, name):
    if value.utcoffset():
        raise TypeError(f"${name} has an offset, which DuckDB's TIME cannot hold: pass the time in UTC, or a datetime")
    return {"type": "TIME", "text": _times.of_time(value.replace(tzinfo=None))}


def _decimal(value, name):
    form = _forms.of_decimal(value)
    if isinstance(form, str):
        raise TypeError(
            f"${name} has digits that a DOUBLE does not keep: pass str(value), and write ${name}::DECIMAL(38, 10)"
        )
    return _bound(form, name)


def _bytes(_value, name):
    raise TypeError(f"${name} is bytes: pass value.hex(), and write from_hex(${name})")


_TYPES = {
    # NaT is a datetime without a time.
    ("pandas._libs.tslibs.nattype", "NaTType"): lambda *_: None,
    ("datetime", "datetime"): _datetime,
    ("datetime", "date"): lambda value, _: {"type": "DATE", "text": _times.of_date(value)},
    ("datetime", "time"): _time,
    ("datetime", "timedelta"): lambda value, _: {"type": "INTERVAL", "text": _times.to_interval(value)},
    ("decimal", "Decimal"): _decimal,
    ("builtins", "bytes"): _bytes,
    ("builtins", "bytearray"): _bytes,
    ("builtins", "memoryview"): _bytes,
}
