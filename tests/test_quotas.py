"""64 sessions at once against limits of calls and questions: never more than allowed, none lost, whatever is rolled
back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from harness.cluster import Cluster
from harness.model import ModelServer

SESSIONS, CALLS, QUESTIONS = 64, 100, 120
SETUP = f"""
CREATE EXTENSION text2sql;
CREATE TABLE person (id int PRIMARY KEY, name text, note text);
INSERT INTO person VALUES (1, 'Ann', 'a note'), (2, 'Bob', 'another');
CREATE ROLE counted LOGIN;
GRANT SELECT ON person TO counted;
CREATE SERVER model FOREIGN DATA WRAPPER text2sql OPTIONS (base_url '%s', model 'script');
GRANT USAGE ON FOREIGN SERVER model TO counted;
ALTER DATABASE quotas SET text2sql.server = 'model';
ALTER DATABASE quotas SET text2sql.strategy = 'zero_shot';
ALTER DATABASE quotas SET text2sql.cache = off;  -- each question is to cost a call
INSERT INTO text2sql.quota VALUES
    ('counted', 'model', 'calls', 'month', {CALLS}),
    ('counted', NULL, 'questions', 'month', {QUESTIONS}),
    ('counted', NULL, 'tokens', 'month', 1000000000);
"""
ASK = "SELECT coalesce(sqlstate, 'answered') FROM text2sql.answer('Which persons are there?')"
AROUND = [
    "{}",
    "BEGIN; {}; ROLLBACK",
    "BEGIN READ ONLY; {}; COMMIT",
    "BEGIN; SAVEPOINT s; {}; ROLLBACK TO s; COMMIT",
]


@pytest.fixture(scope="module")
def counts(cluster: Cluster, model: ModelServer) -> Iterator[dict[str, int]]:
    """Counts of how the questions ended, of the model server's requests, and of what is recorded as used."""
    script = model.script("ledger")
    cluster.query("CREATE DATABASE quotas")
    cluster.query(SETUP % script.base_url, "quotas")
    spent = "SELECT (r->'usage'->>'prompt_tokens')::int + (r->'usage'->>'completion_tokens')::int"
    tokens = cluster.query(f"{spent} FROM text2sql.explain('Which persons are there?') r", "quotas")[0][0]
    script.reset()

    def one(_: int) -> list[str]:
        with cluster.session("quotas", "counted") as session:
            return [value for around in AROUND for (value,) in session.query(around.format(ASK))]

    with ThreadPoolExecutor(SESSIONS) as threads:
        ended = Counter(end for ends in threads.map(one, range(SESSIONS)) for end in ends)
    used = dict(cluster.query("SELECT what, used FROM text2sql.quota_usage", "quotas"))
    yield {
        "tokens of a question": int(tokens),
        "requests": len(script.requests()),
        **{f"{what} counted": int(number) for what, number in used.items()},
        **ended,
    }
    cluster.query("DROP DATABASE quotas WITH (FORCE)")
    cluster.query("DROP ROLE counted")


def test_as_many_questions_are_answered_as_calls_are_allowed(counts: dict[str, int]) -> None:
    assert counts["answered"] == CALLS


def test_all_others_are_refused_by_the_quota(counts: dict[str, int]) -> None:
    assert counts["53T08"] == len(AROUND) * SESSIONS - CALLS


def test_the_model_server_is_sent_no_more_than_is_allowed(counts: dict[str, int]) -> None:
    assert counts["requests"] == CALLS


def test_no_call_is_lost_by_a_rollback(counts: dict[str, int]) -> None:
    assert counts["calls counted"] == CALLS


def test_no_question_is_lost_by_a_rollback(counts: dict[str, int]) -> None:
    assert counts["questions counted"] == QUESTIONS


def test_no_token_is_lost_by_a_rollback(counts: dict[str, int]) -> None:
    assert counts["tokens counted"] == CALLS * counts["tokens of a question"]
