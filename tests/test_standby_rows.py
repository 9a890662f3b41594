"""Rows that SELECT * FROM ask('…') reads while PostgreSQL analyses it, on a hot standby.

They may be the answer only if the run would read the same ones. On a standby a snapshot lists running transactions in
another place than on a primary.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from harness.cluster import Cluster, fresh

PAUSE = 3  # seconds between the analysis of a statement and its run
# The planner calls pause(), after the analysis and before the run.
SETUP = f"""
CREATE EXTENSION text2sql;
CREATE TABLE parcel (id int PRIMARY KEY);
INSERT INTO parcel VALUES (1), (2), (3);
CREATE TABLE other (id int);
CREATE FUNCTION pause() RETURNS int IMMUTABLE LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep({PAUSE}); RETURN 1; END $$;
"""
# In the simple protocol one message is analysed and run.
ASK = """
SELECT a.*, (SELECT count(*) FROM parcel) AS counted
FROM ask('How many parcels are there?') AS a WHERE pause() = 1
"""


@pytest.fixture(scope="module")
def primary() -> Iterator[Cluster]:
    """A primary with a standby, whose sessions know ask() from their first statement on."""
    with fresh("snapshots", session_preload_libraries="text2sql") as cluster:
        cluster.query(SETUP)
        cluster.make_standby()
        yield cluster


def test_rows_read_before_a_commit_do_not_pass_as_current(primary: Cluster) -> None:
    """A transaction that commits between analysis and run shows in all of the answer, or in none."""
    # the oldest transaction and the newest stay as they are, so only the list of those between tells
    with primary.session() as oldest, primary.session() as writer:
        oldest.query("BEGIN; INSERT INTO other VALUES (1)")
        writer.query("BEGIN; INSERT INTO parcel VALUES (4)")
        primary.query("INSERT INTO other VALUES (2)")
        primary.catch_up()
        with primary.session(port=5433) as session:
            session.query("SET text2sql.schemas = public; SET text2sql.strategy = builtin")
            committing = threading.Timer(PAUSE / 2, lambda: writer.query("COMMIT"))
            committing.start()
            rows = session.query(ASK)
            committing.join()
        oldest.query("ROLLBACK")
    assert rows == [["4", "4"]]
