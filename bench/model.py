"""What a model behind a server costs: the time beside the model's own, and sessions that wait.

    model.py MODEL_URL DATABASE        (PGHOST names the server; MODEL_URL a scripted model server)

Prints medians, each beside something to compare with. Nothing is judged.
"""

import http.client
import json
import statistics
import sys
import urllib.request

from session import Session, create_server, milliseconds, post

URL, DATABASE = sys.argv[1:3]
SETUP = "SET text2sql.server = 'bench'; SET text2sql.strategy = 'zero_shot';"
WAIT_MS = 500
SCRIPT = {
    "rules": [
        {"contains": "please wait", "delay_ms": WAIT_MS, "reply": "SELECT 1 AS one"},
        {"reply": "SELECT 1 AS one"},
    ]
}


def overhead(rounds=300):
    """A question answered at once, the same body posted directly, and SELECT 1, in turn."""
    session = Session(DATABASE, SETUP)
    question = "SELECT text2sql('how many rows are there');"
    session.ask(question)
    with urllib.request.urlopen(URL + "/bench/__requests") as answer:
        body = json.dumps(json.load(answer)[-1]["body"])
    host = http.client.HTTPConnection(URL.removeprefix("http://"))

    def direct():
        host.request("POST", "/bench/v1/chat/completions", body)
        host.getresponse().read()

    works = {
        "SELECT 1": lambda: session.ask("SELECT 1;"),
        "the same request from Python": direct,
        "text2sql(), zero_shot": lambda: session.ask(question),
    }
    times = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(milliseconds(work))
    session.close()
    print(f"model that answers at once, {len(body)} bytes of request, median of {rounds}   ms")
    for name, measured in times.items():
        print(f"  {name:40} {statistics.median(measured):8.2f}")


def sessions(count, rounds=4):
    """Sessions that all wait on the model, against as many that only sleep."""
    all_of_them = [Session(DATABASE, SETUP) for _ in range(count)]
    for session in all_of_them:
        session.ask("SELECT text2sql('how many rows are there');")

    def rounds_of(statement):
        def work():
            for _ in range(rounds):
                for session in all_of_them:
                    session.send(statement)
                for session in all_of_them:
                    session.read()

        return work

    before = sum(session.cpu_ms() for session in all_of_them)
    asking = milliseconds(rounds_of("SELECT text2sql('please wait, how many rows are there');"))
    cpu = sum(session.cpu_ms() for session in all_of_them) - before
    sleeping = milliseconds(rounds_of(f"SELECT count(pg_sleep({WAIT_MS / 1000}));"))
    memory = statistics.median(session.anonymous_kb() for session in all_of_them)
    for session in all_of_them:
        session.close()
    questions = count * rounds
    print(
        f"  {count:8} {questions / asking * 1000:12.1f} {questions / sleeping * 1000:12.1f} "
        f"{count / WAIT_MS * 1000:8.1f} {cpu / questions:14.2f} {memory / 1024:12.1f}"
    )


def main():
    post(URL + "/bench/__script", SCRIPT)
    create_server(DATABASE, "bench", f"{URL}/bench/v1")
    overhead()
    print(f"model that answers after {WAIT_MS} ms")
    print("  sessions  questions/s  pg_sleep()/s    ideal  CPU ms/question  MB a backend")
    for count in [1, 8, 64]:
        sessions(count)


main()
