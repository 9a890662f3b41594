#!/usr/bin/env python3
"""The measured figures of the documentation, which programs write.

    figures.py                            fails where a page does not show what was measured
    figures.py write                      puts what was measured into the pages
    figures.py run COMMAND…               runs it and keeps each table that it prints after a line `figures: NAME`
    figures.py measure FOLDER [NAME…]     measures with text2sql-eval on published benchmarks

A measurement is a file docs/figures/NAME.tsv: when, on what and by which command it was made, then a heading and rows.
A page shows it as a table between `<!-- figures: NAME -->` and `<!-- end of figures -->`, and a single cell in a
sentence between `<!-- figure: NAME, ROW, COLUMN -->` and `<!-- end -->`, ROW and COLUMN being their headings.
FOLDER holds spider/, bird/ and sql-eval/ as their authors publish them.
"""

from __future__ import annotations

import datetime
import itertools
import os
import re
import shlex
import subprocess
import sys

from generated import ROOT, keep

MEASURED = ROOT / "docs/figures"
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
CELL = re.compile(r"(<!-- figure: (\w+), ([^,]+), (.+?) -->).*?(<!-- end -->)", re.DOTALL)

# What each table is made of: the text in a row's first column, and the arguments of text2sql-eval that print the rest.
SPIDER = "--dataset spider --folder FOLDER/spider"
BIRD = "--dataset bird --folder FOLDER/bird"
# A busy machine must not change what is found of stored values.
ASKED = "--set value_search_timeout=20000"
MEASURED_HALF = f"run {SPIDER} --split measure {ASKED}"
LOOKED_AT = f"run {SPIDER} --split look {ASKED}"
PROMPT = f"recall --prompt zero_shot {SPIDER}"
TABLES = {
    "builtin": {
        "the measured half": MEASURED_HALF,
        "the half looked at": LOOKED_AT,
        "measured: columns unnamed": f"{MEASURED_HALF} --variant unnamed",
        "measured: a synonym": f"{MEASURED_HALF} --variant synonym",
        "looked at: a synonym": f"{LOOKED_AT} --variant synonym",
        "measured: synonyms only": f"{MEASURED_HALF} --variant synonyms",
        "looked at: synonyms only": f"{LOOKED_AT} --variant synonyms",
        "measured: asked elsewhere": f"{MEASURED_HALF} --variant elsewhere",
    },
    "prompt_recall": {
        "the measured half": f"{PROMPT} --split measure --sample 800",
        "the half looked at": f"{PROMPT} --split look --sample 800",
    },
    "inferred_keys": {
        "looked at": f"keys {SPIDER} --split look",
        "measured": f"keys {SPIDER} --split measure",
        "all": f"keys {SPIDER}",
    },
    "column_recall": {
        "Spider, databases looked at": f"recall {SPIDER} --split look",
        "Spider, databases measured": f"recall {SPIDER} --split measure",
        "sql-eval": "recall --dataset sql-eval --folder FOLDER/sql-eval",
        "BIRD, one database": f"recall {BIRD}",
        "the same with evidence": f"recall {BIRD} --evidence",
    },
}
HEADINGS = {"inferred_keys": "databases"}
# Of a run's figures, those that are shown, and as what.
SHOWN = {
    "asked": "asked",
    "answered": "answered",
    "right among answered (precision)": "precision",
    "right among all (execution accuracy)": "execution accuracy",
    "declined among questions without an answer": "declined",
}

Rows = list[list[str]]


def cells(line: str) -> list[str]:
    """The cells of a row of a Markdown table."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table_in(printed: str) -> Rows:
    """The first table that a program printed, its heading first; psql's border 2 is one too."""
    begun = re.search(r"^[|+]", printed, re.MULTILINE)
    lines = printed[begun.start() :].splitlines() if begun else []
    lines = list(itertools.takewhile(lambda line: line[:1] in ("|", "+"), lines))
    return [cells(line) for line in lines if not set(line) <= set("|+-: ")]


def tables_in(printed: str) -> dict[str, Rows]:
    """Each table that follows a line with its name."""
    named = re.split(r"^figures: (\w+)$", printed, flags=re.MULTILINE)
    return {name: table_in(text) for name, text in zip(named[1::2], named[2::2])}


def as_markdown(rows: Rows) -> str:
    """A table whose columns of figures are aligned to the right."""
    figures = [all(re.match(r"[\d.-]|$", row[at]) for row in rows[1:]) for at in range(len(rows[0]))]
    rule = "|" + "|".join("--:" if is_figures else "---" for is_figures in figures) + "|"
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], rule, *lines[1:]])


def read(name: str) -> tuple[str, Rows]:
    """How a measurement was made, and its table."""
    file = MEASURED / f"{name}.tsv"
    if not file.exists():
        sys.exit(f"no {file.relative_to(ROOT)}: it has to be measured first")
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    return first.removeprefix("# "), [line.split("\t") for line in lines]


def shown(name: str) -> str:
    """A measurement as a page shows it."""
    made, rows = read(name)
    return f"{as_markdown(rows)}\n\n({made})\n"


def cell(name: str, row: str, column: str) -> str:
    """One figure of a measurement."""
    heading, *rows = read(name)[1]
    return next(cells for cells in rows if cells[0] == row)[heading.index(column)]


def store(name: str, rows: Rows, command: str) -> None:
    """Keeps a measurement; the load is that of the last minutes, of which its own work is a part."""
    made = f"{datetime.date.today().isoformat()}, {os.cpu_count()} cores under a load of {os.getloadavg()[1]:.0f}"
    text = "\n".join("\t".join(row) for row in rows)
    (MEASURED / f"{name}.tsv").write_text(f"# {made}: `{command}`\n{text}\n", encoding="utf-8")


def run(command: list[str]) -> None:
    program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    printed = ""
    for line in program.stdout or []:
        print(line, end="", flush=True)
        printed += line
    if program.wait():
        sys.exit(program.returncode)
    for name, rows in tables_in(printed).items():
        store(name, rows, shlex.join(command))


def of_a_run(figures: Rows) -> Rows:
    """Those that are shown, beside each other."""
    values = dict(figures[1:])
    return [list(SHOWN.values()), [values.get(figure, "-") for figure in SHOWN]]


def measure(folder: str, name: str) -> None:
    rows: Rows = []
    for label, arguments in TABLES[name].items():
        command = ["target/debug/text2sql-eval", *arguments.replace("FOLDER", folder).split()]
        printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        table = table_in(printed)
        heading, *found = of_a_run(table) if command[1] == "run" else table
        rows = rows or [[HEADINGS.get(name, "questions"), *heading]]
        rows += [[label, *row] for row in found]
        print(printed)
    store(name, rows, f"tools/figures.py measure FOLDER {name}")


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["run"] and len(arguments) > 1:
        run(arguments[1:])
    elif arguments[:1] == ["measure"] and len(arguments) > 1:
        subprocess.run(["cargo", "build", "--quiet", "-p", "text2sql-eval"], cwd=ROOT, check=True)
        for name in arguments[2:] or TABLES:
            measure(arguments[1], name)
    elif arguments not in ([], ["write"]):
        sys.exit(__doc__)
    pages = {page: page.read_text(encoding="utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]}
    used = {match[2] for text in pages.values() for match in [*BLOCK.finditer(text), *CELL.finditer(text)]}
    unused = [file.name for file in MEASURED.glob("*.tsv") if file.stem not in used]
    print("".join(f"no page shows docs/figures/{name}\n" for name in unused), end="")
    renewed = {
        page: CELL.sub(
            lambda match: match[1] + cell(match[2], match[3], match[4]) + match[5],
            BLOCK.sub(lambda match: match[1] + shown(match[2]) + match[3], text),
        )
        for page, text in pages.items()
    }
    return keep(renewed, bool(arguments)) or bool(unused)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
