"""Converts the arguments of a call from JSON to the Python types of their declared types."""

from . import _errors, _times

_KINDS = {
    "integer": int,
    "number": float,
    "date": _times.to_date,
    "time": _times.to_time,
    "date-time": _times.to_datetime,
    "timestamp": _times.to_instant,
}


def to_python(args, kinds):
    """Converts arguments in place. Raises NoValue if Python has no such value, such as a date before the year 1."""
    for name, kind in kinds.items():
        value = args.get(name)
        if value is not None:
            args[name] = _converted(value, kind, name)
    return args


def _converted(value, kind, path):
    if value is None:
        return None
    if isinstance(kind, str):
        try:
            return _KINDS[kind](value)
        except (ValueError, OverflowError, ArithmeticError) as error:
            raise _errors.NoValue(f"the argument {path} cannot be a {kind} in Python: {error}") from None
    if "items" in kind:
        return [_converted(part, kind["items"], f"{path}[{index}]") for index, part in enumerate(value)]
    parts = kind["properties"]
    return {
        name: _converted(part, parts[name], f"{path}.{name}") if name in parts else part
        for name, part in value.items()
    }
