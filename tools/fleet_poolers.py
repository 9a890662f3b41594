"""pgbouncer: nothing of one client is seen by another that gets the same server session."""

from __future__ import annotations

from checks import until
from fleet_servers import Fleet, outcome, rows, schema_shown, shell
from pgwire import Lost, ServerError, Session

POOLS = ["transaction", "statement", "session"]
COUNT = "How many makers are there?"


def prepare(fleet: Fleet) -> None:
    with open(f"{fleet.folder}/pgbouncer.ini", "w") as file:
        # one server session for all clients of a role: what a client leaves is what the next one finds
        pools = "\n".join(
            f"{mode} = host={fleet.folder} port=5432 dbname=fleet pool_size=1 pool_mode={mode}" for mode in POOLS
        )
        file.write(f"""[databases]
{pools}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = {fleet.folder}
auth_type = trust
auth_file = {fleet.folder}/users
pidfile = {fleet.folder}/pgbouncer.pid
logfile = {fleet.folder}/pgbouncer.log
server_reset_query = DISCARD ALL
ignore_startup_parameters = extra_float_digits
""")
    with open(f"{fleet.folder}/users", "w") as file:
        file.write('"asker" ""\n"postgres" ""\n')
    fleet.primary().query("""
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
    shell("pooler")
    until(lambda: fleet.pooled("transaction"), 20, Lost)  # it listens a moment after it went into the background


def calls(fleet: Fleet, session: Session, sql: str) -> int:
    """Requests that the model got for a statement."""
    before = len(fleet.model.requests())
    session.query(sql)
    return len(fleet.model.requests()) - before


def check_poolers(fleet: Fleet) -> None:
    transactions(fleet)
    tenants(fleet)
    statements(fleet)
    sessions(fleet)


def transactions(fleet: Fleet) -> None:
    check = fleet.check
    left, right = fleet.pooled("transaction"), fleet.pooled("transaction")
    pids = {session.value("SELECT pg_backend_pid()") for session in (left, right)}
    check("pooler, transactions: both clients get the same server session", len(pids) == 1, pids)
    rows(left, COUNT)  # which loads the library, with its settings
    settings = "SELECT md5(string_agg(name || '=' || setting, ' ')) FROM pg_settings WHERE name LIKE 'text2sql.%'"
    before = right.value(settings)
    rows(left, COUNT, max_rows=1, cache=False, max_cost=1e9)
    outcome(left, "SELECT * FROM ask('What is gibberish?', strategy => 'builtin', options => '{\"max_rows\": 2}')")
    left.query("BEGIN; SET LOCAL text2sql.max_rows = 3; SET LOCAL text2sql.effort = high; COMMIT")
    after = right.value(settings)
    check("pooler, transactions: options and SET LOCAL of one client are gone for the next", before == after, after)
    question = "SELECT text2sql('pooled question {}')"
    as_role = "BEGIN; SET LOCAL ROLE {}; {}; COMMIT"
    first = calls(fleet, left, as_role.format("left_role", question.format("one")))
    other_role = calls(fleet, right, as_role.format("right_role", question.format("one")))
    check("pooler, transactions: answers kept for one role are not given to another", (first, other_role) == (1, 1))
    first = calls(fleet, left, question.format("two"))
    other = calls(fleet, right, "SELECT text2sql('pooled question two', options => '{\"max_rows\": 7}')")
    hinted = calls(fleet, right, "SELECT text2sql('pooled question two', hint => 'more')")
    check("pooler, transactions: nor under other settings or hints", (first, other, hinted) == (1, 1, 1))
    off = calls(fleet, right, "SELECT text2sql('pooled question two', options => '{\"cache\": false}')")
    check("pooler, transactions: nor where the cache is off", off == 1)
    asked = right.prepared(f"SELECT ask FROM ask('{COUNT}', strategy => 'builtin')")
    asked += left.prepared(f"SELECT ask FROM ask('{COUNT}', strategy => 'builtin')")
    check("pooler, transactions: statements of the extended protocol", asked == [['{"count":3000}']] * 2, asked)
    left.query("BEGIN; SELECT ask_cursor('Which makers are there?', 'c', strategy => 'builtin')")
    fetched = left.query("FETCH 2 FROM c; COMMIT")
    check("pooler, transactions: a cursor inside one transaction", len(fetched) == 2, fetched)
    entries = fleet.primary().value(
        "SELECT count(DISTINCT role) FROM text2sql.history WHERE question = 'pooled question one'"
    )
    check("pooler, transactions: the history has each question under its role", entries == "2", entries)


def tenants(fleet: Fleet) -> None:
    """Row security by a setting of the transaction: no row of one tenant reaches another's search or prompt."""
    left, right = fleet.pooled("transaction"), fleet.pooled("transaction")
    seen = []
    for session, tenant, own in [(left, "a", "Aachen"), (right, "b", "Bern"), (left, "a", "Aachen")]:
        session.query(f"BEGIN; SET LOCAL app.tenant = '{tenant}'")
        values = session.query("SELECT value FROM text2sql.search_values('Aachen', k => 9)")
        values += session.query("SELECT value FROM text2sql.search_values('Bern', k => 9)")
        prompt = schema_shown(session, "Which visit was where?")
        session.query("COMMIT")
        other = "Bern" if own == "Aachen" else "Aachen"
        seen.append(values == [[own]] and other not in prompt)
    fleet.check("pooler, transactions: samples and values of one tenant are not shown to another", all(seen), seen)


def statements(fleet: Fleet) -> None:
    check = fleet.check
    left, right = fleet.pooled("statement"), fleet.pooled("statement")
    answers = [rows(session, COUNT) for session in (left, right, left)]
    check("pooler, statements: questions are answered", answers == [['{"count":3000}']] * 3, answers)
    refused = outcome(left, "BEGIN")
    check(
        "pooler, statements: a cursor needs a transaction, which the pooler refuses",
        not isinstance(refused, list),
        refused,
    )


def sessions(fleet: Fleet) -> None:
    check = fleet.check
    left = fleet.pooled("session")
    pid = left.value("SELECT pg_backend_pid()")
    left.query("SET text2sql.max_rows = 5")
    question = "SELECT text2sql('pooled question three')"
    first, again = calls(fleet, left, question), calls(fleet, left, question)
    left.query(f"PREPARE counted AS SELECT ask FROM ask('{COUNT}', strategy => 'builtin')")
    twice = left.query("EXECUTE counted; EXECUTE counted")
    check("pooler, sessions: a prepared question runs again", twice == [['{"count":3000}']] * 2, twice)
    left.close()
    right = fleet.pooled("session")
    same = right.value("SELECT pg_backend_pid()") == pid
    rows_at_most, after = right.value("SHOW text2sql.max_rows"), calls(fleet, right, question)
    gone = isinstance(outcome(right, "EXECUTE counted"), ServerError)
    check(
        "pooler, sessions: server_reset_query = DISCARD ALL leaves no setting, answer or statement",
        same and (first, again, after) == (1, 0, 1) and rows_at_most == "10000" and gone,
        (same, first, again, after, rows_at_most, gone),
    )
