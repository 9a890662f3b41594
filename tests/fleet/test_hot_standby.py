"""A hot standby: what reads works on it, what writes says why it cannot; promoted, it goes on."""

from __future__ import annotations

import time

import psycopg
import pytest
from harness.fleet import Fleet, rows
from harness.session import Call, Session, until, whole

# Statements that read, with what their first row must hold.
READING = {
    "SELECT text2sql('How many tools are there?', strategy => 'builtin')": "count(*)",
    "SELECT ask FROM ask('How many tools are there?', strategy => 'builtin')": '"count":300',
    "SELECT * FROM ask_record('How many tools are there?', strategy => 'builtin') AS t(n bigint)": "300",
    "BEGIN; SELECT ask_cursor('How many tools are there?', 'c', strategy => 'builtin'); FETCH ALL FROM c; COMMIT": "c",
    "SELECT ask_summary('How many tools are there?', strategy => 'builtin')": "300",
    "SELECT ask_chart('How many tools are there for each kind?', strategy => 'builtin')": "saw",
    "SELECT text2sql.explain('How many tools are there?', strategy => 'builtin')": "count(*)",
    "SELECT sql FROM text2sql.answer('How many tools are there?', strategy => 'builtin')": "count(*)",
    "SELECT ask FROM ask('what may I take')": '"kind":"saw"',
    "SELECT text2sql('any')": "SELECT 1",
    "SELECT run FROM text2sql.run('SELECT count(*) FROM tool')": "300",
    "SELECT * FROM text2sql.run_record('SELECT count(*) FROM tool') AS t(n bigint)": "300",
    "SELECT ok FROM text2sql.check('SELECT * FROM tool')": "t",
    "SELECT text2sql.describe('SELECT * FROM tool')": "",
    "SELECT text2sql.fix('SELECT count(*) FROM tool')": "count(*)",
    "SELECT column_name FROM text2sql.search_columns('kind of tool')": "kind",
    "SELECT value FROM text2sql.search_values('maker nmber 17')": "maker number 17",
    "SELECT tables FROM text2sql.join_path('{tool.maker_id}', '{maker.id}')": "tool",
    "SELECT content FROM text2sql.preview('any', server => 'model')": "",
    "SELECT column_name FROM text2sql.value_index": "name",
    "SELECT count(*) FROM text2sql.column_vectors": "0",
    "SELECT question FROM text2sql.history WHERE question = 'before the standby'": "before the standby",
    "SELECT count(*) FROM text2sql.usage": "",
    "SELECT count(*) FROM text2sql.suggestion": "",
    "SELECT count(*) FROM text2sql.quota_usage": "0",
    "SELECT table_name FROM text2sql.summarize_tables()": "",
}
# Calls that write.
WRITING = [
    "text2sql.remember('q', 'SELECT 1')",
    "text2sql.index_values()",
    "text2sql.unindex_values()",
    "text2sql.label('tool', 'no_values')",
    "text2sql.label('tool', 'kind', 'no_values')",
    "text2sql.label_schema('public', 'no_values')",
    "text2sql.grant('asker', 'vouch')",
    "text2sql.revoke('asker', 'vouch')",
    "text2sql.feedback(1, 'right')",
    "text2sql.accept_suggestion(1)",
    "text2sql.dismiss_suggestion(1)",
    "text2sql.create_view('v', 'How many tools are there?', strategy => 'builtin')",
    "text2sql.embed_columns()",
]


CONFLICTING = "SELECT * FROM text2sql.run('SELECT count(*) FROM going a, going b, going c')"


@pytest.fixture(scope="module")
def standby(fleet: Fleet) -> Fleet:
    with fleet.primary() as session:
        session.query(
            "SELECT text2sql.index_values('{maker}'); "
            "SELECT text2sql.remember('What may I take?', 'SELECT kind FROM tool WHERE id = 3')"
        )
        session.outcome("SELECT text2sql('before the standby', strategy => 'builtin')")
        session.query("SELECT 1")  # a transaction that commits, and keeps the question
    fleet.main.make_standby()
    return fleet


@pytest.mark.parametrize("sql", READING)
def test_what_reads_works_on_a_standby(standby: Fleet, sql: str) -> None:
    with standby.standby() as session:
        [first, *_] = session.query(sql)
    assert any(READING[sql] in str(value) for value in first), first


@pytest.mark.parametrize("call", WRITING)
def test_what_writes_says_why_it_cannot_and_where_it_can(standby: Fleet, call: str) -> None:
    function = call[: call.index("(")].replace("label_schema", "label")
    with standby.standby() as session, pytest.raises(psycopg.Error) as refused:
        session.query(f"SELECT {call}")
    assert refused.value.sqlstate == "25006"
    assert f"{function}() writes, which a standby cannot" in str(refused.value)
    assert "pg_stat_wal_receiver" in str(refused.value.diag.message_hint)


def test_the_history_of_a_standby_is_in_its_log(standby: Fleet) -> None:
    with standby.standby() as session:
        session.query("SELECT text2sql('How many tools are there?', strategy => 'builtin')")
    lines = standby.main.log("standby.log").splitlines()
    assert [line for line in lines if "text2sql history:" in line and "How many tools are there?" in line]


@pytest.fixture(scope="module")
def following(standby: Fleet) -> Session:
    """A session of the standby that has the catalog from before the primary changed it."""
    session = standby.standby()
    rows(session, "How many tools are there?")
    with standby.primary() as primary:
        primary.query("""
            CREATE TABLE crate (id int, contents text); INSERT INTO crate VALUES (1, 'nails'); ANALYZE crate;
            SELECT text2sql.remember('Which crate?', 'SELECT contents FROM crate');
            SELECT text2sql.label('tool', 'hidden')""")
    standby.main.catch_up()
    return session


def test_new_tables_and_verified_questions_of_the_primary_are_seen(following: Session) -> None:
    assert rows(following, "How many crates are there?") == ['{"count":1}']
    assert rows(following, "which crate") == ['{"contents":"nails"}']


def test_a_label_of_the_primary_hides_a_table_on_the_standby(standby: Fleet, following: Session) -> None:
    refused = following.outcome("SELECT run FROM text2sql.run('SELECT count(*) FROM tool')")
    with standby.primary() as primary:
        primary.query("SELECT text2sql.label('tool', NULL)")
    standby.main.catch_up()
    assert isinstance(refused, psycopg.Error), refused


def test_a_conflict_with_replay_ends_the_question_and_says_so(standby: Fleet) -> None:
    """Removal of a table under a running query ends the session: PostgreSQL cannot end a subtransaction alone."""
    with standby.standby() as admin:
        configure(admin, "SET max_standby_streaming_delay = 0")
        with standby.primary() as primary:
            primary.query("CREATE TABLE going AS SELECT g FROM generate_series(1, 3000) g")
            session = standby.standby()
            standby.main.catch_up()
            call = Call(session, CONFLICTING)
            time.sleep(1)
            primary.query("DROP TABLE going")
        ended = call.ended()
        configure(admin, "RESET max_standby_streaming_delay")
    assert isinstance(ended, psycopg.Error), ended
    assert "conflict with recovery" in whole(ended) + str(ended)
    with standby.standby() as session:
        assert rows(session, "How many tools are there?") == ['{"count":300}']


def configure(session: Session, change: str) -> None:
    session.query(f"ALTER SYSTEM {change}")
    session.query("SELECT pg_reload_conf()")


@pytest.fixture(scope="module")
def promoted(standby: Fleet) -> tuple[Call, Session]:
    """The standby as a server of its own: a question that waited meanwhile, and a session from before."""
    before = standby.standby()
    before.query("SELECT text2sql('How many tools are there?', strategy => 'builtin')")
    waiting = Call(standby.standby(), "SELECT text2sql('slowly now')")
    with standby.standby() as admin:
        assert waiting.waits_for_the_model(admin), waiting.outcome
        # pg_promote() that waits is a query with which the rest of the replay may conflict
        admin.query("SELECT pg_promote(wait => false)")
    recovers = "SELECT pg_is_in_recovery()"
    assert until(lambda: standby.main.query(recovers, port=5433) == [["f"]])
    return waiting, before


def test_a_question_that_waits_during_a_promotion_is_answered(promoted: tuple[Call, Session]) -> None:
    assert isinstance(promoted[0].ended(), list), promoted[0].outcome


def test_a_session_from_before_the_promotion_answers_and_writes(promoted: tuple[Call, Session]) -> None:
    assert rows(promoted[1], "How many tools are there?") == ['{"count":300}']
    promoted[1].query("SELECT text2sql.remember('Which first?', 'SELECT min(id) FROM tool')")


def test_the_history_goes_to_its_table_after_a_promotion(promoted: tuple[Call, Session]) -> None:
    waiting, before = promoted
    waiting.session.query("SELECT 1")
    recent = "SELECT count(*) FROM text2sql.history WHERE asked_at > now() - interval '1 min'"
    assert until(lambda: before.value(recent) != "0", 5)


def test_values_can_be_indexed_after_a_promotion(promoted: tuple[Call, Session]) -> None:
    assert promoted[1].query("SELECT added FROM text2sql.index_values('{tool}', '{kind}')") == [["3"]]
