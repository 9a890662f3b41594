"""The servers of the fleet (tests/fleet)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .cluster import Cluster
from .model import Script
from .session import Session, literal


@dataclass
class Fleet:
    """A primary, with a standby at port 5433 and a pooler at 6432 of the same folder, and three shards."""

    main: Cluster
    shards: list[Cluster]
    model: Script
    full: bool

    def primary(self, user: str = "postgres") -> Session:
        return self.main.session("fleet", user)

    def standby(self, user: str = "postgres") -> Session:
        return self.main.session("fleet", user, 5433)

    def pooled(self, mode: str, user: str = "asker") -> Session:
        return self.main.session(mode, user, 6432)

    def size(self, short: int, full: int) -> int:
        return full if self.full else short


def rows(session: Session, question: str, **options: object) -> list[str]:
    """The rows of an answer, in a fixed order."""
    call = f"SELECT ask FROM ask({literal(question)}, strategy => 'builtin', options => {literal(json.dumps(options))})"
    return sorted(str(row[0]) for row in session.query(call))


def schema_shown(session: Session, question: str) -> str:
    """Returns the prompt in which a model is shown the database."""
    sql = f"SELECT content FROM text2sql.preview({literal(question)}, strategy => 'zero_shot', server => 'model')"
    return "\n".join(str(content) for (content,) in session.query(sql))


def explained(session: Session, question: str, **options: object) -> dict[str, Any]:
    arguments = f"strategy => 'builtin', execute => true, options => {literal(json.dumps(options))}"
    report: dict[str, Any] = json.loads(session.value(f"SELECT text2sql.explain({literal(question)}, {arguments})"))
    return report
