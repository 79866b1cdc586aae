"""What the endpoints share: any module of this folder can be imported by its name."""

from __future__ import annotations

import statistics
from dataclasses import dataclass


@dataclass
class Summary:
    """Numbers in a few numbers."""

    count: int
    mean: float
    median: float
    deviation: float
    smallest: float
    largest: float


def summarise(values: list[float]) -> Summary:
    return Summary(
        count=len(values),
        mean=round(statistics.fmean(values), 4),
        median=statistics.median(values),
        deviation=round(statistics.pstdev(values), 4),
        smallest=min(values),
        largest=max(values),
    )


def robust_scores(values: list[float]) -> list[float]:
    """How far each value is from the median, in median absolute deviations: outliers do not hide themselves."""
    middle = statistics.median(values)
    spread = statistics.median(abs(value - middle) for value in values) or 1e-9
    return [round(0.6745 * (value - middle) / spread, 2) for value in values]
