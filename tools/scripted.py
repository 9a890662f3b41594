"""One script of the scripted model server (crates/scripted-model): what it answers, what it was sent."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

Rule = dict[str, Any]


class Script:
    """Script NAME of the server at URL, with records and rules of its own."""

    def __init__(self, server_url: str, name: str) -> None:
        self.url = f"{server_url}/{name}"
        self.base_url = f"{self.url}/v1"  # for CREATE SERVER

    def set_rules(self, rules: list[Rule]) -> None:
        """Replaces the script; what was recorded is forgotten."""
        self._call("script", json.dumps({"rules": rules}).encode())

    def reset(self) -> None:
        """Forgets what was recorded, and reads the script's file again."""
        self._call("reset", b"")

    def requests(self) -> list[dict[str, Any]]:
        """What it was sent since the last reset."""
        recorded: list[dict[str, Any]] = json.loads(self._call("requests"))
        return recorded

    def open_connections(self) -> int:
        return int(json.loads(self._call("status"))["open"])

    def _call(self, verb: str, body: bytes | None = None) -> str:
        with urllib.request.urlopen(f"{self.url}/__{verb}", data=body) as answer:
            text: str = answer.read().decode()
            return text
