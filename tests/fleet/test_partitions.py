"""Partitions: the parent alone is known, with its key, and a query that reads all of them is reported."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from harness.fleet import Fleet, explained, rows, schema_shown
from harness.session import Session, memory_kb


@pytest.fixture(scope="module")
def monthly(fleet: Fleet) -> Iterator[Session]:
    """120 partitions, which are analysed without their parent."""
    session = fleet.primary()
    session.query("""
        CREATE SCHEMA monthly;
        CREATE TABLE monthly.sale (id int, sold_on date NOT NULL, shop text, amount int)
            PARTITION BY RANGE (sold_on);
        SELECT format('CREATE TABLE monthly.sale_%s PARTITION OF monthly.sale FOR VALUES FROM (%L) TO (%L)',
                      to_char(m, 'YYYYMM'), m, m + interval '1 month') AS made, m
        INTO TEMP TABLE months
        FROM generate_series(timestamp '2014-01-01', timestamp '2023-12-01', interval '1 month') m;
        DO $$ DECLARE one text; BEGIN FOR one IN SELECT made FROM months LOOP EXECUTE one; END LOOP; END $$;
        INSERT INTO monthly.sale
        SELECT g, date '2014-01-01' + g % 3652, 'shop ' || g % 4, g % 100 FROM generate_series(1, 120000) g""")
    # as autovacuum does it: the partitions, never their parent
    session.query("""DO $$ DECLARE one text; BEGIN
        FOR one IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'monthly.sale'::regclass
        LOOP EXECUTE 'ANALYZE ' || one; END LOOP; END $$""")
    yield session
    session.close()


@pytest.fixture(scope="module")
def old_style(fleet: Fleet) -> Iterator[Session]:
    """A parent with children by inheritance, of which only the children are analysed."""
    session = fleet.primary()
    session.query("""
        CREATE SCHEMA old_style;
        CREATE TABLE old_style.payment (id int, paid_on date, amount int);
        CREATE TABLE old_style.payment_2023_01 (CHECK (paid_on >= '2023-01-01' AND paid_on < '2023-02-01'))
            INHERITS (old_style.payment);
        CREATE TABLE old_style.payment_2023_02 (CHECK (paid_on >= '2023-02-01' AND paid_on < '2023-03-01'))
            INHERITS (old_style.payment);
        INSERT INTO old_style.payment_2023_01 SELECT g, date '2023-01-01' + g % 31, g FROM generate_series(1, 9000) g;
        INSERT INTO old_style.payment_2023_02 SELECT g, date '2023-02-01' + g % 28, g FROM generate_series(1, 7049) g;
        ANALYZE old_style.payment_2023_01; ANALYZE old_style.payment_2023_02""")
    yield session
    session.close()


def test_the_parent_alone_is_shown_with_all_rows_and_its_key(monthly: Session) -> None:
    shown = schema_shown(monthly, "Which shop has the most sales?")
    assert "Table monthly.sale (about 120000 rows, partitioned by range of sold_on)" in shown
    assert "sale_2" not in shown


def test_statistics_are_those_of_all_partitions_though_only_they_were_analysed(monthly: Session) -> None:
    found = str(monthly.query("SELECT statistics FROM text2sql.search_columns('sale sold_on', 1)"))
    assert "2014-01-01" in found
    assert "2023-12-31" in found


def test_a_query_that_reads_all_partitions_is_reported(monthly: Session) -> None:
    every = explained(monthly, "How many sales are there?", schemas="monthly")["notices"]
    assert [notice for notice in every if notice.startswith("all 120 partitions of monthly.sale are read")], every
    pruned = explained(monthly, "How many sales were sold in 2023?", schemas="monthly")["notices"]
    assert [notice for notice in pruned if "partitions" in notice] == []


def test_the_rows_of_one_year_are_right(monthly: Session) -> None:
    direct = monthly.value("SELECT count(*) FROM monthly.sale WHERE sold_on >= '2023-01-01'")
    assert rows(monthly, "How many sales were sold in 2023?", schemas="monthly") == [f'{{"count":{direct}}}']


def test_a_partition_by_itself_is_not_read(monthly: Session) -> None:
    with pytest.raises(psycopg.Error):
        monthly.query("SELECT run FROM text2sql.run('SELECT count(*) FROM monthly.sale_201401')")


def test_by_inheritance_the_parent_is_meant_with_the_rows_of_its_children(old_style: Session) -> None:
    assert rows(old_style, "How many payments are there?", schemas="old_style") == ['{"count":16049}']


def test_by_inheritance_the_parent_alone_is_shown(old_style: Session) -> None:
    shown = schema_shown(old_style, "How many payments are there?")
    assert "Table old_style.payment (16049 rows, partitioned by conditions on paid_on)" in shown
    assert "payment_2023" not in shown


MANY = {"How many readings are there?": None, "How many readings were taken on 2010-03-05?": 24}


@pytest.fixture(scope="module")
def many(fleet: Fleet) -> Iterator[tuple[int, Session]]:
    """Hundreds of partitions, with --full thousands."""
    number = fleet.size(300, 4000)
    session = fleet.primary()
    session.query("""CREATE SCHEMA many; CREATE TABLE many.reading (station int, taken_at timestamp, degrees float)
        PARTITION BY RANGE (taken_at)""")
    for begin in range(0, number, 500):
        session.query(f"""DO $$ BEGIN FOR n IN {begin}..{min(begin + 500, number) - 1} LOOP
            EXECUTE format('CREATE TABLE many.reading_%s PARTITION OF many.reading FOR VALUES FROM (%L) TO (%L)',
                n, timestamp '2010-01-01' + n * interval '1 day', timestamp '2010-01-01' + (n + 1) * interval '1 day');
            END LOOP; END $$""")
    session.query(f"""INSERT INTO many.reading SELECT g % 7, timestamp '2010-01-01' + g * interval '1 hour', g % 40
        FROM generate_series(0, {number} * 24 - 1) g""")
    session.query("ANALYZE many.reading")
    yield number, session
    session.close()


@pytest.fixture(scope="module")
def direct(fleet: Fleet, many: tuple[int, Session]) -> str:
    """How long the query itself takes, and the memory of a session that does nothing else."""
    with fleet.primary() as plain:
        begun = time.monotonic()
        plain.query("SELECT count(*) FROM many.reading")
        took = time.monotonic() - begun
        return f"counting all takes {took * 1000:.0f} ms and {memory_kb(plain.pid) >> 10} MB"


@pytest.mark.parametrize("turn", ["first", "again"])
@pytest.mark.parametrize("question", MANY)
def test_questions_over_many_partitions_are_answered(
    many: tuple[int, Session], direct: str, note: Callable[[str], None], question: str, turn: str
) -> None:
    number, session = many
    begun = time.monotonic()
    report = explained(session, question, schemas="many")
    took = time.monotonic() - begun
    counted = rows(session, question, schemas="many")
    assert counted == [f'{{"count":{MANY[question] or number * 24}}}'], report.get("error")
    memory = memory_kb(session.pid) >> 10
    note(f"{number} partitions, {question} {turn}: {took * 1000:.0f} ms, the session has {memory} MB; {direct}")
