"""A hostile role makes random objects (hostile_objects.py), and others ask about them: an ordinary
role, a superuser whose rights are dropped, and one who insists on his. After every call: what the
session holds, its locks and cursors, sentinel tables, files, memory, time, and whether a secret
stands in what came back or went to a model.

    hostile.py SECONDS SEED MODEL_URL FOLDER [GENERATION]

PGHOST is FOLDER, whose database `hostile` holds what tools/hostile.sql makes. GENERATION runs that one
alone and prints what it makes. Prints what was done, a line a check and `N passed, N failed`.
"""

import collections
import json
import os
import random
import re
import sys
import threading
import time
import urllib.request

import state
from hostile_objects import SCHEMA, Maker
from pgwire import Lost, ServerError, Session

SECONDS, SEED = int(sys.argv[1]), int(sys.argv[2])
URL, FOLDER = sys.argv[3:5]
ONLY = int(sys.argv[5]) if len(sys.argv) > 5 else None
CALLS = 30  # of a generation
PATIENCE = 10  # seconds that a call may take; its limits sum up to two or three
MEMORY = 64  # MB: text2sql.max_memory
SLACK = 400  # MB: what a backend has anyway, and takes between two looks
STRATEGIES = ["zero_shot", "gsr", "mag", "interactive", "builtin", "adaptive"]
ASKERS = {"alice": "alice", "superuser": "postgres", "insists": "postgres"}
MARKER = f"{FOLDER}/marker"

# What hostile.sql hides, and from whom.
NOBODY = ["canary-key", "c0ffeec0ffee", "canary-large", "canary-own"]
NO_PROMPT = NOBODY + ["canary-password"]
NOT_ALICE = ["canary-tenant", "canary-forbidden"]
NO_ERROR = ["canary-row"]

SETTINGS = f"""SET text2sql.statement_timeout = 300; SET text2sql.max_memory = {MEMORY};
    SET text2sql.trial_timeout = 200; SET text2sql.max_bytes = 1000000; SET text2sql.server = 'hostile';
    SET statement_timeout = 60000; SET search_path = public, {SCHEMA};
    SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0"""

# What the session itself sees.
HELD = {
    "session": state.OF_SESSION,
    "settings": state.SETTINGS,
    "locks": state.LOCKS,
    "cursors": "SELECT name, is_holdable FROM pg_cursors WHERE name <> ''",
}

# What other sessions see: rows, sequences, objects, roles.
SENTINELS = """SELECT (SELECT count(*) FROM caught), (SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM facts t),
    (SELECT last_value FROM numbers), (SELECT md5(string_agg(t::text, ',')) FROM staff t),
    (SELECT count(*) FROM forbidden), (SELECT count(*) FROM tenant),
    (SELECT count(*) FROM pg_largeobject_metadata),
    (SELECT md5(string_agg((oid, relname, relacl::text, relowner)::text, ',' ORDER BY oid)) FROM pg_class
     WHERE relnamespace::regnamespace::text NOT IN ('pg_toast', 'text2sql') AND relpersistence <> 't'),
    (SELECT md5(string_agg(p.oid || proname || prosrc, ',' ORDER BY p.oid)) FROM pg_proc p),
    (SELECT md5(string_agg(r::text, ',' ORDER BY rolname)) FROM pg_authid r),
    (SELECT count(*) FROM pg_db_role_setting), (SELECT count(*) FROM pg_prepared_xacts),
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')"""


def http(path, body=None):
    request = urllib.request.Request(f"{URL}/hostile/__{path}", data=body,
                                     method="GET" if body is None else "POST")
    return urllib.request.urlopen(request, timeout=30).read()


def quoted(text):
    return "$ask$" + text + "$ask$"


class Watch(threading.Thread):
    """Looks every 10 ms at the memory of one backend and of its parallel workers."""

    def __init__(self):
        super().__init__(daemon=True)
        self.pid, self.peak, self.workers = None, 0, 0
        with open(f"{FOLDER}/data/postmaster.pid") as file:
            self.postmaster = file.readline().strip()

    def begin(self, pid):
        self.peak, self.workers, self.pid = 0, 0, pid

    def run(self):
        while True:
            time.sleep(0.01)
            leader = self.pid
            if leader is None:
                continue
            try:
                for pid in [leader, *self.workers_of(leader)]:
                    self.workers += pid != leader
                    self.peak = max(self.peak, megabytes(pid))
            except OSError:  # it ended
                pass

    def workers_of(self, leader):
        with open(f"/proc/{self.postmaster}/task/{self.postmaster}/children") as file:
            for pid in file.read().split():
                with open(f"/proc/{pid}/cmdline", "rb") as line:
                    if f"parallel worker for PID {leader}".encode() in line.read():
                        yield int(pid)


def megabytes(pid):
    """Memory that the process does not share."""
    with open(f"/proc/{pid}/status") as file:
        found = re.search(r"RssAnon:\s+(\d+)", file.read())
        return int(found.group(1)) >> 10 if found else 0


def files():
    """Files that nothing but PostgreSQL itself should make."""
    there = [name for name in os.listdir(FOLDER) if name not in ("log", "initdb.log")]
    there += os.listdir(f"{FOLDER}/data")
    temporary = f"{FOLDER}/data/base/pgsql_tmp"
    there += os.listdir(temporary) if os.path.isdir(temporary) else []
    return sorted(there)


class Asker:
    """A session that asks, what it held before a call, and how far its cursors are."""

    def __init__(self, kind):
        self.kind, self.session = kind, None

    def open(self):
        if self.session:
            self.session.close()
        self.session = Session("hostile", user=ASKERS[self.kind], timeout=120)
        self.session.query(SETTINGS)
        self.session.query("SELECT FROM text2sql.check('SELECT 1')")  # loads the library
        if self.kind == "insists":
            self.session.query("SET text2sql.allow_superuser = on")
        self.session.query("SELECT pg_advisory_lock_shared(11)")

    def begin(self, random):
        """The surroundings of a call: none, or a transaction with cursors. True for the latter."""
        if random.random() < 0.35:
            return False
        mode = random.choice(["", "", " ISOLATION LEVEL REPEATABLE READ", " READ ONLY"])
        self.session.query(f"BEGIN{mode}; SELECT pg_advisory_xact_lock_shared(12);"
                           "DECLARE kept CURSOR FOR SELECT id FROM facts ORDER BY id;"
                           "DECLARE held CURSOR WITH HOLD FOR SELECT id FROM facts ORDER BY id;"
                           "FETCH kept; FETCH 2 FROM held")
        return True

    def warm(self, calls):
        """What a function of somebody's does when it is called by hand is the caller's own affair;
        its plans are ready afterwards."""
        for call in calls:
            self.session.query("SAVEPOINT warm")
            try:
                self.session.query(f"SET LOCAL statement_timeout = 300; SELECT {call}")
            except ServerError:
                pass
            self.session.query("ROLLBACK TO warm")
        self.session.query("SELECT pg_advisory_unlock_all(); SELECT pg_advisory_lock_shared(11); "
                           "SELECT pg_advisory_xact_lock_shared(12)")

    def held(self):
        """What the session holds now."""
        return {part: set(map(tuple, self.session.query(sql))) for part, sql in HELD.items()}

    def fetched(self):
        return self.session.query("FETCH kept; FETCH held")


class Hostile:
    """The run: generations of objects, calls about them, and what was found."""

    def __init__(self):
        self.admin = Session("hostile", timeout=60)
        version = int(self.admin.value("SELECT current_setting('server_version_num')"))
        self.forced = "force_parallel_mode" if version < 160000 else "debug_parallel_query"
        self.here = f"host={FOLDER} port=5432 dbname=hostile user=postgres"
        self.askers = {kind: Asker(kind) for kind in ASKERS}
        self.mallory = None
        self.watch = Watch()
        self.watch.start()
        self.outcomes, self.verbs, self.totals = (collections.Counter() for _ in range(3))
        self.failures = collections.defaultdict(list)
        self.slowest, self.largest = (0, ""), 0
        self.deadline = time.monotonic() + SECONDS
        for asker in self.askers.values():
            asker.open()

    def generation(self, number):
        """Make objects, then ask about them."""
        chance = random.Random(f"{SEED}/{number}")
        maker = Maker(chance, self.forced, self.here, MARKER)
        self.make(maker)
        questions = [maker.query() for _ in range(CALLS)]
        rules = [{"contains": f"say {n} now", "reply": f"```sql\n{sql}\n```"} for n, sql in enumerate(questions)]
        http("script", json.dumps({"rules": rules + [{"reply": "```sql\nSELECT 1 AS one\n```"}]}).encode())
        self.before, self.files = self.admin.query(SENTINELS), files()
        for n, sql in enumerate(questions):
            if time.monotonic() > self.deadline:
                return
            kind = chance.choice(list(ASKERS))
            call = self.call_of(chance, maker, n, sql)
            where = f"seed {SEED}, generation {number}, call {n} by {kind}: {call[0]}"
            try:
                self.one(self.askers[kind], chance, maker, *call, where)
            except Lost as lost:
                self.found("no session was ended", where, lost)
                self.askers[kind].open()
            except ServerError as error:
                self.found("no session was changed", where, error)
                self.askers[kind].open()

    def make(self, maker):
        """As the hostile role. What its own statements do to it, or refuse, does not count."""
        statements = [f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE", f"CREATE SCHEMA {SCHEMA}", *maker.statements,
                      f"GRANT USAGE ON SCHEMA {SCHEMA} TO PUBLIC",
                      f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO PUBLIC"]
        for statement in statements:
            if ONLY is not None:
                print(f"{statement};")
            try:
                if self.mallory is None:
                    self.mallory = Session("hostile", user="mallory", timeout=60)
                    self.mallory.query("SET statement_timeout = 2000; SET search_path = public")
                self.mallory.query(statement)
                self.totals["made"] += 1
            except ServerError as error:
                self.totals["not made"] += 1
                if ONLY is not None:
                    print(f"-- {error}")
            except Lost:
                self.mallory = None
        if self.mallory:
            self.mallory.close()
            self.mallory = None
        self.settled()

    def settled(self):
        """Wait until the hostile role has no session, and forget what it did while it made things."""
        while self.admin.value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'mallory'") != "0":
            time.sleep(0.02)

    def call_of(self, chance, maker, n, sql):
        """A call as SQL, and whether it may stand in a transaction."""
        strategy = chance.choice(STRATEGIES)
        question = f"say {n} now about {maker.word()}" if strategy != "builtin" else (
            chance.choice(["how many {}", "show all {}", "list the word of {}", "{} by a"]).format(maker.word()))
        asked = f"{quoted(question)}, strategy => '{strategy}'"
        relation = f"'{SCHEMA}.{maker.pick(maker.relations)}'"
        if chance.random() < 0.5:
            return f"SELECT * FROM text2sql.run({quoted(sql)})", True
        return chance.choice([
            (f"SELECT * FROM text2sql.run_record({quoted(sql)}) AS t(a text)", True),
            (f"SELECT * FROM text2sql.check({quoted(sql)})", True),
            (f"SET text2sql.max_cost = 1000; SELECT * FROM text2sql.check({quoted(sql)}); RESET text2sql.max_cost", False),
            (f"SELECT text2sql({asked})", True), (f"SELECT ask({asked})", True), (f"SELECT ask({asked})", True),
            (f"SELECT ask_summary({asked})", False),
            (f"BEGIN; SELECT ask_cursor({asked}, cursor => 'answers'); FETCH ALL answers; COMMIT", False),
            (f"SELECT text2sql.explain({asked}, execute => true)", True),
            (f"SELECT * FROM text2sql.preview({asked})", True),
            (f"SELECT * FROM text2sql.search_values({quoted(maker.word())})", True),
            (f"SELECT * FROM text2sql.search_values({quoted(maker.word())}, ARRAY[{relation}]::regclass[])", True),
            (f"SELECT * FROM text2sql.search_columns({quoted(maker.word())})", True),
            (f"SELECT * FROM text2sql.join_path(ARRAY[{relation}], ARRAY['{SCHEMA}.base'])", True),
            (f"SELECT text2sql.describe({quoted(sql)})", True), (f"SELECT text2sql.fix({quoted(sql)})", True),
            (f"SELECT * FROM text2sql.index_values(ARRAY[{relation}]::regclass[])", False),
            ("SELECT * FROM text2sql.index_values()", False),
            ("SELECT * FROM text2sql.summarize_tables()", False),
            ("SELECT * FROM text2sql.embed_columns()", False),
            (f"SELECT text2sql.remember({quoted(question)}, {quoted(sql)})", False),
        ])

    def one(self, asker, chance, maker, sql, nests, where):
        """One call between two looks."""
        session = asker.session
        inside = nests and asker.begin(chance)
        if inside and asker.kind == "alice" and maker.locking and chance.random() < 0.5:
            asker.warm(maker.locking)
        outer = asker.held()
        if inside:
            session.query("SAVEPOINT around")
        session.notices.clear()
        self.watch.begin(session.pid)
        started, rows, error = time.monotonic(), [], None
        try:
            rows = session.query(sql)
        except ServerError as caught:
            error = caught
        took = time.monotonic() - started
        self.watch.pid = None
        if error and inside:
            session.query("ROLLBACK TO around")
        if error and not nests:
            session.query("ROLLBACK; RESET text2sql.max_cost")
        self.totals["calls"] += 1
        self.outcomes[error.sqlstate if error else "ran"] += 1
        self.verbs[re.search(r"(text2sql\.\w+|ask\w*|text2sql)\(", sql).group(1)] += 1
        self.look(asker, inside, outer, where)
        self.bounds(took, where)
        self.leaks(asker, rows, error, where)

    def look(self, asker, inside, outer, where):
        inner = asker.held()
        for part in outer:
            if inner[part] != outer[part]:
                self.found("no session was changed", where, f"{part}: {outer[part] - inner[part] or 'nothing'} "
                           f"became {inner[part] - outer[part] or 'nothing'}")
        if inside:
            fetched = asker.fetched()
            if fetched != [["2"], ["3"]]:
                self.found("cursors stay where they are", where, fetched)
            asker.session.query("CLOSE held; COMMIT")
        if self.admin.query(SENTINELS) != self.before:
            now = self.admin.query(SENTINELS)
            self.found("no row, object or role changed", where, f"{self.before} became {now}")
            self.before = now
        if files() != self.files:
            self.found("no file was made", where, sorted(set(files()) ^ set(self.files)))
            self.files = files()
        if inner != outer:
            asker.open()

    def bounds(self, took, where):
        peak = self.watch.peak
        self.totals["workers"] += self.watch.workers > 0
        self.slowest, self.largest = max((took, where), self.slowest), max(peak, self.largest)
        if took > PATIENCE:
            self.found("every call ends in time", where, f"{took:.1f} s")
        if peak > MEMORY + SLACK:
            self.found("memory is bounded", where, f"{peak} MB")

    def leaks(self, asker, rows, error, where):
        told = json.dumps(rows, ensure_ascii=False)
        failure = json.dumps(error.fields, ensure_ascii=False) if error else ""
        requests = json.loads(http("requests"))
        self.totals["prompts"] += len(requests)
        http("reset", b"")
        sent = json.dumps([r["body"] for r in requests], ensure_ascii=False)
        if "preview(" in where:
            sent += told
        hidden = NOT_ALICE if asker.kind == "alice" else []
        for place, text, secrets in [("a result", told + str(asker.session.notices), NOBODY + hidden),
                                     ("an error", failure, NOBODY + NOT_ALICE + NO_ERROR),
                                     ("a prompt", sent, NO_PROMPT + hidden)]:
            for secret in secrets:
                if secret in text:
                    at = text.index(secret)
                    self.found(f"no secret stands in {place}", where, text[max(0, at - 150):at + 60])

    def found(self, check, where, what):
        self.failures[check].append(f"{where}\n        {what}")


def crashes():
    with open(f"{FOLDER}/log", errors="replace") as file:
        return [line.strip() for line in file if re.search(r"terminated by signal|PANIC|TRAP:", line)]


def main():
    run = Hostile()
    number = ONLY or 0
    while time.monotonic() < run.deadline:
        run.generation(number)
        number += 1
        if ONLY is not None:
            break
    totals = run.totals
    print(f"{totals['calls']} calls about {totals['made']} hostile objects in {SECONDS} s, "
          f"seed {SEED}; {totals['not made']} objects were not made, {totals['prompts']} requests to the model, "
          f"{totals['workers']} calls with parallel workers")
    print("by function: " + ", ".join(f"{verb} {n}" for verb, n in run.verbs.most_common()))
    print("by SQLSTATE: " + ", ".join(f"{code} {n}" for code, n in run.outcomes.most_common(14)))
    print(f"largest backend or worker {run.largest} MB; slowest call {run.slowest[0]:.1f} s, {run.slowest[1]}")
    run.failures["no backend crashed"] = crashes()[:3]
    checks = ["no backend crashed", "no session was ended", "no session was changed", "cursors stay where they are",
              "no row, object or role changed", "no file was made", "every call ends in time", "memory is bounded",
              "no secret stands in a result", "no secret stands in an error", "no secret stands in a prompt"]
    for check in checks:
        found = run.failures[check]
        print(f"{'FAILED' if found else 'ok'}  {check}")
        for failure in found[:5]:
            print(f"    {failure}")
    failed = sum(bool(run.failures[check]) for check in checks)
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
