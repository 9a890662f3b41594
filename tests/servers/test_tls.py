"""TLS with a certificate of one's own, and a proxy: what superusers may name."""

from __future__ import annotations

import http.server
import json
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from conftest import Database

QUESTION = "How many orders are there?"
REPLY = "```sql\nSELECT count(*) AS orders FROM orders\n```"


class Model(http.server.BaseHTTPRequestHandler):
    """Answers each request with the same query, also where it is called as a proxy."""

    def do_POST(self) -> None:
        """A completion."""
        self.rfile.read(int(self.headers["content-length"]))
        choice = {"message": {"role": "assistant", "content": REPLY}, "finish_reason": "stop"}
        body = json.dumps({"choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.server.paths.append(self.path)  # type: ignore[attr-defined]

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the database server can read."""
    folder = Path(mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def serve(context: ssl.SSLContext | None = None) -> http.server.ThreadingHTTPServer:
    """The model on a free port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.paths = []  # type: ignore[attr-defined]
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def test_a_certificate_of_ones_own_is_trusted_where_it_is_named(database: Database, folder: Path) -> None:
    key, certificate = folder / "key.pem", folder / "ca.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    command += ["-addext", "basicConstraints=critical,CA:FALSE"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    certificate.chmod(0o644)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serve(context) as server:
        url = f"https://localhost:{server.server_address[1]}/v1"
        database.server("tls", None, provider="vllm", model="m", base_url=url)
        refused = database.ask(QUESTION)
        assert "is not trusted" in refused.message and "attempts" not in refused.message, refused
        assert refused.hint == "ALTER SERVER tls OPTIONS (ADD ca_file '/…/ca.pem');", refused
        database.run(refused.hint.replace("/…/ca.pem", str(certificate)))
        assert len(database.ask(QUESTION).rows) == 1
        plain = url.replace("https", "http")
        database.run(f"ALTER SERVER tls OPTIONS (SET base_url '{plain}', ADD retries '0')")
        assert database.ask(QUESTION).sqlstate == "58T03"
        server.shutdown()


def test_a_proxy_connects_where_it_is_named(database: Database) -> None:
    with serve() as proxy:
        address = f"http://127.0.0.1:{proxy.server_address[1]}"
        url = "http://model.invalid/v1"
        database.server("proxied", None, provider="vllm", model="m", base_url=url, proxy=address)
        assert len(database.ask(QUESTION).rows) == 1
        assert proxy.paths == [f"{url}/chat/completions"]  # type: ignore[attr-defined]
        proxy.shutdown()
