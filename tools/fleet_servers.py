"""The servers of the fleet, for its checks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from checks import Checks, run
from pgwire import Lost, Row, ServerError, Session
from scripted import Script

PATIENCE = 120  # seconds; what takes longer hangs


@dataclass
class Fleet:
    """A primary in `folder`, a standby at port 5433, a pooler at 6432, and shards in folders of their own."""

    check: Checks
    model: Script
    folder: str
    shards: list[str]
    short: bool

    def primary(self, user: str = "postgres") -> Session:
        return Session("fleet", user, timeout=PATIENCE)

    def standby(self, user: str = "postgres") -> Session:
        return Session("fleet", user, port=5433, timeout=PATIENCE)

    def pooled(self, mode: str, user: str = "asker") -> Session:
        return Session(mode, user, port=6432, timeout=PATIENCE)

    def shard(self, number: int) -> Session:
        return Session("postgres", timeout=PATIENCE, folder=self.shards[number])

    def size(self, short: int, full: int) -> int:
        return short if self.short else full


def shell(function: str) -> None:
    """A function that tools/fleet exports."""
    run("bash", "-c", function)


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def outcome(session: Session, sql: str) -> list[Row] | ServerError | Lost:
    """The rows of a statement, or what ended it."""
    try:
        return session.query(sql)
    except (ServerError, Lost) as ended:
        return ended


def rows(session: Session, question: str, **options: object) -> list[str]:
    """The rows of an answer, in a fixed order."""
    call = f"SELECT ask FROM ask({literal(question)}, strategy => 'builtin', options => {literal(json.dumps(options))})"
    return sorted(str(row[0]) for row in session.query(call))


def schema_shown(session: Session, question: str) -> str:
    """What a model is shown of the database."""
    sql = f"SELECT content FROM text2sql.preview({literal(question)}, strategy => 'zero_shot', server => 'model')"
    return "\n".join(str(content) for (content,) in session.query(sql))


def explained(session: Session, question: str, **arguments: str) -> dict[str, Any]:
    more = "".join(f", {name} => {value}" for name, value in arguments.items())
    report: dict[str, Any] = json.loads(session.value(f"SELECT text2sql.explain({literal(question)}{more})"))
    return report
