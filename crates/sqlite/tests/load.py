#!/usr/bin/python3
"""The built library in hosts that know nothing of it: the sqlite3 shell and Python.

load.py LIBRARY [no-shell]     e.g. target/sqlite/text2sql.so; needs a Python whose sqlite3 can load
extensions (Debian's /usr/bin/python3). `no-shell` leaves out the shell, which always runs the SQLite
it was built with. JOURNAL=wal makes files in that mode. The last line is `N passed, N failed`.

A test is a function without parameters of a module in hosts/.
"""

import inspect
import sys
import traceback
from collections.abc import Callable

from hosts import answers, boundaries, callbacks, hostile, index, processes, values


def tests() -> list[Callable[[], None]]:
    return [
        function
        for module in (answers, values, index, boundaries, callbacks, hostile, processes)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not inspect.signature(function).parameters
        and not (name.startswith("the_shell") and "no-shell" in sys.argv)
    ]


def main() -> int:
    chosen = tests()
    failed = 0
    for test in chosen:
        try:
            test()
        except Exception:
            failed += 1
            print(f"{test.__name__} failed\n{traceback.format_exc()}")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
