"""The scripted model server (crates/scripted-model): each script's rules, and what it was sent."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from .session import until

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
        """Returns the requests since the last reset."""
        recorded: list[dict[str, Any]] = json.loads(self._call("requests"))
        return recorded

    def open_connections(self) -> int:
        return int(json.loads(self._call("status"))["open"])

    def _call(self, verb: str, body: bytes | None = None) -> str:
        with urllib.request.urlopen(f"{self.url}/__{verb}", data=body) as answer:
            text: str = answer.read().decode()
            return text


class ModelServer:
    """A server of one's own, which has every script of pg_test/replies."""

    def __init__(self) -> None:
        program = os.environ.get("MODEL_SERVER", "")
        if not program:
            subprocess.run(["cargo", "build", "--quiet", "-p", "text2sql-scripted-model"], check=True)
            program = os.environ.get("CARGO_TARGET_DIR", "target") + "/debug/text2sql-scripted-model"
        with tempfile.TemporaryDirectory() as folder:
            port = Path(folder, "port")
            self.process = subprocess.Popen([program, "--scripts", "pg_test/replies", "--port-file", str(port)])
            there = until(lambda: port.exists() and port.read_text().strip(), 10)
            assert there, "the scripted model server does not start"
        self.url = f"http://127.0.0.1:{there}"

    def script(self, name: str) -> Script:
        return Script(self.url, name)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
