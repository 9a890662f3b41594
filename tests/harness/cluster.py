"""Private PostgreSQL servers (tools/cluster), and programs that run as their user."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .session import Row, Session, until

ROOT = Path(__file__).resolve().parents[2]
MAJOR = int(os.environ.get("PG_MAJOR", "0"))


def run(*command: str, **environment: str) -> str:
    """Returns what a program prints; an error with all of it where it fails."""
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout} {done.stderr}"
    return done.stdout


def as_server(*command: str, **environment: str) -> None:
    """Runs a program as the servers' user: PostgreSQL refuses to run as root. Its output is not read, for a server
    that it starts keeps it open."""
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    quiet = subprocess.DEVNULL
    subprocess.run([*user, *command], cwd="/", env={**os.environ, **environment}, check=True, stdin=quiet, stdout=quiet)


class Cluster:
    """A server on a socket in `folder`, with its log there."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = Path(os.environ["TEXT2SQL_CLUSTERS"], f"{name}-{MAJOR}")

    def do(self, verb: str) -> None:
        """Starts, renews or stops it: a verb of tools/cluster."""
        subprocess.run(["tools/cluster", self.name, verb], cwd=ROOT, check=True, stdin=subprocess.DEVNULL)

    def session(self, database: str = "postgres", user: str = "postgres", port: int = 5432) -> Session:
        return Session.to(database, user, self.folder, port)

    def query(self, sql: str, database: str = "postgres", user: str = "postgres", port: int = 5432) -> list[Row]:
        """The rows of statements in a session of their own."""
        with self.session(database, user, port) as session:
            return session.query(sql)

    def psql(self, database: str, sql: str, **variables: str) -> str:
        """Returns what psql prints for a script, which must not fail."""
        settings = [word for name, value in variables.items() for word in ("-v", f"{name}={value}")]
        done = subprocess.run(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *settings, "-d", database],
            input=sql,
            env={**os.environ, "PGHOST": str(self.folder), "PGUSER": "postgres"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def postmaster(self) -> int:
        """The process of the server, or 0 where none runs."""
        try:
            return int((self.folder / "data/postmaster.pid").read_text().split()[0])
        except FileNotFoundError:
            return 0

    def log(self, name: str = "log") -> str:
        return (self.folder / name).read_text(encoding="utf-8", errors="replace")

    def crashes(self) -> list[str]:
        """The lines of the log that tell of processes that ended in the middle of something."""
        signs = ("terminated by signal", "PANIC", "TRAP:")
        return [line for line in self.log().splitlines() if any(sign in line for sign in signs)]

    def make_standby(self) -> None:
        """Starts a hot standby at port 5433, of the same folder."""
        data = self.folder / "standby"
        connection = {"PGHOST": str(self.folder), "PGUSER": "postgres"}
        as_server("pg_basebackup", "-D", str(data), "-X", "stream", "-R", "-c", "fast", **connection)
        log = self.folder / "standby.log"
        as_server("pg_ctl", "-D", str(data), "-l", str(log), "-o", "-c port=5433", "-w", "start")

    def catch_up(self) -> None:
        """Waits until the standby has replayed all that the primary has written."""
        # the clusters write a commit a moment later; this one is written at once, with all before it
        self.query("SET synchronous_commit = on; SELECT pg_logical_emit_message(true, 'catch', 'up')")
        [[place]] = self.query("SELECT pg_current_wal_lsn()")
        replayed = f"SELECT pg_last_wal_replay_lsn() >= '{place}'"
        assert until(lambda: self.query(replayed, port=5433) == [["t"]]), "the standby does not catch up"

    def stop_standby(self) -> None:
        data = self.folder / "standby"
        if (data / "postmaster.pid").exists():
            as_server("pg_ctl", "-D", str(data), "-m", "immediate", "stop")

    def alone_in(self, database: str) -> None:
        """Waits until no session is in a database."""
        with self.session() as admin:
            there = f"SELECT query FROM pg_stat_activity WHERE datname = '{database}'"
            assert until(lambda: not admin.query(there)), f"somebody stays in {database}: {admin.query(there)}"


@contextmanager
def fresh(name: str, **settings: str) -> Iterator[Cluster]:
    """A new cluster with these settings, as long as it is needed."""
    cluster = Cluster(name)
    cluster.do("fresh")
    try:
        if settings:
            for setting, value in settings.items():
                cluster.query(f"ALTER SYSTEM SET {setting} = '{value}'")
            cluster.do("stop")
            cluster.do("start")
        yield cluster
    finally:
        cluster.stop_standby()
        cluster.do("stop")
