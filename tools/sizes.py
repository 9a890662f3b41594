#!/usr/bin/env python3
"""Files of more than 500 lines, and functions of more than 70, in Rust and Python.

    tools/sizes.py

Prints each on a line; exits with 1 where there is one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 70
FOLDERS = ["bench", "crates", "examples", "fuzz", "packaging", "src", "tests", "tools"]

# As rustfmt lays it out: the body ends at the line that closes it at its own indentation.
RUST_FUNCTION = re.compile(
    r"^( *)(?:[a-z()]+ )*?(?:extern \"[^\"]*\" )?fn (\w+)(?:[^;]|;[^\n])*?\{\n.*?^\1\}$", re.MULTILINE | re.DOTALL
)


def functions(text: str, suffix: str) -> Iterator[tuple[str, int]]:
    """The name of each function and how many lines it has."""
    if suffix == ".rs":
        for function in RUST_FUNCTION.finditer(text):
            yield function[2], function[0].count("\n") + 1
    else:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield node.name, (node.end_lineno or 0) - node.lineno + 1


def too_long(path: Path) -> Iterator[str]:
    """What of a file is longer than it may be."""
    text = path.read_text()
    if (count := text.count("\n")) > MAX_FILE_LINES:
        yield f"{path} has {count} lines"
    for name, count in functions(text, path.suffix):
        if count > MAX_FUNCTION_LINES:
            yield f"{path}: {name}() has {count} lines"


def main() -> int:
    files = (path for folder in FOLDERS for path in sorted(Path(folder).rglob("*.*")))
    sources = (path for path in files if path.suffix in (".rs", ".py") and "target" not in path.parts)
    found = [line for path in sources for line in too_long(path)]
    print("".join(f"{line}\n" for line in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
