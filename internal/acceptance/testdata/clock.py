#!/usr/bin/python3
"""Moves every time in a database of ours: what a clock that was set looks like
to the next daemon.

    clock.py state.db MILLISECONDS
"""

import sqlite3
import sys

TIMES = {"at", "created", "ended", "ended_at", "due", "since", "paused", "asked", "answered", "used"}
DAY_IN_2001 = 10**12  # the least time there can be, in milliseconds

path, by = sys.argv[1], int(sys.argv[2])
db = sqlite3.connect(path)
moved = 0
for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
    for column in [row[1] for row in db.execute(f"PRAGMA table_info({table})")]:
        if column not in TIMES:
            continue
        for unit in (1, 10**3, 10**6):  # milliseconds, microseconds, nanoseconds
            least, most = DAY_IN_2001 * unit, min(10 * DAY_IN_2001 * unit, 2**63 - 1)
            moved += db.execute(
                f"UPDATE {table} SET {column} = {column} + ? WHERE {column} >= ? AND {column} < ?", (by * unit, least, most)
            ).rowcount
db.commit()
print(moved)
