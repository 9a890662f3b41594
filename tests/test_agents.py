"""The server for agents (crates/mcp), asked by the protocol's own client SDK: the demo's questions are answered as in
SQL, and nothing reaches further than the database user."""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from harness.cluster import ROOT, Cluster
from harness.session import until
from test_questions import QUESTIONS, is_right

SERVER = os.environ.get("MCP_SERVER", str(ROOT / "target/mcp/text2sql-mcp"))
SDK = os.environ.get("MCP_SDK_PYTHON", str(ROOT / ".tools/agents/bin/python"))

TIMESTAMP = re.compile(r"^(\d{4}-\d{2}-\d{2})T(\d{2}:)")


def talk(database: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """What the server answers to calls of tools in one session, and its resources."""
    work = json.dumps({"server": [SERVER, database], "calls": calls})
    done = subprocess.run(
        [SDK, ROOT / "tests/harness/agent.py"], input=work, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def demo(cluster: Cluster) -> Iterator[str]:
    """The address of the demo for a role with a quota."""
    cluster.query(
        "CREATE ROLE agent LOGIN; GRANT analyst TO agent;"
        "INSERT INTO text2sql.quota VALUES ('agent', NULL, 'questions', 'day', 1000)",
        "demo",
    )
    yield f"host={cluster.folder} user=agent dbname=demo"
    cluster.query("DELETE FROM text2sql.quota WHERE role = 'agent'::regrole; DROP ROLE agent", "demo")


def texts(rows: list[dict[str, Any]]) -> list[list[str | None]]:
    """Rows of JSON as PostgreSQL writes their values."""
    names = {True: "t", False: "f"}

    def text(value: Any) -> str | None:
        if value is None:
            return None
        # a timestamp of JSON has a T where PostgreSQL writes a blank
        return names[value] if isinstance(value, bool) else TIMESTAMP.sub(r"\1 \2", str(value))

    return [[text(value) for value in row.values()] for row in rows]


def test_the_demos_questions_are_answered_as_in_sql(cluster: Cluster, demo: str) -> None:
    blocks = [turn for block in QUESTIONS for turn in block]
    told = talk(demo, *(("ask", {"question": question}) for question, _ in blocks))
    wrong = []
    for (question, right_sql), outcome in zip(blocks, told["outcomes"]):
        if right_sql == "REFUSE":
            if not outcome["error"]:
                wrong.append(f"{question}: answered")
            continue
        right = cluster.query(right_sql, "demo", "analyst")
        if outcome["error"] or not is_right(right, texts(outcome["data"].get("rows") or []), ordered=False):
            wrong.append(f"{question}: {outcome['text'][:300]}")
    assert wrong == []


def test_an_attack_is_refused_and_changes_nothing(cluster: Cluster, demo: str) -> None:
    count = "SELECT count(*) FROM orders"
    before = cluster.query(count, "demo")
    attacks = [
        "DELETE FROM orders",
        "SELECT 1; DROP TABLE orders",
        "WITH gone AS (DELETE FROM orders RETURNING 1) SELECT * FROM gone",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_catalog.pg_authid",
    ]
    told = talk(demo, *(("run", {"sql": sql}) for sql in attacks))
    assert [outcome["error"] for outcome in told["outcomes"]] == [True] * len(attacks)
    assert cluster.query(count, "demo") == before


def test_a_quota_ends_an_agents_questions(cluster: Cluster, demo: str) -> None:
    cluster.query("UPDATE text2sql.quota SET max = 0 WHERE role = 'agent'::regrole", "demo")
    [outcome] = talk(demo, ("ask", {"question": "How many orders are there?"}))["outcomes"]
    cluster.query("UPDATE text2sql.quota SET max = 1000 WHERE role = 'agent'::regrole", "demo")
    assert outcome["error"]
    assert "53T08" in outcome["text"]


def test_every_tool_and_resource_answers(demo: str) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("text2sql", {"question": "How many orders are there?"}),
        ("explain", {"question": "How many orders are there?", "tables": ["orders"]}),
        ("search_columns", {"phrase": "order date", "k": 2}),
        ("search_values", {"value": "Sweden", "tables": ["countries"], "k": 1}),
        ("join_path", {"from_columns": ["customers.email"], "to_columns": ["orders.id"]}),
        ("check", {"sql": "SELECT count(*) FROM orders"}),
        ("run", {"sql": "SELECT 1 AS one"}),
    ]
    told = talk(demo, *calls)
    assert [outcome["text"] for outcome in told["outcomes"] if outcome["error"]] == []
    assert told["outcomes"][-1]["data"] == {"rows": [{"one": 1}]}
    assert set(told["tools"]) == {name for name, _ in calls} | {"ask", "describe"}
    tables = [row["table"] for row in json.loads(told["resources"]["text2sql://tables"])]
    assert "public.orders" in tables
    assert not any(name.startswith("text2sql.") for name in tables)
    assert isinstance(json.loads(told["resources"]["text2sql://glossary"]), list)
    assert "permission denied" in told["resources"]["text2sql://verified-questions"]  # it may ask, and not vouch


def test_a_wrong_argument_is_named(demo: str) -> None:
    told = talk(demo, ("ask", {}), ("ask", {"question": "q", "tabels": []}))
    assert "question must be given" in told["outcomes"][0]["text"]
    assert "tabels" in told["outcomes"][1]["text"]


def test_a_sqlite_file_is_asked_and_not_written(tmp_path: Any) -> None:
    file = tmp_path / "shop.db"
    script = "CREATE TABLE orders(id INTEGER PRIMARY KEY); INSERT INTO orders VALUES (1), (2), (3);"
    subprocess.run(["sqlite3", file, script], check=True)
    before = file.read_bytes()
    told = talk(str(file), ("ask", {"question": "How many orders are there?"}), ("run", {"sql": "DELETE FROM orders"}))
    asked, attack = told["outcomes"]
    assert json.loads(told["resources"]["text2sql://tables"]) == [{"table": "orders"}]
    assert asked["data"]["rows"] == [{"count": 3}]
    assert attack["error"]
    assert file.read_bytes() == before


def test_http_needs_the_token_and_loopback() -> None:
    refused = subprocess.run([SERVER, ":memory:", "--http", "0.0.0.0:0"], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "other machines" in refused.stderr
    environment = {**os.environ, "TEXT2SQL_MCP_TOKEN": "s3cret"}
    command = [SERVER, ":memory:", "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stderr is not None
            address = (until(server.stderr.readline) or "").strip()
            status = {}
            for token in ["", "Bearer other", "Bearer s3cret"]:
                body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
                request = urllib.request.Request(
                    address, json.dumps(body).encode(), {**headers, "Authorization": token}
                )
                try:
                    status[token] = urllib.request.urlopen(request, timeout=10).status
                except urllib.error.HTTPError as error:
                    status[token] = error.code
        finally:
            server.terminate()
    assert status[""] == status["Bearer other"] == 401
    assert status["Bearer s3cret"] != 401
