#!/usr/bin/env python3
"""Licences and sources of every dependency against deny.toml, offline.

Prints what breaks a rule and exits 1. Advisories need the network: `cargo deny check`.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

RULES = (Path(__file__).parent.parent / "deny.toml").read_text()


def rule(name):
    """The strings of the list `name = [...]` in deny.toml (tomllib needs Python 3.11)."""
    found = re.search(rf"^{name}\s*=\s*\[(.*?)\]", RULES, re.S | re.M)
    return re.findall(r'"([^"]+)"', found[1])


def permitted(expression, allowed):
    """Whether an SPDX expression can be met with the allowed licences."""
    tokens = re.findall(r"\(|\)|[^\s()/]+|/", expression.replace("/", " OR "))
    position = 0

    def peek():
        return tokens[position] if position < len(tokens) else None

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def single():
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

    def both():
        fine = single()
        while peek() == "AND":
            take()
            fine = single() and fine
        return fine

    def either():
        fine = both()
        while peek() == "OR":
            take()
            fine = both() or fine
        return fine

    return either()


def main():
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
