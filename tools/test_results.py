"""Tests of the file with the last runs of the benchmarks."""

import unittest

from figures import tables_in
from results import FIGURES, HEADING, added, figure

PRINTED = """
figures: warm
+----------------------+-----------+
| warm, demo           | median ms |
+----------------------+-----------+
| text2sql(), answered | 3.74      |
+----------------------+-----------+

figures: sqlite_library
| the SQLite library             |         |
| first answer, catalog included | 34.3 ms |
"""


class Runs(unittest.TestCase):
    def test_figures_of_what_a_run_printed(self) -> None:
        tables = tables_in(PRINTED)
        self.assertEqual(figure(tables, "warm", "text2sql(), answered", "median ms"), "3.74")
        self.assertEqual(figure(tables, "sqlite_library", "first answer, catalog included", ""), "34.3")
        self.assertEqual(figure(tables, "model_sessions", "64", "questions a second"), "-")

    def test_the_last_ten_runs_stay_the_newest_last(self) -> None:
        text = ""
        for number in range(12):
            text = added(text, [str(number)] * (len(HEADING) + len(FIGURES)))
        lines = [line for line in text.splitlines() if line.startswith("| ")]
        self.assertEqual(len(lines), 11)
        self.assertTrue(lines[1].startswith("| 2 |") and lines[-1].startswith("| 11 |"))


if __name__ == "__main__":
    unittest.main()
