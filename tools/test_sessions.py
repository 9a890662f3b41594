"""Tests of how sessions in pages are read and compared."""

import unittest

from sessions import Step, script, steps, trouble

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
    def test_what_a_page_expects_must_be_printed(self) -> None:
        step = Step(1, "anna", "", " a\n---\n …\n(2 rows)\n")
        self.assertIsNone(trouble(step, " a\n---\n 1 \n 2\n(2 rows)\n\n"))
        self.assertIsNotNone(trouble(step, " b\n---\n 1 \n 2\n(2 rows)\n\n"))

    def test_a_statement_without_expected_output_must_not_fail(self) -> None:
        step = Step(1, "postgres", "", None)
        self.assertIsNone(trouble(step, "NOTICE:  ERROR: is no error here\n"))
        for printed in ("ERROR:  x\n", " a\n\nERROR:  x\n", "psql: error: x\n", "FATAL:  x\n"):
            self.assertIsNotNone(trouble(step, printed))


if __name__ == "__main__":
    unittest.main()
