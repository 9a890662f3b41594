"""Tests of when an answer counts as right."""

import unittest

from questions import same

RIGHT = [["city", "total"], ["Paris", "3"], ["Rome", "1.50"]]


class Same(unittest.TestCase):
    def test_columns_and_rows_in_any_order(self) -> None:
        self.assertTrue(same(RIGHT, [["total", "city"], ["1.5", "Rome"], ["3", "Paris"]], ordered=False))

    def test_further_columns_are_allowed(self) -> None:
        self.assertTrue(
            same(RIGHT, [["id", "city", "total"], ["9", "Paris", "3"], ["8", "Rome", "1.5"]], ordered=False)
        )

    def test_values_must_belong_together(self) -> None:
        self.assertFalse(same(RIGHT, [["city", "total"], ["Rome", "3"], ["Paris", "1.5"]], ordered=False))

    def test_the_last_column_comes_in_order_where_order_counts(self) -> None:
        turned = [RIGHT[0], RIGHT[2], RIGHT[1]]
        self.assertTrue(same(RIGHT, RIGHT, ordered=True))
        self.assertFalse(same(RIGHT, turned, ordered=True))

    def test_no_rows_in_any_form(self) -> None:
        self.assertTrue(same([["a"]], [["b", "c"]], ordered=True))

    def test_a_missing_row(self) -> None:
        self.assertFalse(same(RIGHT, RIGHT[:2], ordered=False))


if __name__ == "__main__":
    unittest.main()
