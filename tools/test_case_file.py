"""Tests of the format of cases."""

import unittest

import case_file

TEXT = """
# A title
# of this: nothing
reply 42T06|42501 SELECT 1,
    2
from 15 run answered MERGE
question {3*ab} {2*-}
"""


class Parsing(unittest.TestCase):
    def test_title_and_steps(self) -> None:
        title, steps = case_file.parse(TEXT, 15)
        self.assertEqual(title, "A title")
        self.assertEqual([verb for verb, _ in steps], ["reply", "run", "question"])

    def test_indented_lines_continue_a_step(self) -> None:
        self.assertIn(("reply", "42T06|42501 SELECT 1,\n2"), case_file.parse(TEXT, 15)[1])

    def test_a_step_for_newer_versions_is_left_out(self) -> None:
        self.assertNotIn("run", [verb for verb, _ in case_file.parse(TEXT, 14)[1]])
        self.assertIn(("run", "answered MERGE"), case_file.parse(TEXT, 15)[1])

    def test_repetition(self) -> None:
        self.assertIn(("question", "ababab --"), case_file.parse(TEXT, 15)[1])


class Outcomes(unittest.TestCase):
    def test_sqlstates(self) -> None:
        self.assertEqual(case_file.outcomes("42T06|42501 SELECT 1"), (["42T06", "42501"], "SELECT 1"))

    def test_rows_go_to_the_end_of_the_line(self) -> None:
        self.assertEqual(case_file.outcomes('= [["a b"]]\nSELECT 1'), (['= [["a b"]]'], "SELECT 1"))

    def test_what_is_expected(self) -> None:
        self.assertTrue(case_file.is_expected("42501", ["42T06", "42501"]))
        self.assertTrue(case_file.is_expected("= []", ["answered"]))
        self.assertFalse(case_file.is_expected("22T01", ["answered"]))
        self.assertFalse(case_file.is_expected("= []", ["= [[1]]"]))


if __name__ == "__main__":
    unittest.main()
