"""Tests of the references that documents may have."""

import re
import tempfile
import unittest
from pathlib import Path

from docs import ROOT, Page, anchors, commands, slug

GUIDE = """# The guide

See [below](#one-more-thing), [the other](other.md#its-heading), [far](https://example.com/x#y), `sql/a.sql`.

```sh
make demo PG_CONFIG=/x  # [not](a-link)
SEED=1 tools/soak && sqlite3 shop.db '.load x'
```

## One more *thing*
"""


class Text(unittest.TestCase):
    def test_slugs_are_githubs(self) -> None:
        self.assertEqual(slug("Where to `change` what, & why"), "where-to-change-what--why")

    def test_a_comment_in_a_block_is_no_heading(self) -> None:
        self.assertEqual(anchors("# A\n```sh\n# B\n```\n"), {"a"})

    def test_commands_of_a_block(self) -> None:
        block = "a 'b c' \\\n  d  # e\nf && g | h\n"
        self.assertEqual(list(commands(block)), [["a", "b c", "d"], ["f"], ["g"], ["h"]])


class References(unittest.TestCase):
    def troubles(self, guide: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("tools", "sql"):
                (root / name).mkdir()
            for name in ("tools/soak", "sql/a.sql"):
                (root / name).touch()
            (root / "Makefile").write_text("demo: ## starts\n")
            (root / "other.md").write_text("## Its heading\n")
            (root / "guide.md").write_text(guide)
            return list(Page(root / "guide.md", root).troubles())

    def test_all_is_there(self) -> None:
        self.assertEqual(self.troubles(GUIDE), [])

    def test_each_kind_that_leads_nowhere(self) -> None:
        for good, bad, trouble in [
            ("other.md#", "others.md#", "no file for the link others.md#its-heading"),
            ("#its-heading", "#no-heading", "no heading for the link other.md#no-heading"),
            ("#one-more", "#two-more", "no heading for the link #two-more-thing"),
            ("sql/a.sql", "sql/b.sql", "no file sql/b.sql"),
            ("make demo", "make demonstration", "make has no target demonstration"),
            ("tools/soak", "tools/soap", "no program tools/soap"),
            ("sqlite3", "sqlite4", "no program sqlite4 that docs.py knows"),
        ]:
            self.assertEqual(self.troubles(GUIDE.replace(good, bad)), [trouble])


class Tools(unittest.TestCase):
    def test_the_readme_names_every_program(self) -> None:
        readme = (ROOT / "tools/README.md").read_text(encoding="utf-8")
        named = set(re.findall(r"`([\w.-]+)", readme))
        for path in (ROOT / "tools").iterdir():
            if path.is_file() and not path.name.startswith("test_") and path.name != "README.md":
                self.assertTrue({path.name, path.stem} & named, f"tools/README.md does not name {path.name}")


class Errors(unittest.TestCase):
    def test_every_code_of_the_engine_has_an_entry(self) -> None:
        table = (ROOT / "crates/engine/src/error.rs").read_text(encoding="utf-8").partition("fn code(")[2]
        codes = set(re.findall(r'"([0-9A-Z]{5})"', table.partition("\n    }\n")[0]))
        self.assertIn("22T01", codes)
        page = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
        entries = re.findall(r"^### (\w{5})\n(.*?)(?=^#|\Z)", page, re.M | re.S)
        self.assertEqual(codes - {code for code, _ in entries}, set())
        self.assertEqual(len(entries), len(dict(entries)))
        for code, text in entries:
            for part in ("**Cause.**", "**Remedy.**"):
                self.assertIn(part, text, code)


if __name__ == "__main__":
    unittest.main()
