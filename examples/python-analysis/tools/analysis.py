"""The functions are called like their tools."""

from __future__ import annotations

import datetime as dt
from typing import Any

from spread import robust_scores, summarise
from svc.runtime import UserError, db, mcp


def summarise_sensor(sensor: str, first: dt.date, last: dt.date) -> dict[str, Any]:
    rows = db.execute(
        """
        SELECT m.value, s.unit
        FROM measurements AS m JOIN sensors AS s ON s.id = m.sensor_id
        WHERE s.name = $sensor AND m.measured_at >= $first AND m.measured_at < $last + INTERVAL 1 DAY
        """,
        {"sensor": sensor, "first": first, "last": last},
    )
    if not rows:
        raise UserError(f"There is no sensor {sensor} with values between {first} and {last}.")
    summary = summarise([row["value"] for row in rows])
    return {"sensor": sensor, "unit": rows[0]["unit"], "days": (last - first).days + 1, "summary": summary}


async def find_outliers(sensor: str, score: float) -> list[dict[str, Any]]:
    rows = db.execute(
        """
        SELECT m.measured_at, m.value
        FROM measurements AS m JOIN sensors AS s ON s.id = m.sensor_id
        WHERE s.name = $sensor ORDER BY m.measured_at
        """,
        {"sensor": sensor},
    )
    if not rows:
        raise UserError(f"There is no sensor {sensor}.")
    await mcp.info(f"{len(rows)} values are looked at")
    scores = robust_scores([row["value"] for row in rows])
    far = [{**row, "score": own} for row, own in zip(rows, scores) if abs(own) >= score]
    return sorted(far, key=lambda row: -abs(row["score"]))
