"""Runs the blocks of docs/sqlite-hosts.md in their hosts, and the SQL of docs/sqlite.md: see tools/recipes."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import page

FOLDER = sys.argv[1]
SCHEMA = """
CREATE TABLE orders(id INTEGER PRIMARY KEY, total REAL);
INSERT INTO orders VALUES (1, 10.5), (2, 4.5), (3, 7);
"""
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
CARGO = """
[package]
name = "recipe"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
rusqlite = { version = "0.40", features = ["load_extension"] }

[profile.dev]
debug = false
"""


def write(name: str, text: str) -> None:
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def command(language: str, code: str) -> list[str]:
    """What runs a block."""
    if language == "sh":
        return ["bash", "-ec", code]
    if language == "python":
        return [sys.executable, "-c", code]
    if language == "js":
        return ["node", "-e", code]
    if language == "rust":
        write("rust/Cargo.toml", CARGO)
        write("rust/src/main.rs", code)
        return ["cargo", "run", "--quiet", "--manifest-path", "rust/Cargo.toml", "--target-dir", "rust/target"]
    if language == "c":
        write("recipe.c", code)
        return ["bash", "-ec", "cc -Wall -Werror recipe.c -o recipe -lsqlite3 && ./recipe"]
    raise AssertionError(f"no host for {language}")


def play(block: page.Block) -> None:
    if block.note == "interruptible":
        ends_at_once(block.code)
    elif block.note == "static":
        linked(block)
    else:
        page.run(command(block.language, block.code), block, FOLDER, PATH=f"{FOLDER}/venv/bin:{os.environ['PATH']}")


def linked(block: page.Block) -> None:
    """A program that the library is a part of."""
    subprocess.run(
        ["cargo", "rustc", "--quiet", "-p", "text2sql-sqlite", "--crate-type", "staticlib"], cwd=page.ROOT, check=True
    )
    library = os.path.join(page.ROOT, "target/debug/libtext2sql_sqlite.a")
    write("recipe.c", block.code)
    link = f"cc -Wall -Werror recipe.c {library} -o recipe -lsqlite3 -lm -lpthread -ldl && ./recipe"
    page.run(["bash", "-ec", link], block, FOLDER)


def loaded(code: str, tail: str) -> str:
    """A program that has the recipe, a connection and something that takes long."""
    return (
        code
        + f"""
import signal
import sqlite3
# whoever starts the tests in the background has children ignore it
signal.signal(signal.SIGINT, signal.default_int_handler)
db = sqlite3.connect("shop.db", isolation_level=None, check_same_thread=False)
db.enable_load_extension(True)
db.load_extension("./text2sql")
db.enable_load_extension(False)
print("ready", flush=True)
try:
    {tail}
    print("it ended")
except KeyboardInterrupt:
    print("stopped", db.execute("SELECT count(*) FROM orders").fetchone()[0])
"""
    )


def ends_at_once(code: str) -> None:
    """Ctrl-C in the middle of a query, and of a call to a model that never answers."""
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
    configured = {**os.environ, "TEXT2SQL_BASE_URL": url, "TEXT2SQL_MODEL": "m"}
    for environment, tail in [
        (os.environ, f'run(db, "SELECT * FROM text2sql_run(?)", "{ENDLESS}")'),
        (configured, 'run(db, "SELECT text2sql(?)", "How many orders are there?")'),
    ]:
        process = subprocess.Popen(
            [sys.executable, "-c", loaded(code, tail)], cwd=FOLDER, env=environment, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout and process.stdout.readline() == "ready\n"
        time.sleep(1)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[0]
        took = time.monotonic() - started
        assert rest == "stopped 3\n" and took < 5, (rest, took)
    silent.close()


def play_in_shell(block: page.Block) -> None:
    """A block of SQL must not fail; what it prints is not looked at where the page does not say it."""
    write("block.sql", block.code)
    quiet = "" if block.prints else " >/dev/null"
    page.run(["bash", "-c", f"sqlite3 -bail shop.db '.load ./text2sql' '.read block.sql'{quiet}"], block, FOLDER)


def main() -> int:
    shutil.copy(os.path.join(page.ROOT, "target/sqlite/text2sql.so"), FOLDER)
    # where docs/sqlite.md loads it from
    os.makedirs(os.path.join(FOLDER, "target/sqlite"), exist_ok=True)
    shutil.copy(os.path.join(page.ROOT, "target/sqlite/text2sql.so"), os.path.join(FOLDER, "target/sqlite"))
    database = os.path.join(FOLDER, "shop.db")
    if os.path.exists(database):
        os.remove(database)
    sqlite3.connect(database).executescript(SCHEMA)
    return page.play("docs/sqlite-hosts.md", play) | page.play("docs/sqlite.md", play_in_shell, language="sql")


if __name__ == "__main__":
    sys.exit(main())
