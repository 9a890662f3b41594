"""A hot standby: what reads works on it, what writes says why it cannot; promoted, it goes on."""

from __future__ import annotations

import time

from asking import Asking
from checks import until
from fleet_servers import PATIENCE, Fleet, outcome, rows, shell
from pgwire import Lost, ServerError, Session

# What reads, with what its first row must hold.
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
    "SELECT c.column FROM text2sql.search_columns('kind of tool') c": "kind",
    "SELECT value FROM text2sql.search_values('maker nmber 17')": "maker number 17",
    "SELECT tables FROM text2sql.join_path('{tool.maker_id}', '{maker.id}')": "tool",
    "SELECT content FROM text2sql.preview('any', server => 'model')": "",
    'SELECT column_name FROM text2sql.value_index': "name",
    "SELECT count(*) FROM text2sql.column_vectors": "0",
    "SELECT question FROM text2sql.history WHERE question = 'before the standby'": "before the standby",
    "SELECT count(*) FROM text2sql.usage": "",
    "SELECT count(*) FROM text2sql.suggestion": "",
    "SELECT count(*) FROM text2sql.quota_usage": "0",
    'SELECT table_name FROM text2sql.summarize_tables()': "",
}
# What writes.
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


def prepare(fleet: Fleet) -> None:
    session = fleet.primary()
    session.query("""
        CREATE TABLE maker (id int PRIMARY KEY, name text NOT NULL);
        INSERT INTO maker SELECT g, 'maker number ' || g FROM generate_series(1, 3000) g;
        CREATE TABLE tool (id int PRIMARY KEY, kind text, maker_id int REFERENCES maker);
        INSERT INTO tool SELECT g, (ARRAY['saw', 'drill', 'plane'])[1 + g % 3], 1 + g FROM generate_series(1, 300) g;
        ANALYZE maker, tool;
        SELECT text2sql.index_values('{maker}');
        SELECT text2sql.remember('What may I take?', 'SELECT kind FROM tool WHERE id = 3')""")
    outcome(session, "SELECT text2sql('before the standby', strategy => 'builtin')")
    session.query("SELECT 1")  # a transaction that commits, and keeps the question
    shell("standby")


def configure(session: Session, change: str) -> None:
    session.query(f"ALTER SYSTEM {change}")
    session.query("SELECT pg_reload_conf()")


def caught_up(fleet: Fleet, standby: Session) -> None:
    primary = fleet.primary()
    # the clusters write a commit a moment later; this one is written at once, with all before it
    primary.query("SET synchronous_commit = on; SELECT pg_logical_emit_message(true, 'caught', 'up')")
    place = primary.value("SELECT pg_current_wal_lsn()")
    until(lambda: standby.value(f"SELECT pg_last_wal_replay_lsn() >= '{place}'") == "t", PATIENCE)


def check_standby(fleet: Fleet) -> None:
    check, session = fleet.check, fleet.standby()
    wrong = {}
    for sql, wanted in READING.items():
        got = outcome(session, sql)
        if not isinstance(got, list) or not any(wanted in str(value) for row in got[:1] for value in row):
            wrong[sql] = str(got)[:200]
    check(f"standby: all {len(READING)} that read work", not wrong, wrong)
    wrong = {}
    for call in WRITING:
        got, name = outcome(session, f"SELECT {call}"), call[: call.index("(")] + "() writes, which a standby cannot"
        right = isinstance(got, ServerError) and got.sqlstate == "25006" and "pg_stat_wal_receiver" in got.fields["H"]
        if not right or name.replace("label_schema", "label") not in str(got):
            wrong[call] = str(got)[:200]
    check(f"standby: all {len(WRITING)} that write say why they cannot, and where they can", not wrong, wrong)
    with open(f"{fleet.folder}/standby.log", errors="replace") as file:
        logged = [line for line in file if "text2sql history:" in line and "How many tools are there?" in line]
    check("standby: the history is in its log", logged, f"{len(logged)} lines")
    follows(fleet, session)
    conflict(fleet)


def follows(fleet: Fleet, session: Session) -> None:
    """A session of the standby sees what the primary changes, though it keeps the catalog."""
    fleet.primary().query("""
        CREATE TABLE crate (id int, contents text); INSERT INTO crate VALUES (1, 'nails'); ANALYZE crate;
        SELECT text2sql.remember('Which crate?', 'SELECT contents FROM crate');
        SELECT text2sql.label('tool', 'hidden')""")
    caught_up(fleet, session)
    seen = [rows(session, "How many crates are there?"), rows(session, "which crate")]
    fleet.check(
        "standby: new tables and verified questions are seen", seen == [['{"count":1}'], ['{"contents":"nails"}']], seen
    )
    refused = outcome(session, "SELECT run FROM text2sql.run('SELECT count(*) FROM tool')")
    fleet.check("standby: a label of the primary hides a table", isinstance(refused, ServerError), refused)
    fleet.primary().query("SELECT text2sql.label('tool', NULL)")
    caught_up(fleet, session)


def conflict(fleet: Fleet) -> None:
    """What replay must remove under a running query ends the session: PostgreSQL cannot end a subtransaction alone."""
    configure(fleet.standby(), "SET max_standby_streaming_delay = 0")
    fleet.primary().query("CREATE TABLE going AS SELECT g FROM generate_series(1, 3000) g")
    session = fleet.standby()
    caught_up(fleet, session)
    asking = Asking(session, "SELECT * FROM text2sql.run('SELECT count(*) FROM going a, going b, going c')")
    time.sleep(1)
    fleet.primary().query("DROP TABLE going")
    asking.ended()
    lost = isinstance(asking.outcome, (Lost, ServerError)) and "conflict with recovery" in str(asking.outcome)
    fleet.check("standby: a conflict with replay ends the question, and says so", lost, asking.outcome)
    check_again = rows(fleet.standby(), "How many tools are there?")
    fleet.check("standby: and the next session answers", check_again == ['{"count":300}'], check_again)
    configure(fleet.standby(), "RESET max_standby_streaming_delay")


def check_promotion(fleet: Fleet) -> None:
    check = fleet.check
    kept = fleet.standby()
    kept.query("SELECT text2sql('How many tools are there?', strategy => 'builtin')")
    waiting = Asking(fleet.standby(), "SELECT text2sql('slowly now')")
    waits = waiting.waits_for_the_model(fleet.standby())
    fleet.standby().query("SELECT pg_promote()")
    waiting.ended()
    check("promotion: a question that waits is answered", waits and isinstance(waiting.outcome, list), waiting.outcome)
    answer = rows(kept, "How many tools are there?")
    kept.query("SELECT text2sql.remember('Which first?', 'SELECT min(id) FROM tool')")
    check("promotion: an open session answers and writes", answer == ['{"count":300}'], answer)
    waiting.session.query("SELECT 1")
    written = until(
        lambda: kept.value("SELECT count(*) FROM text2sql.history WHERE asked_at > now() - interval '1 min'") != "0", 5
    )
    check("promotion: the history goes to its table", written)
    lines = kept.query("SELECT added FROM text2sql.index_values('{tool}', '{kind}')")
    check("promotion: values can be indexed", lines == [["3"]], lines)
