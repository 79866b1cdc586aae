"""Every type that a function may return, and what its form is."""

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import ipaddress
import itertools
import json
import math
import pathlib
import typing
import uuid

from svc.runtime import db


class Colour(enum.Enum):
    RED = "red"
    NIGHT = dt.date(2024, 2, 29)


class Level(enum.IntEnum):
    LOW = 1


class Word(str, enum.Enum):
    YES = "yes"


class Loud(str):
    def __str__(self):
        return self.upper()


@dataclasses.dataclass
class Point:
    x: int
    when: dt.date
    inner: typing.Any = None


@dataclasses.dataclass
class Measured:
    x: int
    unit: typing.ClassVar[str] = "m"
    scale: dataclasses.InitVar[int]
    factor: dataclasses.InitVar[int] = 1

    def __post_init__(self, scale, factor):
        self.x *= scale * factor


class Pair(typing.NamedTuple):
    a: int
    b: str


class Model:
    def model_dump(self):
        return {"made": dt.date(2024, 2, 29)}


class Plain:
    pass


class Kind:
    kind = "M"


class generic:
    """Like the scalars of numpy."""

    dtype = Kind

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text


generic.__module__ = "numpy"


class DataFrame:
    """Like that of pandas."""

    def __init__(self, columns, rows):
        self.columns = columns
        self.rows = rows

    def itertuples(self, index, name):
        return iter(self.rows)


DataFrame.__module__ = "pandas.core.frame"


class Series:
    """Like that of pandas."""

    def __init__(self, values, index):
        self.values = values
        self.index = index

    def __iter__(self):
        return iter(self.values)


Series.__module__ = "pandas.core.series"


class Table:
    """Like that of pyarrow."""

    column_names = ["a", "a"]

    def to_pylist(self):
        return [{"a": 2}]


Table.__module__ = "pyarrow.lib"

ZONE = dt.timezone(dt.timedelta(hours=2))
DAY = dt.datetime(2024, 2, 29, 12, 34, 56)

VALUES = {
    "none": (None, None),
    "true": (True, True),
    "integer": (42, 42),
    "largest": (2**53 - 1, 9007199254740991),
    "larger": (2**53, "9007199254740992"),
    "negative": (-(2**63), "-9223372036854775808"),
    "huge": (10**40, "1" + "0" * 40),
    "float": (0.1, 0.1),
    "sum": (0.1 + 0.2, 0.30000000000000004),
    "whole": (2.0, 2),
    "nan": (math.nan, None),
    "infinity": ([math.inf, -math.inf], [None, None]),
    "zero": (-0.0, 0),
    "text": ("it's ok \u00e4 \U0001f600 \u2028", "it's ok \u00e4 \U0001f600 \u2028"),
    "digits": ({"a": "1234567890123456789"}, {"a": "1234567890123456789"}),
    "list": ([1, None, [2**60]], [1, None, ["1152921504606846976"]]),
    "tuple": ((1, "a"), [1, "a"]),
    "named": (Pair(1, "x"), [1, "x"]),
    "set": ({3}, [3]),
    "frozen": (frozenset([1]), [1]),
    "range": (range(3), [0, 1, 2]),
    "deque": (collections.deque([1, 2]), [1, 2]),
    "keys": ({"a": 1}.keys(), ["a"]),
    "counter": (collections.Counter("aab"), {"a": 2, "b": 1}),
    "ordered": (collections.OrderedDict(b=1, a=2), {"b": 1, "a": 2}),
    "mapping": (collections.ChainMap({"a": 1}), {"a": 1}),
    "other_keys": ({2024: "a", "year": {1: 2}}, {"2024": "a", "year": {"1": 2}}),
    "map_keys": ({1: "a", None: "b", True: "c"}, {"1": "c", "null": "b"}),
    "date_keys": ({dt.date(2024, 2, 29): 1, (1, 2): 2}, {"2024-02-29": 1, "[1,2]": 2}),
    "bytes_inside": ({"raw": b"\x00\xffab"}, {"raw": "AP9hYg=="}),
    "date": (dt.date(2024, 2, 29), "2024-02-29"),
    "early": (dt.date(44, 3, 15), "0044-03-15"),
    "time": (dt.time(0, 0, 0, 120000), "00:00:00.12"),
    "timetz": (dt.time(12, 34, 56, tzinfo=ZONE), "12:34:56+02:00"),
    "timeutc": (dt.time(12, 34, 56, tzinfo=dt.timezone.utc), "12:34:56Z"),
    "timestamp": (DAY.replace(microsecond=100000), "2024-02-29T12:34:56.1"),
    "timestamptz": (DAY.replace(microsecond=500000, tzinfo=ZONE), "2024-02-29T10:34:56.5Z"),
    "interval": (dt.timedelta(days=3, hours=4, minutes=5, seconds=6.7), "P3DT4H5M6.7S"),
    "nothing": (dt.timedelta(0), "PT0S"),
    "back": (-dt.timedelta(days=1, seconds=1), "P-1DT-1S"),
    "money": (decimal.Decimal("19.90"), 19.9),
    "decimal": (decimal.Decimal("1234567890.123456"), "1234567890.123456"),
    "whole_decimal": (decimal.Decimal("12.00"), 12),
    "large_decimal": (decimal.Decimal("9007199254740993.00"), "9007199254740993.00"),
    "scientific": (decimal.Decimal("1E+3"), 1000),
    "tiny": (decimal.Decimal("1E-400"), "0." + "0" * 399 + "1"),
    "subnormal": ([decimal.Decimal("-1.23456E-320"), decimal.Decimal("1E-300")], ["-0." + "0" * 319 + "123456", 1e-300]),
    "no_digits": ([decimal.Decimal("0E-400"), decimal.Decimal("-0.00")], [0, 0]),
    "enormous": (decimal.Decimal("1E+5000"), "1" + "0" * 5000),
    "decimal_nan": (decimal.Decimal("NaN"), None),
    "uuid": (uuid.UUID("550e8400-e29b-41d4-a716-446655440000"), "550e8400-e29b-41d4-a716-446655440000"),
    "enum": (Colour.RED, "red"),
    "enum_date": (Colour.NIGHT, "2024-02-29"),
    "int_enum": (Level.LOW, 1),
    "str_enum": ({"a": Word.YES}, {"a": "yes"}),
    "str_enum_keys": ([{Word.YES: 1}, {Word.YES: math.nan}], [{"yes": 1}, {"yes": None}]),
    "enum_keys": ({Colour.RED: 1, Level.LOW: math.nan}, {"red": 1, "1": None}),
    "loud": ([Loud("a"), {Loud("a"): 1}, {Loud("a"): math.nan}, [Loud("a"), math.nan]], ["a", {"a": 1}, {"a": None}, ["a", None]]),
    "zero_keys": ([{-0.0: 1}, {-0.0: math.nan}, {0.0: math.nan}], [{"-0.0": 1}, {"-0.0": None}, {"0.0": None}]),
    "dataclass": (Point(1, dt.date(2024, 2, 29), [Point(2, dt.date(1999, 1, 1))]),
                  {"x": 1, "when": "2024-02-29", "inner": [{"x": 2, "when": "1999-01-01", "inner": None}]}),
    "pseudo_fields": (Measured(2, 3), {"x": 6}),
    "model": (Model(), {"made": "2024-02-29"}),
    "path": (pathlib.PurePosixPath("/a/b"), "/a/b"),
    "address": (ipaddress.ip_address("127.0.0.1"), "127.0.0.1"),
    "moment_year": (generic("2024"), "2024-01-01"),
    "moment_month": (generic("2024-05"), "2024-05-01"),
    "moment_early": (generic("-0044-03"), "-0044-03-01"),
    "moment_day": (generic("2024-05-01"), "2024-05-01"),
    "moment_hour": (generic("2024-05-01T10"), "2024-05-01T10:00:00"),
    "moment_minute": (generic("2024-05-01T10:30"), "2024-05-01T10:30:00"),
    "moment_second": (generic("2024-05-01T10:30:20"), "2024-05-01T10:30:20"),
    "moment_nano": (generic("2024-05-01T10:30:20.500000000"), "2024-05-01T10:30:20.5"),
    "moment_none": ([generic("NaT")], [None]),
    "frame": (DataFrame(["a", 1, ("b", "c")], [(1, 2, 3)]), [{"a": 1, "1": 2, "b_c": 3}]),
    "series": (Series([1, 2], ["a", "b"]), {"a": 1, "b": 2}),
    "empty": ({}, {}),
    "mixed": ([{"a": math.nan, "b": 2**70, "c": dt.date(2024, 2, 29)}], [{"a": None, "b": str(2**70), "c": "2024-02-29"}]),
}


def names():
    return list(VALUES)


def value(name):
    return VALUES[name][0]


def expected(name):
    return json.dumps(VALUES[name][1])


def raw():
    return b"\x00\xffab"


def generated():
    return (n * n for n in range(4))


def generated_rows():
    return (value for value in (dt.date(2024, 2, 29), 2**70, math.nan, {(1, 2): math.inf}))


def generated_inside():
    return {"squares": (n * n for n in range(4)), "names": map(str, "ab"), "mean": math.nan}


LISTS = {
    "list": lambda: list(range(5)),
    "tuple": lambda: tuple(range(5)),
    "set": lambda: set(range(5)),
    "range": lambda: range(10**12),
    "generator": lambda: endless(),
    "rows": lambda: DataFrame(["n"], [(n,) for n in range(5)]),
}
ENDED = []


def endless():
    try:
        yield from itertools.count()
    finally:
        ENDED.append("ended")


def listed(name):
    return LISTS[name]()


def ended():
    return ENDED


def fraction():
    return {"share": fractions.Fraction(1, 3)}


def bound_fraction():
    return db.execute("SELECT * FROM given", {"share": fractions.Fraction(1, 3)})


def foreign():
    return {"rows": [1, {"when": Plain()}]}


def repeated(name):
    return {"data": REPEATED[name]}


REPEATED = {
    "columns": DataFrame(["a", "b", "a"], [(1, 2, 3)]),
    "texts": DataFrame(["1", 1], [(1, 2)]),
    "labels": Series([1, 2], ["x", "x"]),
    "table": Table(),
    "keys": {math.inf: 1, None: 2},
    "mixed": {2024: "a", "2024": "b"},
    "rows": [{"n": 1}, {True: "a", "true": "b"}],
    "inside": {"text": "{{", "rows": [(1, {"a": [{None: 1, "null": 2}]})]},
    "converted": Measured([{1.5: "a", "1.5": "b"}], 1),
}


def circle():
    found = []
    found.append(found)
    return found


HALVES = {
    "text": "\ud83d",
    "list": ["a", "\udcfc"],
    "inside": {"rows": [{"name": "M\udcfcller"}]},
    "key": {"rows": [{"\ude00": 1}]},
    "path": {"files": (pathlib.PurePosixPath("M\udcfcller.txt"),)},
    "mixed": {"generated": (n for n in range(3)), "half": "\ud83d", "nan": math.nan},
}


def half(name):
    return HALVES[name]


def bound_half(place):
    if place == "sql":
        return db.execute("SELECT '\ud83d'")
    return db.execute("SELECT * FROM given", {"half": {"value": "\ud83d"} if place == "value" else {"\ud83d": 1}})


def large(size):
    return "x" * size


def rows(many):
    return [{"id": n, "name": f"item {n}", "price": n / 4} for n in range(many)]


def echo(**values):
    """What arrived, and what it is."""
    return {name: [type(value).__name__, str(value)] for name, value in values.items()}


class NaTType(dt.datetime):
    """Like that of pandas: a datetime without a time."""

    def strftime(self, _):
        raise ValueError("NaTType does not support strftime")


NaTType.__module__ = "pandas._libs.tslibs.nattype"


def bound_nothing():
    return db.execute("SELECT * FROM given", {"at": NaTType(1, 1, 1)})


def bound_twice():
    return db.execute("SELECT * FROM given", {"struct": {1: "a", "1": "b"}})


def bound_tiny():
    return db.execute("SELECT * FROM given", {"tiny": decimal.Decimal("1E-400")})


def bound_words():
    return db.execute("SELECT * FROM given", {Word.YES: Word.YES, Loud("b"): {Loud("c"): Loud("d"), Colour.RED: Level.LOW}})


def bound(**values):
    """Gives its arguments on to a statement."""
    return db.execute("SELECT * FROM given", values)
