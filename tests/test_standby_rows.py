"""Rows that SELECT * FROM ask('…') reads while PostgreSQL analyses it, on a hot standby.

They may be the answer only if the run would read the same ones. On a standby a snapshot lists running transactions in
another place than on a primary.

    TEXT2SQL_STAGE=.cluster/stage-15 python -m pytest tests/test_standby_rows.py
"""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

PATIENCE = 60  # seconds
PAUSE = 3  # seconds between the analysis of a statement and its run


def pg_config(name: str) -> str:
    program = os.environ.get("PG_CONFIG", "pg_config")
    return subprocess.run([program, f"--{name}"], check=True, capture_output=True, text=True).stdout.strip()


def as_server(*command: str) -> None:
    """Runs a program as a user that PostgreSQL accepts, which root is not."""
    user = {"user": "postgres"} if getpass.getuser() == "root" else {}
    subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, **user)  # type: ignore[call-overload]


@dataclass
class Pair:
    """A primary and its standby, in one folder."""

    folder: str

    def primary(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(host=self.folder, port=5432, user="postgres", dbname="postgres", autocommit=True)

    def standby(self, options: str = "") -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=self.folder, port=5433, user="postgres", dbname="postgres", autocommit=True, options=options
        )

    def catch_up(self) -> None:
        """Waits until the standby has replayed all that the primary has written."""
        with self.primary() as primary:
            primary.execute("SET synchronous_commit = on; SELECT pg_logical_emit_message(true, 'catch', 'up')")
            row = primary.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
            assert row
        until = time.monotonic() + PATIENCE
        with self.standby() as standby:
            while standby.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", row).fetchone() != (True,):
                assert time.monotonic() < until, "the standby does not catch up"
                time.sleep(0.05)


def settings(folder: str) -> str:
    stage = Path(os.environ["TEXT2SQL_STAGE"]).resolve()
    lines = [
        "listen_addresses = ''",
        f"unix_socket_directories = '{folder}'",
        "fsync = off",
        "wal_level = replica",
        "max_wal_senders = 4",
        f"dynamic_library_path = '{stage}{pg_config('pkglibdir')}:$libdir'",
    ]
    major = int(pg_config("version").split()[1].split(".")[0])
    if major >= 18:
        lines.append(f"extension_control_path = '{stage}{pg_config('sharedir')}:$system'")
    else:
        lines.append(f"extension_destdir = '{stage}'")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    programs = pg_config("bindir")
    folder = tempfile.mkdtemp(prefix="text2sql-standby-")
    if getpass.getuser() == "root":
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    os.chmod(folder, 0o755)
    servers = {"primary": 5432, "standby": 5433}
    try:
        as_server(f"{programs}/initdb", "-D", f"{folder}/primary", "-A", "trust", "-U", "postgres", "--no-sync")
        with open(f"{folder}/primary/postgresql.conf", "a") as file:
            file.write(settings(folder))
        for name, port in servers.items():
            if name == "standby":
                copy = ["-h", folder, "-U", "postgres", "-D", f"{folder}/standby", "-R", "-c", "fast", "--no-sync"]
                as_server(f"{programs}/pg_basebackup", *copy)
            log = f"{folder}/{name}.log"
            as_server(f"{programs}/pg_ctl", "-D", f"{folder}/{name}", "-l", log, "-o", f"-p {port}", "-w", "start")
        yield Pair(folder)
    finally:
        for name in servers:
            if os.path.exists(f"{folder}/{name}/postmaster.pid"):
                as_server(f"{programs}/pg_ctl", "-D", f"{folder}/{name}", "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder)


def test_rows_read_before_a_commit_do_not_pass_as_current(pair: Pair) -> None:
    """A transaction that commits between analysis and run shows in all of the answer, or in none."""
    with pair.primary() as session:
        session.execute("CREATE EXTENSION text2sql")
        session.execute("CREATE TABLE parcel (id int PRIMARY KEY)")
        session.execute("INSERT INTO parcel VALUES (1), (2), (3)")
        session.execute("CREATE TABLE other (id int)")
        # the planner calls it, after the analysis and before the run
        session.execute(
            "CREATE FUNCTION pause() RETURNS int IMMUTABLE LANGUAGE plpgsql AS "
            f"$$ BEGIN PERFORM pg_sleep({PAUSE}); RETURN 1; END $$"
        )
    # the oldest transaction and the newest stay as they are, so only the list of those between tells
    with pair.primary() as oldest, pair.primary() as writer, pair.primary() as newest:
        oldest.execute("BEGIN; INSERT INTO other VALUES (1)")
        writer.execute("BEGIN; INSERT INTO parcel VALUES (4)")
        newest.execute("INSERT INTO other VALUES (2)")
        pair.catch_up()
        with pair.standby("-c session_preload_libraries=text2sql -c text2sql.schemas=public") as session:
            session.execute("SET text2sql.strategy = builtin")
            committing = threading.Timer(PAUSE / 2, lambda: writer.execute("COMMIT"))
            committing.start()
            # in the simple protocol one message is analysed and run
            sql = (
                "SELECT a.*, (SELECT count(*) FROM parcel) AS counted "
                "FROM ask('How many parcels are there?') AS a WHERE pause() = 1"
            )
            row = psycopg.ClientCursor(session).execute(sql).fetchone()
            committing.join()
        oldest.execute("ROLLBACK")
    assert row == (4, 4)
