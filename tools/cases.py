"""Runs the cases of pg_test/cases: what a model sends, and what must come of it.

    cases.py MODEL_URL [NUMBER…]    (PGHOST names a cluster with the demo)

Each case has a copy of the demo; case_file.py describes its file. After every step the session must be
as before, inside its transaction and after it, and after the case the database must be.
Prints a line per case, `N of 40`, and `N passed, N failed`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import case_file
import state
from asking import PATIENCE, Asking
from checks import until
from pgwire import Lost, Row, ServerError, Session
from scripted import Rule, Script

MODEL = Script(sys.argv[1], "cases")
WANTED = {int(number) for number in sys.argv[2:]}
ROLES = {
    "analyst": ("analyst", ""),
    "superuser": ("postgres", ""),
    "insisting": ("postgres", "SET text2sql.allow_superuser = on"),
}
MAJOR = int(Session("postgres").value("SHOW server_version_num")) // 10000
if MAJOR == 13:
    del ROLES["superuser"]  # no role to drop the rights to: refused, see superuser_rights_are_dropped
STRATEGIES = ["zero_shot", "gsr", "mag", "interactive", "builtin"]
SETTINGS = """SET client_min_messages = notice; SET search_path = public, traps;
    SET text2sql.server = 'cases'; SET text2sql.cache = off; SET text2sql.query_timeout = 400;
    SET text2sql.max_memory = '128MB'; SET text2sql.max_result_size = '1MB'"""


def saying(sql: str) -> Rule:
    """A reply that each strategy reads as this SQL, in every step."""
    return {"reply": f"Clauses:\n1. All of it.\n```sql\n{sql}\n```\nAction: ExecuteSQL({json.dumps(sql)}) [END]"}


class Case:
    """One case in a database of its own."""

    def __init__(self, path: Path) -> None:
        self.number = int(path.name[:2])
        self.title, self.steps = case_file.parse(path.read_text(encoding="utf-8"), MAJOR)
        self.database = f"case_{self.number}"
        self.roles, self.strategies = list(ROLES), ["zero_shot", "gsr"]
        self.asked = "How many orders are there?"
        self.session_sql: list[str] = []
        self.sessions: dict[str, Session] = {}
        self.before: dict[str, str] | None = None
        self.troubles: list[str] = []
        self.hidden: list[str] = []
        self.tries = 0
        self.times: list[float] = []  # seconds until a waiting question was ended

    def trouble(self, *words: object) -> None:
        self.troubles.append(" ".join(str(word)[:200] for word in words))

    def play(self) -> None:
        admin = Session("postgres", timeout=PATIENCE)
        roles = admin.query("SELECT rolname FROM pg_roles")
        admin.query(f"CREATE DATABASE {self.database} TEMPLATE demo")
        MODEL.set_rules([saying("SELECT 1")])
        for verb, rest in self.steps:
            getattr(self, f"do_{verb}")(rest)
        self.leave()
        self.compare()
        admin = Session("postgres", timeout=PATIENCE)  # the first may have been killed
        admin.query(f"DROP DATABASE {self.database} WITH (FORCE)")
        for (role,) in admin.query("SELECT rolname FROM pg_roles"):
            if [role] not in roles:
                admin.query(f"DROP ROLE {role}")
        admin.close()

    def compare(self) -> None:
        admin = Session(self.database, timeout=PATIENCE)
        now = state.of_database(admin)
        admin.close()
        if changed := state.differences(self.before or now, now):
            self.trouble("changed:", changed)
        self.before = None

    # what a file may say

    def do_load(self, names: str) -> None:
        files = [Path(f"pg_test/fixtures/{name}").read_text(encoding="utf-8") for name in names.split()]
        self.do_setup(
            "CREATE SCHEMA traps; SET search_path = traps;"
            + ";".join(files)
            + "; GRANT USAGE ON SCHEMA traps TO PUBLIC;"
            "GRANT SELECT ON ALL TABLES IN SCHEMA traps TO PUBLIC; GRANT INSERT ON caught TO PUBLIC;"
            "GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA traps TO PUBLIC"
        )

    def do_setup(self, sql: str) -> None:
        self.compare()
        self.leave()
        admin = Session(self.database, timeout=PATIENCE)
        admin.query("SET client_min_messages = warning; LOAD 'text2sql'; " + sql)
        admin.close()

    def do_as(self, roles: str) -> None:
        self.roles = [role for role in roles.split() if role != "superuser" or role in ROLES]

    def do_with(self, strategies: str) -> None:
        self.strategies = strategies.split()

    def do_session(self, sql: str) -> None:
        self.session_sql.append(sql)
        self.leave()

    def leave(self) -> None:
        """What follows is in new sessions; what was theirs is gone."""
        while self.sessions:
            self.sessions.popitem()[1].close()
        alone(self.database)

    def do_question(self, text: str) -> None:
        self.asked = text

    def do_unseen(self, text: str) -> None:
        self.hidden.append(text)

    def do_model(self, rule: str) -> None:
        MODEL.set_rules([json.loads(rule)])

    def do_reply(self, rest: str) -> None:
        expected, sql = case_file.outcomes(rest)
        MODEL.set_rules([saying(sql)])
        self.every(expected, sql)

    def do_ask(self, rest: str) -> None:
        self.every(case_file.outcomes(rest)[0], self.asked)

    def every(self, expected: list[str], shown: str) -> None:
        asked = self.asked.replace("$q$", "")
        for strategy in self.strategies:
            sql = f"SELECT a::text FROM ask($q${asked}$q$, strategy => '{strategy}') AS a"
            self.attempt(sql, expected, strategy, shown)

    def do_run(self, rest: str) -> None:
        expected, sql = case_file.outcomes(rest)
        self.attempt(sql, expected, "by hand", sql)

    def attempt(self, sql: str, expected: list[str], how: str, shown: str) -> None:
        """One statement as each role; its outcome, and the session inside and after."""
        for role in self.roles:
            self.tries += 1
            session = self.sessions[role] = self.sessions.get(role) or self.open(role)
            was = session.query(state.OF_SESSION)
            session.query("BEGIN; SAVEPOINT before")
            session.notices.clear()
            try:
                said = "= " + json.dumps(session.query(sql), ensure_ascii=False, separators=(",", ":"))
                texts = [said, *session.notices]
            except ServerError as error:
                said, texts = error.sqlstate, [str(error.fields), *session.notices]
                session.query("ROLLBACK TO before")
            inside = session.query(state.OF_SESSION)
            locks = session.query(state.LOCKS) if how in STRATEGIES else []
            session.query("COMMIT")
            if not (was == inside == session.query(state.OF_SESSION)):
                self.trouble(role, how, "changes the session:", shown, was, inside)
            if locks := locks + session.query(state.LOCKS):
                self.trouble(role, how, "leaves locks:", shown, locks)
            self.judge(f"{role} {how}", shown, said, expected, texts)

    def judge(self, who: str, shown: str, said: str, expected: list[str], texts: list[str]) -> None:
        if not case_file.is_expected(said, expected):
            self.trouble(who, "gives", said, "not", expected, "for", shown, texts[0])
        for hidden in self.hidden:
            if any(hidden in text for text in texts):
                self.trouble(who, "shows", hidden, "for", shown)

    def open(self, role: str) -> Session:
        user, own = ROLES.get(role, (role, ""))
        self.settle()
        session = Session(self.database, user=user, timeout=PATIENCE)
        session.query(";".join([SETTINGS, *self.session_sql, own]))
        # loads the libraries, which bring settings
        session.query("DO 'BEGIN END'; SELECT text2sql.run('SELECT 1')")
        return session

    def settle(self) -> None:
        """From the first session on everything is compared."""
        if self.before is None:
            admin = Session(self.database, timeout=PATIENCE)
            self.before = state.of_database(admin)
            admin.close()

    def do_sent(self, text: str) -> None:
        self.recorded(text, True)

    def do_unsent(self, text: str) -> None:
        self.recorded(text, False)

    def recorded(self, text: str, wanted: bool) -> None:
        sent = [json.dumps(request, ensure_ascii=False) for request in MODEL.requests()]
        if not sent or any(text in request for request in sent) != wanted:
            self.trouble("not sent" if wanted else "sent", f"in {len(sent)} requests:", text)

    def do_end(self, rest: str) -> None:
        how, outcome = rest.split()
        for role in self.roles:
            self.tries += 1
            session = self.open(role)
            if how == "timeout":
                session.query("SET statement_timeout = 300")
            waiting = Asking(session, f"SELECT text2sql($q${self.asked}$q$, strategy => 'zero_shot')")
            self.times.append(time.monotonic() - end(waiting, how))
            if ended_with(waiting.outcome) not in outcome.split("|"):
                self.trouble(role, how, "gives", ended_with(waiting.outcome), waiting.outcome)


def end(waiting: Asking, how: str) -> float:
    """End a waiting question; gives the time at which it was told to."""
    admin = Session("postgres", timeout=PATIENCE)
    waiting.waits_for_the_model(admin)
    begun = time.monotonic()
    if how == "kill":
        admin.query("CHECKPOINT")  # what the setup wrote was not flushed
        os.kill(waiting.session.pid, signal.SIGKILL)
        until_lost(admin)
    elif how != "timeout":
        admin.query(f"SELECT pg_{how}_backend({waiting.session.pid})")
    waiting.ended()
    waiting.session.close()
    answers_again()
    return begun


def ended_with(outcome: list[Row] | ServerError | Lost | None) -> str:
    """The outcome in the words of a case."""
    if isinstance(outcome, Lost):
        return getattr(outcome.reason, "sqlstate", "lost")
    return outcome.sqlstate if isinstance(outcome, ServerError) else f"= {outcome}"


def until_lost(session: Session) -> None:
    """The server ends all sessions when it has noticed that one was killed."""
    try:
        while True:
            session.query("SELECT pg_sleep(0.01)")
    except (Lost, ServerError):
        pass


def answers_again() -> None:
    if session := until(lambda: Session("postgres", timeout=PATIENCE), PATIENCE, Lost, ServerError):
        session.close()
    else:
        sys.exit("error: the server does not come back")


def alone(database: str) -> None:
    """Wait until nobody is in the database."""
    admin = Session("postgres", timeout=PATIENCE)
    there = f"SELECT query FROM pg_stat_activity WHERE datname = '{database}'"
    if not until(lambda: not admin.query(there), PATIENCE):
        sys.exit(f"error: somebody stays in {database}: {admin.query(there)}")
    admin.close()


def main() -> None:
    admin = Session("demo", timeout=PATIENCE)
    admin.query(f"""CREATE SERVER cases FOREIGN DATA WRAPPER text2sql
            OPTIONS (base_url '{MODEL.base_url}', model 'script', retries '0', total_timeout '2s');
        GRANT USAGE ON FOREIGN SERVER cases TO analyst""")
    admin.close()
    alone("demo")  # which is a template from here on
    held = tried = 0
    cases = [Case(path) for path in sorted(Path("pg_test/cases").iterdir())]
    cases = [case for case in cases if not WANTED or case.number in WANTED]
    for case in cases:
        begun = time.monotonic()
        case.play()
        held, tried = held + (not case.troubles), tried + case.tries
        ended = f", ended after at most {max(case.times) * 1000:.0f} ms" if case.times else ""
        print(
            f"{'FAILED' if case.troubles else 'ok'}  {case.number}: {case.title}  "
            f"({case.tries} tries{ended}, {time.monotonic() - begun:.1f} s)",
            flush=True,
        )
        for trouble in case.troubles:
            print(f"    {trouble}", flush=True)
    print(f"{held} of {len(cases)} cases hold, {tried} tries")
    print(f"{held} passed, {len(cases) - held} failed")
    sys.exit(held != len(cases))


if __name__ == "__main__":
    main()
