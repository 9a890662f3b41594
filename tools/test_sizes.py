"""Tests of how long functions are found to be."""

import unittest

from sizes import functions

RUST = """
trait Walk {
    fn declared(&self, bytes: [u8; 4]) -> u32;

    fn given(&self) {
        if true {
            walk();
        }
    }
}

pub(crate) unsafe extern "C" fn of_c(
    bytes: [u8; 4],
) -> u32
where
    u32: Sized,
{
    1
}
"""

PYTHON = '''
class Walk:
    async def given(self) -> str:
        return """
no end here
"""


def short() -> None: ...
'''


class Functions(unittest.TestCase):
    def test_of_rust(self) -> None:
        self.assertEqual(list(functions(RUST, ".rs")), [("given", 5), ("of_c", 8)])

    def test_of_python(self) -> None:
        self.assertEqual(sorted(functions(PYTHON, ".py")), [("given", 4), ("short", 1)])


if __name__ == "__main__":
    unittest.main()
