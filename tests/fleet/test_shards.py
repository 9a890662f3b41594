"""A table in three shards over postgres_fdw: the same rows as on one server, with work done by the shards."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from harness.fleet import Fleet, rows
from harness.session import Call, Session, until, whole

CUSTOMERS = 30_000
OPTIONS = {"query_timeout": "120s", "dry_run_timeout": "0"}
QUESTIONS = [
    "How many orders are there?",
    "How many orders are there for each status?",
    "What is the average amount of orders?",
    "How many orders were placed in 2023?",
    "How many orders have customer id 17?",
    "How many customers are there for each region?",
    "Which customers are in city 7?",
]
# Queries, and texts that the log of the shards must have for each: the work that is left to them.
QUERIES = {
    "SELECT count(*) FROM {0}.orders WHERE customer_id = 17": ["WHERE ((customer_id = 17))"],
    "SELECT customer_id, count(*), sum(amount) FROM {0}.orders GROUP BY customer_id": ["GROUP BY"] * 3,
    "SELECT c.id, c.city, sum(o.amount) AS total FROM {0}.orders o JOIN {0}.customers c ON c.id = o.customer_id "
    "GROUP BY c.id, c.city": ["INNER JOIN", "GROUP BY"] * 3,
    "SELECT c.region, sum(o.amount) AS total FROM {0}.orders o JOIN {0}.customers c ON c.id = o.customer_id "
    "WHERE o.placed_on >= '2024-06-01' GROUP BY c.region": ["INNER JOIN"] * 3,
    "SELECT s.name, count(*) FROM {0}.orders o JOIN {0}.states s ON s.code = o.status WHERE o.customer_id < 300 "
    "GROUP BY s.name": ["customer_id < 300"] * 3,
}
CUSTOMER_ROWS = f"""SELECT c AS id, 'customer ' || c AS name, 'city ' || c % 50 AS city,
    (ARRAY['north', 'south', 'east', 'west'])[1 + c % 4] AS region FROM generate_series(1, {CUSTOMERS}) c"""
ORDER_ROWS = """SELECT g AS id, (1 + (g * 7919::bigint) % {customers})::int AS customer_id,
    (ARRAY['open', 'sent', 'paid'])[1 + g % 3] AS status,
    (g % 1000)::numeric(10, 2) AS amount, date '2022-01-01' + (g % 1000)::int AS placed_on
    FROM generate_series(1, {number}) g"""
COLUMNS = {
    "customers": "id int NOT NULL, name text, city text, region text",
    "orders": "id bigint, customer_id int, status text, amount numeric(10, 2), placed_on date",
}
KEYS = {"customers": "id", "orders": "customer_id"}


Times = dict[str, list[float]]


def filled(table: str, number: int) -> str:
    """A query that gives the rows of a table."""
    return CUSTOMER_ROWS if table == "customers" else ORDER_ROWS.format(customers=CUSTOMERS, number=number)


def load(session: Session, place: int, number: int) -> list[Call]:
    """The rows of one shard, by PostgreSQL's own hash of the key: the same on every server."""
    loading = []
    for table, columns in COLUMNS.items():
        key = KEYS[table]
        session.query(f"CREATE TABLE key_of_{table} ({columns}) PARTITION BY HASH ({key})")
        rows_here = f"satisfies_hash_partition('key_of_{table}'::regclass, 3, {place}, {key})"
        loading.append(f"CREATE TABLE {table} AS SELECT * FROM ({filled(table, number)}) AS s WHERE {rows_here}")
        loading.append(f"CREATE INDEX ON {table} ({key}); ANALYZE {table}")
    return [Call(session, "; ".join(loading))]


def attach(session: Session, fleet: Fleet) -> None:
    """The tables of the shards as partitions of one."""
    for place, shard in enumerate(fleet.shards):
        session.query(f"""CREATE SERVER shard{place + 1} FOREIGN DATA WRAPPER postgres_fdw OPTIONS
            (host '{shard.folder}', dbname 'postgres', fetch_size '10000', connect_timeout '3',
             use_remote_estimate 'true', async_capable 'true');
            CREATE USER MAPPING FOR PUBLIC SERVER shard{place + 1}
            OPTIONS (user 'postgres', password_required 'false')""")
    for table, columns in COLUMNS.items():
        session.query(f"CREATE TABLE sharded.{table} ({columns}) PARTITION BY HASH ({KEYS[table]})")
        for place in range(3):
            session.query(f"""CREATE FOREIGN TABLE sharded.{table}_{place + 1} PARTITION OF sharded.{table}
                FOR VALUES WITH (MODULUS 3, REMAINDER {place}) SERVER shard{place + 1}
                OPTIONS (schema_name 'public', table_name '{table}')""")
        session.query(f"ANALYZE sharded.{table}")
    # a small table of the same rows everywhere is kept by the primary alone
    for schema in ["single", "sharded"]:
        session.query(f"""CREATE TABLE {schema}.states (code text PRIMARY KEY, name text);
            INSERT INTO {schema}.states VALUES ('open', 'still open'), ('sent', 'under way'), ('paid', 'settled');
            ANALYZE {schema}.states""")
    session.query("SELECT text2sql.label_schema('sharded', 'values')")


@pytest.fixture(scope="module")
def session(fleet: Fleet) -> Iterator[Session]:
    """A session beside the same rows twice: in schema single on one server, in schema sharded on three."""
    number = fleet.size(200_000, 10_000_000)
    loading = [call for place, shard in enumerate(fleet.shards) for call in load(shard.session(), place, number)]
    with fleet.primary() as session:
        session.query("CREATE SCHEMA single; CREATE SCHEMA sharded; CREATE EXTENSION postgres_fdw")
        for table, columns in COLUMNS.items():
            session.query(f"CREATE TABLE single.{table} ({columns})")
            session.query(f"INSERT INTO single.{table} {filled(table, number)}")
            session.query(f"CREATE INDEX ON single.{table} ({KEYS[table]}); ANALYZE single.{table}")
        for call in loading:
            call.join()
            assert isinstance(call.outcome, list), call.outcome
            call.session.close()
        attach(session, fleet)
        yield session


@pytest.fixture(scope="module")
def times(fleet: Fleet, note: Callable[[str], None]) -> Iterator[Times]:
    """Milliseconds of each query on one server and on three, shown as tools/figures.py reads them."""
    measured: Times = {}
    yield measured
    note(f"figures: shards\n| {fleet.size(200_000, 10_000_000)} orders | one server, ms | three shards, ms |")
    for asked, (one, three) in measured.items():
        note(f"| {asked} | {one:.0f} | {three:.0f} |")


def log_size(fleet: Fleet) -> list[int]:
    return [os.path.getsize(shard.folder / "log") for shard in fleet.shards]


def sent(fleet: Fleet, since: list[int]) -> str:
    """The statements that the shards were sent since."""
    texts = []
    for shard, begin in zip(fleet.shards, since):
        with open(shard.folder / "log", errors="replace") as file:
            file.seek(begin)
            texts.append(file.read())
    return "\n".join(texts)


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_are_answered_as_on_one_server(session: Session, times: Times, question: str) -> None:
    answers, took = [], []
    for schema in ["single", "sharded"]:
        begun = time.monotonic()
        answers.append(rows(session, question, schemas=schema, **OPTIONS))
        took.append((time.monotonic() - begun) * 1000)
    times[question] = took
    assert answers[0] == answers[1]
    assert answers[0][0].startswith("{")


@pytest.mark.parametrize("query", QUERIES)
def test_queries_have_the_rows_of_one_server_and_leave_work_to_the_shards(
    fleet: Fleet, session: Session, times: Times, query: str
) -> None:
    options = '{"max_rows": 100000, "query_timeout": "120s"}'
    begin, found, took = log_size(fleet), [], []
    for schema in ["single", "sharded"]:
        call = f"text2sql.run($${query.format(schema)}$$, '{options}')"
        begun = time.monotonic()
        found.append(session.query(f"SELECT md5(string_agg(r::text, ',' ORDER BY r::text)), count(*) FROM {call} AS r"))
        took.append((time.monotonic() - begun) * 1000)
    times[query.replace("{0}.", "")] = took
    assert found[0] == found[1]
    log = sent(fleet, begin)
    for text in QUERIES[query]:
        assert log.count(text) >= QUERIES[query].count(text), text


@pytest.mark.parametrize("setting", ["enable_partitionwise_join", "enable_partitionwise_aggregate"])
def test_planning_by_partitions_is_not_left_on_in_the_session(session: Session, setting: str) -> None:
    rows(session, QUESTIONS[1], schemas="sharded", **OPTIONS)
    assert session.value(f"SHOW {setting}") == "off"


def test_values_are_indexed_shard_by_shard_each_value_once_and_found(fleet: Fleet, session: Session) -> None:
    begin = log_size(fleet)
    indexed = "SELECT v.column_name, distinct_values, skipped FROM text2sql.index_values('{sharded.customers}') v"
    assert ["name", str(CUSTOMERS), None] in session.query(indexed)
    assert sent(fleet, begin).count("GROUP BY") >= 9
    found = session.query("SELECT value FROM text2sql.search_values('custmer 29999', '{sharded.customers}', 1)")
    assert found == [["customer 29999"]]


def test_statistics_of_shards_come_from_analyze(session: Session) -> None:
    shown = session.query("SELECT statistics FROM text2sql.search_columns('placed_on of orders', 9)")
    assert any("2022-01-01" in str(row) for row in shown), shown


ASK = "SELECT * FROM ask('How many orders are there?', strategy => 'builtin', options => '{}')".format(
    json.dumps({"schemas": "sharded", "query_timeout": "5s", "dry_run_timeout": "1s"})
)


def names(session: Session, shard: str) -> bool:
    """Whether a question ends in an error that names the shard."""
    ended = session.outcome(ASK)
    return isinstance(ended, psycopg.Error) and shard in whole(ended)


def test_a_shard_that_is_down_is_named_and_when_it_is_back_the_same_session_answers(
    fleet: Fleet, session: Session
) -> None:
    with fleet.primary() as before, fleet.primary() as new:
        rows(before, QUESTIONS[0], schemas="sharded", **OPTIONS)
        fleet.shards[1].do("stop")
        # the first question may only find that the connection is gone
        named = {who: names(one, "shard2") or names(one, "shard2") for who, one in {"new": new, "old": before}.items()}
        fleet.shards[1].do("start")
        assert named == {"new": True, "old": True}
        assert until(lambda: rows(before, QUESTIONS[0], schemas="sharded", **OPTIONS), 20, psycopg.Error)


def test_a_shard_that_does_not_answer_is_given_up_after_connect_timeout(fleet: Fleet, session: Session) -> None:
    postmaster = fleet.shards[2].postmaster()
    with fleet.primary() as asking:
        os.kill(postmaster, signal.SIGSTOP)
        begun = time.monotonic()
        try:
            ended = asking.outcome(ASK)
        finally:
            os.kill(postmaster, signal.SIGCONT)
        took = time.monotonic() - begun
    assert isinstance(ended, psycopg.Error), ended
    assert "shard3" in whole(ended)
    assert took < 20
