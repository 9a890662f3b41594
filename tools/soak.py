"""Random queries, bent attacks and questions to a model server that misbehaves, from many
sessions at once, with cancels and kill -9 in between; then whether anything has changed.

    soak.py SECONDS SEED MODEL_URL FOLDER   (PGHOST is FOLDER; its database demo is loaded)

Prints what was done, one line per check and `N passed, N failed`.
"""

import collections
import json
import os
import random
import re
import signal
import sys
import threading
import time

import state
from checks import Checks, memory_kb
from pgwire import Lost, Row, ServerError, Session
from scripted import Script
from sqlsmith import Catalog, Smith

SECONDS, SEED = int(sys.argv[1]), int(sys.argv[2])
MODEL, FOLDER = Script(sys.argv[3], "soak"), sys.argv[4]
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

lock = threading.Lock()
outcomes: collections.Counter[str] = collections.Counter()
internal: collections.Counter[str] = collections.Counter()
totals: collections.Counter[str] = collections.Counter()
changed: list[list[Row]] = []
memory: list[tuple[int, int]] = []  # kilobytes of a backend, early and late
deadline = time.monotonic() + SECONDS


def attacks() -> list[str]:
    with open("pg_test/fixtures/attacks.txt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def quoted(text: str) -> str:
    return "$q$" + text.replace("$q$", "") + "$q$"


def script(lines: list[str]) -> None:
    """The model server answers with attacks, and misbehaves where the question says how."""
    with open("pg_test/replies/faults.json", encoding="utf-8") as file:
        rules = json.load(file)["rules"]
    said = [{"contains": f"say {n} now", "reply": f"```sql\n{line}\n```"} for n, line in enumerate(lines)]
    MODEL.set_rules(rules[:-1] + said + rules[-1:])


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


class Worker(threading.Thread):
    """A session that goes on until the time is over; a lost one is opened again."""

    def __init__(self, number: int, catalog: Catalog, lines: list[str]) -> None:
        super().__init__(daemon=True)
        self.smith = Smith(catalog, SEED * 1000 + number, lines)
        self.user = "postgres" if number < SUPERUSERS else "smith"
        self.lines, self.finished = lines, False
        # statements so far; kilobytes of the backend when it is warm and now, 0 before they are looked at
        self.since = self.early = self.late = 0
        self.session = self.opened()

    def opened(self) -> Session:
        while time.monotonic() < deadline + 20:
            try:
                session = Session("demo", user=self.user, timeout=60)
                session.query(SETTINGS)
                self.since = self.early = self.late = 0
                return session
            except (Lost, ServerError):
                time.sleep(0.1)
        raise Lost()

    def run(self) -> None:
        while time.monotonic() < deadline:
            try:
                self.one()
            except Lost as lost:
                with lock:
                    totals["lost"] += 1
                    if isinstance(lost.__cause__, TimeoutError) or "timed out" in str(lost):
                        totals["hung"] += 1
                self.session = self.opened()
        self.finished = True

    def one(self) -> None:
        sql, kind = statement(self.smith, self.lines)
        around = self.smith.random.random() < 0.3
        outcome = "ran"
        if around:
            self.session.query("BEGIN; SAVEPOINT s")
        try:
            self.session.query(sql)
        except ServerError as error:
            outcome = error.sqlstate
            if outcome.startswith("XX"):
                with lock:
                    internal[str(error)[:90]] += 1
        if around:
            self.session.query("ROLLBACK TO s; RELEASE s; COMMIT")
        self.session.query("SET statement_timeout = 5000")
        with lock:
            totals[kind] += 1
            totals["judged"] += kind != "questions"
            outcomes[outcome] += 1
        self.since += 1
        if self.since % 25 == 0:
            self.look()

    def look(self) -> None:
        seen = self.session.query(UNTOUCHED)
        if seen != [["t", "off", "public, traps", "300ms", "5s", "none", "0"]]:
            changed.append(seen)
            self.session.query("DISCARD ALL;" + SETTINGS)
        if self.since >= WARM:
            try:
                now = memory_kb(self.session.pid)
            except FileNotFoundError as ended:  # meanwhile
                raise Lost() from ended
            self.early = self.early or now
            self.late = now


def disturb(workers: list[Worker]) -> None:
    """Cancels and terminates sessions now and then; every minute, or half-way, kills one."""
    chance = random.Random(SEED)
    kills = [deadline - SECONDS + at for at in range(60, SECONDS - 30, 60)] or [deadline - SECONDS / 2]
    while time.monotonic() < deadline:
        time.sleep(0.1)
        worker = chance.choice(workers)
        try:
            if kills and time.monotonic() > kills[0]:
                kills.pop(0)
                remember(workers)
                totals["kills"] += 1
                os.kill(worker.session.pid, signal.SIGKILL)
                time.sleep(1)
            elif chance.random() < 0.3:
                admin = Session("demo", timeout=60)
                verb = chance.choice(["cancel"] * 9 + ["terminate"])
                totals[verb] += 1
                admin.query(f"SELECT pg_{verb}_backend({worker.session.pid})")
                admin.close()
        except (Lost, ServerError, ProcessLookupError):
            pass


def remember(workers: list[Worker]) -> None:
    """Keep what the sessions' memory did."""
    memory.extend((w.early, w.late) for w in workers if w.early)


def checksums() -> dict[str, str]:
    session = Session("demo", timeout=600)
    sums = state.of_database(session)
    session.close()
    return sums


def log_lines(pattern: str) -> list[str]:
    with open(f"{FOLDER}/log", errors="replace") as file:
        return [line.strip() for line in file if re.search(pattern, line)]


def main() -> None:
    lines = attacks()
    script(lines)
    admin = Session("demo", timeout=60)
    catalog = Catalog(admin)
    before = checksums()
    workers = [Worker(n, catalog, lines) for n in range(SESSIONS)]
    for worker in workers:
        worker.start()
    disturb(workers)
    for worker in workers:
        worker.join(90)
    stuck = sum(not worker.finished for worker in workers)
    remember(workers)
    # of sessions: autovacuum has locks of its own
    held = Session("demo", timeout=60).query(
        "SELECT l.locktype, l.relation::regclass, l.mode, a.backend_type, left(a.query, 200) "
        "FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE pid <> pg_backend_pid() "
        "AND l.locktype <> 'virtualxid' AND a.backend_type = 'client backend'"
    )
    for worker in workers:
        worker.session.close()
    after = checksums()
    differs = state.differences(before, after)
    crashes = [line for line in log_lines(r"terminated by signal|PANIC|TRAP:") if "signal 9:" not in line]
    killed = len(log_lines(r"terminated by signal 9:"))
    report(stuck, held, differs, crashes, killed)


def report(stuck: int, held: list[Row], differs: list[str], crashes: list[str], killed: int) -> None:
    ran = outcomes["ran"]
    print(
        f"{totals['queries']} random queries, {totals['attacks']} bent attacks, "
        f"{totals['questions']} questions in {SECONDS} s from {SESSIONS} sessions, seed {SEED}; "
        f"{ran} ran, the others ended in an error"
    )
    print("by SQLSTATE: " + ", ".join(f"{s} {n}" for s, n in outcomes.most_common(14)))
    print(
        f"{totals['cancel']} cancels, {totals['terminate']} terminated, {totals['kills']} kill -9, "
        f"{totals['lost']} connections lost to those"
    )
    for message, n in internal.most_common(5):
        print(f"internal: {n} x {message}")
    if memory:
        growth = sorted(late - early for early, late in memory)
        print(
            f"memory of a backend after {WARM} statements and at its end: median growth "
            f"{growth[len(growth) // 2]} kB, largest {growth[-1]} kB, of {len(memory)} backends; "
            f"largest at the end {max(late for _, late in memory) >> 10} MB"
        )
    check = Checks()
    hung = totals["hung"]
    check("every session goes on to the end", stuck + hung == 0, f"{stuck} stuck, {hung} hung")
    check("no backend crashed", not crashes and killed == totals["kills"], f"{crashes[:3]}, {killed} by kill -9")
    check("no row, object, role or setting changed", not differs, differs)
    check("no session was changed", not changed, changed[:2])
    check("no lock is left", not held, held)
    check("something ran and something was refused", ran > 0 and outcomes["42501"] + outcomes["42T06"] > 0)
    check.finish()


if __name__ == "__main__":
    main()
