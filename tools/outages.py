"""Stops, kills and copies the server while questions wait.

    outages.py MODEL_URL FOLDER    (PGHOST is FOLDER, where a cluster with database outages runs)

Prints a line per check and `N passed, N failed`. Times and memory are printed, and judged only
where something does not end or takes many times what it may.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from asking import PATIENCE, Asking
from checks import Checks, memory_kb, run, until
from pgwire import Lost, ServerError, Session
from scripted import Script

MODEL, FOLDER = Script(sys.argv[1], "faults"), sys.argv[2]
LOG = f"{FOLDER}/log"
KEY = "sk-outage-0123456789abcdef"
COUNT, COUNTED = "SELECT * FROM ask('How many customers are there?', strategy => 'builtin')", '{"count":1000}'
check = Checks()


def cluster(verb: str) -> None:
    run("tools/cluster", "outages", verb)


def admin(port: int = 5432) -> Session:
    return Session("outages", port=port, timeout=PATIENCE)


def asker(port: int = 5432) -> Session:
    return Session("outages", user="asker", port=port, timeout=PATIENCE)


def prepare() -> None:
    session = admin()
    session.query(f"""
        CREATE EXTENSION text2sql;
        CREATE TABLE customer (id int PRIMARY KEY, name text);
        INSERT INTO customer SELECT g, 'customer ' || g FROM generate_series(1, 1000) g;
        ANALYZE customer;
        CREATE SERVER faults FOREIGN DATA WRAPPER text2sql
            OPTIONS (base_url '{MODEL.base_url}', model 'm', total_timeout '1h', retries '0');
        CREATE ROLE asker LOGIN;
        GRANT SELECT ON customer TO asker;
        GRANT USAGE ON FOREIGN SERVER faults TO asker;
        ALTER ROLE asker SET text2sql.server = 'faults';
        ALTER ROLE asker SET text2sql.strategy = 'zero_shot'""")
    if session.value("SHOW shared_preload_libraries"):
        session.query("CREATE EXTENSION pg_stat_statements")
    # the statement that holds the key is the administrator's own to keep out of logs
    session.query("SET log_statement = 'none'; SET log_min_messages = warning")
    if session.value("SHOW shared_preload_libraries"):
        session.query("SET pg_stat_statements.track_utility = off")
    session.query(f"CREATE USER MAPPING FOR PUBLIC SERVER faults OPTIONS (api_key '{KEY}')")


def key_is_nowhere() -> None:
    """Case 39: the log at its most talkative, activity, every statistics view."""
    session = admin()
    waiting = Asking(asker(), "SELECT text2sql('fault hang now')")
    waits = waiting.waits_for_the_model(session)
    views = session.query(
        "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'v' AND "
        "(relname LIKE 'pg\\_stat%' OR relname IN ('pg_settings', 'pg_locks', "
        "'pg_prepared_statements', 'pg_cursors', 'pg_foreign_server'))"
    )
    held = [
        view
        for (view,) in views
        if session.query(
            f"SELECT 1 FROM {view} AS v WHERE v::text LIKE '%{KEY[10:]}%' AND v::text NOT LIKE '%v::text LIKE%'"
        )
    ]
    check("no statistics view holds the key", waits and not held, f"{len(views)} views {held}")
    statements = [
        "SELECT text2sql('fault key now')",
        "SELECT text2sql('any')",
        "SELECT text2sql.explain('fault error now')",
        "SELECT * FROM text2sql.preview('any')",
    ]
    for statement in statements:
        with contextlib.suppress(ServerError):
            asker().query(statement)
    session.query(f"SELECT pg_terminate_backend({waiting.session.pid})")
    waiting.ended()
    log = Path(LOG).read_text(encoding="utf-8", errors="replace")
    # but for the question above that looks for it
    lines = [line for line in log.splitlines() if KEY[10:] in line and "v::text" not in line]
    check("the log holds no key", "fault key now" in log and not lines, lines[:2])


def shutdown(mode: str) -> None:
    """Case 36: a shutdown of the server ends a waiting call."""
    waiting = Asking(asker(), "SELECT text2sql('fault hang now')")
    waits = waiting.waits_for_the_model(admin())
    begun = time.monotonic()
    if mode == "fast":
        cluster("stop")
    else:
        os.kill(postmaster(), signal.SIGQUIT)
    ended = waiting.ended()
    took = time.monotonic() - begun
    check(
        f"a {mode} shutdown ends a waiting call",
        waits and ended and isinstance(waiting.outcome, Lost),
        f"{took * 1000:.0f} ms {waiting.outcome}",
    )
    left = until(lambda: MODEL.open_connections() == 0, PATIENCE)
    check("and nothing waits on at the model server", left)
    until(lambda: not running(postmaster()), PATIENCE)
    cluster("start")


def postmaster() -> int:
    try:
        with open(f"{FOLDER}/data/postmaster.pid") as file:
            return int(file.readline())
    except FileNotFoundError:
        return 0


def running(pid: int) -> bool:
    return pid != 0 and os.path.exists(f"/proc/{pid}")


def state() -> str:
    """Everything that must outlive a crash, as one text. The history grows when sessions end."""
    dump = run("pg_dump", "-d", "outages", "--exclude-table-data=text2sql.history_entry*")
    # newer versions write a random word into each dump
    return re.sub(r"(?m)^\\(un)?restrict .*", "", dump)


def killed(title: str, sql: str, user: str = "asker") -> None:
    """Case 40: kill -9 in the middle; the cluster recovers, the catalog is whole."""
    before = state()
    asking = Asking(Session("outages", user=user), sql)
    if "fault" in sql:
        reached = asking.waits_for_the_model(admin())
    else:
        active = f"SELECT 1 FROM pg_stat_activity WHERE pid = {asking.session.pid} AND state = 'active'"
        reached = bool(until(lambda: admin().query(active), PATIENCE))
        time.sleep(0.3)
    begun = time.monotonic()
    os.kill(asking.session.pid, signal.SIGKILL)
    asking.ended()
    answer = until(lambda: asker().value(COUNT), PATIENCE, Lost, ServerError)
    check(
        f"after kill -9 {title} the server answers again",
        reached and answer == COUNTED,
        f"{(time.monotonic() - begun) * 1000:.0f} ms {answer}",
    )
    locks = admin().value(
        "SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype NOT IN ('virtualxid')"
    )
    check("its data is as it was, no lock is left", state() == before and locks == "0", locks)
    done = subprocess.run(
        ["pg_amcheck", "-d", "outages", "--install-missing"], capture_output=True, text=True, check=False
    )
    check("pg_amcheck finds nothing", done.returncode == 0, done.stdout + done.stderr)
    admin().query("DROP EXTENSION IF EXISTS amcheck")


def memory_of_an_attack() -> None:
    """Case 21: constants of gigabytes in the plan, at the default limit of memory."""
    session = asker()
    session.query("SELECT * FROM text2sql.run('SELECT 1')")
    terms = " + ".join(f"length(repeat(''{c}'', 1000000000))" for c in "abcdefghijklmnopqrst")
    before = memory_kb(session.pid, "VmHWM")
    for sql in [
        f"SELECT {terms}",
        "SELECT array_agg(g) FROM (SELECT generate_series(1, 1000000000) AS g) AS s",
        "SELECT string_agg(repeat(''x'', 100000000), '''') FROM generate_series(1, 100)",
    ]:
        asking = Asking(session, f"SELECT * FROM text2sql.run('{sql}')")
        asking.ended()
        outcome = asking.outcome
        now = memory_kb(session.pid, "VmHWM")
        # past the limit of 512 MB by one value at most, which PostgreSQL bounds to 1 GB
        check(
            f"{sql[:60]} is stopped",
            isinstance(outcome, ServerError)
            and outcome.sqlstate == "54000"
            and "H" in outcome.fields
            and now < (2300 << 10),
            f"{outcome}; peak {before >> 10} -> {now >> 10} MB",
        )


def standby() -> None:
    """Case 40: questions on a standby."""
    run("bash", "-c", "standby")
    session = asker(5433)
    check("the standby is one", admin(5433).value("SELECT pg_is_in_recovery()") == "t")
    check("a question is answered on it", session.value(COUNT) == COUNTED)
    check(
        "values are found on it",
        session.query("SELECT value FROM text2sql.search_values('customer 17') LIMIT 1") == [["customer 17"]],
    )
    check("a model is asked from it", session.query("SELECT * FROM ask('any')") == [['{"one":1}']])
    for strategy in ["gsr", "mag", "interactive"]:
        explained = session.value(f"SELECT text2sql.explain('any', strategy => '{strategy}')")
        check(f"strategy {strategy} runs on it", json.loads(explained)["calls"] > 0)
    with open(f"{FOLDER}/standby.log", errors="replace") as file:
        line = "text2sql: 1 request of zero_shot.sql"
        check("the ledger of a standby is its log", any(line in text for text in file))
    rows = admin(5433).value(
        "SELECT count(*) FROM text2sql.ledger WHERE at > now() - interval '1 min' AND step = 'gsr.pre_sql'"
    )
    check("and no row", rows == "0", rows)
    refused = []
    for sql in ["DELETE FROM customer", "SELECT pg_promote()", "SELECT pg_advisory_lock(1)"]:
        try:
            session.query(f"SELECT * FROM text2sql.run($$ {sql} $$)")
        except ServerError as error:
            refused.append(error.sqlstate)
    check("attacks are refused on it", len(refused) == 3, refused)


def main() -> None:
    prepare()
    key_is_nowhere()
    memory_of_an_attack()
    standby()
    killed("while a call waits", "SELECT text2sql('fault hang now')")
    killed(
        "while a query runs", "SELECT * FROM text2sql.run('SELECT count(*) FROM customer a, customer b, customer c')"
    )
    killed(
        "after writes",
        "SET text2sql.server = 'faults'; SET text2sql.strategy = 'zero_shot'; SET text2sql.cache = off; "
        "CREATE TABLE t (id int); SELECT text2sql('any'); SELECT text2sql('fault hang now')",
        user="postgres",
    )
    shutdown("fast")
    shutdown("immediate")
    answer = admin().value(COUNT)
    check("the server answers in the end", answer == COUNTED, answer)
    check.finish()


if __name__ == "__main__":
    main()
