"""What a question costs each strategy with a model that answers at once and rightly.

    strategies.py MODEL_URL [NAME=DATABASE[/SCHEMA]:TABLE:COLUMN …]   (PGHOST names the server)

Each argument names a database, the schema asked if not all, and a table and number column that
the question is about. Prints, from the second question on: calls, rounds, tokens (bytes / 4) read
and written, bytes of the largest prompt, and the milliseconds, median of five. Nothing is judged.
"""

import json
import statistics
import sys
from collections.abc import Iterator

from harness.model import Rule, Script
from measure import create_server, session_with, table

MODEL = Script(sys.argv[1], "bench")
STRATEGIES = ["zero_shot", "gsr", "mag", "interactive"]
REPORT = """
SELECT concat_ws(' ', r->>'calls', r->>'rounds', r->'usage'->>'prompt_tokens', r->'usage'->>'completion_tokens',
    (SELECT max(bytes) FROM (SELECT sum(octet_length(m->>'content')) AS bytes
     FROM json_array_elements(r->'steps') WITH ORDINALITY AS x(s, i), json_array_elements(s->'prompt') AS m
     GROUP BY i) AS sizes), r->>'ms')
FROM text2sql.explain('%s', strategy => '%s') AS r;"""


def rules(table: str, column: str, question: str, tables: list[str]) -> list[Rule]:
    """Replies that any strategy ends with, made for one table."""
    sql = f"SELECT sum({column}) FROM {table}"
    action = "Thought: next.\nAction: {} [END]".format
    return [
        {"contains": "removed from the schema", "reply": json.dumps({table: ["id"]})},
        {"contains": "Say in one sentence", "reply": json.dumps(dict.fromkeys(tables, "Rows."))},
        {"contains": "Decompose the question", "reply": f"## What is the {column}?\n## {question}"},
        {"contains": "Find the columns", "reply": json.dumps({column: [f"{table}.{column}"]})},
        {"contains": "<result>", "matches": "^Observation", "reply": action("Done")},
        {"matches": "^Observation", "reply": action(f'ExecuteSQL("{sql}")')},
        {
            "matches": "Write the|Work in this order|The query to check|one sql block",
            "reply": f"1. {question}\n```sql\n{sql}\n```",
        },
        {"reply": action(f'SearchColumn("{column}")')},
    ]


def measure(name: str, place: str, asked: str, column: str) -> Iterator[list[object]]:
    """A row for each strategy."""
    database, _, schema = place.partition("/")
    create_server(database, "bench", MODEL.base_url)
    session = session_with(
        database,
        "SET text2sql.server = 'bench'; SET text2sql.cache = off; "
        f"SET text2sql.schemas = '{schema}'; SET search_path = {schema or 'public'};",
    )
    tables = session.value(
        "SELECT string_agg(DISTINCT relname, ' ') FROM pg_class c JOIN pg_namespace n "
        "ON n.oid = c.relnamespace WHERE relkind IN ('r', 'p', 'v', 'm') AND "
        f"n.nspname = '{schema or 'public'}';"
    ).split()
    question = f"What is the total {column} of {asked}?"
    MODEL.set_rules(rules(asked, column, question, tables))
    for strategy in STRATEGIES:
        ask = REPORT % (question, strategy)
        session.query(ask)  # reads the catalog, summarizes tables
        answers = [session.value(ask).split() for _ in range(5)]
        calls, rounds, read, written, largest, _ = answers[-1]
        ms = statistics.median(float(answer[-1]) for answer in answers)
        yield [f"{name}, {strategy}", calls, rounds, read, written, largest, f"{ms:.1f}"]
    session.close()


def main() -> None:
    rows: list[list[object]] = []
    for argument in sys.argv[2:]:
        name, _, rest = argument.partition("=")
        rows += measure(name, *rest.split(":"))
    heading = "database, strategy | calls | rounds | tokens read | written | largest prompt, bytes | ms"
    table("strategy_costs", heading, rows)


main()
