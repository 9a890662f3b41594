"""A PostgreSQL session over the unix socket of PGHOST, for tests that look at a server from
many sessions at once, without a library."""

from __future__ import annotations

import os
import socket
import struct
from typing import Any

# A row's values as PostgreSQL writes them, None for NULL; which may be NULL, the query says.
Row = list[Any]


class ServerError(Exception):
    """An ErrorResponse; `fields` by their one-letter codes (C is the SQLSTATE, M the message)."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__(f"{fields.get('C')}: {fields.get('M')}")
        self.fields = fields
        self.sqlstate = fields.get("C", "")


class Lost(Exception):
    """The server closed the connection; `reason` is the last error it sent, or None."""

    def __init__(self, reason: Exception | None = None) -> None:
        super().__init__(str(reason) if reason else "the connection was closed")
        self.reason = reason


class Session:
    """One connection. `query` may run several statements and gives the rows of all as texts."""

    def __init__(
        self,
        database: str,
        user: str = "postgres",
        port: int = 5432,
        timeout: float | None = None,
        folder: str | None = None,
    ) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.notices: list[str] = []
        self.pid = 0
        try:
            self.socket.connect(f"{folder or os.environ['PGHOST']}/.s.PGSQL.{port}")
            self.stream = self.socket.makefile("rb")
            parameters = f"user\0{user}\0database\0{database}\0client_encoding\0UTF8\0\0".encode()
            self.socket.sendall(struct.pack("!ii", 8 + len(parameters), 196608) + parameters)
            self.until_ready()
        except OSError as error:
            raise Lost(error) from error

    def send(self, sql: str) -> None:
        body = sql.encode("utf-8", "replace").replace(b"\0", b" ") + b"\0"
        try:
            self.socket.sendall(b"Q" + struct.pack("!i", 4 + len(body)) + body)
        except OSError as error:
            raise Lost(error) from error

    def query(self, sql: str) -> list[Row]:
        self.send(sql)
        return self.until_ready()

    def prepared(self, sql: str) -> list[Row]:
        """The rows of one statement by the extended protocol, as drivers send it: unnamed, parsed, bound, run."""
        parts = [
            (b"P", b"\0" + sql.encode() + b"\0" + struct.pack("!h", 0)),
            (b"B", b"\0\0" + struct.pack("!hhh", 0, 0, 0)),
            (b"E", b"\0" + struct.pack("!i", 0)),
            (b"S", b""),
        ]
        self.socket.sendall(b"".join(kind + struct.pack("!i", 4 + len(body)) + body for kind, body in parts))
        return self.until_ready()

    def value(self, sql: str) -> str:
        """The first value of the first row, which must be there."""
        value = self.query(sql)[0][0]
        assert value is not None, f"NULL: {sql}"
        return str(value)

    def close(self) -> None:
        self.stream.close()  # which keeps the socket open too
        self.socket.close()

    def message(self) -> tuple[bytes, bytes]:
        try:
            head = self.stream.read(5)
            if len(head) < 5:
                raise Lost()
            (length,) = struct.unpack("!i", head[1:])
            return head[:1], self.stream.read(length - 4)
        except OSError as error:
            raise Lost(error) from error

    def until_ready(self) -> list[Row]:
        """The rows of what was sent."""
        rows: list[Row] = []
        failure: ServerError | None = None
        while True:
            try:
                kind, body = self.message()
            except Lost as lost:
                raise Lost(failure or lost.reason) from lost
            if kind == b"Z":
                break
            if kind == b"D":
                rows.append(row(body))
            elif kind == b"K":
                (self.pid,) = struct.unpack("!i", body[:4])
            elif kind == b"E":
                failure = ServerError(fields(body))
            elif kind == b"N":
                self.notices.append(fields(body).get("M", ""))
        if failure:
            raise failure
        return rows


def row(body: bytes) -> Row:
    """The values of a DataRow."""
    (count,), at = struct.unpack("!h", body[:2]), 2
    values: Row = []
    for _ in range(count):
        (length,) = struct.unpack("!i", body[at : at + 4])
        at += 4
        values.append(None if length < 0 else body[at : at + length].decode("utf-8", "replace"))
        at += max(length, 0)
    return values


def fields(body: bytes) -> dict[str, str]:
    """The fields of an ErrorResponse or a NoticeResponse."""
    parts = body.decode("utf-8", "replace").split("\0")
    return {part[0]: part[1:] for part in parts if part}
