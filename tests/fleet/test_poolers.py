"""pgbouncer: nothing of one client is seen by another that gets the same server session."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import psycopg
import pytest
from harness.cluster import as_server
from harness.fleet import Fleet, rows, schema_shown
from harness.session import Session, until

POOLS = ["transaction", "statement", "session"]
COUNT = "How many makers are there?"
CONFIGURATION = """[databases]
{pools}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = {folder}
auth_type = trust
auth_file = {folder}/users
pidfile = {folder}/pgbouncer.pid
logfile = {folder}/pgbouncer.log
server_reset_query = DISCARD ALL
ignore_startup_parameters = extra_float_digits
"""
SETTINGS = "SELECT md5(string_agg(name || '=' || setting, ' ')) FROM pg_settings WHERE name LIKE 'text2sql.%'"
Clients = tuple[Session, Session]


@pytest.fixture(scope="module")
def pooler(fleet: Fleet) -> Iterator[Fleet]:
    """PgBouncer in front of the primary, in each of its modes."""
    if shutil.which("pgbouncer") is None:
        subprocess.run(["tools/setup", "fleet"], check=True)
    folder = fleet.main.folder
    # one server session for all clients of a role: what a client leaves is what the next one finds
    server = f"host={folder} port=5432 dbname=fleet pool_size=1"
    pools = "\n".join(f"{mode} = {server} pool_mode={mode}" for mode in POOLS)
    (folder / "pgbouncer.ini").write_text(CONFIGURATION.format(pools=pools, folder=folder))
    (folder / "users").write_text('"asker" ""\n"postgres" ""\n')
    with fleet.primary() as session:
        session.query("""
            CREATE ROLE left_role; CREATE ROLE right_role;
            GRANT left_role, right_role TO asker;
            GRANT SELECT ON maker, tool TO left_role, right_role;
            GRANT USAGE ON FOREIGN SERVER model TO left_role, right_role;
            CREATE TABLE visit (tenant text, place text);
            INSERT INTO visit VALUES ('a', 'Aachen'), ('b', 'Bern');
            ANALYZE visit;
            ALTER TABLE visit ENABLE ROW LEVEL SECURITY;
            CREATE POLICY own ON visit USING (tenant = current_setting('app.tenant', true));
            GRANT SELECT ON visit TO asker""")
    as_server("pgbouncer", "-q", "-d", str(folder / "pgbouncer.ini"))
    # it listens a moment after it went into the background
    assert until(lambda: fleet.main.query("SELECT 1", "transaction", "asker", 6432), 20, psycopg.Error)
    yield fleet
    as_server("kill", (folder / "pgbouncer.pid").read_text().strip())


@pytest.fixture
def clients(pooler: Fleet) -> Iterator[Clients]:
    """Two clients of one server session, which pools by transactions."""
    with pooler.pooled("transaction") as left, pooler.pooled("transaction") as right:
        rows(left, COUNT)  # which loads the library, with its settings
        yield left, right


def calls(fleet: Fleet, session: Session, sql: str) -> int:
    """Requests that the model got for a statement."""
    before = len(fleet.model.requests())
    session.query(sql)
    return len(fleet.model.requests()) - before


def test_clients_of_a_pool_get_the_same_server_session(clients: Clients) -> None:
    assert len({session.value("SELECT pg_backend_pid()") for session in clients}) == 1


def test_options_and_set_local_of_one_client_are_gone_for_the_next(clients: Clients) -> None:
    left, right = clients
    before = right.value(SETTINGS)
    rows(left, COUNT, max_rows=1, cache=False, max_cost=1e9)
    left.outcome("SELECT * FROM ask('What is gibberish?', strategy => 'builtin', options => '{\"max_rows\": 2}')")
    left.query("BEGIN; SET LOCAL text2sql.max_rows = 3; SET LOCAL text2sql.effort = high; COMMIT")
    assert right.value(SETTINGS) == before


def test_an_answer_for_one_role_is_not_given_to_another(pooler: Fleet, clients: Clients) -> None:
    left, right = clients
    ask = "BEGIN; SET LOCAL ROLE {}; SELECT text2sql('pooled question one'); COMMIT"
    assert calls(pooler, left, ask.format("left_role")) == 1
    assert calls(pooler, right, ask.format("right_role")) == 1
    roles = "SELECT count(DISTINCT role) FROM text2sql.history WHERE question = 'pooled question one'"
    with pooler.primary() as primary:
        assert primary.value(roles) == "2"  # the history has each question under its role


def test_an_answer_is_not_given_under_other_settings_or_hints(pooler: Fleet, clients: Clients) -> None:
    left, right = clients
    assert calls(pooler, left, "SELECT text2sql('pooled question two')") == 1
    assert calls(pooler, right, "SELECT text2sql('pooled question two', options => '{\"max_rows\": 7}')") == 1
    assert calls(pooler, right, "SELECT text2sql('pooled question two', hint => 'more')") == 1


def test_no_answer_of_before_is_given_where_the_cache_is_off(pooler: Fleet, clients: Clients) -> None:
    assert calls(pooler, clients[0], "SELECT text2sql('pooled question four')") == 1
    off = "SELECT text2sql('pooled question four', options => '{\"cache\": false}')"
    assert calls(pooler, clients[1], off) == 1


def test_statements_of_the_extended_protocol_are_answered(clients: Clients) -> None:
    for session in reversed(clients):
        assert session.prepared(f"SELECT ask::text FROM ask('{COUNT}', strategy => 'builtin')") == [['{"count":3000}']]


def test_a_cursor_works_inside_one_transaction(clients: Clients) -> None:
    left, _ = clients
    left.query("BEGIN; SELECT ask_cursor('Which makers are there?', 'c', strategy => 'builtin')")
    assert len(left.query("FETCH 2 FROM c; COMMIT")) == 2


def test_samples_and_values_of_one_tenant_are_not_shown_to_another(clients: Clients) -> None:
    """Row security by a setting of the transaction."""
    left, right = clients
    for session, tenant, own, other in [
        (left, "a", "Aachen", "Bern"),
        (right, "b", "Bern", "Aachen"),
        (left, "a", "Aachen", "Bern"),
    ]:
        session.query(f"BEGIN; SET LOCAL app.tenant = '{tenant}'")
        values = session.query("SELECT value FROM text2sql.search_values('Aachen', k => 9)")
        values += session.query("SELECT value FROM text2sql.search_values('Bern', k => 9)")
        prompt = schema_shown(session, "Which visit was where?")
        session.query("COMMIT")
        assert values == [[own]]
        assert other not in prompt


def test_questions_are_answered_where_each_statement_may_get_another_session(pooler: Fleet) -> None:
    with pooler.pooled("statement") as left, pooler.pooled("statement") as right:
        assert [rows(session, COUNT) for session in (left, right, left)] == [['{"count":3000}']] * 3


def test_a_cursor_needs_a_transaction_which_a_pool_of_statements_refuses(pooler: Fleet) -> None:
    with pooler.pooled("statement") as session, pytest.raises(psycopg.Error):
        session.query("BEGIN")


def test_a_prepared_question_runs_again(pooler: Fleet) -> None:
    with pooler.pooled("session") as session:
        session.query(f"PREPARE counted AS SELECT ask FROM ask('{COUNT}', strategy => 'builtin')")
        assert session.query("EXECUTE counted; EXECUTE counted") == [['{"count":3000}']] * 2


def test_discard_all_leaves_no_setting_answer_or_statement_to_the_next_client(pooler: Fleet) -> None:
    question = "SELECT text2sql('pooled question three')"
    with pooler.pooled("session") as left:
        pid = left.value("SELECT pg_backend_pid()")
        left.query("SET text2sql.max_rows = 5")
        assert (calls(pooler, left, question), calls(pooler, left, question)) == (1, 0)
        left.query("PREPARE counted AS SELECT 1")
    with pooler.pooled("session") as right:
        assert right.value("SELECT pg_backend_pid()") == pid
        assert right.value("SHOW text2sql.max_rows") == "10000"
        assert calls(pooler, right, question) == 1
        with pytest.raises(psycopg.errors.InvalidSqlStatementName):
            right.query("EXECUTE counted")
