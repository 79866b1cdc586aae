"""Converts dates and times to texts and back."""

import re

_UNITS = ("H", "M", "S")


def of_datetime(value):
    """Formats a datetime as ISO 8601. One with a zone is converted to UTC and ends in Z."""
    if value.tzinfo is None or value.utcoffset() is None:
        return value.replace(tzinfo=None).strftime("%Y").zfill(4) + value.isoformat()[4:19] + _fraction(value)
    from datetime import timezone

    return of_datetime(value.astimezone(timezone.utc).replace(tzinfo=None)) + "Z"


def of_date(value):
    """Formats a date as YYYY-MM-DD."""
    return value.isoformat()


def of_time(value):
    """Formats a time as HH:MM:SS, with a fraction if there is one, and with its offset (Z for UTC)."""
    clock = value.isoformat()[:8] + _fraction(value)
    offset = value.utcoffset()
    if offset is None:
        return clock
    seconds = round(offset.total_seconds())
    if seconds == 0:
        return clock + "Z"
    hours, minutes, rest = _clock(abs(seconds))
    return f"{clock}{'-' if seconds < 0 else '+'}{hours:02}:{minutes:02}{f':{rest:02}' if rest else ''}"


def of_timedelta(value):
    """Formats an ISO 8601 duration of days and clock time. Each part has its own sign."""
    micros = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    sign, size = ("-", -micros) if micros < 0 else ("", micros)
    days, rest = divmod(size, 86_400_000_000)
    seconds, rest = divmod(rest, 1_000_000)
    hours, minutes, seconds = _clock(seconds)
    tail = f"{seconds}{_digits(rest)}"
    parts = zip((hours, minutes, 0 if tail == "0" else tail), _UNITS)
    clock = "".join(f"{sign}{amount}{unit}" for amount, unit in parts if amount)
    date = f"{sign}{days}D" if days else ""
    return f"P{date}{'T' + clock if clock else ''}" if date or clock else "PT0S"


def to_interval(value):
    """Formats a duration as a DuckDB interval."""
    micros = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    sign, size = ("-", -micros) if micros < 0 else ("", micros)
    seconds, rest = divmod(size, 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    return f"{sign}{days} days {sign}{seconds}.{rest:06} seconds"


_DATE = r"(\d{4})-(\d\d)-(\d\d)"
_CLOCK = r"(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:(z)|([+-])(\d\d):?(\d\d))?"
_DATETIME = re.compile(f"{_DATE}[t ]{_CLOCK}", re.IGNORECASE)
_TIME = re.compile(_CLOCK, re.IGNORECASE)


def to_date(text):
    """Parses a date."""
    from datetime import date

    return date.fromisoformat(text)


def to_time(text):
    """Parses a time of day, with its offset if the text has one."""
    from datetime import time

    return time(*_clock_of(_matched(_TIME, text).groups()))


def to_datetime(text):
    """Parses a datetime: aware if the text has an offset, else naive."""
    from datetime import datetime

    year, month, day, *clock = _matched(_DATETIME, text).groups()
    return datetime(int(year), int(month), int(day), *_clock_of(clock))


def to_instant(text):
    """Converts seconds since 1970 to a datetime in UTC."""
    from datetime import datetime, timedelta, timezone
    from decimal import ROUND_FLOOR, Decimal, localcontext

    with localcontext() as context:
        # More digits than a text may have.
        context.prec = 1000
        micros = int((Decimal(text) * 1_000_000).to_integral_value(ROUND_FLOOR))
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=micros)


def _matched(pattern, text):
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a valid time")
    return found


def _clock_of(groups):
    from datetime import timedelta, timezone

    hour, minute, second, fraction, utc, sign, hours, minutes = groups
    micros = int((fraction or "0").ljust(6, "0")[:6])
    zone = timezone.utc if utc else None
    if sign:
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        zone = timezone(-offset if sign == "-" else offset)
    return int(hour), int(minute), int(second), micros, zone


def _clock(seconds):
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return hours, minutes, seconds


def _fraction(value):
    """Formats the fraction of a second, up to the nanoseconds of pandas."""
    nanos = value.microsecond * 1000 + getattr(value, "nanosecond", 0)
    return f".{nanos:09}".rstrip("0") if nanos else ""


def _digits(micros):
    return f".{micros:06}".rstrip("0") if micros else ""
