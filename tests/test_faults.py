"""Faults of the model server, seen from other sessions: every wait can be ended in every way, memory stays flat,
servers are dumped and restored."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from harness.cluster import Cluster, run
from harness.model import ModelServer, Script
from harness.session import Call, Session, memory_kb, until

# Faults that keep a caller waiting: by themselves, or because the call is tried again.
WAITING = ["hang", "head", "drip", "slow", "busy", "error", "reset", "truncate", "refused"]
# Faults that end a call at once.
ENDING = ["huge", "bomb", "key", "redirect", "json"]
# How a call is ended, and the message that tells of it.
ENDINGS = {
    "pg_cancel_backend": "canceling statement due to user request",
    "statement_timeout": "canceling statement due to statement timeout",
    "pg_terminate_backend": "terminating connection due to administrator command",
    "cancel_request": "canceling statement due to user request",  # psql's Ctrl-C, a driver's cancel()
}
# Statements that call the model, by what they ask for; each names the fault in what it sends.
ASKING = {
    "chat": "SELECT text2sql('fault {fault} now', strategy => 'zero_shot', server => '{server}')",
    "embeddings": "SET text2sql.schemas = described; SELECT * FROM text2sql.embed_columns('{{described.{fault}}}')",
    "phrase": "SELECT count(*) FROM text2sql.search_columns('fault {fault} now')",
}
# A phrase is sent where there are vectors, and so by one of the two servers.
CALLS = [(asking, fault) for asking in ASKING for fault in WAITING if (asking, fault) != ("phrase", "refused")]


@pytest.fixture(scope="module")
def script(model: ModelServer) -> Script:
    return model.script("faults")


@pytest.fixture(scope="module", autouse=True)
def database(cluster: Cluster, script: Script) -> Iterator[None]:
    """Database `waiting`, whose servers misbehave as a question asks for."""
    cluster.query("CREATE DATABASE waiting")
    cluster.query("CREATE DATABASE restored")
    servers = {"faults": script.base_url, "refused": "http://127.0.0.1:1/v1"}
    with cluster.session("waiting") as session:
        session.query("CREATE EXTENSION text2sql; CREATE TABLE customer (id int PRIMARY KEY, name text)")
        for name, url in servers.items():
            options = f"base_url '{url}', embedding_model 'e', model 'm', retries '10', total_timeout '1h'"
            session.query(f"CREATE SERVER {name} FOREIGN DATA WRAPPER text2sql OPTIONS ({options})")
        session.query(
            "CREATE USER MAPPING FOR PUBLIC SERVER faults OPTIONS (api_key 'k-0123456789'); "
            "GRANT USAGE ON FOREIGN SERVER faults TO PUBLIC"
        )
        # out of the way of the prompts, whose faults are those of the questions
        session.query("CREATE SCHEMA described; ALTER DATABASE waiting SET text2sql.schemas = public")
        for fault in WAITING:
            table = f"described.{fault}"
            session.query(f"CREATE TABLE {table} (x int); COMMENT ON TABLE {table} IS 'fault {fault} now'")
        session.query("SELECT text2sql.embed_columns('{customer}', server => 'faults')")
    yield
    cluster.query("DROP DATABASE waiting WITH (FORCE)")
    cluster.query("DROP DATABASE restored WITH (FORCE)")


def asker(cluster: Cluster, fault: str) -> Session:
    session = cluster.session("waiting")
    server = "refused" if fault == "refused" else "faults"
    session.query(f"SET text2sql.server = '{server}'; SET text2sql.cache = off")
    return session


def question(asking: str, fault: str) -> str:
    return ASKING[asking].format(fault=fault, server="refused" if fault == "refused" else "faults")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(("asking", "fault"), CALLS)
def test_a_waiting_call_can_be_ended(cluster: Cluster, script: Script, asking: str, fault: str, ending: str) -> None:
    script.reset()
    session = asker(cluster, fault)
    if ending == "statement_timeout":
        session.query("SET statement_timeout = 400")
    with cluster.session("waiting") as admin:
        call = Call(session, question(asking, fault))
        # a timeout may end it before it is seen to wait
        assert ending == "statement_timeout" or call.waits_for_the_model(admin), call.outcome
        if ending == "cancel_request":
            session.cancel()
        elif ending != "statement_timeout":
            admin.query(f"SELECT {ending}({session.pid})")
        assert ENDINGS[ending] in str(call.ended())
    assert until(lambda: script.open_connections() == 0), "a connection to the model server is left open"
    session.close()


@pytest.mark.parametrize("fault", ENDING)
def test_a_call_ends_by_itself(cluster: Cluster, script: Script, fault: str) -> None:
    script.reset()
    with asker(cluster, fault) as session:
        session.query("SET statement_timeout = '15s'")
        with pytest.raises(psycopg.Error, match="the model server failed"):
            session.query(question("chat", fault))


@pytest.mark.parametrize("fault", ENDING)
def test_a_phrase_is_searched_for_without_the_embedding_model(cluster: Cluster, script: Script, fault: str) -> None:
    script.reset()
    with asker(cluster, fault) as session:
        session.query("SET statement_timeout = '15s'")
        session.query(question("phrase", fault))
        assert "without the embedding model" in str(session.notices)


def footprint(pid: int) -> tuple[int, int, int]:
    """Kilobytes of memory, threads and open files."""
    return memory_kb(pid), len(os.listdir(f"/proc/{pid}/task")), len(os.listdir(f"/proc/{pid}/fd"))


@pytest.fixture(scope="module")
def many_calls(cluster: Cluster) -> tuple[list[str], list[tuple[int, int, int]]]:
    """How many of 1,000 calls were answered, five times in one session, and its footprints after 200 calls and after
    each of the thousands."""
    calls = "SELECT text2sql('any customer ' || g, strategy => 'zero_shot', server => 'faults') FROM generate_series"
    with cluster.session("waiting") as session:
        ask = f"SELECT count(text2sql) FROM ({calls}(1, %d) g) AS called"
        session.value(ask % 200)
        seen, answered = [footprint(session.pid)], []
        for _ in range(5):
            answered.append(session.value(ask % 1000))
            seen.append(footprint(session.pid))
    return answered, seen


Calls = tuple[list[str], list[tuple[int, int, int]]]


def test_thousands_of_calls_of_a_session_are_answered(many_calls: Calls) -> None:
    assert many_calls[0] == ["1000"] * 5


def test_thousands_of_calls_keep_memory_flat(many_calls: Calls) -> None:
    # a leak grows with every thousand; a catalog that is read anew grows once
    kilobytes = [seen[0] for seen in many_calls[1]]
    growth = [after - before for before, after in zip(kilobytes, kilobytes[1:])]
    assert min(growth) < 128, f"grew by {growth} kB"


def test_no_thread_and_no_file_is_left_by_calls(many_calls: Calls) -> None:
    (_, threads, files), *_, (_, threads_after, files_after) = many_calls[1]
    assert threads_after == threads
    assert files_after <= files + 1


def test_pg_dump_restores_servers_rights_and_mappings(cluster: Cluster) -> None:
    dump = run("pg_dump", "-d", "waiting", PGHOST=str(cluster.folder), PGUSER="postgres")
    cluster.psql("restored", dump)
    query = (
        "SELECT s.srvname, s.srvoptions, s.srvacl, m.umoptions FROM pg_foreign_server s "
        "LEFT JOIN pg_user_mappings m ON m.srvid = s.oid ORDER BY 1"
    )
    there = cluster.query(query, "waiting")
    assert there
    assert cluster.query(query, "restored") == there
