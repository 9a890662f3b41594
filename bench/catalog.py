"""What a large catalog costs a session: reading, searching, changing, and memory.

    catalog.py DATABASE        (made by tables.sql; PGHOST names the server)

Medians over fresh sessions, each beside PostgreSQL's own information_schema in a session of its
own, in turn. Nothing is judged.
"""

import statistics
import sys

from harness.session import Session, memory_kb
from measure import milliseconds, session_with, table

DATABASE = sys.argv[1]
ROUNDS = 5
PHRASES = ["total amount of ticket_15", "when was the parcel created", "kind of lease", "invoice quantity"]
QUIET = "SET client_min_messages = error;"
QUESTION = "What is the total amount of ticket_15?"
SEARCH = "SELECT count(*) FROM text2sql.search_columns('%s', 5);"
PREVIEW = (
    "SELECT sum(octet_length(content)) FROM text2sql.preview('What is the total amount of ticket_15?', "
    "strategy => '%s');"
)
CHANGES = [
    ("ALTER TABLE … ADD COLUMN", "ALTER TABLE ticket_15 ADD COLUMN added_{n} text;"),
    ("ALTER TABLE … DROP COLUMN", "ALTER TABLE ticket_15 DROP COLUMN added_{n};"),
    ("COMMENT ON COLUMN", "COMMENT ON COLUMN ticket_15.note IS 'note {n}';"),
    ("CREATE TABLE", "CREATE TABLE extra_{n} (id int PRIMARY KEY, words text);"),
    ("DROP TABLE", "DROP TABLE extra_{n};"),
    ("ANALYZE of one table", "ANALYZE ticket_15;"),
]


def timed(session: Session, *statements: str) -> float:
    return milliseconds(lambda: [session.query(statement) for statement in statements])


def one_session(times: dict[str, list[float]], sizes: dict[str, list[float]]) -> None:
    def note(name: str, ms: float) -> None:
        times.setdefault(name, []).append(ms)

    def size(name: str) -> None:
        sizes.setdefault(name, []).append(memory_kb(session.pid) / 1024)

    plain = session_with(DATABASE)
    note("information_schema.columns", timed(plain, "SELECT count(*) FROM information_schema.columns;"))
    plain.close()
    session = session_with(DATABASE, f"{QUIET} SET text2sql.share_catalog_from = -1;")
    size("of a session that did nothing")
    note("first search of a session", timed(session, SEARCH % PHRASES[0]))
    size("after the first search")
    searches = [timed(session, SEARCH % phrase) for _ in range(5) for phrase in PHRASES]
    note("the next search", statistics.median(searches))
    for name, change in CHANGES:
        note(f"{name}, then a search", timed(session, change.format(n=session.pid), SEARCH % PHRASES[0]))
    size("after six changes")
    for strategy in ["zero_shot", "gsr", "interactive", "mag"]:
        session.query(PREVIEW % strategy)
        note(f"first prompt of {strategy}", timed(session, PREVIEW % strategy))
        note(f"bytes {strategy}", int(session.value(PREVIEW % strategy)))
    size("after prompts")
    answer = f"SELECT json_typeof(text2sql.explain('{QUESTION}', strategy => 'builtin'));"
    note("first question to builtin", timed(session, answer))
    note("the next question to builtin", timed(session, answer))
    size("after questions")
    session.close()
    # reading may tidy pages up, so that only the second file is current
    for _ in range(3):
        session = session_with(DATABASE, QUIET)
        first, after_search = timed(session, SEARCH % PHRASES[0]), memory_kb(session.pid) / 1024
        question, after_question = timed(session, answer), memory_kb(session.pid) / 1024
        session.close()
    note("first search of a session, the catalog taken over", first)
    note("its first question to builtin", question)
    sizes.setdefault("the catalog taken over, after the first search", []).append(after_search)
    sizes.setdefault("the catalog taken over, after a question", []).append(after_question)


def main() -> None:
    times: dict[str, list[float]] = {}
    sizes: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        one_session(times, sizes)
    median = {name: statistics.median(values) for name, values in times.items()}
    cold, plain = median["first search of a session"], median["information_schema.columns"]
    session = session_with(DATABASE)
    [[tables, columns]] = session.query(
        "SELECT count(DISTINCT attrelid), count(*) FROM pg_attribute JOIN pg_class c ON c.oid = attrelid "
        "WHERE attnum > 0 AND NOT attisdropped AND relkind = 'r' AND relnamespace = 'public'::regnamespace;"
    )
    session.close()
    print(f"{tables} tables, {columns} columns, medians of {ROUNDS} sessions")
    table(
        "catalog_times",
        "what | ms | times `information_schema.columns` | times the first search",
        [
            (name + prompt_bytes(median, name), f"{ms:.1f}", f"{ms / plain:.2f}", f"{ms / cold:.2f}")
            for name, ms in median.items()
            if not name.startswith("bytes")
        ],
    )
    table(
        "catalog_memory",
        "a session's private memory | MB",
        [(name, f"{statistics.median(values):.1f}") for name, values in sizes.items()],
    )


def prompt_bytes(median: dict[str, float], name: str) -> str:
    size = median.get(name.replace("first prompt of", "bytes"))
    return f" ({size / 1000:.1f} kB)" if size and "prompt" in name else ""


main()
