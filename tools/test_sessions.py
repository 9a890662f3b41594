"""Tests of how sessions in pages are read and compared."""

import unittest

from sessions import Step, fits, script, steps, trouble

PAGE = """# A page

<!-- given
CREATE ROLE anna;
-->
```sql
SELECT 1;
```

```psql
shop=# SELECT
shop-#   2;
 ?column?
----------
        2
(1 row)

anna=> SELECT 3;
…
```
"""


class Pages(unittest.TestCase):
    def test_steps_with_who_takes_them(self) -> None:
        found = [(step.line, step.role, step.sql, step.expected) for step in steps(PAGE)]
        self.assertEqual(
            found,
            [
                (4, "postgres", "CREATE ROLE anna;\n", None),
                (7, "postgres", "SELECT 1;\n", None),
                (11, "shop", "SELECT\n  2;", " ?column?\n----------\n        2\n(1 row)\n\n"),
                (18, "anna", "SELECT 3;", "…\n"),
            ],
        )
        self.assertIn("SET SESSION AUTHORIZATION anna;", script(list(steps(PAGE))))

    def test_a_session_begins_with_a_prompt(self) -> None:
        with self.assertRaises(SystemExit):
            list(steps("```psql\nSELECT 1;\n```\n"))


class Output(unittest.TestCase):
    def test_ellipses_stand_for_lines_and_for_text(self) -> None:
        printed = " a\n---\n 1 \n 2\n(2 rows)\n\n"
        for expected in (" a\n---\n 1\n 2\n(2 rows)", " a\n…\n(2 rows)\n", "…\n", " a\n---\n 1\n…\n(… rows)"):
            self.assertTrue(fits(expected, printed), expected)
        for expected in (" a\n---\n 1\n(2 rows)", "…\n(3 rows)", " a\n", ""):
            self.assertFalse(fits(expected, printed), expected)

    def test_a_statement_without_expected_output_must_not_fail(self) -> None:
        step = Step(1, "postgres", "", None)
        self.assertIsNone(trouble(step, "NOTICE:  ERROR: is no error here\n"))
        for printed in ("ERROR:  x\n", " a\n\nERROR:  x\n", "psql: error: x\n", "FATAL:  x\n"):
            self.assertIsNotNone(trouble(step, printed))


if __name__ == "__main__":
    unittest.main()
