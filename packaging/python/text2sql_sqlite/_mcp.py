"""Runs the server for agents that the wheel has."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Replace this process by the server, with the same arguments."""
    server = Path(__file__).with_name("text2sql-mcp")
    os.execv(server, [str(server), *sys.argv[1:]])
