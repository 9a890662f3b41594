"""Tests of the list of mutants, and that every mutant of tools/mutants.txt fits the source."""

import unittest
from pathlib import Path

from mutants import Change, Mutant, Unfit, parse

HERE = Path(__file__).parent
TEXT = """
== one: a write is refused
test attacks_never_run
test cargo -p text2sql-engine redact
file src/guard.rs
- if a {
+ if a && !OFF {
- if b {
-     c
+ if b || OFF {
"""


class Parsing(unittest.TestCase):
    def test_a_block(self) -> None:
        changes = [
            Change("src/guard.rs", ["if a {"], ["if a && !OFF {"]),
            Change("src/guard.rs", ["if b {", "    c"], ["if b || OFF {"]),
        ]
        tests = ["attacks_never_run", "cargo -p text2sql-engine redact"]
        self.assertEqual(parse(TEXT), [Mutant("one", "a write is refused", tests, changes)])


class Applying(unittest.TestCase):
    def test_the_switch_has_the_mutants_name(self) -> None:
        change = Change("src/guard.rs", ["if a {"], ["if a && !OFF {"])
        self.assertEqual(change.applied("one", "x\nif a {\n"), 'x\nif a && !text2sql_engine::off("one") {\n')

    def test_the_engine_calls_itself_crate(self) -> None:
        change = Change("crates/engine/src/x.rs", ["a"], ["OFF"])
        self.assertEqual(change.applied("one", "a"), 'crate::off("one")')

    def test_lines_must_be_found_exactly_once(self) -> None:
        change = Change("src/guard.rs", ["if a {"], ["OFF"])
        for text in ("if b {", "if a {\nif a {"):
            with self.assertRaises(Unfit):
                change.applied("one", text)


class List(unittest.TestCase):
    def test_every_mutant_fits_the_source(self) -> None:
        texts: dict[str, str] = {}
        listed = (HERE / "mutants.txt").read_text(encoding="utf-8")
        for mutant in parse(listed):
            self.assertTrue(mutant.tests, mutant.name)
            # a switch of its own, or one among the lines of another mutant
            self.assertTrue(mutant.changes or f'off("{mutant.name}")' in listed, mutant.name)
            for change in mutant.changes:
                text = texts.get(change.file) or (HERE.parent / change.file).read_text(encoding="utf-8")
                texts[change.file] = change.applied(mutant.name, text)


if __name__ == "__main__":
    unittest.main()
