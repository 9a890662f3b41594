"""A hostile role makes random objects (harness/hostile_objects.py), then large ones (harness/hostile_large.py), and
others ask about them: an ordinary role, a superuser whose rights are dropped, and one who insists on his. After
every call: what the session holds, its locks and cursors, sentinel tables, files, memory, time, and whether a
secret stands in what came back or went to a model. --seconds and --seed choose how long and which; --generation N
runs that one alone and, with -s, prints what it makes.
"""

from __future__ import annotations

import collections
import json
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from harness import state
from harness.cluster import Cluster, fresh
from harness.hostile_large import Large
from harness.hostile_objects import Maker
from harness.hostile_rights import Attack
from harness.hostile_words import SCHEMA
from harness.model import ModelServer, Rule, Script
from harness.session import Outcome, Row, Session, memory_kb, until, whole

CALLS = 30  # of a generation
ATTACKS = 40  # of a generation, on what the extension consists of
WHOLE = 600  # seconds of a run that also makes large objects in full; of a shorter one as large a share
PATIENCE = 10  # seconds that a call may take; its limits sum up to two or three
FIRST = 40  # seconds that a session's first call about large objects may take: of a debug build, beside others
MEMORY = 64  # MB: text2sql.max_memory
SLACK = 400  # MB: what a backend has anyway, and takes between two looks
STRATEGIES = ["zero_shot", "gsr", "mag", "interactive", "builtin", "adaptive"]
ASKERS = {"alice": "alice", "superuser": "postgres", "insists": "postgres"}
# Secrets of harness/hostile.sql, by who may not see them.
NOBODY = ["canary-key", "c0ffeec0ffee", "canary-large", "canary-own"]
NO_PROMPT = [*NOBODY, "canary-password"]
NOT_ALICE = ["canary-tenant", "canary-forbidden"]
NO_ERROR = ["canary-row"]

SETTINGS = f"""SET text2sql.query_timeout = 300; SET text2sql.max_memory = '{MEMORY}MB';
    SET text2sql.dry_run_timeout = 200; SET text2sql.max_result_size = '1MB'; SET text2sql.server = 'hostile';
    SET statement_timeout = 60000; SET search_path = public, {SCHEMA};
    SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0"""

# State that the session itself sees.
SESSION_STATE = {
    "session": state.OF_SESSION,
    "settings": state.SETTINGS,
    "locks": state.LOCKS,
    "cursors": "SELECT name, is_holdable FROM pg_cursors WHERE name <> ''",
}

# State that other sessions see: rows, sequences, objects, roles.
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


def quoted(text: str) -> str:
    return "$ask$" + text + "$ask$"


def block(sql: str) -> str:
    return f"```sql\n{sql}\n```"


class Watch(threading.Thread):
    """Looks every 10 ms at the memory of one backend and of its parallel workers."""

    def __init__(self, postmaster: int) -> None:
        super().__init__(daemon=True)
        self.pid: int | None = None
        self.peak = self.workers = 0
        self.postmaster = postmaster

    def begin(self, pid: int) -> None:
        self.peak, self.workers, self.pid = 0, 0, pid

    def run(self) -> None:
        while True:
            time.sleep(0.01)
            leader = self.pid
            if leader is None:
                continue
            try:
                for pid in [leader, *self.workers_of(leader)]:
                    self.workers += pid != leader
                    self.peak = max(self.peak, memory_kb(pid) >> 10)
            except (OSError, IndexError):  # it ended
                pass

    def workers_of(self, leader: int) -> Iterator[int]:
        with open(f"/proc/{self.postmaster}/task/{self.postmaster}/children") as file:
            for pid in file.read().split():
                with open(f"/proc/{pid}/cmdline", "rb") as line:
                    if f"parallel worker for PID {leader}".encode() in line.read():
                        yield int(pid)


def files(folder: Path) -> list[str]:
    """Files that nothing but PostgreSQL itself should make."""
    there = [name for name in os.listdir(folder) if name not in ("log", "initdb.log")]
    there += os.listdir(folder / "data")
    temporary = folder / "data/base/pgsql_tmp"
    there += os.listdir(temporary) if temporary.is_dir() else []
    return sorted(there)


class Asker:
    """A session that asks, its state, and how far its cursors are."""

    def __init__(self, kind: str, cluster: Cluster) -> None:
        self.kind, self.cluster = kind, cluster
        self.open()

    def open(self) -> None:
        self.session = self.cluster.session("hostile", ASKERS[self.kind])
        self.session.query(SETTINGS)
        self.session.query("SELECT FROM text2sql.check('SELECT 1')")  # loads the library
        if self.kind == "insists":
            self.session.query("SET text2sql.allow_superuser = on")
        self.session.query("SELECT pg_advisory_lock_shared(11)")

    def begin(self, chance: random.Random) -> bool:
        """The surroundings of a call: none, or a transaction with cursors. True for the latter."""
        if chance.random() < 0.35:
            return False
        mode = chance.choice(["", "", " ISOLATION LEVEL REPEATABLE READ", " READ ONLY"])
        self.session.query(
            f"BEGIN{mode}; SELECT pg_advisory_xact_lock_shared(12);"
            "DECLARE kept CURSOR FOR SELECT id FROM facts ORDER BY id;"
            "DECLARE held CURSOR WITH HOLD FOR SELECT id FROM facts ORDER BY id;"
            "FETCH kept; FETCH 2 FROM held"
        )
        return True

    def warm(self, calls: list[str]) -> None:
        """Calls functions by hand, whose effects are then the caller's own affair; their plans are ready afterwards."""
        for call in calls:
            self.session.query("SAVEPOINT warm")
            self.session.outcome(f"SET LOCAL statement_timeout = 300; SELECT {call}")
            self.session.query("ROLLBACK TO warm")
        self.session.query(
            "SELECT pg_advisory_unlock_all(); SELECT pg_advisory_lock_shared(11); "
            "SELECT pg_advisory_xact_lock_shared(12)"
        )

    def state(self) -> dict[str, set[tuple[str, ...]]]:
        """Returns what the session holds now."""
        return {part: set(map(tuple, self.session.query(sql))) for part, sql in SESSION_STATE.items()}

    def fetched(self) -> list[Row]:
        return self.session.query("FETCH kept; FETCH held")


class Hostile:
    """The run: generations of objects, calls about them, and what was found."""

    def __init__(self, cluster: Cluster, script: Script, seconds: int, seed: int, only: int | None) -> None:
        self.cluster, self.script = cluster, script
        self.seconds, self.seed, self.only = seconds, seed, only
        self.admin = cluster.session("hostile")
        version = int(self.admin.value("SELECT current_setting('server_version_num')"))
        self.forced = "force_parallel_mode" if version < 160000 else "debug_parallel_query"
        self.here = f"host={cluster.folder} port=5432 dbname=hostile user=postgres"
        self.attack = Attack(cluster, self.admin)
        self.askers = {kind: Asker(kind, cluster) for kind in ASKERS}
        self.mallory: Session | None = None
        self.before: list[Row] = []
        self.files: list[str] = []
        self.watch = Watch(cluster.postmaster())
        self.watch.start()
        self.outcomes: collections.Counter[str] = collections.Counter()
        self.verbs: collections.Counter[str] = collections.Counter()
        self.totals: collections.Counter[str] = collections.Counter()
        self.failures: dict[str, list[str]] = collections.defaultdict(list)
        self.slowest, self.largest = (0.0, ""), 0
        self.deadline = time.monotonic() + seconds

    def run(self) -> None:
        number = self.only or 0
        while time.monotonic() < self.deadline:
            self.generation(number)
            number += 1
            if self.only is not None:
                return
        self.large()

    def large(self) -> None:
        """Objects of any number and size, after the random ones."""
        for asker in self.askers.values():
            asker.session.close()

        def end(took: float, where: str) -> None:
            self.watch.pid = None
            self.bounds(took, where, FIRST)

        kinds = Large(self.cluster, SETTINGS, self.watch.begin, end)
        kinds.run(min(1.0, self.seconds / WHOLE))
        self.failures["large objects are made and asked about"] = kinds.lost

    def generation(self, number: int) -> None:
        """Attack the extension's own objects; make objects, then ask about them."""
        chance = random.Random(f"{self.seed}/{number}")
        for harm in self.attack.batch(random.Random(f"{self.seed}/{number}/rights"), self.admin, ATTACKS):
            self.found("the extension lends nobody its rights", f"seed {self.seed}, generation {number}", harm)
        maker = Maker(chance, self.forced, self.here, str(self.cluster.folder / "marker"))
        self.make(maker)
        questions = [maker.query() for _ in range(CALLS)]
        replies: list[Rule] = [{"contains": f"say {n} now", "reply": block(sql)} for n, sql in enumerate(questions)]
        self.script.set_rules([*replies, {"reply": block("SELECT 1 AS one")}])
        self.before, self.files = self.admin.query(SENTINELS), files(self.cluster.folder)
        for n, sql in enumerate(questions):
            if time.monotonic() > self.deadline:
                return
            kind = chance.choice(list(ASKERS))
            call = self.call_of(chance, maker, n, sql)
            where = f"seed {self.seed}, generation {number}, call {n} by {kind}: {call[0]}"
            try:
                self.one(self.askers[kind], chance, maker, call, where)
            except psycopg.Error as error:
                ended = self.askers[kind].session.closed
                self.found("no session was ended" if ended else "no session was changed", where, error)
                self.again()

    def again(self) -> None:
        """New sessions, also after a crash of the server."""

        def opened() -> bool:
            self.admin = self.cluster.session("hostile")
            for asker in self.askers.values():
                asker.open()
            return True

        until(opened, 60, psycopg.Error)
        self.before = self.admin.query(SENTINELS)

    def make(self, maker: Maker) -> None:
        """As the hostile role. What its own statements do to it, or refuse, does not count."""
        statements = [
            f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE",
            f"CREATE SCHEMA {SCHEMA}",
            *maker.statements,
            f"GRANT USAGE ON SCHEMA {SCHEMA} TO PUBLIC",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO PUBLIC",
        ]
        for statement in statements:
            if self.mallory is None or self.mallory.closed:
                self.mallory = self.cluster.session("hostile", "mallory")
                self.mallory.query("SET statement_timeout = 2000; SET search_path = public")
            made = self.mallory.outcome(statement)
            self.totals["not made" if isinstance(made, psycopg.Error) else "made"] += 1
            if self.only is not None:
                print(f"{statement};" + (f"\n-- {made}" if isinstance(made, psycopg.Error) else ""))
        if self.mallory:
            self.mallory.close()
            self.mallory = None
        self.settled()

    def settled(self) -> None:
        """Wait until the hostile role has no session, and forget what it did while it made things."""
        while self.admin.value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'mallory'") != "0":
            time.sleep(0.02)

    def call_of(self, chance: random.Random, maker: Maker, n: int, sql: str) -> tuple[str, bool]:
        """A call as SQL, and whether it may stand in a transaction."""
        strategy = chance.choice(STRATEGIES)
        question = (
            f"say {n} now about {maker.word()}"
            if strategy != "builtin"
            else (chance.choice(["how many {}", "show all {}", "list the word of {}", "{} by a"]).format(maker.word()))
        )
        asked = f"{quoted(question)}, strategy => '{strategy}'"
        relation = f"'{SCHEMA}.{maker.pick(maker.relations)}'"
        if chance.random() < 0.5:
            return f"SELECT * FROM text2sql.run({quoted(sql)})", True
        return chance.choice(
            [
                (f"SELECT * FROM text2sql.run_record({quoted(sql)}) AS t(a text)", True),
                (f"SELECT * FROM text2sql.check({quoted(sql)})", True),
                (
                    f"SET text2sql.max_cost = 9; SELECT * FROM text2sql.check({quoted(sql)}); RESET text2sql.max_cost",
                    False,
                ),
                (f"SELECT text2sql({asked})", True),
                (f"SELECT ask({asked})", True),
                (f"SELECT ask({asked})", True),
                (f"SELECT ask_summary({asked})", False),
                (f"BEGIN; SELECT ask_cursor({asked}, cursor => 'answers'); FETCH ALL answers; COMMIT", False),
                (f"SELECT text2sql.explain({asked}, execute => true)", True),
                (f"SELECT * FROM text2sql.preview({asked})", True),
                (f"SELECT * FROM text2sql.search_values({quoted(maker.word())})", True),
                (f"SELECT * FROM text2sql.search_values({quoted(maker.word())}, ARRAY[{relation}]::regclass[])", True),
                (f"SELECT * FROM text2sql.search_columns({quoted(maker.word())})", True),
                (f"SELECT * FROM text2sql.join_path(ARRAY[{relation}], ARRAY['{SCHEMA}.base'])", True),
                (f"SELECT text2sql.describe({quoted(sql)})", True),
                (f"SELECT text2sql.fix({quoted(sql)})", True),
                (f"SELECT * FROM text2sql.index_values(ARRAY[{relation}]::regclass[])", False),
                ("SELECT * FROM text2sql.index_values()", False),
                ("SELECT * FROM text2sql.summarize_tables()", False),
                ("SELECT * FROM text2sql.embed_columns()", False),
                (f"SELECT text2sql.remember({quoted(question)}, {quoted(sql)})", False),
            ]
        )

    def one(self, asker: Asker, chance: random.Random, maker: Maker, call: tuple[str, bool], where: str) -> None:
        """One call between two looks."""
        session, (sql, nests) = asker.session, call
        inside = nests and asker.begin(chance)
        if inside and asker.kind == "alice" and maker.locking and chance.random() < 0.5:
            asker.warm(maker.locking)
        outer = asker.state()
        if inside:
            session.query("SAVEPOINT around")
        session.notices.clear()
        self.watch.begin(session.pid)
        started = time.monotonic()
        ended = session.outcome(sql)
        took = time.monotonic() - started
        if session.closed:
            raise psycopg.OperationalError(f"the session ended: {ended}")
        error = ended if isinstance(ended, psycopg.Error) else None
        self.watch.pid = None
        if error and inside:
            session.query("ROLLBACK TO around")
        if error and not nests:
            session.query("ROLLBACK; RESET text2sql.max_cost")
        self.totals["calls"] += 1
        self.outcomes[str(error.sqlstate) if error else "ran"] += 1
        self.verbs[re.findall(r"(text2sql\.\w+|ask\w*|text2sql)\(", sql)[0]] += 1
        self.look(asker, inside, outer, where)
        self.bounds(took, where)
        self.leaks(asker, ended, where)

    def look(self, asker: Asker, inside: bool, outer: dict[str, set[tuple[str, ...]]], where: str) -> None:
        inner = asker.state()
        for part, was in outer.items():
            if inner[part] != was:
                lost, new = was - inner[part] or "nothing", inner[part] - was or "nothing"
                self.found("no session was changed", where, f"{part}: {lost} became {new}")
        if inside:
            fetched = asker.fetched()
            if fetched != [["2"], ["3"]]:
                self.found("cursors stay where they are", where, fetched)
            asker.session.query("CLOSE held; COMMIT")
        if self.admin.query(SENTINELS) != self.before:
            now = self.admin.query(SENTINELS)
            self.found("no row, object or role changed", where, f"{self.before} became {now}")
            self.before = now
        if files(self.cluster.folder) != self.files:
            self.found("no file was made", where, sorted(set(files(self.cluster.folder)) ^ set(self.files)))
            self.files = files(self.cluster.folder)
        if inner != outer:
            asker.open()

    def bounds(self, took: float, where: str, patience: float = PATIENCE) -> None:
        peak = self.watch.peak
        self.totals["workers"] += self.watch.workers > 0
        self.slowest, self.largest = max((took, where), self.slowest), max(peak, self.largest)
        if took > patience:
            self.found("every call ends in time", where, f"{took:.1f} s")
        if peak > MEMORY + SLACK:
            self.found("memory is bounded", where, f"{peak} MB")

    def leaks(self, asker: Asker, ended: Outcome, where: str) -> None:
        failure = whole(ended) if isinstance(ended, psycopg.Error) else ""
        result = "" if isinstance(ended, psycopg.Error) else json.dumps(ended, ensure_ascii=False)
        requests = self.script.requests()
        self.totals["prompts"] += len(requests)
        self.script.reset()
        sent = json.dumps([r["body"] for r in requests], ensure_ascii=False)
        if "preview(" in where:
            sent += result
        hidden = NOT_ALICE if asker.kind == "alice" else []
        for place, text, secrets in [
            ("a result", result + str(asker.session.notices), NOBODY + hidden),
            ("an error", failure, NOBODY + NOT_ALICE + NO_ERROR),
            ("a prompt", sent, NO_PROMPT + hidden),
        ]:
            for secret in secrets:
                if secret in text:
                    at = text.index(secret)
                    self.found(f"no secret stands in {place}", where, text[max(0, at - 150) : at + 60])

    def found(self, check: str, where: str, what: object) -> None:
        self.failures[check].append(f"{where}\n        {what}")

    def report(self) -> str:
        totals = self.totals
        return (
            f"{totals['calls']} calls about {totals['made']} hostile objects in {self.seconds} s, seed {self.seed}; "
            f"{totals['not made']} objects were not made, {totals['prompts']} requests to the model, "
            f"{totals['workers']} calls with parallel workers\n"
            f"{self.attack.done} statements against the extension's own objects, {self.attack.ran} of which ran\n"
            f"by function: {self.verbs.most_common()}\nby SQLSTATE: {self.outcomes.most_common(14)}\n"
            f"largest backend or worker {self.largest} MB; slowest call {self.slowest[0]:.1f} s, {self.slowest[1]}"
        )


@pytest.fixture(scope="module")
def hostile(model: ModelServer, request: pytest.FixtureRequest, note: Callable[[str], None]) -> Iterator[Hostile]:
    """A run that is over."""
    script = model.script("hostile")
    option = request.config.getoption
    # one command drops as many objects as a role may make; autovacuum would call functions of the role's indexes
    with fresh("hostile", max_locks_per_transaction="1000", autovacuum="off") as cluster:
        cluster.query("CREATE DATABASE hostile")
        setup = (Path(__file__).parent / "harness/hostile.sql").read_text(encoding="utf-8")
        cluster.psql("hostile", setup, url=script.base_url, host=str(cluster.folder))
        run = Hostile(cluster, script, option("seconds"), option("seed"), option("generation"))
        run.run()
        note(run.report())
        yield run


@pytest.mark.parametrize(
    "promise",
    [
        "no session was ended",
        "no session was changed",
        "cursors stay where they are",
        "no row, object or role changed",
        "no file was made",
        "the extension lends nobody its rights",
        "every call ends in time",
        "memory is bounded",
        "large objects are made and asked about",
        "no secret stands in a result",
        "no secret stands in an error",
        "no secret stands in a prompt",
    ],
)
def test_hostile_objects_harm_nobody_who_asks_about_them(hostile: Hostile, promise: str) -> None:
    found = hostile.failures.get(promise, [])
    assert not found, "\n".join(found[:5])


def test_no_backend_crashes_over_hostile_objects(hostile: Hostile) -> None:
    assert hostile.cluster.crashes()[:3] == []


def test_something_runs_and_something_is_refused_of_hostile_objects(hostile: Hostile) -> None:
    assert hostile.outcomes["ran"] > 0
    assert hostile.outcomes["42T06"] + hostile.outcomes["42501"] > 0
