"""A look at the index without touching it: is it there, is it whole, which files does it know?"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from reverie.core.layout import INDEX_DB
from reverie.workspace.values import hexadecimal

Known = dict[str, tuple[str, int, int]]
GOOD, MISSING, LOCKED, DAMAGED = "good", "missing", "locked", "damaged"


def look_at_index(root: Path) -> tuple[str, Known]:
    """GOOD with (hash, size, mtime) of every file it knows; or MISSING, LOCKED or DAMAGED."""
    path = root / INDEX_DB
    if not path.is_file():
        return MISSING, {}
    # Where nobody writes just now, not even the files beside the database are made for a look.
    how = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=2.0)) as db:
            if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                return DAMAGED, {}
            rows = db.execute("SELECT path, hash, size, mtime FROM files").fetchall()
    except sqlite3.OperationalError as error:
        return (LOCKED if "locked" in str(error) else DAMAGED), {}
    except (sqlite3.DatabaseError, OSError):
        return DAMAGED, {}
    return GOOD, {row[0]: (hexadecimal(row[1]), row[2], row[3]) for row in rows}
