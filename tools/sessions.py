"""Replays the SQL of the documentation on copies of the demo: see tools/sessions.

    ```psql            a session: statements after prompts, and what psql prints for them
    anna=> SELECT 1;   as role anna; `shop=#` and `demo=#` are the superuser
    ```sql             statements of the superuser, of which none may fail
    <!-- given         the same, for what a page takes for granted; readers do not see it

What is printed must be what the page says, where `…` stands for anything. The database is called shop, as in
the pages. In a `given`, :'model' is the scripted model server (pg_test/replies/sessions.json). What other hosts
run is tested by tools/recipes and tools/clients.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from page import agrees

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(sql|psql)\n(.*?)^```$|^<!-- given\n(.*?)^-->$", re.M | re.S)
PROMPT = re.compile(r"(\w+)=([#>]) ?")
CONTINUED = re.compile(r"\w+[-('\"][#>] ?")
SUPERUSER = {"demo", "shop", "postgres"}
ELSEWHERE = {"clients.md", "sqlite.md", "sqlite-hosts.md"}
MARK = "-- step --"


@dataclass
class Step:
    """One statement, or a block of them, with the output that is expected."""

    line: int
    role: str
    sql: str
    expected: str | None


def sessions(block: str, line: int) -> Iterator[Step]:
    """The statements of a session with what psql printed after each."""
    step: Step | None = None
    for number, text in enumerate(block.splitlines(), line):
        prompt = PROMPT.match(text)
        if prompt:
            if step:
                yield step
            step = Step(number, prompt[1], text[prompt.end() :], "")
        elif not step:
            raise SystemExit(f"line {number}: a session begins with a prompt: {text}")
        elif not step.expected and (continued := CONTINUED.match(text)):
            step.sql += "\n" + text[continued.end() :]
        else:
            step.expected = f"{step.expected}{text}\n"
    if step:
        yield step


def steps(page: str) -> Iterator[Step]:
    for block in BLOCK.finditer(page):
        line = page.count("\n", 0, block.start()) + 2
        kind, text, given = block.groups()
        if kind == "psql":
            yield from sessions(text, line)
        else:
            yield Step(line, "postgres", given or text, None)


def script(page: list[Step]) -> str:
    """What psql is given: a mark before each step, so that their outputs can be told apart."""
    lines = [r"\set model `echo \"$TEXT2SQL_MODEL/sessions/v1\"`".replace('\\"', '"')]
    for step in page:
        lines.append(
            "RESET SESSION AUTHORIZATION;" if step.role in SUPERUSER else f"SET SESSION AUTHORIZATION {step.role};"
        )
        lines += [f"\\echo '{MARK}'", step.sql, f"\\echo '{MARK}'"]
    return "\n".join(lines) + "\n"


def psql(database: str, sql: str, folder: str = "/") -> str:
    """What psql prints, errors where they occur; files that it writes go to the folder."""
    done = subprocess.run(
        ["psql", "-X", "-d", database],
        input=sql,
        cwd=folder,
        env={"TERM": "dumb", **os.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def trouble(step: Step, printed: str) -> str | None:
    if step.expected is not None:
        if agrees(printed, step.expected):
            return None
        return f"expected:\n{step.expected}\nprinted:\n{printed}"
    return printed if re.search(r"^(ERROR|FATAL|\S+: error):", printed, re.M) else None


def roles() -> set[str]:
    return set(
        psql("postgres", r"\pset format unaligned \pset tuples_only on" "\nSELECT rolname FROM pg_roles;").split()
    )


def replay(page: list[Step]) -> Iterator[tuple[Step, str | None]]:
    """The steps of a page in a database of its own, with what is wrong with each."""
    before = roles()
    psql("postgres", "DROP DATABASE IF EXISTS shop WITH (FORCE);\nCREATE DATABASE shop TEMPLATE demo;")
    # what other tests asked the demo is no part of a page
    psql("shop", "TRUNCATE text2sql.history_entry RESTART IDENTITY;")
    with tempfile.TemporaryDirectory() as folder:
        parts = psql("shop", script(page), folder).split(f"{MARK}\n")[1::2]
    for number, step in enumerate(page):
        yield step, trouble(step, parts[number]) if number < len(parts) else "psql ended before"
    made = ", ".join(sorted(roles() - before))
    end = "DROP DATABASE shop WITH (FORCE);\nALTER SYSTEM RESET ALL;\n" + (f"DROP ROLE {made};" if made else "")
    psql("postgres", end)


def main(arguments: list[str]) -> int:
    named = [Path(argument).resolve() for argument in arguments]
    pages = named or [ROOT / "README.md", ROOT / "examples/README.md", *sorted((ROOT / "docs").glob("*.md"))]
    passed = failed = 0
    for path in pages:
        page = [] if path.name in ELSEWHERE else list(steps(path.read_text(encoding="utf-8")))
        if not page:
            continue
        for step, wrong in replay(page):
            if wrong:
                print(f"{path.relative_to(ROOT)}:{step.line}: {step.sql}\n{wrong}\n")
            passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
