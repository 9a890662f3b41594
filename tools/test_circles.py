"""Tests of how circles among modules are found."""

import tempfile
import unittest
from pathlib import Path

from circles import all_circles, expand, imports, modules, resolve


def crate(folder: str, files: dict[str, str]) -> list[list[tuple[str, ...]]]:
    """The circles of a crate with these files."""
    root = Path(folder)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return all_circles(imports(modules(root)))


class UseTrees(unittest.TestCase):
    def test_a_plain_path(self) -> None:
        self.assertEqual(list(expand("crate::a::B as C")), ["crate::a::B"])

    def test_nested_braces(self) -> None:
        self.assertEqual(list(expand("crate::{a, b::{c, d}}")), ["crate::a", "crate::b::c", "crate::b::d"])

    def test_super_and_self(self) -> None:
        known = {("a",): Path(), ("a", "b"): Path(), ("c",): Path()}
        self.assertEqual(resolve("super::super::c::Thing", ("a", "b"), known), ("c",))
        self.assertEqual(resolve("self::b", ("a",), known), ("a", "b"))
        self.assertIsNone(resolve("crate::elsewhere", ("a",), known))


class Circles(unittest.TestCase):
    def find(self, files: dict[str, str]) -> list[list[tuple[str, ...]]]:
        with tempfile.TemporaryDirectory() as folder:
            return crate(folder, files)

    def test_two_files(self) -> None:
        files = {"a.rs": "use crate::b::B;", "b.rs": "fn f() { crate::a::g() }"}
        self.assertEqual(self.find(files), [[("a",), ("b",)]])

    def test_through_a_third(self) -> None:
        files = {"a.rs": "use crate::b;", "b.rs": "use crate::c;", "c.rs": "pub use crate::{a::X};"}
        self.assertEqual(self.find(files), [[("a",), ("b",), ("c",)]])

    def test_one_way_is_no_circle(self) -> None:
        self.assertEqual(self.find({"a.rs": "use crate::b;", "b.rs": ""}), [])

    def test_a_parent_and_its_child(self) -> None:
        files = {"a/mod.rs": "mod b;\nuse b::B;", "a/b.rs": "use super::A;"}
        self.assertEqual(self.find(files), [[("a",), ("a", "b")]])

    def test_folders_whose_files_are_no_circle(self) -> None:
        files = {"a/x.rs": "use crate::b::x;", "b/x.rs": "", "b/y.rs": "use crate::a::y;", "a/y.rs": ""}
        self.assertEqual(self.find(files), [[("a",), ("b",)]])

    def test_comments_and_tests_do_not_count(self) -> None:
        files = {
            "a.rs": "use crate::b;",
            "b.rs": "// use crate::a;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n",
        }
        self.assertEqual(self.find(files), [])


if __name__ == "__main__":
    unittest.main()
