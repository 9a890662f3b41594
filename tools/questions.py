#!/usr/bin/env python3
"""Asks a database the questions of a TSV file through text2sql() and compares results.

    questions.py FILE DATABASE ROLE                             (where the server is: PGHOST)
    questions.py FILE DATABASE ROLE conversations [STRATEGY MODEL_URL]

Each line: question, tab, a query whose result is right (or REFUSE). An answer is right when its
rows hold the right query's columns, in any order of columns and rows, further columns allowed;
where the right query ends in ORDER BY without LIMIT, its last column must come in that order.
A question to be refused must end in an error that the extension raises on purpose.
Each question is a session of its own, so that one crash is one failure; of conversations, which
empty lines separate, each is one. With a strategy, a scripted model answers each question of a
conversation rightly where its prompt shows the question before with its query, and only there.
Ends with `N passed, N failed`.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
import subprocess
import sys
from collections import Counter
from decimal import Decimal, InvalidOperation
from pathlib import Path

from pgwire import Lost, ServerError, Session
from scripted import Rule, Script

# Abstained; no right to the column or table.
REFUSALS = {"22T01", "42T06", "42501"}


Rows = list[list[str]]  # the first holds the names of the columns


class Failed(Exception):
    """psql's error, with its SQLSTATE."""

    def __init__(self, stderr: str) -> None:
        super().__init__(stderr.strip())
        found = re.search(r"ERROR:  (\w{5}):", stderr)
        self.sqlstate = found[1] if found else "no SQLSTATE"


def psql(database: str, role: str, sql: str, **variables: str) -> Rows:
    """Rows of `sql`, header first; values as text, NULL as a word no value is."""
    command = ["psql", "-Xq", "--csv", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose"]
    command += ["-P", "null=\\N", "-U", role, "-d", database]
    for name, value in variables.items():
        command += ["-v", f"{name}={value}"]
    done = subprocess.run(command, input=sql, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise Failed(re.sub(r"LOCATION: .*\n?", "", done.stderr))
    return list(csv.reader(io.StringIO(done.stdout)))


def canonical(value: str) -> str:
    """Numbers equal to six digits are equal, however many digits are shown."""
    try:
        return str(Decimal(f"{Decimal(value):.6g}").normalize())
    except InvalidOperation:
        return value


def columns(rows: Rows) -> list[tuple[str, ...]]:
    return [tuple(canonical(v) for v in column) for column in zip(*rows[1:])]


def same(right: Rows, answer: Rows, ordered: bool) -> bool:
    """Whether `answer` (header and rows) holds the columns of `right` with the same rows."""
    if len(right) != len(answer):
        return False
    if len(right) == 1:  # no rows: any form of nothing
        return True
    wanted, given = columns(right), columns(answer)
    fitting = [[i for i, g in enumerate(given) if Counter(g) == Counter(w)] for w in wanted]
    for choice in itertools.product(*fitting):
        rows = zip(*(given[i] for i in choice))
        in_order = not ordered or given[choice[-1]] == wanted[-1]
        if in_order and Counter(rows) == Counter(zip(*wanted)):
            return True
    return False


Turn = tuple[str, str]  # a question and its right query, or REFUSE


def judge(session: Session, database: str, role: str, turn: Turn) -> str | None:
    """None where the question is answered as it should be, else what happened."""
    question, right_sql = turn
    try:
        sql = session.value(f"SELECT text2sql({quoted(question)})")
    except ServerError as error:
        if right_sql == "REFUSE":
            return None if error.sqlstate in REFUSALS else f"wrong error: {error}"
        return f"refused: {error} {error.fields.get('D', '')}"
    except Lost as lost:
        return f"the session ended: {lost}"
    if right_sql == "REFUSE":
        return f"answered: {sql}"
    try:
        answer = psql(database, role, sql)
    except Failed as error:
        return f"fails: {sql}\n    {error}"
    right = psql(database, role, right_sql)
    ordered = "ORDER BY" in right_sql and "LIMIT" not in right_sql
    if same(right, answer, ordered):
        return None
    return f"wrong: {sql}\n    gives {len(answer) - 1} rows {answer[1:4]}\n" + (
        f"    right is {len(right) - 1} rows {right[1:4]}"
    )


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def read(path: str, conversations: bool) -> list[list[Turn]]:
    """What is asked in one session each."""
    blocks: list[list[Turn]] = [[]]
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if not line.strip() or not conversations:
            blocks.append([])
        if line.strip():
            question, right_sql = line.split("\t")
            blocks[-1].append((question, right_sql))
    return [block for block in blocks if block]


def rules(blocks: list[list[Turn]]) -> list[Rule]:
    """A model that knows the right queries, of follow-ups by what its prompt shows of what was asked before."""
    follow_ups: list[Rule] = [{"contains": "removed from the schema", "reply": "{}"}]
    alone: list[Rule] = []
    for block in blocks:
        before = ""
        for question, right_sql in block:
            asked = f"<question>\n{question}\n</question>"
            reply = f"Clauses:\n1. {question}\n```sql\n{right_sql}\n```"
            if right_sql == "REFUSE":
                reply = "CANNOT ANSWER: it is not certain what is meant."
            rule: Rule = {"contains": [asked, before], "within": "all", "reply": reply}
            (follow_ups if before else alone).append(rule)
            if right_sql != "REFUSE":
                before = f"Question: {question}\nSQL: {right_sql}\n"
    return follow_ups + alone


def with_model(database: str, url: str, blocks: list[list[Turn]]) -> None:
    """Makes the server `oracle` of the database."""
    script = Script(url, "conversations")
    script.set_rules(rules(blocks))
    options = f"OPTIONS (base_url '{script.base_url}', model 'oracle')"
    Session(database).query(
        f"DROP SERVER IF EXISTS oracle CASCADE; CREATE SERVER oracle FOREIGN DATA WRAPPER text2sql {options};"
        "CREATE USER MAPPING FOR PUBLIC SERVER oracle; GRANT USAGE ON FOREIGN SERVER oracle TO PUBLIC"
    )


def main() -> int:
    path, database, role, *more = sys.argv[1:]
    conversations, model = "conversations" in more, more[1:]
    blocks = read(path, conversations)
    settings = f"SET text2sql.follow_ups = {'on' if conversations else 'off'}; SET text2sql.notices = off;"
    if model:
        with_model(database, model[1], blocks)
        settings += f"SET text2sql.server = 'oracle'; SET text2sql.strategy = '{model[0]}'"
    passed = failed = 0
    for block in blocks:
        session = Session(database, role, timeout=120)
        session.query(settings)
        for turn in block:
            trouble = judge(session, database, role, turn)
            print(f"{'FAILED' if trouble else 'ok    '} {turn[0]}", flush=True)
            if trouble:
                print("    " + trouble.replace("\n", "\n    "), flush=True)
            passed, failed = passed + (not trouble), failed + bool(trouble)
        session.close()
    if model:
        Session(database).query("DROP SERVER oracle CASCADE")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
