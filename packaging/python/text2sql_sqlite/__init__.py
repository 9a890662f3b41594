"""Ask a SQLite database a question in plain words.

>>> import sqlite3, text2sql_sqlite
>>> db = sqlite3.connect("shop.db")
>>> text2sql_sqlite.load(db)
>>> db.execute("SELECT text2sql('How many orders are there?')").fetchone()
('SELECT count(*) FROM orders',)
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

__all__ = ["LIBRARY", "load"]

LIBRARY = Path(__file__).with_name("text2sql.so")
"""The loadable extension, for hosts that load it themselves."""


def load(connection: sqlite3.Connection) -> None:
    """Give this connection text2sql(), ask() and the other functions.

    It may be of another module with sqlite3's interface, such as sqlean. Afterwards SQL cannot load
    further extensions (`enable_load_extension(False)`).
    Raises RuntimeError if this Python's sqlite3 cannot load extensions, sqlite3.OperationalError
    if its SQLite is older than 3.37 or already has another text2sql.
    """
    if not hasattr(connection, "enable_load_extension"):
        raise RuntimeError(
            "this Python's sqlite3 was built without loadable extensions; "
            "`pip install sqlean.py` and `import sqlean as sqlite3` brings one with them"
        )
    connection.enable_load_extension(True)
    try:
        connection.load_extension(str(LIBRARY))
    finally:
        connection.enable_load_extension(False)
