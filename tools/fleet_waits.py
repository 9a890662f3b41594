"""Large results in flat memory; hundreds of sessions that wait for a slow model, a limit over all of them,
and a model server that dies under them."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from asking import Asking
from checks import memory_kb, run, until
from fleet_servers import PATIENCE, Fleet
from pgwire import ServerError


def check_waits(fleet: Fleet) -> None:
    large_result(fleet)
    turns(fleet)
    waiting(fleet)


def large_result(fleet: Fleet) -> None:
    number = fleet.size(300_000, 10_000_000)
    admin = fleet.primary()
    admin.query(
        "CREATE SCHEMA wide; CREATE TABLE wide.event AS "
        f"SELECT g AS id, md5(g::text) AS code FROM generate_series(1, {number}) g; ANALYZE wide.event"
    )
    session = fleet.primary()
    options = '{"schemas": "wide", "max_rows": 10000000, "max_result_size": "1GB", "query_timeout": "600s"}'
    session.query("SELECT text2sql('How many events are there?', strategy => 'builtin')")
    before, begun, fetched = memory_kb(session.pid), time.monotonic(), 0
    session.query(f"BEGIN; SELECT ask_cursor('Show all events', 'c', strategy => 'builtin', options => '{options}')")
    while batch := len(session.query("FETCH 20000 FROM c")):
        fetched += batch
    grown, peak = memory_kb(session.pid) - before, memory_kb(session.pid, "VmHWM")
    took = time.monotonic() - begun
    session.query("COMMIT")
    fleet.check(
        f"ask_cursor: {number} rows in flat memory",
        fetched == number and grown < 30 << 10 and peak < 600 << 10,
        f"{fetched} rows in {took:.1f} s, {grown >> 10} MB more, peak {peak >> 10} MB (256 MB of buffers included)",
    )


def ticks(pids: list[int]) -> int:
    """Processor time of processes, in hundredths of a second."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total


def turns(fleet: Fleet) -> None:
    """max_parallel_all: no more calls at the same time, over all sessions."""
    fleet.primary().query("ALTER SERVER model OPTIONS (ADD max_parallel_all '3')")
    fleet.model.reset()
    most, done = 0, threading.Event()

    def look() -> None:
        nonlocal most
        while not done.is_set():
            most = max(most, fleet.model.open_connections())
            time.sleep(0.02)

    watching = threading.Thread(target=look)
    watching.start()
    number = fleet.size(12, 60)
    fresh = "options => '{\"cache\": false}'"
    asking = [Asking(fleet.primary(), f"SELECT text2sql('quickly now {n}', {fresh})") for n in range(number)]
    for one in asking:
        one.ended()
    done.set()
    watching.join()
    answered = sum(isinstance(one.outcome, list) for one in asking)
    fleet.check(
        f"max_parallel_all: {number} sessions make 3 calls at the same time",
        answered == number and most <= 3,
        f"{answered} answered, {most} at once",
    )
    waiting = fleet.primary()
    admin = fleet.primary()
    admin.query("ALTER SERVER model OPTIONS (SET max_parallel_all '1')")
    holding = Asking(fleet.primary(), "SELECT text2sql('hang now')")
    holding.waits_for_the_model(admin)
    admin.query("ALTER SERVER model OPTIONS (SET total_timeout '2s')")
    try:
        waiting.query("SELECT text2sql('quickly now')")
        refused = ""
    except ServerError as error:
        refused = f"{error.sqlstate} {error.fields}"
    fleet.check("max_parallel_all: waiting for a turn has its limit, and says what helps", "58T03" in refused, refused)
    admin.query(f"SELECT pg_terminate_backend({holding.session.pid})")
    holding.ended()
    admin.query("ALTER SERVER model OPTIONS (DROP max_parallel_all, SET total_timeout '1h')")


def waiting(fleet: Fleet) -> None:
    number = fleet.size(60, 500)
    sessions = [fleet.primary("asker") for _ in range(number)]
    idle = sum(memory_kb(session.pid) for session in sessions)
    asking = [Asking(session, f"SELECT text2sql('hang now {n}')") for n, session in enumerate(sessions)]
    admin = fleet.primary()
    waits = until(
        lambda: admin.value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Extension'") == str(number),
        PATIENCE,
    )
    pids = [session.pid for session in sessions]
    time.sleep(3)
    before, begun = ticks(pids), time.monotonic()
    time.sleep(10)
    share = (ticks(pids) - before) / (time.monotonic() - begun)  # hundredths a second: percent of a processor
    memory = (sum(memory_kb(pid) for pid in pids) - idle) / number / 1024
    threads = max(len(os.listdir(f"/proc/{pid}/task")) for pid in pids)
    fleet.check(
        f"{number} sessions wait for a slow model",
        waits and memory < 12 and share < 5 + 0.02 * number and threads == 1,
        f"{memory:.1f} MB each, {share:.1f} % of a processor in all, {threads} thread each",
    )
    dies(fleet, asking[: fleet.size(60, 200)], asking[fleet.size(60, 200) :])


def dies(fleet: Fleet, first: list[Asking], others: list[Asking]) -> None:
    if others:
        fleet.primary().query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid IN "
            f"({', '.join(str(one.session.pid) for one in others)})"
        )
    begun = time.monotonic()
    run("tools/model", "stop")
    for one in first:
        one.join(max(0.0, begun + PATIENCE - time.monotonic()))
    took = time.monotonic() - begun
    ended = [one for one in first if isinstance(one.outcome, ServerError) and one.outcome.sqlstate == "58T03"]
    alive = sum(one.session.value("SELECT 1") == "1" for one in ended)
    fleet.check(
        f"a model server that dies under {len(first)} questions leaves no session hanging",
        len(ended) == len(first) == alive,
        f"{len(ended)} ended with 58T03 after {took:.1f} s; {first[0].outcome}",
    )
