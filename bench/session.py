"""What the benchmarks of models share: one psql asked line by line, and a clock."""

import json
import os
import re
import subprocess
import time
import urllib.request


def post(url, body):
    request = urllib.request.Request(url, data=json.dumps(body).encode(), method="POST")
    return urllib.request.urlopen(request).read()


class Session:
    """One psql; it ends at the first error."""

    def __init__(self, database, setup):
        self.psql = subprocess.Popen(
            ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", database],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.send(setup)
        self.pid = int(self.ask("SELECT pg_backend_pid();"))

    def send(self, text):
        self.psql.stdin.write(text + "\n")
        self.psql.stdin.flush()

    def read(self):
        return self.psql.stdout.readline().strip()

    def ask(self, text):
        self.send(text)
        return self.read()

    def close(self):
        self.psql.stdin.close()
        self.psql.wait()

    def cpu_ms(self):
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def anonymous_kb(self):
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(r"RssAnon:\s+(\d+)", file.read())[1])


def create_server(database, name, base_url):
    create = (
        f"DROP SERVER IF EXISTS {name}; CREATE SERVER {name} FOREIGN DATA WRAPPER text2sql "
        f"OPTIONS (base_url '{base_url}', model 'm', native_tools 'off')"
    )
    quiet = {**os.environ, "PGOPTIONS": "-c client_min_messages=warning"}
    subprocess.run(["psql", "-Xq", "-d", database, "-c", create], check=True, env=quiet)


def milliseconds(work):
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000
