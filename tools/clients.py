"""Runs the blocks of docs/clients.md in their clients: see tools/clients."""

import os
import re
import socket
import subprocess
import sys
import time

import page

FOLDER, WHICH = sys.argv[1:]
HOST = os.environ["PGHOST"]
JDBC_DRIVER = "/usr/share/java/postgresql.jar"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


PORT = free_port()
started: list[subprocess.Popen[bytes]] = []


def write(path: str, text: str) -> str:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def start_pgbouncer(configuration: str) -> None:
    """PgBouncer as the page configures it, in the cluster's folder, which the server's user can read."""
    write(os.path.join(HOST, "users.txt"), '"postgres" ""\n')
    ini = write(os.path.join(HOST, "pgbouncer.ini"), configuration)
    # it does not run as root
    user = ["-u", "postgres"] if os.geteuid() == 0 else []
    started.append(subprocess.Popen(["pgbouncer", "-q", *user, ini], cwd=HOST))
    for _ in range(100):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", PORT)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("PgBouncer does not listen")


def shown_by_grafana(query: str) -> str:
    """A query with its variable as Grafana's `sqlstring` puts it in: quoted, each quote doubled."""
    typed = "How many orders did each store get in 2023?"
    return re.sub(r"\$\{question:sqlstring\}", lambda _: "'" + typed.replace("'", "''") + "'", query)


def play(block: page.Block) -> None:
    # the private cluster has a socket only, in a folder of its own
    code = block.code.replace("/var/run/postgresql", HOST).replace("6432", str(PORT))
    quiet = ["psql", "-qX", "-v", "ON_ERROR_STOP=1", "demo"]
    if block.language == "ini":
        start_pgbouncer(code)
    elif block.language == "sh":
        page.run(["bash", "-ec", code], block, FOLDER, HOME=FOLDER)
    elif block.language == "sql":
        page.run(quiet, block, FOLDER, code)
    elif block.language == "psql":
        page.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", "demo"], block, FOLDER, code, HOME=FOLDER)
    elif block.language == "grafana":
        page.run([*quiet, "-At"], block, FOLDER, shown_by_grafana(code))
    elif block.language == "python":
        page.run([sys.executable, "-c", code], block, FOLDER)
    elif block.language == "js":
        page.run(["node", write(f"{FOLDER}/ask.mjs", code)], block, FOLDER)
    elif block.language == "java":
        url = f"jdbc:postgresql://127.0.0.1:{PORT}/demo?user=postgres&preferQueryMode=simple"
        page.run(["java", "-cp", JDBC_DRIVER, write(f"{FOLDER}/Ask.java", code)], block, FOLDER, JDBC_URL=url)
    else:
        raise AssertionError(f"no client for {block.language}")


def main() -> int:
    for left in ".psqlrc", ".config":
        subprocess.run(["rm", "-rf", os.path.join(FOLDER, left)], check=True)
    try:
        return page.play("docs/clients.md", play, leave_out="" if WHICH == "all" else "all")
    finally:
        for process in started:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
