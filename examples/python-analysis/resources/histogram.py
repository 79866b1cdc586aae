from __future__ import annotations

import math
from collections import Counter

from svc.runtime import db


def histogram(name: str) -> Counter[int]:
    rows = db.execute(
        "SELECT value FROM measurements WHERE sensor_id = (SELECT id FROM sensors WHERE name = $name)",
        {"name": name},
    )
    return Counter(math.floor(row["value"]) for row in rows)
