"""Random queries, bent attacks and questions to a model server that misbehaves, from many sessions at once, with
cancels and kill -9 in between: nothing breaks, nothing changes. --seconds and --seed choose how long and which."""

from __future__ import annotations

import collections
import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import psycopg
import pytest
from harness import state
from harness.cluster import ROOT, Cluster, fresh
from harness.model import ModelServer, Rule
from harness.session import Row, Session, memory_kb
from harness.sqlsmith import Catalog, Smith

SESSIONS = 16
SUPERUSERS = 2  # of the sessions; their rights are dropped
WARM = 200  # statements of a session before its memory is looked at
FAULTS = [
    "hang",
    "head",
    "drip",
    "slow",
    "reset",
    "truncate",
    "huge",
    "bomb",
    "key",
    "busy",
    "error",
    "redirect",
    "json",
    "prose",
]
STRATEGIES = ["zero_shot", "gsr", "mag", "interactive", "builtin"]
SETTINGS = """SET text2sql.query_timeout = 300; SET text2sql.max_memory = '128MB';
    SET text2sql.max_result_size = '1MB'; SET text2sql.server = 'soak'; SET text2sql.cache = off;
    SET statement_timeout = 5000;
    SET client_min_messages = error; SET search_path = public, traps"""
# what a session must look like between statements
UNTOUCHED = """SELECT current_user = session_user, current_setting('transaction_read_only'),
    current_setting('search_path'), current_setting('text2sql.query_timeout'),
    current_setting('statement_timeout'), current_setting('role'),
    (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IS DISTINCT FROM
     'pg_locks'::regclass AND locktype <> 'virtualxid')"""

# Locks that are left, of sessions: autovacuum has some of its own.
LOCKS = """SELECT l.locktype, l.relation::regclass, l.mode, left(a.query, 200)
    FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE pid <> pg_backend_pid() AND l.locktype <> 'virtualxid' AND a.backend_type = 'client backend'"""
lock = threading.Lock()
SETUP = """
CREATE ROLE smith LOGIN;
GRANT USAGE ON SCHEMA traps TO smith;
GRANT SELECT ON ALL TABLES IN SCHEMA public, traps TO smith;
GRANT INSERT ON traps.caught TO smith;
GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA public, traps TO smith;
CREATE SERVER soak FOREIGN DATA WRAPPER text2sql OPTIONS (base_url '%s', model 'm', retries '1');
GRANT USAGE ON FOREIGN SERVER soak TO smith;
"""


def attacks() -> list[str]:
    lines = (ROOT / "pg_test/fixtures/attacks.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def quoted(text: str) -> str:
    return "$q$" + text.replace("$q$", "") + "$q$"


def rules(lines: list[str]) -> list[Rule]:
    """The model server answers with attacks, and misbehaves where the question says how."""
    faults: list[Rule] = json.loads((ROOT / "pg_test/replies/faults.json").read_text(encoding="utf-8"))["rules"]
    replies: list[Rule] = [
        {"contains": f"say {n} now", "reply": f"```sql\n{line}\n```"} for n, line in enumerate(lines)
    ]
    return faults[:-1] + replies + faults[-1:]


def statement(smith: Smith, attacks: list[str]) -> tuple[str, str]:
    """One statement of a session, and what it is counted as."""
    pick = smith.random.random()
    if pick < 0.6:
        sql, kind = smith.query(), "queries"
    elif pick < 0.8:
        sql, kind = smith.attack(), "attacks"
    else:
        word = smith.random.choice(
            [
                f"fault {smith.random.choice(FAULTS)} now",
                f"say {smith.random.randrange(len(attacks))} now",
                "how many orders are there",
            ]
        )
        strategy = smith.random.choice(STRATEGIES)
        verb = smith.random.choice(["text2sql", "ask", "text2sql.explain"])
        return (f"SET statement_timeout = 700; SELECT {verb}({quoted(word)}, strategy => '{strategy}')"), "questions"
    function = smith.random.choice(["run", "run", "run", "check"])
    return f"SELECT count(*) FROM text2sql.{function}({quoted(sql)})", kind


@dataclass
class Soak:
    """A run: what was done, and what was found."""

    cluster: Cluster
    seconds: int
    seed: int
    deadline: float = 0
    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)
    internal: collections.Counter[str] = field(default_factory=collections.Counter)
    totals: collections.Counter[str] = field(default_factory=collections.Counter)
    changed: list[list[Row]] = field(default_factory=list)  # sessions
    memory: list[tuple[int, int]] = field(default_factory=list)  # kilobytes of a backend, early and late
    stuck: int = 0
    locks: list[Row] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)

    def session(self, user: str = "postgres") -> Session:
        return self.cluster.session("demo", user)

    def run(self, catalog: Catalog, lines: list[str]) -> None:
        self.deadline = time.monotonic() + self.seconds
        workers = [Worker(self, n, catalog, lines) for n in range(SESSIONS)]
        for worker in workers:
            worker.start()
        self.disturb(workers)
        for worker in workers:
            worker.join(90)
        self.stuck = sum(not worker.finished for worker in workers)
        self.remember(workers)
        with self.session() as admin:
            self.locks = admin.query(LOCKS)
        for worker in workers:
            worker.session.close()

    def disturb(self, workers: list[Worker]) -> None:
        """Cancels and terminates sessions now and then; every minute, or half-way, kills one."""
        chance = random.Random(self.seed)
        begun = self.deadline - self.seconds
        kills = [begun + at for at in range(60, self.seconds - 30, 60)] or [begun + self.seconds / 2]
        while time.monotonic() < self.deadline:
            time.sleep(0.1)
            worker = chance.choice(workers)
            try:
                if kills and time.monotonic() > kills[0]:
                    kills.pop(0)
                    self.remember(workers)
                    self.totals["kills"] += 1
                    os.kill(worker.session.pid, signal.SIGKILL)
                    time.sleep(1)
                elif chance.random() < 0.3:
                    verb = chance.choice(["cancel"] * 9 + ["terminate"])
                    self.totals[verb] += 1
                    with self.session() as admin:
                        admin.query(f"SELECT pg_{verb}_backend({worker.session.pid})")
            except (psycopg.Error, ProcessLookupError):
                pass

    def remember(self, workers: list[Worker]) -> None:
        """Notes how the memory of sessions grew."""
        self.memory.extend((worker.early, worker.late) for worker in workers if worker.early)

    def report(self) -> str:
        totals, growth = self.totals, sorted(late - early for early, late in self.memory) or [0]
        return (
            f"{totals['queries']} random queries, {totals['attacks']} bent attacks, {totals['questions']} questions in "
            f"{self.seconds} s from {SESSIONS} sessions, seed {self.seed}; {self.outcomes['ran']} ran\n"
            f"by SQLSTATE: {self.outcomes.most_common(14)}\n"
            f"{totals['cancel']} cancels, {totals['terminate']} terminated, {totals['kills']} kill -9, "
            f"{totals['lost']} connections lost to those; internal errors: {self.internal.most_common(5)}\n"
            f"memory of a backend from {WARM} statements to its end: median growth {growth[len(growth) // 2]} kB, "
            f"largest {growth[-1]} kB, of {len(self.memory)} backends"
        )


class Worker(threading.Thread):
    """A session that goes on until the time is over; a lost one is opened again."""

    def __init__(self, soak: Soak, number: int, catalog: Catalog, lines: list[str]) -> None:
        super().__init__(daemon=True)
        self.soak, self.lines, self.finished = soak, lines, False
        self.smith = Smith(catalog, soak.seed * 1000 + number, lines)
        self.user = "postgres" if number < SUPERUSERS else "smith"
        # statements so far; kilobytes of the backend when it is warm and now, 0 before they are looked at
        self.since = self.early = self.late = 0
        self.session = self.opened()

    def opened(self) -> Session:
        self.since = self.early = self.late = 0
        while True:
            try:
                session = self.soak.session(self.user)
                session.query(SETTINGS)
                return session
            except psycopg.Error:
                if time.monotonic() > self.soak.deadline + 20:
                    raise
                time.sleep(0.1)

    def run(self) -> None:
        while time.monotonic() < self.soak.deadline:
            try:
                self.one()
            except (psycopg.OperationalError, FileNotFoundError):  # it ended, or its process
                self.soak.totals["lost"] += 1
                self.session.close()
                self.session = self.opened()
        self.finished = True

    def one(self) -> None:
        soak = self.soak
        sql, kind = statement(self.smith, self.lines)
        around = self.smith.random.random() < 0.3
        if around:
            self.session.query("BEGIN; SAVEPOINT s")
        ended = self.session.outcome(sql)
        if self.session.closed:
            raise psycopg.OperationalError("the session ended")
        if around:
            self.session.query("ROLLBACK TO s; RELEASE s; COMMIT")
        self.session.query("SET statement_timeout = 5000")
        outcome = str(ended.sqlstate) if isinstance(ended, psycopg.Error) else "ran"
        with lock:
            soak.totals[kind] += 1
            soak.outcomes[outcome] += 1
            if outcome.startswith("XX"):
                soak.internal[str(ended)[:90]] += 1
        self.since += 1
        if self.since % 25 == 0:
            self.look()

    def look(self) -> None:
        seen = self.session.query(UNTOUCHED)
        if seen != [["t", "off", "public, traps", "300ms", "5s", "none", "0"]]:
            self.soak.changed.append(seen)
            self.session.query("DISCARD ALL;" + SETTINGS)
        if self.since >= WARM:
            self.late = memory_kb(self.session.pid)
            self.early = self.early or self.late


@pytest.fixture(scope="module")
def soak(model: ModelServer, request: pytest.FixtureRequest, note: Callable[[str], None]) -> Iterator[Soak]:
    """A run that is over."""
    script, lines = model.script("soak"), attacks()
    script.set_rules(rules(lines))
    with fresh("soak") as cluster:
        cluster.do("demo")
        files = [(ROOT / "pg_test/fixtures" / name).read_text(encoding="utf-8") for name in ("shop.sql", "traps.sql")]
        traps = "CREATE SCHEMA traps; SET search_path = traps;"
        cluster.psql("demo", traps + "".join(files) + ";" + SETUP % script.base_url)
        option = request.config.getoption
        run = Soak(cluster, option("seconds"), option("seed"))
        with run.session() as admin:
            catalog, before = Catalog(admin), state.of_database(admin)
        run.run(catalog, lines)
        with run.session() as admin:
            run.differences = state.differences(before, state.of_database(admin))
        note(run.report())
        yield run


def test_every_session_goes_on_to_the_end(soak: Soak) -> None:
    assert soak.stuck == 0


def test_no_backend_crashes_in_the_soak(soak: Soak) -> None:
    ended = soak.cluster.crashes()
    assert [line for line in ended if "signal 9:" not in line] == []
    assert len(ended) == soak.totals["kills"]


def test_no_row_object_role_or_setting_changes_in_the_soak(soak: Soak) -> None:
    assert soak.differences == []


def test_no_session_is_changed_in_the_soak(soak: Soak) -> None:
    assert soak.changed == []


def test_no_lock_is_left_by_the_soak(soak: Soak) -> None:
    assert soak.locks == []


def test_something_runs_and_something_is_refused_in_the_soak(soak: Soak) -> None:
    assert soak.outcomes["ran"] > 0
    assert soak.outcomes["42501"] + soak.outcomes["42T06"] > 0
