"""Sessions of PostgreSQL over psycopg, statements in threads of their own, and patience."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, Union

import psycopg
from psycopg.conninfo import make_conninfo

T = TypeVar("T")
# The values of a row as PostgreSQL writes them, None for NULL.
Row = list[Any]
# The rows of a statement, or the error that ended it.
Outcome = Union[list[Row], psycopg.Error]

PATIENCE = 60  # seconds; what takes longer hangs


class Session(psycopg.Connection[Any]):
    """A session that commits each statement and collects its notices."""

    notices: list[str]
    pid: int

    @classmethod
    def to(cls, database: str, user: str, folder: object, port: int = 5432) -> Session:
        """Connects over the socket in this folder."""
        place = make_conninfo(dbname=database, user=user, host=str(folder), port=port)
        session = cls.connect(place, autocommit=True, prepare_threshold=None)
        session.notices = []
        session.pid = session.info.backend_pid
        session.add_notice_handler(lambda notice: session.notices.append(notice.message_primary or ""))
        return session

    def query(self, sql: str) -> list[Row]:
        """Sends statements by the simple protocol; returns the rows of all of them, as texts."""
        cursor = self.execute(sql.encode("utf-8", "replace").replace(b"\0", b" "))
        rows = texts(cursor)
        while cursor.nextset():
            rows += texts(cursor)
        return rows

    def prepared(self, sql: str) -> list[Row]:
        """Sends one statement by the extended protocol, as drivers do."""
        return [list(row) for row in self.execute(sql, binary=True).fetchall()]

    def value(self, sql: str) -> str:
        """Returns the first value of the first row, which must be there."""
        value = self.query(sql)[0][0]
        assert value is not None, f"NULL: {sql}"
        return str(value)

    def outcome(self, sql: str) -> Outcome:
        """Returns the rows of statements, or the error that ended them."""
        try:
            return self.query(sql)
        except psycopg.Error as error:
            return error


def texts(cursor: psycopg.Cursor[Any]) -> list[Row]:
    """The rows of a cursor's current result, as PostgreSQL writes them."""
    result = cursor.pgresult
    if result is None:
        return []
    return [
        [
            None if (value := result.get_value(row, column)) is None else bytes(value).decode("utf-8", "replace")
            for column in range(result.nfields)
        ]
        for row in range(result.ntuples)
    ]


def whole(error: psycopg.Error) -> str:
    """All that the server sent of an error: its message, detail, hint, context and where it was raised."""
    fields = {name: getattr(error.diag, name) for name in dir(error.diag) if not name.startswith("_")}
    return str({name: text for name, text in fields.items() if isinstance(text, str)})


class Call(threading.Thread):
    """A statement in a thread of its own, to be ended from elsewhere; `outcome` is None until it ended."""

    def __init__(self, session: Session, sql: str) -> None:
        super().__init__(daemon=True)
        self.session, self.sql = session, sql
        self.outcome: Outcome | None = None
        self.start()

    def run(self) -> None:
        self.outcome = self.session.outcome(self.sql)

    def waits_for_the_model(self, admin: Session) -> bool:
        """Whether it comes to wait, seen from another session."""
        waiting = (
            f"SELECT 1 FROM pg_stat_activity WHERE pid = {self.session.pid} "
            "AND state = 'active' AND wait_event_type = 'Extension'"
        )
        waits = until(lambda: bool(admin.query(waiting)) or not self.is_alive(), PATIENCE)
        return bool(waits) and self.is_alive()

    def ended(self) -> Outcome:
        """Waits for its end."""
        self.join(PATIENCE)
        assert self.outcome is not None, f"does not end: {self.sql}"
        return self.outcome


def until(condition: Callable[[], T], seconds: float = PATIENCE, *ignored: type[Exception]) -> T | None:
    """The condition's first true value, or None when the time is over; these exceptions count as false."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if value := condition():
                return value
        except ignored:
            pass
        time.sleep(0.01)
    return None


def memory_kb(pid: int, field: str = "RssAnon") -> int:
    """Kilobytes that /proc says of a process: RssAnon is what it does not share, VmHWM its peak."""
    return int(re.findall(rf"^{field}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[0])


def literal(text: str) -> str:
    """A text as a constant of SQL."""
    return "'" + text.replace("'", "''") + "'"
