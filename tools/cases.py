"""Runs the cases of pg_test/cases: what a model sends, and what must come of it.

    cases.py MODEL_URL FOLDER [NUMBER…]    (PGHOST is FOLDER, where a cluster with the demo runs)

Each case has a copy of the demo. A case's file has a line a step, lines that go on are indented:

    # WORDS             the first is the case's title
    load FILE…          these of pg_test/fixtures, into schema traps, which everybody may read
    setup SQL           as a superuser, before anything is compared
    from MAJOR STEP     a step that older versions of PostgreSQL cannot do
    as ROLE…            who the next steps are: analyst (an ordinary role), superuser (whose rights
                        are dropped; nobody in 13), insisting (a superuser who keeps them); all three
                        at first
    with STRATEGY…      how the next questions are answered; zero_shot and gsr at first
    session SQL         at the start of each following session
    question TEXT       what is asked from here on
    reply OUTCOME SQL   ask; the model answers every request with this SQL
    model RULE          the model answers by this rule (crates/scripted-model) from here on
    ask OUTCOME         ask
    run OUTCOME SQL     a statement typed by hand
    end HOW OUTCOME     ask, and end the call while it waits: cancel, timeout, terminate or kill
    unsent TEXT         no request to the model since the last such line held it
    sent TEXT           one did
    unseen TEXT         no answer, error or notice of the case holds it; say it before the steps

{N*TEXT} is the text N times. OUTCOME is SQLSTATEs (T2006|42501), answered, lost, or = and the rows as JSON up to the line's end. After every step the session is as before, inside its transaction and after it, and after
the case the database is. Prints a line a case, `N of 40`, and `N passed, N failed`.
"""

import json
import os
import re
import signal
import sys
import threading
import time
import urllib.request
from pathlib import Path

import state
from pgwire import Lost, ServerError, Session

URL, FOLDER = sys.argv[1:3]
WANTED = {int(number) for number in sys.argv[3:]}
ROLES = {
    "analyst": ("analyst", ""),
    "superuser": ("postgres", ""),
    "insisting": ("postgres", "SET text2sql.allow_superuser = on"),
}
MAJOR = int(Session("postgres").value("SHOW server_version_num")) // 10000
if MAJOR == 13:
    del ROLES["superuser"]  # no role to drop the rights to: refused, see superuser_rights_are_dropped
STRATEGIES = ["zero_shot", "gsr", "mag", "interactive", "builtin"]
PATIENCE = 60  # seconds; what takes longer hangs
SETTINGS = """SET client_min_messages = notice; SET search_path = public, traps;
    SET text2sql.server = 'cases'; SET text2sql.statement_timeout = 400;
    SET text2sql.max_memory = 128; SET text2sql.max_bytes = 1000000"""


def model(path, body=None):
    data = body and json.dumps(body).encode()
    with urllib.request.urlopen(f"{URL}/cases/{path}", data=data) as answer:
        return answer.read().decode()


def saying(sql):
    """A reply that each strategy reads as this SQL, in every step."""
    return {"reply": f"Clauses:\n1. All of it.\n```sql\n{sql}\n```\nAction: ExecuteSQL({json.dumps(sql)}) [END]"}


def steps(path):
    """(verb, rest) a step of the file; the title is the first."""
    text = path.read_text(encoding="utf-8").strip("\n")
    text = re.sub(r"\{(\d+)\*([^}]*)\}", lambda m: m[2] * int(m[1]), text)
    for step in re.split(r"\n(?! )", text):
        verb, _, rest = step.partition(" ")
        yield verb, re.sub(r"\n +", "\n", rest.strip())


class Case:
    """One case in a database of its own."""

    def __init__(self, path):
        self.number = int(path.name[:2])
        self.steps = list(steps(path))
        self.title = self.steps[0][1]
        self.database = f"case_{self.number}"
        self.roles, self.strategies = list(ROLES), ["zero_shot", "gsr"]
        self.asked, self.session_sql = "How many orders are there?", []
        self.sessions, self.before = {}, None
        self.troubles, self.hidden, self.tries, self.times = [], [], 0, []

    def trouble(self, *words):
        self.troubles.append(" ".join(str(word)[:200] for word in words))

    def play(self):
        admin = Session("postgres", timeout=PATIENCE)
        roles = admin.query("SELECT rolname FROM pg_roles")
        admin.query(f"CREATE DATABASE {self.database} TEMPLATE demo")
        model("__script", {"rules": [saying("SELECT 1")]})
        for verb, rest in self.steps[1:]:
            if verb == "from":
                major, verb, rest = rest.split(" ", 2)
                if MAJOR < int(major):
                    continue
            if verb != "#":
                getattr(self, f"do_{verb}")(rest)
        self.leave()
        self.compare()
        admin = Session("postgres", timeout=PATIENCE)  # the first may have been killed
        admin.query(f"DROP DATABASE {self.database} WITH (FORCE)")
        for (role,) in admin.query("SELECT rolname FROM pg_roles"):
            if [role] not in roles:
                admin.query(f"DROP ROLE {role}")
        admin.close()

    def compare(self):
        admin = Session(self.database, timeout=PATIENCE)
        now = state.of_database(admin)
        admin.close()
        if changed := state.differences(self.before or now, now):
            self.trouble("changed:", changed)
        self.before = None

    # what a file may say

    def do_load(self, names):
        files = [Path(f"pg_test/fixtures/{name}").read_text(encoding="utf-8") for name in names.split()]
        self.do_setup(
            "CREATE SCHEMA traps; SET search_path = traps;"
            + ";".join(files)
            + "; GRANT USAGE ON SCHEMA traps TO PUBLIC;"
            "GRANT SELECT ON ALL TABLES IN SCHEMA traps TO PUBLIC; GRANT INSERT ON caught TO PUBLIC;"
            "GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA traps TO PUBLIC"
        )

    def do_setup(self, sql):
        self.compare()
        self.leave()
        admin = Session(self.database, timeout=PATIENCE)
        admin.query("SET client_min_messages = warning; LOAD 'text2sql'; " + sql)
        admin.close()

    def do_as(self, roles):
        self.roles = [role for role in roles.split() if role != "superuser" or role in ROLES]

    def do_with(self, strategies):
        self.strategies = strategies.split()

    def do_session(self, sql):
        self.session_sql.append(sql)
        self.leave()

    def leave(self):
        """What follows is in new sessions; what was theirs is gone."""
        while self.sessions:
            self.sessions.popitem()[1].close()
        alone(self.database)

    def do_question(self, text):
        self.asked = text

    def do_unseen(self, text):
        self.hidden.append(text)

    def do_model(self, rule):
        model("__script", {"rules": [json.loads(rule)]})

    def do_reply(self, rest):
        outcome, sql = expected(rest)
        model("__script", {"rules": [saying(sql)]})
        self.every(outcome, sql)

    def do_ask(self, rest):
        self.every(expected(rest)[0], self.asked)

    def every(self, outcome, shown):
        asked = self.asked.replace("$q$", "")
        for strategy in self.strategies:
            sql = f"SELECT a::text FROM ask($q${asked}$q$, strategy => '{strategy}') AS a"
            self.attempt(sql, outcome, strategy, shown)

    def do_run(self, rest):
        outcome, sql = expected(rest)
        self.attempt(sql, outcome, "by hand", sql)

    def attempt(self, sql, outcome, how, shown):
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
            self.judge(role, how, shown, said, outcome, texts)

    def judge(self, role, how, shown, said, outcome, texts):
        if said not in outcome and not ("answered" in outcome and said.startswith("= ")):
            self.trouble(role, how, "gives", said, "not", outcome, "for", shown, texts[0])
        for hidden in self.hidden:
            if any(hidden in text for text in texts):
                self.trouble(role, how, "shows", hidden, "for", shown)

    def open(self, role):
        user, own = ROLES.get(role, (role, ""))
        self.settle()
        session = Session(self.database, user=user, timeout=PATIENCE)
        session.query(";".join([SETTINGS, *self.session_sql, own]))
        # loads the libraries, which bring settings
        session.query("DO 'BEGIN END'; SELECT text2sql.run('SELECT 1')")
        return session

    def settle(self):
        """From the first session on everything is compared."""
        if self.before is None:
            admin = Session(self.database, timeout=PATIENCE)
            self.before = state.of_database(admin)
            admin.close()

    def do_sent(self, text):
        self.recorded(text, True)

    def do_unsent(self, text):
        self.recorded(text, False)

    def recorded(self, text, wanted):
        sent = [json.dumps(request, ensure_ascii=False) for request in json.loads(model("__requests"))]
        if not sent or any(text in request for request in sent) != wanted:
            self.trouble("not sent" if wanted else "sent", f"in {len(sent)} requests:", text)

    def do_end(self, rest):
        how, outcome = rest.split()
        for role in self.roles:
            self.tries += 1
            session = self.open(role)
            if how == "timeout":
                session.query("SET statement_timeout = 300")
            said = Waiting(session, self.asked)
            begun = said.ended_by(how)
            took = time.monotonic() - begun
            if said.outcome not in outcome.split("|"):
                self.trouble(role, how, "gives", said.outcome, said.text)
            self.times.append(took)


class Waiting(threading.Thread):
    """A question whose model does not answer, in a session of its own."""

    def __init__(self, session, question):
        super().__init__(daemon=True)
        self.session, self.outcome, self.text = session, "nothing", ""
        self.sql = f"SELECT text2sql($q${question}$q$, strategy => 'zero_shot')"
        self.start()

    def run(self):
        try:
            self.outcome = str(self.session.query(self.sql))
        except ServerError as error:
            self.outcome, self.text = error.sqlstate, str(error)
        except Lost as lost:
            self.outcome, self.text = getattr(lost.reason, "sqlstate", "lost"), str(lost)

    def ended_by(self, how):
        """End it; gives the time at which it was told to."""
        admin = Session("postgres", timeout=PATIENCE)
        waiting = f"SELECT 1 FROM pg_stat_activity WHERE pid = {self.session.pid} AND wait_event_type = 'Extension'"
        while not admin.query(waiting) and self.is_alive():
            time.sleep(0.01)
        begun = time.monotonic()
        if how == "kill":
            admin.query("CHECKPOINT")  # what the setup wrote was not flushed
            os.kill(self.session.pid, signal.SIGKILL)
            until_lost(admin)
        elif how != "timeout":
            admin.query(f"SELECT pg_{how}_backend({self.session.pid})")
        self.join(PATIENCE)
        self.session.close()
        answers_again()
        return begun


def until_lost(session):
    """The server ends all sessions when it has noticed that one was killed."""
    try:
        while True:
            session.query("SELECT pg_sleep(0.01)")
    except (Lost, ServerError):
        pass


def answers_again():
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return Session("postgres", timeout=PATIENCE).close()
        except (Lost, ServerError):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def alone(database):
    """Wait until nobody is in the database."""
    admin, end = Session("postgres", timeout=PATIENCE), time.monotonic() + PATIENCE
    there = f"SELECT query FROM pg_stat_activity WHERE datname = '{database}'"
    while (left := admin.query(there)) and time.monotonic() < end:
        time.sleep(0.01)
    admin.close()
    if left:
        sys.exit(f"error: somebody stays in {database}: {left}")


def expected(text):
    """The outcomes, and what follows them."""
    if text.startswith("= "):
        rows, _, rest = text[2:].partition("\n")
        return ["= " + rows], rest
    first, _, rest = text.partition(" ")
    return first.split("|"), rest.strip()


def main():
    admin = Session("demo", timeout=PATIENCE)
    admin.query(f"""CREATE SERVER cases FOREIGN DATA WRAPPER text2sql
            OPTIONS (base_url '{URL}/cases/v1', model 'script', retries '0', total_timeout '2s');
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


main()
