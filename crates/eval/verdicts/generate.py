"""Write spider.jsonl, bird.jsonl and sql_eval.jsonl: pairs of results with the verdicts of the
official scorers' own functions. Run again only when a scorer changes:

    python3 crates/eval/verdicts/generate.py --official DIR --postgres 'host=… user=postgres'

DIR holds the published functions, retyped, in four modules (README.md says which and from
where); needs sqlparse, pandas 2.2 and psycopg2. The queries and the data are made up here.
"""

import argparse
import itertools
import json
import pathlib
import random
import sqlite3
import sys

SCHEMA = """
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner (id), name TEXT,
                  species TEXT, weight REAL, born DATE, neutered BOOLEAN);
CREATE TABLE visit (id INTEGER PRIMARY KEY, pet_id INTEGER REFERENCES pet (id), cost NUMERIC(8, 2),
                    day DATE, note TEXT);
INSERT INTO owner VALUES (1,'Ana','Lyon',34),(2,'Bo','Graz',51),(3,'Cy','Lyon',NULL),
                         (4,'Di','Oslo',34),(5,'Ana','Oslo',28);
INSERT INTO pet VALUES (1,1,'Rex','dog',12.5,'2019-03-01',true),(2,1,'Tom','cat',4.0,'2020-07-15',true),
                       (3,2,'Ivy','cat',3.5,NULL,false),(4,3,'Rex','dog',30,'2015-01-01',false),
                       (5,4,'Ziz','bird',NULL,'2021-11-30',NULL),(6,4,'Kit','cat',4.0,'2020-07-15',true);
INSERT INTO visit VALUES (1,1,50.00,'2023-01-05','shots'),(2,1,20.50,'2023-02-05',NULL),
                         (3,2,50.00,'2023-01-05','shots'),(4,3,120.00,'2023-03-09','tooth'),
                         (5,4,20.50,'2023-03-09','check'),(6,4,20.50,'2023-03-10','check'),
                         (7,6,0.00,'2023-04-01',NULL);
"""

# Families of queries that answer, or seem to answer, one question: every pair within a family
# is a pair to judge.
FAMILIES = [
    ["SELECT name FROM owner", "SELECT DISTINCT name FROM owner", "SELECT name FROM owner ORDER BY name",
     "SELECT name FROM owner ORDER BY id DESC", "SELECT name FROM pet", "SELECT name FROM owner WHERE age > 0"],
    ["SELECT name, age FROM owner", "SELECT age, name FROM owner", "SELECT name, age FROM owner WHERE age IS NOT NULL",
     "SELECT name, age, city FROM owner", "SELECT name, id FROM owner", "SELECT age, name FROM owner ORDER BY age"],
    ["SELECT count(*) FROM pet", "SELECT count(id) FROM pet", "SELECT count(weight) FROM pet",
     "SELECT count(DISTINCT name) FROM pet", "SELECT 6.0", "SELECT '6'", "SELECT count(*), 1 FROM pet"],
    ["SELECT species, count(*) FROM pet GROUP BY species", "SELECT count(*), species FROM pet GROUP BY species",
     "SELECT species, count(*) FROM pet GROUP BY species ORDER BY count(*) DESC",
     "SELECT species, count(weight) FROM pet GROUP BY species",
     "SELECT species, count(*) AS n, min(name) FROM pet GROUP BY species", "SELECT species, 1.0 * count(*) FROM pet GROUP BY species"],
    ["SELECT species, avg(weight) FROM pet GROUP BY species", "SELECT species, sum(weight) / count(*) FROM pet GROUP BY species",
     "SELECT species, sum(weight) / count(weight) FROM pet GROUP BY species", "SELECT avg(weight), species FROM pet GROUP BY species ORDER BY species"],
    ["SELECT o.name, p.name FROM owner AS o JOIN pet AS p ON o.id = p.owner_id", "SELECT p.name, o.name FROM owner AS o JOIN pet AS p ON o.id = p.owner_id",
     "SELECT o.name, p.name FROM owner AS o LEFT JOIN pet AS p ON o.id = p.owner_id", "SELECT DISTINCT o.name, p.name FROM owner AS o JOIN pet AS p ON o.id = p.owner_id",
     "SELECT o.name, p.name FROM owner AS o JOIN pet AS p ON o.id = p.id"],
    ["SELECT name FROM pet WHERE species = 'bat'", "SELECT id FROM pet WHERE weight > 99", "SELECT name, id FROM pet WHERE id < 0", "SELECT name FROM pet WHERE id = 1"],
    ["SELECT name FROM pet ORDER BY weight DESC LIMIT 1", "SELECT name FROM pet WHERE weight = (SELECT max(weight) FROM pet)",
     "SELECT name, weight FROM pet ORDER BY weight DESC LIMIT 1", "SELECT name FROM pet WHERE id IN (1, 4)", "SELECT name FROM pet ORDER BY weight LIMIT 1"],
    ["SELECT city FROM owner WHERE age > 30 INTERSECT SELECT city FROM owner WHERE age < 30", "SELECT city FROM owner WHERE age < 30",
     "SELECT DISTINCT a.city FROM owner AS a JOIN owner AS b ON a.city = b.city WHERE a.age > 30 AND b.age < 30", "SELECT city FROM owner WHERE age > 30"],
    ["SELECT cost FROM visit", "SELECT DISTINCT cost FROM visit", "SELECT cost FROM visit ORDER BY cost", "SELECT cost FROM visit ORDER BY cost DESC",
     "SELECT cost + 0.0000001 FROM visit", "SELECT cost * 2 FROM visit"],
    ["SELECT day, cost FROM visit ORDER BY day", "SELECT day, cost FROM visit ORDER BY day DESC", "SELECT cost, day FROM visit ORDER BY day, id DESC", "SELECT day, cost FROM visit"],
    ["SELECT id, owner_id, id, owner_id FROM pet", "SELECT owner_id, id, owner_id, id FROM pet", "SELECT id, id, owner_id, owner_id FROM pet", "SELECT id, owner_id, owner_id, owner_id FROM pet"],
    ["SELECT id, name, species, weight, owner_id FROM pet", "SELECT weight, owner_id, species, name, id FROM pet", "SELECT name, id, weight, species, id FROM pet"],
    ["SELECT note FROM visit", "SELECT note FROM visit WHERE note IS NOT NULL", "SELECT coalesce(note, '') FROM visit", "SELECT note FROM visit ORDER BY note", "SELECT NULL FROM visit"],
    ["SELECT name, weight FROM pet", "SELECT name, coalesce(weight, 0) FROM pet", "SELECT weight, name FROM pet ORDER BY weight", "SELECT name, weight FROM pet WHERE weight IS NOT NULL"],
    ["SELECT name, neutered FROM pet", "SELECT name, neutered FROM pet WHERE neutered IS NOT NULL", "SELECT neutered, name FROM pet"],
]

# Category and wording tell sql-eval whether the order of rows counts.
ASKED = [("group_by", "Which are there?"), ("order_by", "Which are there?"), ("ratio", "Sort them, please.")]


def pairs():
    """Ordered pairs of queries with every family's members against each other and themselves."""
    for family in FAMILIES:
        yield from itertools.product(family, family)


def write(name, lines):
    path = pathlib.Path(__file__).parent / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    print(name, len(lines))


def sqlite():
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA.replace("true", "1").replace("false", "0"))
    return database


def spider():
    from exec_eval import postprocess, result_eq
    from parse import remove_distinct

    database, lines = sqlite(), []
    for gold, predicted in pairs():
        for keep in (False, True):
            run = [postprocess(q) for q in (gold, predicted)]
            run = run if keep else [remove_distinct(q) for q in run]
            if keep and "distinct" not in (gold + predicted).lower():
                continue  # the same as without
            rows = [database.execute(q).fetchall() for q in run]
            ordered = "order by" in run[0].lower()
            verdict = result_eq(*rows, order_matters=ordered)
            lines.append({"gold": gold, "predicted": predicted, "keep_distinct": keep, "prepared": run,
                          "gold_rows": rows[0], "predicted_rows": rows[1], "same": verdict})
    write("spider.jsonl", lines)


def bird():
    from bird import calculate_ex, calculate_f1_score

    database, lines = sqlite(), []
    for gold, predicted in pairs():
        rows = [database.execute(q).fetchall() for q in (gold, predicted)]
        lines.append({"gold": gold, "predicted": predicted, "gold_rows": rows[0], "predicted_rows": rows[1],
                      "same": bool(calculate_ex(rows[1], rows[0])), "soft_f1": calculate_f1_score(rows[1], rows[0])})
    write("bird.jsonl", lines)


def frame_and_text(connection, query):
    """The data frame that sql-eval compares, and the same result as text with its types."""
    import pandas
    import psycopg2.extensions as types

    frame = pandas.read_sql_query(query, connection)
    with connection.cursor() as cursor:
        cursor.execute(query)
        oids = [column.type_code for column in cursor.description]
        raw = types.new_type(tuple(set(oids)), "RAW", lambda value, _: value)
        types.register_type(raw, cursor)
        cursor.execute(query)
        return frame, {"columns": [c.name for c in cursor.description], "types": oids, "rows": cursor.fetchall()}


def sql_eval(postgres):
    import psycopg2
    from sqleval import compare_df, subset_df

    connection = psycopg2.connect(postgres)
    connection.cursor().execute("CREATE TEMP TABLE gone (); DROP TABLE gone;" + SCHEMA.replace("CREATE TABLE", "CREATE TEMP TABLE"))
    lines = []
    for place, (gold, predicted) in enumerate(pairs()):
        category, question = ASKED[place % len(ASKED)]
        gold_frame, gold_text = frame_and_text(connection, gold)
        frame, text = frame_and_text(connection, predicted)
        try:
            exact = bool(compare_df(gold_frame, frame, category, question))
            same = exact or bool(subset_df(gold_frame, frame, category, question))
        except Exception as error:  # the official runner counts an exception as not correct
            exact, same = False, False
            print(f"{type(error).__name__}: {gold} | {predicted}", file=sys.stderr)
        lines.append({"gold": gold, "predicted": predicted, "category": category, "question": question,
                      "gold_result": gold_text, "predicted_result": text, "exact": exact, "same": same})
    write("sql_eval.jsonl", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--official", required=True)
    parser.add_argument("--postgres", required=True)
    options = parser.parse_args()
    sys.path.insert(0, options.official)
    random.seed(0)
    spider()
    bird()
    sql_eval(options.postgres)
