"""Converts values of numpy, pandas, polars and pyarrow without importing any of them."""

from . import _errors


def _of_scalar(value):
    kind = value.dtype.kind
    if kind in "bui":
        return value.item()
    if kind == "f":
        return value.item() if value.itemsize == 8 else _short(value)
    if kind == "M":
        return _of_moment(value)
    if kind == "m":
        return None if str(value) == "NaT" else value.astype("timedelta64[us]").item()
    if kind == "V" and value.dtype.names:
        return {name: value[name] for name in value.dtype.names}
    return value.item()


def _short(value):
    """Returns the shortest decimal that reads back as the same 32-bit float, like DuckDB's FLOAT."""
    text = str(value)
    return float(text) if "n" not in text.lower() else None


def _of_moment(value):
    """Returns a DATE or a TIMESTAMP in full. numpy shows nothing below its unit: `2024-05`, `2024-05-01T10`."""
    text = str(value)
    if text == "NaT":
        return None
    date, _, clock = text.partition("T")
    # A year before 0 has a sign.
    date += "-01" * (2 - date.count("-", 1))
    if not clock:
        return date
    clock += ":00" * (2 - clock.count(":"))
    return f"{date}T{clock.rstrip('0').rstrip('.') if '.' in clock else clock}"


def _of_array(value):
    exact = value.dtype.kind in "bui" or (value.dtype.kind == "f" and value.itemsize == 8)
    if exact or value.ndim == 0:
        return value.tolist() if exact else value[()]
    return list(value)


def _of_frame(value):
    columns = [name if isinstance(name, str) else _name(name) for name in value.columns]
    _check_distinct(columns, "a DataFrame with two columns", "Rename one.")
    return [dict(zip(columns, row)) for row in value.itertuples(index=False, name=None)]


def _name(column):
    return "_".join(map(str, column)) if isinstance(column, tuple) else str(column)


def _of_series(value):
    """Returns the values as a list, or by label if the index is not a plain range."""
    if type(value.index).__name__ == "RangeIndex":
        return list(value)
    labels = list(value.index)
    _check_distinct(labels, "a Series with two values of the label", "Use `reset_index()`.")
    return dict(zip(labels, value))


def _of_table(value):
    _check_distinct(value.column_names, "a Table with two columns", "Rename one.")
    return value.to_pylist()


def _check_distinct(names, what, fix):
    """Raises NoValue if a name occurs twice: an object would keep one of its values."""
    seen = set()
    for name in names:
        if name in seen:
            raise _errors.NoValue(f"{what} {name!r}, which an object cannot have. {fix}")
        seen.add(name)


def _null(value):
    return None


#: Conversions by the first part of the module's name and the class name.
FORMS = {
    ("numpy", "generic"): _of_scalar,
    ("numpy", "ndarray"): _of_array,
    ("pandas", "NaTType"): _null,
    ("pandas", "NAType"): _null,
    ("pandas", "DataFrame"): _of_frame,
    ("pandas", "Series"): _of_series,
    ("pandas", "Index"): list,
    ("pandas", "ExtensionArray"): list,
    ("pandas", "Interval"): str,
    ("pandas", "Period"): str,
    ("polars", "DataFrame"): lambda value: value.to_dicts(),
    ("polars", "Series"): lambda value: value.to_list(),
    ("pyarrow", "Table"): _of_table,
    ("pyarrow", "Array"): lambda value: value.to_pylist(),
    ("pyarrow", "Scalar"): lambda value: value.as_py(),
}
