"""Large results in flat memory; hundreds of sessions that wait for a slow model, a limit over all of them, and a model
server that dies under them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from harness.fleet import Fleet
from harness.model import ModelServer
from harness.session import PATIENCE, Call, memory_kb, until


def test_a_cursor_reads_a_large_result_in_flat_memory(fleet: Fleet) -> None:
    number = fleet.size(300_000, 10_000_000)
    with fleet.primary() as admin:
        admin.query(
            "CREATE SCHEMA wide; CREATE TABLE wide.event AS "
            f"SELECT g AS id, md5(g::text) AS code FROM generate_series(1, {number}) g; ANALYZE wide.event"
        )
    options = '{"schemas": "wide", "max_rows": 10000000, "max_result_size": "1GB", "query_timeout": "600s"}'
    with fleet.primary() as session:
        session.query("SELECT text2sql('How many events are there?', strategy => 'builtin')")
        before, fetched = memory_kb(session.pid), 0
        ask = f"SELECT ask_cursor('Show all events', 'c', strategy => 'builtin', options => '{options}')"
        session.query(f"BEGIN; {ask}")
        while batch := session.execute("FETCH 20000 FROM c").rowcount:
            fetched += batch
        grown, peak = memory_kb(session.pid) - before, memory_kb(session.pid, "VmHWM")
    assert fetched == number
    assert grown < 30 << 10
    assert peak < 600 << 10  # 256 MB of buffers included


@pytest.fixture
def limited(fleet: Fleet) -> Iterator[Fleet]:
    """The model's server with max_parallel_all."""
    fleet.main.query("ALTER SERVER model OPTIONS (ADD max_parallel_all '3')", "fleet")
    fleet.model.reset()
    yield fleet
    fleet.main.query("ALTER SERVER model OPTIONS (DROP max_parallel_all, SET total_timeout '1h')", "fleet")


def test_max_parallel_all_holds_over_all_sessions(limited: Fleet) -> None:
    most, done = 0, threading.Event()

    def look() -> None:
        nonlocal most
        while not done.is_set():
            most = max(most, limited.model.open_connections())
            time.sleep(0.02)

    watching = threading.Thread(target=look)
    watching.start()
    fresh = "options => '{\"cache\": false}'"
    number = limited.size(12, 60)
    asking = [Call(limited.primary(), f"SELECT text2sql('quickly now {n}', {fresh})") for n in range(number)]
    outcomes = [one.ended() for one in asking]
    done.set()
    watching.join()
    assert [outcome for outcome in outcomes if not isinstance(outcome, list)] == []
    assert most <= 3
    for one in asking:
        one.session.close()


def test_waiting_for_a_turn_has_its_limit(limited: Fleet) -> None:
    with limited.primary() as admin, limited.primary() as waiting, limited.primary() as first:
        admin.query("ALTER SERVER model OPTIONS (SET max_parallel_all '1')")
        holding = Call(first, "SELECT text2sql('hang now')")
        assert holding.waits_for_the_model(admin), holding.outcome
        admin.query("ALTER SERVER model OPTIONS (SET total_timeout '2s')")
        refused = waiting.outcome("SELECT text2sql('quickly now')")
        admin.query(f"SELECT pg_terminate_backend({first.pid})")
        holding.ended()
    assert isinstance(refused, psycopg.Error), refused
    assert refused.sqlstate == "58T03"


def ticks(pids: list[int]) -> int:
    """Processor time of processes, in hundredths of a second."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total


@pytest.fixture(scope="module")
def mortal(fleet: Fleet) -> Iterator[ModelServer]:
    """A model server that may die."""
    server = ModelServer()
    fleet.main.query(f"ALTER SERVER model OPTIONS (SET base_url '{server.script('fleet').base_url}')", "fleet")
    yield server
    server.stop()
    fleet.main.query(f"ALTER SERVER model OPTIONS (SET base_url '{fleet.model.base_url}')", "fleet")


@pytest.fixture(scope="module")
def waiting(fleet: Fleet, mortal: ModelServer) -> tuple[list[Call], float]:
    """Sessions that all wait for the model, and the megabytes that each took for it."""
    number = fleet.size(60, 500)
    sessions = [fleet.primary("asker") for _ in range(number)]
    idle = sum(memory_kb(session.pid) for session in sessions)
    asking = [Call(session, f"SELECT text2sql('hang now {n}')") for n, session in enumerate(sessions)]
    count = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Extension'"
    with fleet.primary() as admin:
        assert until(lambda: admin.value(count) == str(number), 120), f"{admin.value(count)} wait"
    return asking, (sum(memory_kb(session.pid) for session in sessions) - idle) / number / 1024


def test_sessions_that_wait_take_little_memory_and_no_processor(waiting: tuple[list[Call], float]) -> None:
    calls, megabytes = waiting
    pids = [call.session.pid for call in calls]
    time.sleep(3)
    before, begun = ticks(pids), time.monotonic()
    time.sleep(10)
    share = (ticks(pids) - before) / (time.monotonic() - begun)  # hundredths a second: percent of a processor
    assert megabytes < 12
    assert share < 5 + 0.02 * len(calls)


def test_sessions_that_wait_have_no_thread_beside_their_own(waiting: tuple[list[Call], float]) -> None:
    assert {len(os.listdir(f"/proc/{call.session.pid}/task")) for call in waiting[0]} == {1}


def test_a_model_server_that_dies_leaves_no_session_hanging(
    fleet: Fleet, mortal: ModelServer, waiting: tuple[list[Call], float]
) -> None:
    first, others = waiting[0][:200], waiting[0][200:]
    for call in others:
        fleet.main.query(f"SELECT pg_terminate_backend({call.session.pid})")
    mortal.stop()
    begun = time.monotonic()
    for call in first:
        call.join(max(0.0, begun + 2 * PATIENCE - time.monotonic()))
    states = {call.outcome.sqlstate if isinstance(call.outcome, psycopg.Error) else call.outcome for call in first}
    assert states == {"58T03"}
    assert {call.session.value("SELECT 1") for call in first} == {"1"}
