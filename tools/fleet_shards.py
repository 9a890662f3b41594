"""A table in three shards over postgres_fdw: the same rows as on one server, with work done by the shards."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

from asking import Asking
from checks import run, until
from fleet_servers import Fleet, outcome, rows
from pgwire import Lost, ServerError, Session

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
# Queries, and what a shard must be left to do.
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


def prepare(fleet: Fleet) -> None:
    number = fleet.size(200_000, 10_000_000)
    loading = []
    for place in range(3):
        shard = fleet.shard(place)
        # PostgreSQL's own hash of the key decides: the same on every server
        for table, columns in COLUMNS.items():
            source = CUSTOMER_ROWS if table == "customers" else ORDER_ROWS.format(customers=CUSTOMERS, number=number)
            shard.query(f"CREATE TABLE key_of_{table} ({columns}) PARTITION BY HASH ({KEYS[table]})")
            loading.append(
                Asking(
                    fleet.shard(place),
                    f"CREATE TABLE {table} AS SELECT * FROM ({source}) AS s WHERE "
                    f"satisfies_hash_partition('key_of_{table}'::regclass, 3, {place}, {KEYS[table]}); "
                    f"CREATE INDEX ON {table} ({KEYS[table]}); ANALYZE {table}",
                )
            )
        shard.query("ALTER SYSTEM SET log_statement = 'all'")
        shard.query("SELECT pg_reload_conf()")
    session = Session("fleet")
    session.query("CREATE SCHEMA single; CREATE SCHEMA sharded; CREATE EXTENSION postgres_fdw")
    for table, columns in COLUMNS.items():
        source = CUSTOMER_ROWS if table == "customers" else ORDER_ROWS.format(customers=CUSTOMERS, number=number)
        session.query(f"CREATE TABLE single.{table} ({columns}); INSERT INTO single.{table} {source}")
        session.query(f"CREATE INDEX ON single.{table} ({KEYS[table]}); ANALYZE single.{table}")
    for one in loading:
        one.join()
    for place, folder in enumerate(fleet.shards):
        session.query(f"""CREATE SERVER shard{place + 1} FOREIGN DATA WRAPPER postgres_fdw OPTIONS
            (host '{folder}', dbname 'postgres', fetch_size '10000', connect_timeout '3', use_remote_estimate 'true',
             async_capable 'true');
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


def log_size(fleet: Fleet) -> list[int]:
    return [os.path.getsize(f"{folder}/log") for folder in fleet.shards]


def sent(fleet: Fleet, since: list[int]) -> str:
    """What the shards were sent since."""
    texts = []
    for folder, begin in zip(fleet.shards, since):
        with open(f"{folder}/log", errors="replace") as file:
            file.seek(begin)
            texts.append(file.read())
    return "\n".join(texts)


def timed(session: Session, question: str, schema: str) -> tuple[list[str], float]:
    begun = time.monotonic()
    try:
        found = rows(session, question, schemas=schema, **OPTIONS)
    except ServerError as error:
        found = [str(error.fields)]
    return found, (time.monotonic() - begun) * 1000


def queried(fleet: Fleet, session: Session, query: str, wanted: list[str]) -> list[float]:
    """A query's rows are those of one server, and the shards do what is `wanted` of each. Gives both times."""
    options = '{"max_rows": 100000, "query_timeout": "120s"}'
    begin, times, found = log_size(fleet), [], []
    for schema in ["single", "sharded"]:
        begun = time.monotonic()
        call = f"text2sql.run($${query.format(schema)}$$, '{options}')"
        rows_read = f"SELECT md5(string_agg(r::text, ',' ORDER BY r::text)), count(*) FROM {call} AS r"
        found.append(session.query(rows_read))
        times.append((time.monotonic() - begun) * 1000)
    log = sent(fleet, begin)
    pushed = all(log.count(text) >= wanted.count(text) for text in wanted)
    fleet.check(
        f"shards: {query.format('sharded')}",
        found[0] == found[1] and pushed,
        f"{found[0][0][1]} rows; one server {times[0]:.0f} ms, three shards {times[1]:.0f} ms",
    )
    return times


def check_shards(fleet: Fleet) -> None:
    check, session = fleet.check, fleet.primary()
    times: dict[str, list[float]] = {}
    for question in QUESTIONS:
        here, alone = timed(session, question, "single")
        there, together = timed(session, question, "sharded")
        times[question] = [alone, together]
        check(
            f"shards: {question}",
            here == there and here and here[0].startswith("{"),
            f"{here[:3]} {there[:3]}; one server {alone:.0f} ms, three shards {together:.0f} ms",
        )
    for query, wanted in QUERIES.items():
        times[query.replace("{0}.", "")] = queried(fleet, session, query, wanted)
    number = fleet.size(200_000, 10_000_000)
    print(f"figures: shards\n| {number} orders | one server, ms | three shards, ms |")
    print(*(f"| {asked} | {alone:.0f} | {together:.0f} |" for asked, (alone, together) in times.items()), sep="\n")
    left = [session.value(f"SHOW enable_partitionwise_{what}") for what in ("join", "aggregate")]
    check("shards: planning by partitions is not left on in the session", left == ["off", "off"], left)
    values(fleet, session)
    down(fleet)


def values(fleet: Fleet, session: Session) -> None:
    begin = log_size(fleet)
    lines = session.query(
        "SELECT v.column, distinct_values, skipped FROM text2sql.index_values('{sharded.customers}') v"
    )
    by_shard = sent(fleet, begin).count("GROUP BY")
    found = session.query("SELECT value FROM text2sql.search_values('custmer 29999', '{sharded.customers}', 1)")
    fleet.check(
        "shards: values are indexed shard by shard, each value once, and found",
        ["name", str(CUSTOMERS), None] in lines and by_shard >= 9 and found == [["customer 29999"]],
        (lines, by_shard, found),
    )
    shown = session.query("SELECT statistics FROM text2sql.search_columns('placed on of orders', 9)")
    fleet.check("shards: statistics come from ANALYZE", any("2022-01-01" in str(row) for row in shown), shown[:2])


def down(fleet: Fleet) -> None:
    """A shard that is down, and one that does not answer."""
    check, question = fleet.check, "How many orders are there?"
    open_before = fleet.primary()
    rows(open_before, question, schemas="sharded", **OPTIONS)
    run("tools/cluster", "shard2", "stop")
    options = json.dumps({"schemas": "sharded", "query_timeout": "5s", "dry_run_timeout": "1s"})
    ask = f"SELECT * FROM ask('{question}', strategy => 'builtin', options => '{options}')"
    for title, session in [("a new session", fleet.primary()), ("a session with a connection", open_before)]:
        begun = time.monotonic()
        ended = outcome(session, ask)
        if isinstance(ended, ServerError) and "shard2" not in str(ended.fields):
            ended = outcome(session, ask)
        told = isinstance(ended, ServerError) and "shard2" in str(ended.fields)
        check(f"shards: the one that is down is named, to {title}", told, f"{time.monotonic() - begun:.1f} s {ended}")
    run("tools/cluster", "shard2", "start")
    back = until(lambda: rows(open_before, question, schemas="sharded", **OPTIONS), 20, ServerError, Lost)
    check("shards: and when it is back, the same session answers", back, back)
    asleep(fleet, ask)


def asleep(fleet: Fleet, ask: str) -> None:
    pids = [int(Path(f"{fleet.shards[2]}/data/postmaster.pid").read_text().split()[0])]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    begun = time.monotonic()
    ended = outcome(fleet.primary(), ask)
    took = time.monotonic() - begun
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    told = isinstance(ended, ServerError) and "shard3" in str(ended.fields)
    fleet.check(
        "shards: one that does not answer is given up after connect_timeout",
        told and took < 20,
        f"{took:.1f} s {ended}",
    )
