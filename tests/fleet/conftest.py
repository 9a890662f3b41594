"""The fleet's servers, empty but for makers and tools; --full makes all rows, partitions and sessions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from harness.cluster import fresh
from harness.fleet import Fleet
from harness.model import ModelServer

SETUP = """
CREATE EXTENSION pg_trgm; CREATE EXTENSION text2sql;
CREATE SERVER model FOREIGN DATA WRAPPER text2sql
    OPTIONS (base_url '%s', model 'm', total_timeout '1h', retries '0');
CREATE ROLE asker LOGIN; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO asker;
ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO asker; GRANT USAGE ON FOREIGN SERVER model TO asker;
ALTER DATABASE fleet SET text2sql.server = 'model';
ALTER DATABASE fleet SET text2sql.strategy = 'zero_shot';
CREATE TABLE maker (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO maker SELECT g, 'maker number ' || g FROM generate_series(1, 3000) g;
CREATE TABLE tool (id int PRIMARY KEY, kind text, maker_id int REFERENCES maker);
INSERT INTO tool SELECT g, (ARRAY['saw', 'drill', 'plane'])[1 + g %% 3], 1 + g FROM generate_series(1, 300) g;
ANALYZE maker, tool;
"""


@pytest.fixture(scope="package")
def fleet(model: ModelServer, request: pytest.FixtureRequest) -> Iterator[Fleet]:
    """The primary and the shards; standby and pooler are made by the tests that need them."""
    script = model.script("fleet")
    settings = {"max_connections": "700", "max_locks_per_transaction": "256", "shared_buffers": "256MB"}
    with ExitStack() as clusters:
        main = clusters.enter_context(fresh("fleet", **settings))
        shards = [clusters.enter_context(fresh(f"shard{n}", log_statement="all")) for n in (1, 2, 3)]
        main.query("CREATE DATABASE fleet")
        main.query(SETUP % script.base_url, "fleet")
        script.reset()
        yield Fleet(main, shards, script, request.config.getoption("full"))
