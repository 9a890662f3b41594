"""Tests of licence expressions."""

import unittest

from licences import permitted


class Permitted(unittest.TestCase):
    def check(self, expression: str, expected: bool) -> None:
        self.assertEqual(permitted(expression, ["MIT", "Apache-2.0 WITH LLVM-exception"]), expected, expression)

    def test_expressions(self) -> None:
        self.check("MIT", True)
        self.check("GPL-3.0", False)
        self.check("GPL-3.0 OR MIT", True)
        self.check("GPL-3.0/MIT", True)
        self.check("GPL-3.0 AND MIT", False)
        self.check("GPL-3.0 AND MIT OR MIT", True)
        self.check("GPL-3.0 AND (MIT OR MIT)", False)
        self.check("Apache-2.0", False)
        self.check("Apache-2.0 WITH LLVM-exception AND MIT", True)


if __name__ == "__main__":
    unittest.main()
