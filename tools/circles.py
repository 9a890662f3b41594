#!/usr/bin/env python3
"""Circles among the modules of a crate: files that import each other, directly or through others.

    tools/circles.py [CRATE/src …]

A parent and its own child modules may know each other and count as one. Prints each circle on a
line; exits with 1 where there is one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

DEFAULT = ["crates/engine/src", "crates/models/src", "crates/sqlite/src", "crates/eval/src", "src"]
USE = re.compile(r"^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+((?:crate|super|self)::[^;]+);", re.MULTILINE)
INLINE = re.compile(r"(?<![\w:])((?:crate|super)(?:::\w+)+)")
COMMENT = re.compile(r"//[^\n]*")
TESTS = re.compile(r"#\[cfg\(test\)\]\s*mod \w+ \{.*\Z", re.DOTALL)

Module = tuple[str, ...]


def modules(root: Path) -> dict[Module, Path]:
    """Each file of the crate under its module path."""
    found = {}
    for path in root.rglob("*.rs"):
        parts = list(path.relative_to(root).with_suffix("").parts)
        if parts[-1] in ("mod", "lib", "main"):
            parts.pop()
        if "tests" not in parts:
            found[tuple(parts)] = path
    return found


def expand(tree: str) -> Iterator[str]:
    """The single paths of a use tree: `a::{b, c::d}` is `a::b` and `a::c::d`."""
    tree = tree.strip()
    start = tree.find("{")
    if start < 0:
        yield tree.split(" as ")[0]
        return
    prefix, depth, part = tree[:start], 0, ""
    for letter in tree[start + 1 : tree.rfind("}")] + ",":
        if letter == "," and depth == 0:
            if part.strip():
                for rest in expand(part):
                    yield prefix + rest
            part = ""
            continue
        depth += {"{": 1, "}": -1}.get(letter, 0)
        part += letter


def resolve(path: str, within: Module, known: dict[Module, Path]) -> Module | None:
    """The file that a path leads to: its longest prefix that is a module."""
    parts = path.split("::")
    base: list[str] = []
    if parts[0] != "crate":
        base = list(within)
        while parts and parts[0] in ("super", "self"):
            if parts.pop(0) == "super":
                base = base[:-1]
    else:
        parts.pop(0)
    full = base + parts
    for length in range(len(full), 0, -1):
        if tuple(full[:length]) in known:
            return tuple(full[:length])
    return None


def imports(known: dict[Module, Path]) -> dict[Module, set[Module]]:
    """Which files each file needs, its own parents and children left out."""
    graph: dict[Module, set[Module]] = {}
    for module, path in known.items():
        text = TESTS.sub("", COMMENT.sub("", path.read_text()))
        paths = [p for tree in USE.findall(text) for p in expand(tree)] + INLINE.findall(text)
        needed = {resolve(p, module, known) for p in paths} - {None, module}
        graph[module] = {n for n in needed if n and n[: len(module)] != module and module[: len(n)] != n}
    return graph


def circles(graph: dict[Module, set[Module]]) -> list[list[Module]]:
    """Strongly connected components of more than one file (Tarjan 1972)."""
    index: dict[Module, int] = {}
    low: dict[Module, int] = {}
    stack: list[Module] = []
    found: list[list[Module]] = []

    def visit(module: Module) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for needed in graph[module]:
            if needed not in index:
                visit(needed)
                low[module] = min(low[module], low[needed])
            elif needed in stack:
                low[module] = min(low[module], index[needed])
        if low[module] == index[module]:
            at = stack.index(module)
            circle, stack[at:] = stack[at:], []
            if len(circle) > 1:
                found.append(sorted(circle))

    for module in graph:
        if module not in index:
            visit(module)
    return found


def main(roots: list[str]) -> int:
    sys.setrecursionlimit(10_000)
    total = 0
    for root in roots:
        graph = imports(modules(Path(root)))
        for circle in circles(graph):
            total += 1
            print(f"{root}: {len(circle)} files: " + ", ".join("::".join(m) or "lib" for m in circle))
            if "-v" in sys.argv:
                for module in circle:
                    for needed in sorted(graph[module] & set(circle)):
                        print(f"    {'::'.join(module)} -> {'::'.join(needed)}")
    print(f"{total} circles")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main([a for a in sys.argv[1:] if a != "-v"] or DEFAULT))
