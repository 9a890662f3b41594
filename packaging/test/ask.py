"""Asks the installed wheel a question."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import text2sql_sqlite

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    try:
        text2sql_sqlite.load(sqlite3.connect(":memory:"))
    except RuntimeError as refused:
        assert "pip install sqlean.py" in str(refused)
    import sqlean as sqlite3

db = sqlite3.connect(":memory:")
db.executescript("CREATE TABLE orders(id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (1), (2), (3);")
text2sql_sqlite.load(db)
# the server for agents, which is beside this Python
server = Path(sys.executable).with_name("text2sql-mcp")
tools = subprocess.run([server, "--list-tools"], check=True, capture_output=True)
assert [tool["name"] for tool in json.loads(tools.stdout)][:2] == ["ask", "text2sql"], tools.stdout
answer = db.execute("SELECT ask FROM ask('How many orders are there?')").fetchone()[0]
assert answer == '{"count":3}', answer
try:
    db.execute("SELECT load_extension('x')")
except sqlite3.OperationalError as refused:
    assert "not authorized" in str(refused), refused
else:
    sys.exit("SQL may load extensions")
print(f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}: {answer}")
