"""Tests of how measured tables are read from programs and shown on pages."""

import unittest

from figures import as_markdown, table_in

PRINTED = """3 databases

| ranker | recall@5 |
|---|--:|
| letters | 0.819 |
"""


class Tables(unittest.TestCase):
    def test_what_a_program_prints(self) -> None:
        self.assertEqual(table_in(PRINTED), [["ranker", "recall@5"], ["letters", "0.819"]])

    def test_figures_are_aligned_to_the_right(self) -> None:
        shown = as_markdown([["ranker", "recall@5"], ["letters", "0.819"]])
        self.assertEqual(shown, "| ranker | recall@5 |\n|---|--:|\n| letters | 0.819 |")


if __name__ == "__main__":
    unittest.main()
