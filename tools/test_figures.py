"""Tests of how measured tables are read from programs and shown on pages."""

import unittest

from figures import as_markdown, table_in, tables_in

PRINTED = """3 databases

| ranker | recall@5 |
|---|--:|
| letters | 0.819 |

| another | table |
"""
PSQL = """making 10 tables
figures: first
+--------+-----+
|  what  | ms  |
+--------+-----+
| build  | 1.5 |
+--------+-----+

figures: second
| what | MB |
| all  | 2  |
"""


class Tables(unittest.TestCase):
    def test_what_a_program_prints(self) -> None:
        self.assertEqual(table_in(PRINTED), [["ranker", "recall@5"], ["letters", "0.819"]])

    def test_tables_that_have_a_name(self) -> None:
        first, second = [["what", "ms"], ["build", "1.5"]], [["what", "MB"], ["all", "2"]]
        self.assertEqual(tables_in(PSQL), {"first": first, "second": second})
        self.assertEqual(tables_in(PRINTED), {})

    def test_figures_are_aligned_to_the_right(self) -> None:
        shown = as_markdown([["ranker", "recall@5"], ["letters", "0.819"]])
        self.assertEqual(shown, "| ranker | recall@5 |\n|---|--:|\n| letters | 0.819 |")


if __name__ == "__main__":
    unittest.main()
