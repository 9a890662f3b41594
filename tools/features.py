#!/usr/bin/env python3
"""Whether what this project builds asks for the crates that it shares in the same features: if not, cargo compiles
them, and all that stands on them, again. What it prints belongs into crates/features/Cargo.toml.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict

from docs import ROOT

# What tools/test builds, by the options of cargo.
BUILDS = {
    "the PostgreSQL extension": ["-p", "text2sql", "-p", "text2sql-schema"],
    "the SQLite extension": ["-p", "text2sql-sqlite", "--features", "loadable"],
    "the evaluation": ["-p", "text2sql-eval"],
    "the fuzzing": ["-p", "text2sql-fuzz"],
    "the tests": ["--workspace", "--exclude", "text2sql", "--exclude", "text2sql-fuzz", "--edges", "normal,build,dev"],
    "clippy": ["--workspace", "--edges", "normal,build,dev"],
}
# As a tool of one build script, and as a library elsewhere; SQLite, linked and loaded.
DIFFERENT = {"text2sql-sqlite", "regex", "regex-automata", "regex-syntax", "rusqlite", "libsqlite3-sys"}


def features(options: list[str]) -> dict[str, set[str]]:
    """The crates of a build, each with the sets of features in which it is compiled: for the build and for scripts."""
    edges = [] if "--edges" in options else ["--edges", "normal,build"]
    command = ["cargo", "tree", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p}\t{f}", *edges, *options]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = defaultdict(set)
    for line in printed.splitlines():
        package, _, asked = line.partition("\t")
        found[" ".join(package.split()[:2])].add(asked.removesuffix(" (*)"))
    return found


def main() -> int:
    first, *others = BUILDS
    known = features(BUILDS[first])
    different = 0
    for build in others:
        for package, asked in features(BUILDS[build]).items():
            more = asked - known.get(package, asked)
            if more and package.split()[0] not in DIFFERENT:
                different += 1
                print(f"{package}: {first} has {sorted(known[package])}, {build} {sorted(more)}")
            known.setdefault(package, asked)
    print(f"{different} crates in different features")
    return int(different != 0)


if __name__ == "__main__":
    sys.exit(main())
