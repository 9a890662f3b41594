"""Tests of what counts as a change."""

import unittest

from state import differences


class Differences(unittest.TestCase):
    def test_the_same(self) -> None:
        self.assertEqual(differences({"orders": "3 abc"}, {"orders": "3 abc"}), [])

    def test_changed_new_and_gone(self) -> None:
        before, after = {"changed": "1", "gone": "1"}, {"changed": "2", "new": "1"}
        self.assertEqual(sorted(differences(before, after)), ["changed", "gone", "new"])


if __name__ == "__main__":
    unittest.main()
