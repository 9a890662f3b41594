"""Ends waiting model calls from other sessions, for every fault and in every way.

    faults.py MODEL_URL        (PGHOST names a server with empty databases waiting and restored)

Prints a line per check and `N passed, N failed`. How long an ending took is printed, not judged;
a call that does not end is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from checks import Checks, memory_kb, until
from pgwire import Row, Session
from scripted import Script

MODEL = Script(sys.argv[1], "faults")
PATIENCE = 20  # seconds; a call that waits longer than that was not ended
# Faults that keep a caller waiting: by themselves, or because the call is tried again.
WAITING = ["hang", "head", "drip", "slow", "busy", "error", "reset", "truncate", "refused"]
# Faults that end a call at once.
ENDING = ["huge", "bomb", "key", "redirect", "json"]
WAYS = ["pg_cancel_backend", "statement_timeout", "pg_terminate_backend", "Ctrl-C"]
check = Checks()


def psql(*arguments: str, database: str = "waiting") -> list[str]:
    return ["psql", "-XAtq", "-d", database, *arguments]


def sql(text: str, database: str = "waiting") -> list[Row]:
    session = Session(database)
    rows = session.query(text)
    session.close()
    return rows


# What asks the model, by what it asks for; each names the fault in what it sends.
ASKING = {
    "chat": "SELECT text2sql('fault {fault} now', strategy => 'zero_shot', server => '{server}')",
    "embeddings": "SET text2sql.schemas = described; SELECT * FROM text2sql.embed_columns('{{{fault}}}')",
    "phrase": "SELECT count(*) FROM text2sql.search_columns('fault {fault} now')",
}


def call(fault: str, name: str, setup: str = "", asking: str = "chat") -> subprocess.Popen[str]:
    """A session that asks the model, under an application name of its own."""
    server = "refused" if fault == "refused" else "faults"
    question = ASKING[asking].format(fault=fault, server=server)
    text = (
        f"SET application_name = '{name}'; SET text2sql.server = '{server}'; SET text2sql.cache = off; "
        f"{setup} {question};\n"
    )
    # -f: a session by itself, whose statements psql sends one after another
    session = subprocess.Popen(
        psql("-f", "-"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert session.stdin
    session.stdin.write(text)
    session.stdin.close()
    session.stdin = None
    return session


def waiting_pid(name: str) -> int | None:
    rows = until(
        lambda: sql(
            f"SELECT pid FROM pg_stat_activity WHERE application_name = '{name}' "
            "AND state = 'active' AND wait_event_type = 'Extension'"
        ),
        PATIENCE,
    )
    return int(rows[0][0]) if rows else None


def end_in_time(session: subprocess.Popen[str]) -> str | None:
    """What psql said, or None where it did not end."""
    try:
        return session.communicate(timeout=PATIENCE)[1]
    except subprocess.TimeoutExpired:
        session.kill()
        return None


def end_waiting_call(fault: str, way: str, number: int, asking: str) -> float:
    """Seconds until the call was ended."""
    MODEL.reset()
    name = f"call_{number}"
    timeout = 400 if way == "statement_timeout" else 0
    session = call(fault, name, f"SET statement_timeout = {timeout};", asking)
    begun = time.monotonic()
    pid = waiting_pid(name) if way != "statement_timeout" else 0
    if pid is None:
        check(f"{asking}: {fault} / {way}", False, f"the session never waited: {end_in_time(session)}")
        return 0
    if way == "statement_timeout":
        begun += timeout / 1000  # from the start of psql, so an upper bound
    else:
        time.sleep(0.05)
        begun = time.monotonic()
    if way == "Ctrl-C":
        session.send_signal(signal.SIGINT)
    elif way != "statement_timeout":
        sql(f"SELECT {way}({pid})")
    said = end_in_time(session)
    took = time.monotonic() - begun
    wanted = {
        "pg_cancel_backend": "canceling statement due to user request",
        "Ctrl-C": "canceling statement due to user request",
        "statement_timeout": "canceling statement due to statement timeout",
        "pg_terminate_backend": "terminating connection due to administrator command",
    }[way]
    left = until(lambda: MODEL.open_connections() == 0, PATIENCE)
    check(
        f"{asking}: {fault} / {way}",
        said is not None and wanted in said and left,
        f"{took * 1000:.0f} ms" + ("" if said and wanted in said else f" said: {said}"),
    )
    return took


def ends_by_itself(fault: str) -> None:
    MODEL.reset()
    session = call(fault, "by_itself", "SET statement_timeout = '15s';")
    said = end_in_time(session)
    check(f"{fault} ends by itself", said and "the model server failed" in said)
    session = call(fault, "by_itself", "SET statement_timeout = '15s';", "phrase")
    said = end_in_time(session)
    check(
        f"a phrase is searched for without {fault}",
        said and "WARNING" in said and "without the embedding model" in said and "ERROR" not in said,
    )


def footprint(pid: int) -> tuple[int, int, int]:
    """Kilobytes of memory, threads and open files."""
    return memory_kb(pid), len(os.listdir(f"/proc/{pid}/task")), len(os.listdir(f"/proc/{pid}/fd"))


def many_calls() -> None:
    """Thousands of calls in one session: what the first 200 need stays, the rest adds nothing."""
    session = Session("waiting")
    ask = (
        "SELECT count(text2sql('any customer ' || g, strategy => 'zero_shot', "
        "server => 'faults')) FROM generate_series(1, %d) g;"
    )
    session.value(ask % 200)
    seen = [footprint(session.pid)]
    counted = []
    for _ in range(5):
        counted.append(session.value(ask % 1000))
        seen.append(footprint(session.pid))
    session.close()
    check("1,000 calls are answered, five times", counted == ["1000"] * 5, counted)
    # a leak grows with every thousand; a catalog that is read anew grows once
    growth = [after[0] - before[0] for before, after in zip(seen, seen[1:])]
    check("1,000 calls keep memory flat", min(growth) < 128, f"grew by {growth} kB")
    check(
        "no thread and no file is left",
        seen[-1][1] == seen[0][1] and seen[-1][2] <= seen[0][2] + 1,
        f"{seen[0][1:]} -> {seen[-1][1:]}",
    )


def dumped_and_restored() -> None:
    dump = subprocess.run(["pg_dump", "-d", "waiting"], check=True, capture_output=True, text=True)
    subprocess.run(
        psql("-v", "ON_ERROR_STOP=1", "-f", "-", database="restored"),
        input=dump.stdout,
        check=True,
        capture_output=True,
        text=True,
    )
    query = (
        "SELECT s.srvname, s.srvoptions, s.srvacl, m.umoptions FROM pg_foreign_server s "
        "LEFT JOIN pg_user_mappings m ON m.srvid = s.oid ORDER BY 1"
    )
    there, restored = sql(query), sql(query, database="restored")
    check("pg_dump restores servers, rights and mappings", there and there == restored)


def main() -> None:
    refused = "http://127.0.0.1:1/v1"
    sql(
        "CREATE EXTENSION text2sql; CREATE TABLE customer (id int PRIMARY KEY, name text); "
        "CREATE SERVER faults FOREIGN DATA WRAPPER text2sql "
        f"OPTIONS (base_url '{MODEL.base_url}', embedding_model 'e', model 'm', retries '10', total_timeout '1h'); "
        "CREATE SERVER refused FOREIGN DATA WRAPPER text2sql "
        f"OPTIONS (base_url '{refused}', embedding_model 'e', model 'm', retries '10', total_timeout '1h'); "
        "CREATE USER MAPPING FOR PUBLIC SERVER faults OPTIONS (api_key 'k-0123456789'); "
        "GRANT USAGE ON FOREIGN SERVER faults TO PUBLIC"
    )
    # out of the way of the prompts, whose faults are those of the questions
    sql("CREATE SCHEMA described; ALTER DATABASE waiting SET text2sql.schemas = public")
    for fault in WAITING:
        table = f"described.{fault}"
        sql(f"CREATE TABLE {table} (x int); COMMENT ON TABLE {table} IS 'fault {fault} now'")
    sql("SELECT text2sql.embed_columns('{customer}', server => 'faults')")
    number, slowest = 0, 0.0
    for fault in WAITING:
        for asking in ("chat", "embeddings", "phrase"):
            # a phrase is sent where there are vectors, and so by one of the two servers
            if asking == "phrase" and fault == "refused":
                continue
            for way in WAYS:
                number += 1
                slowest = max(slowest, end_waiting_call(fault, way, number, asking))
    for fault in ENDING:
        ends_by_itself(fault)
    many_calls()
    dumped_and_restored()
    print(f"slowest ending: {slowest * 1000:.0f} ms, the start of psql included")
    check.finish()


if __name__ == "__main__":
    main()
