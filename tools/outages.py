"""Stops, kills and copies the server while questions wait.

    outages.py MODEL_URL FOLDER    (PGHOST is FOLDER, where a cluster with database outages runs)

Prints a line a check and `N passed, N failed`. Times and memory are printed, and judged only
where something does not end or takes many times what it may.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

from pgwire import Lost, ServerError, Session

URL, FOLDER = sys.argv[1:]
LOG = f"{FOLDER}/log"
PATIENCE = 30  # seconds; what takes longer has not ended
KEY = "sk-outage-0123456789abcdef"
passed = failed = 0


def check(title, ok, shown=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{'ok' if ok else 'FAILED'}  {title}  {shown}", flush=True)


def until(condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if value := condition():
                return value
        except (Lost, ServerError):
            pass
        time.sleep(0.02)
    return None


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout} {done.stderr}")
    return done.stdout


def cluster(verb):
    run("tools/cluster", "outages", verb)


def admin(port=5432):
    return Session("outages", port=port, timeout=PATIENCE)


def open_connections():
    with urllib.request.urlopen(f"{URL}/faults/__status") as answer:
        return json.load(answer)["open"]


class Asking(threading.Thread):
    """A session that runs one statement; `outcome` is its rows or what ended it."""

    def __init__(self, sql, user="asker"):
        super().__init__()
        self.session = Session("outages", user=user)
        self.sql, self.outcome = sql, None
        self.start()

    def run(self):
        try:
            self.outcome = self.session.query(self.sql)
        except (Lost, ServerError) as ended:
            self.outcome = ended

    def waits_for_the_model(self):
        waiting = "SELECT 1 FROM pg_stat_activity WHERE pid = %d AND wait_event_type = 'Extension'"
        return until(lambda: admin().query(waiting % self.session.pid))

    def ended(self):
        self.join(PATIENCE)
        return not self.is_alive()


def prepare():
    session = admin()
    session.query(f"""
        CREATE EXTENSION text2sql;
        CREATE TABLE customer (id int PRIMARY KEY, name text);
        INSERT INTO customer SELECT g, 'customer ' || g FROM generate_series(1, 1000) g;
        ANALYZE customer;
        CREATE SERVER faults FOREIGN DATA WRAPPER text2sql
            OPTIONS (base_url '{URL}/faults/v1', model 'm', total_timeout '1h', retries '0');
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


def key_is_nowhere():
    """Case 39: the log at its most talkative, activity, every statistics view."""
    waiting = Asking("SELECT text2sql('fault hang now')")
    waits = waiting.waits_for_the_model()
    session = admin()
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
        try:
            Session("outages", user="asker").query(statement)
        except ServerError:
            pass
    session.query(f"SELECT pg_terminate_backend({waiting.session.pid})")
    waiting.ended()
    with open(LOG, encoding="utf-8", errors="replace") as file:
        # but for the question above that looks for it
        lines = [line for line in file if KEY[10:] in line and "v::text" not in line]
    asked = sum("fault key now" in line for line in open(LOG, errors="replace"))
    check("the log holds no key", asked and not lines, lines[:2])


def shutdown(mode):
    """Case 36: a shutdown of the server ends a waiting call."""
    waiting = Asking("SELECT text2sql('fault hang now')")
    waits = waiting.waits_for_the_model()
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
    left = until(lambda: open_connections() == 0)
    check("and nothing waits on at the model server", left)
    until(lambda: not running(postmaster()))
    cluster("start")


def postmaster():
    try:
        with open(f"{FOLDER}/data/postmaster.pid") as file:
            return int(file.readline())
    except FileNotFoundError:
        return 0


def running(pid):
    return pid and os.path.exists(f"/proc/{pid}")


def state():
    """Everything that must outlive a crash, as one text."""
    # newer versions write a random word into each dump
    return re.sub(r"(?m)^\\(un)?restrict .*", "", run("pg_dump", "-d", "outages"))


def killed(title, sql, user="asker"):
    """Case 40: kill -9 in the middle; the cluster recovers, the catalog is whole."""
    before = state()
    asking = Asking(sql, user)
    if "fault" in sql:
        reached = asking.waits_for_the_model()
    else:
        active = f"SELECT 1 FROM pg_stat_activity WHERE pid = {asking.session.pid} AND state = 'active'"
        reached = until(lambda: admin().query(active))
        time.sleep(0.3)
    begun = time.monotonic()
    os.kill(asking.session.pid, signal.SIGKILL)
    asking.ended()
    answer = until(
        lambda: Session("outages", user="asker").query(
            "SELECT * FROM ask('How many customers are there?', strategy => 'builtin')"
        )
    )
    check(
        f"after kill -9 {title} the server answers again",
        reached and answer == [['{"count":1000}']],
        f"{(time.monotonic() - begun) * 1000:.0f} ms {answer}",
    )
    locks = admin().value(
        "SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype NOT IN ('virtualxid')"
    )
    check("its data is as it was, no lock is left", state() == before and locks == "0", locks)
    done = subprocess.run(["pg_amcheck", "-d", "outages", "--install-missing"], capture_output=True, text=True)
    check("pg_amcheck finds nothing", done.returncode == 0, done.stdout + done.stderr)
    admin().query("DROP EXTENSION IF EXISTS amcheck")


def memory_of_an_attack():
    """Case 21: constants of gigabytes in the plan, at the default limit of memory."""
    session = Session("outages", user="asker")
    session.query("SELECT * FROM text2sql.run('SELECT 1')")
    terms = " + ".join(f"length(repeat(''{c}'', 1000000000))" for c in "abcdefghijklmnopqrst")
    before = peak(session.pid)
    for sql in [
        f"SELECT {terms}",
        "SELECT array_agg(g) FROM (SELECT generate_series(1, 1000000000) AS g) AS s",
        "SELECT string_agg(repeat(''x'', 100000000), '''') FROM generate_series(1, 100)",
    ]:
        try:
            outcome = session.query(f"SELECT * FROM text2sql.run('{sql}')")
        except ServerError as error:
            outcome = error
        now = peak(session.pid)
        # past the limit of 1 GB by one value at most, which PostgreSQL bounds to 1 GB
        check(
            f"{sql[:60]} is stopped",
            isinstance(outcome, ServerError)
            and outcome.sqlstate == "54000"
            and "H" in outcome.fields
            and now < (2300 << 10),
            f"{outcome}; peak {before >> 10} -> {now >> 10} MB",
        )


def peak(pid):
    """Kilobytes that the process had at most."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1))


def standby():
    """Case 40: questions on a standby."""
    run("bash", "-c", "standby")
    session = until(lambda: Session("outages", user="asker", port=5433, timeout=PATIENCE))
    check("the standby is one", admin(5433).value("SELECT pg_is_in_recovery()") == "t")
    count = [['{"count":1000}']]
    check(
        "a question is answered on it",
        session.query("SELECT * FROM ask('How many customers are there?', strategy => 'builtin')") == count,
    )
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


def main():
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
        "SET text2sql.server = 'faults'; SET text2sql.strategy = 'zero_shot'; "
        "CREATE TABLE t (id int); SELECT text2sql('any'); SELECT text2sql('fault hang now')",
        user="postgres",
    )
    shutdown("fast")
    shutdown("immediate")
    answer = admin().value("SELECT ask('How many customers are there?', strategy => 'builtin')")
    check("the server answers in the end", answer == '{"count":1000}', answer)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
