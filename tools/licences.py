#!/usr/bin/env python3
"""Licences and sources of every dependency against deny.toml, offline.

Prints what breaks a rule and exits 1. Advisories need the network: `cargo deny check`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

RULES = (Path(__file__).parent.parent / "deny.toml").read_text()


def rule(name: str) -> list[str]:
    """The strings of the list `name = [...]` in deny.toml (tomllib needs Python 3.11)."""
    found = re.search(rf"^{name}\s*=\s*\[(.*?)\]", RULES, re.S | re.M)
    return re.findall(r'"([^"]+)"', found[1]) if found else []


def permitted(expression: str, allowed: list[str]) -> bool:
    """Whether an SPDX expression can be met with the allowed licences."""
    tokens: list[str] = re.findall(r"\(|\)|[^\s()/]+|/", expression.replace("/", " OR "))
    position = 0

    def peek() -> str | None:
        return tokens[position] if position < len(tokens) else None

    def take() -> str:
        nonlocal position
        position += 1
        return tokens[position - 1]

    def single() -> bool:
        if peek() == "(":
            take()
            inner = either()
            take()
            return inner
        name = take()
        if peek() == "WITH":
            take()
            name = f"{name} WITH {take()}"
        return name in allowed

    def chain(operator: str, part: Callable[[], bool]) -> list[bool]:
        parts = [part()]
        while peek() == operator:
            take()
            parts.append(part())
        return parts

    def both() -> bool:
        return all(chain("AND", single))

    def either() -> bool:
        return any(chain("OR", both))

    return either()


def main() -> int:
    metadata = json.loads(subprocess.check_output(["cargo", "metadata", "--format-version", "1", "--locked"]))
    allowed, registries = rule("allow"), rule("allow-registry")
    wrong = []
    for package in metadata["packages"]:
        label = f"{package['name']} {package['version']}"
        licence, source = package["license"], package["source"]
        if not licence or not permitted(licence, allowed):
            wrong.append(f"{label}: licence {licence}")
        if source and source.removeprefix("registry+") not in registries:
            wrong.append(f"{label}: source {source}")
    print("\n".join(wrong) or f"licences: {len(metadata['packages'])} packages, all permitted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
