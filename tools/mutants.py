"""Switches at protections, in a copy of the tree.

    mutants.py patch LIST FOLDER            puts them in
    mutants.py run LIST FOLDER [NAME…]      runs the tests of each with its switch off

LIST has blocks:  == NAME: what it protects
                  test WORDS              tools/regress or cargo test with these words fails
                  file PATH
                  - old lines, found exactly once
                  + new lines, in which OFF is the switch
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 150  # seconds; a test that ends no more has noticed

SWITCH = """
/// Whether the protection of this name is taken out; several are divided by commas.
pub fn off(name: &str) -> bool {
    static OFF: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let off = OFF.get_or_init(|| std::env::var("TEXT2SQL_OFF").ok()).as_deref();
    off.is_some_and(|names| names.split(',').any(|n| n == name))
}
"""

# in SQL the names are in a setting of the private servers
SETTING = "text2sql_off.names"
CONFIGURED = ("    extension_path\n", f"    extension_path\n    say \"{SETTING} = '${{TEXT2SQL_OFF:-}}'\"\n")


class Unfit(Exception):
    """A change that does not fit the source as it is."""


@dataclass
class Change:
    """Lines of a file, and the lines with a switch that replace them."""

    file: str
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    def applied(self, name: str, text: str) -> str:
        """The file's text with the switch in it."""
        old = "\n".join(self.old)
        if text.count(old) != 1:
            raise Unfit(f"{name}: {text.count(old)} places in {self.file} are:\n{old}")
        return text.replace(old, "\n".join(self.new).replace("OFF", self.switch(name)))

    def switch(self, name: str) -> str:
        """Whether the protection is off, in the language of the file."""
        if self.file.endswith(".sql"):
            return f"('{name}' = ANY (string_to_array(current_setting('{SETTING}', true), ',')))"
        crate = "crate" if self.file.startswith("crates/engine/") else "text2sql_engine"
        return f'{crate}::off("{name}")'


@dataclass
class Mutant:
    """A protection, the tests that must fail without it, and the places where it is."""

    name: str
    protects: str
    tests: list[str] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)


def parse(text: str) -> list[Mutant]:
    found: list[Mutant] = []
    for line in text.split("\n"):
        if line.startswith("== "):
            name, _, protects = line[3:].partition(": ")
            found.append(Mutant(name, protects))
        elif line.startswith("test "):
            found[-1].tests.append(line[5:])
        elif line.startswith("file "):
            found[-1].changes.append(Change(line[5:]))
        elif line.startswith("-"):
            changes = found[-1].changes
            if changes[-1].new:  # another place in the same file
                changes.append(Change(changes[-1].file))
            changes[-1].old.append(line[2:])
        elif line.startswith("+"):
            found[-1].changes[-1].new.append(line[2:])
    return found


def patch(mutants: list[Mutant], folder: Path) -> None:
    for mutant in mutants:
        for change in mutant.changes:
            path = folder / change.file
            path.write_text(change.applied(mutant.name, path.read_text(encoding="utf-8")), encoding="utf-8")
    cluster = folder / "tools/cluster"
    cluster.write_text(cluster.read_text(encoding="utf-8").replace(*CONFIGURED), encoding="utf-8")
    with (folder / "crates/engine/src/lib.rs").open("a", encoding="utf-8") as lib:
        lib.write(SWITCH)


def fails(test: str, folder: Path, name: str, patience: float | None = PATIENCE) -> bool | None:
    """Whether the test notices; None for one that cannot be run."""
    words = test.split()
    command = ["cargo", "test", "-q", *words[1:]] if words[0] == "cargo" else ["tools/regress", *words]
    log = folder / f"{name}.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "TEXT2SQL_OFF": name},
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = process.wait(patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 15)
            process.wait()
            subprocess.run(["tools/cluster", "test", "stop"], cwd=folder, timeout=120, check=False)
            return True
    if not re.search(r"\d+ passed[,;] \d+ failed", log.read_text()):
        return None
    return status != 0


def run(mutants: list[Mutant], folder: Path) -> bool:
    """Whether every protection's tests notice that it is off."""
    tests = sorted({test for mutant in mutants for test in mutant.tests})
    regress = " ".join(test for test in tests if not test.startswith("cargo "))
    for test in [regress] * bool(regress) + [test for test in tests if test.startswith("cargo ")]:
        # the first run also builds
        if fails(test, folder, "nothing", patience=None) is not False:
            sys.exit(f"error: with everything in place {test} fails: see {folder}/nothing.log")
    passed = 0
    for mutant in mutants:
        verdicts = {test: fails(test, folder, mutant.name) for test in mutant.tests}
        if None in verdicts.values():
            sys.exit(f"error: a test of {mutant.name} did not run: see {folder}/{mutant.name}.log")
        missed = [test for test, noticed in verdicts.items() if not noticed]
        passed += not missed
        verdict = "MISSED " if missed else "noticed"
        print(f"{verdict}  {mutant.name}: {mutant.protects}  {missed or mutant.tests}", flush=True)
    print(f"{passed} passed, {len(mutants) - passed} failed")
    return passed == len(mutants)


def main(verb: str, path: str, folder: str, *names: str) -> int:
    mutants = [m for m in parse(Path(path).read_text(encoding="utf-8")) if not names or m.name in names]
    if verb == "run":
        return 0 if run(mutants, Path(folder)) else 1
    try:
        patch(mutants, Path(folder))
    except Unfit as unfit:
        sys.exit(f"error: {unfit}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
