"""Partitions: the parent alone is known, its key is told, and a query that reads all of them is."""

from __future__ import annotations

import json
import time

from checks import memory_kb
from fleet_servers import Fleet, explained, literal, outcome, rows, schema_shown
from pgwire import ServerError, Session


def prepare(fleet: Fleet) -> None:
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


def notices(session: Session, question: str, **options: object) -> list[str]:
    report = explained(session, question, strategy="'builtin'", options=literal(json.dumps(options)))
    return [str(notice) for notice in report["notices"]]


def check_partitions(fleet: Fleet) -> None:
    check, session = fleet.check, fleet.primary()
    shown = schema_shown(session, "Which shop has the most sales?")
    wanted = "Table monthly.sale (about 120000 rows, partitioned by range of sold_on)"
    check("partitions: the parent alone is shown, with all rows and its key", wanted in shown and "sale_2" not in shown)
    found = session.query("SELECT statistics FROM text2sql.search_columns('sale sold_on', 1)")
    both_ends = "2014-01-01" in str(found) and "2023-12-31" in str(found)
    check("partitions: statistics are those of all partitions, though only they were analysed", both_ends, found)
    every = notices(session, "How many sales are there?", schemas="monthly")
    pruned = notices(session, "How many sales were sold in 2023?", schemas="monthly")
    told = [notice for notice in every if notice.startswith("all 120 partitions of monthly.sale are read")]
    check("partitions: that all of them are read is told", told and not [n for n in pruned if "partitions" in n], every)
    count = rows(session, "How many sales were sold in 2023?", schemas="monthly")
    direct = session.value("SELECT count(*) FROM monthly.sale WHERE sold_on >= '2023-01-01'")
    check("partitions: a year's rows are right", count == [f'{{"count":{direct}}}'], (count, direct))
    refused = outcome(session, "SELECT run FROM text2sql.run('SELECT count(*) FROM monthly.sale_201401')")
    check("partitions: one by itself is not read", isinstance(refused, ServerError), refused)
    old_style(fleet, session)
    many(fleet)


def old_style(fleet: Fleet, session: Session) -> None:
    check = fleet.check
    count = rows(session, "How many payments are there?", schemas="old_style")
    check("inheritance: the parent is meant, with the rows of its children", count == ['{"count":16049}'], count)
    shown = schema_shown(session, "How many payments are there?")
    wanted = "Table old_style.payment (16049 rows, partitioned by conditions on paid_on)"
    check("inheritance: and it alone is shown", wanted in shown and "payment_2023" not in shown)


def many(fleet: Fleet) -> None:
    """Thousands of partitions: what the first question and the next ones take."""
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
    took = []
    asking, plain = fleet.primary(), fleet.primary()
    for question in ["How many readings are there?", "How many readings were taken on 2010-03-05?"] * 2:
        begun = time.monotonic()
        report = explained(asking, question, strategy="'builtin'", execute="true", options='\'{"schemas": "many"}\'')
        took.append((time.monotonic() - begun) * 1000)
        wanted = number * 24 if "there" in question else 24
        counted = rows(asking, question, schemas="many")
        fleet.check(
            f"{number} partitions: {question}", counted == [f'{{"count":{wanted}}}'], report.get("error") or counted
        )
    begun = time.monotonic()
    plain.query("SELECT count(*) FROM many.reading")
    direct = (time.monotonic() - begun) * 1000
    print(
        f"    {number} partitions: all of them {took[0]:.0f} ms first, {took[2]:.0f} ms again (the query itself "
        f"{direct:.0f} ms); one of them {took[1]:.0f} ms, {took[3]:.0f} ms again; "
        f"{memory_kb(asking.pid) >> 10} MB against {memory_kb(plain.pid) >> 10} MB of a session that only counts",
        flush=True,
    )
