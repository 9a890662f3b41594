"""What the programs that test a running server share: checks and their counts, programs, patience, memory."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

T = TypeVar("T")


class Checks:
    """Prints a line per check, and in the end the line that tools/test counts by."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def __call__(self, title: str, ok: object, shown: object = "") -> None:
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        print(f"{'ok' if ok else 'FAILED'}  {title}  {shown}", flush=True)

    def finish(self) -> NoReturn:
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(self.failed != 0)


def run(*command: str) -> str:
    """What a program prints; an error with all of it where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stdout} {done.stderr}")
    return done.stdout


def until(condition: Callable[[], T], seconds: float, *ignored: type[Exception]) -> T | None:
    """The condition's first true value, or None when the time is over; these exceptions count as false."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if value := condition():
                return value
        except ignored:
            pass
        time.sleep(0.01)
    return None


def memory_kb(pid: int, field: str = "RssAnon") -> int:
    """Kilobytes that /proc says of a process: RssAnon is what it does not share, VmHWM its peak."""
    return int(re.findall(rf"^{field}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[0])
