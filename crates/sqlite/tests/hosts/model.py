"""A model server in the process of the tests."""

import contextlib
import http.server
import json
import sqlite3
import threading


class Model:
    """A model server that answers every call with `reply`, once `may_answer` is set."""

    def __init__(self, reply: str) -> None:
        self.asked, self.may_answer = threading.Event(), threading.Event()
        self.connections = 0
        message = {"role": "assistant", "content": reply}
        body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                model.connections += 1

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                model.asked.set()
                model.may_answer.wait(60)
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):  # who asked has gone
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.may_answer.set()
        self.server.shutdown()
        self.server.server_close()

    def ask_by(self, db: sqlite3.Connection) -> None:
        """Have the questions of a connection answered by this server."""
        url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        for name, value in ("base_url", url), ("model", "m"), ("strategy", "zero_shot"):
            db.execute("SELECT text2sql_config(?, ?)", (name, value))
