"""A question from its words to its rows: text2sql beside the usual libraries, in turn.

    peers.py MODEL_URL SECONDS TABLES…      (PGHOST names the server; databases peers_TABLES by tables.sql)

The model is a scripted server that answers at once with the same query for everybody, so what is
left is what each spends around it: reading the schema, choosing of it, the prompt, the query.
Medians of rounds in which each has its turn, after one question that is not counted; who has taken
SECONDS waits for the others. Nothing is judged.
"""

from __future__ import annotations

import http.client
import json
import os
import resource
import statistics
import sys
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import llama_index.core as llama
import psycopg2
from harness.model import Script
from harness.session import memory_kb
from langchain_classic.chains import create_sql_query_chain
from langchain_community.utilities import SQLDatabase
from langchain_openai import ChatOpenAI
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.indices.struct_store import NLSQLTableQueryEngine, SQLTableRetrieverQueryEngine
from llama_index.core.objects import ObjectIndex, SQLTableNodeMapping, SQLTableSchema
from llama_index.llms.openai_like import OpenAILike
from measure import cpu_ms, create_server, milliseconds, page_faults, table
from sqlalchemy import create_engine

URL = sys.argv[1]
SECONDS = float(sys.argv[2])
SIZES = [int(n) for n in sys.argv[3:]]
MODEL = Script(URL, "peers")
QUESTION = "How many pieces are in ticket_5 where the status is late?"
SQL = "SELECT sum(quantity) FROM ticket_5 WHERE status = 'late'"
FLOOR = "floor: no schema"
# of each, unless its seconds are over before: at 10,000 tables one question may take a quarter of a minute
ROUNDS = 60


def cursor_of(size: int) -> Any:
    connection = psycopg2.connect(dbname=f"peers_{size}", user="peer", host=os.environ["PGHOST"])
    connection.autocommit = True
    return connection.cursor()


def rows(cursor: Any, statement: str, arguments: tuple[str, ...] | None = None) -> list[Any]:
    cursor.execute(statement, arguments)
    return list(cursor.fetchall())


class Peer:
    """One that answers the question."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.processor: list[float] = []  # milliseconds in this process and in the server
        self.first_s = 0.0  # until its first answer, what it prepares for that included
        self.bytes = 0

    def ask(self) -> list[Any]:
        raise NotImplementedError


class Direct(Peer):
    """One request and the query; `schema` is what the prompt holds beside the question."""

    def __init__(self, size: int, schema: str = "") -> None:
        super().__init__()
        self.cursor = cursor_of(size)
        self.host = http.client.HTTPConnection(URL.removeprefix("http://"))
        self.schema = schema

    def ask(self) -> list[Any]:
        content = f"{self.schema}\n\nWrite one PostgreSQL query that answers: {QUESTION}"
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": content}]})
        self.host.request("POST", "/peers/v1/chat/completions", body, {"Content-Type": "application/json"})
        reply = json.load(self.host.getresponse())
        return rows(self.cursor, reply["choices"][0]["message"]["content"])


def whole_schema(size: int) -> str:
    """Every table as a line with its columns, types and comments; made once."""
    lines = rows(
        cursor_of(size),
        """
        SELECT format('%s(%s) -- %s', relname, string_agg(format('%s %s /* %s */', attname,
                   format_type(atttypid, atttypmod), col_description(attrelid, attnum)), ', ' ORDER BY attnum),
                   obj_description(c.oid, 'pg_class'))
        FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace GROUP BY c.oid, relname ORDER BY c.oid""",
    )
    return "\n".join(line for (line,) in lines)


class Text2sql(Peer):
    """ask() in a session; the prompt is made in the backend."""

    def __init__(self, size: int, strategy: str) -> None:
        super().__init__()
        self.cursor = cursor_of(size)
        self.cursor.execute(
            f"SET text2sql.server = 'peers'; SET client_min_messages = error; SET text2sql.strategy = '{strategy}'; "
            "SET text2sql.cache = off"  # a question is new each time
        )
        self.pid = int(rows(self.cursor, "SELECT pg_backend_pid()")[0][0])

    def ask(self) -> list[Any]:
        return [tuple(row.values()) for (row,) in rows(self.cursor, "SELECT ask(%s)", (QUESTION,))]


def uri(size: int) -> str:
    return f"postgresql+psycopg2://peer@/peers_{size}?host={os.environ['PGHOST']}"


class LangChain(Peer):
    """create_sql_query_chain() over an SQLDatabase, as its documentation has it."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.database = SQLDatabase.from_uri(uri(size))
        model = ChatOpenAI(model="m", base_url=MODEL.base_url, api_key="none", max_retries=0)
        self.chain = create_sql_query_chain(model, self.database)

    def ask(self) -> list[Any]:
        sql = self.chain.invoke({"question": QUESTION})
        return list(self.database.run(sql, fetch="cursor").fetchall())


class Trigrams(BaseEmbedding):
    """A text by hashes of its trigrams: an embedding model that answers at once."""

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * 256
        for at in range(len(text) - 2):
            vector[zlib.crc32(text[at : at + 3].lower().encode()) % 256] += 1.0
        return vector

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class LlamaIndex(Peer):
    """NLSQLTableQueryEngine with all tables, or SQLTableRetrieverQueryEngine, which chooses some."""

    def __init__(self, size: int, retriever: bool) -> None:
        super().__init__()
        llama.Settings.embed_model = Trigrams()
        llama.Settings.llm = OpenAILike(
            model="m",
            api_base=MODEL.base_url,
            api_key="none",
            is_chat_model=True,
            context_window=100_000_000,
            max_retries=0,
        )
        database = llama.SQLDatabase(create_engine(uri(size)))
        names = sorted(database.get_usable_table_names())
        if retriever:
            tables = [SQLTableSchema(table_name=name) for name in names]
            index = ObjectIndex.from_objects(tables, SQLTableNodeMapping(database), llama.VectorStoreIndex)
            chosen = index.as_retriever()
            self.engine = SQLTableRetrieverQueryEngine(database, chosen, synthesize_response=False)
        else:
            self.engine = NLSQLTableQueryEngine(database, tables=names, synthesize_response=False)

    def ask(self) -> list[Any]:
        return list(self.engine.query(QUESTION).metadata["result"])


PEERS: dict[str, Callable[[int], Peer]] = {
    FLOOR: Direct,
    "floor: whole schema, cached": lambda size: Direct(size, whole_schema(size)),
    "text2sql zero_shot": lambda size: Text2sql(size, "zero_shot"),
    "text2sql adaptive": lambda size: Text2sql(size, "adaptive"),
    "LangChain": LangChain,
    "LlamaIndex": lambda size: LlamaIndex(size, False),
    "LlamaIndex, retriever": lambda size: LlamaIndex(size, True),
}


def prepared(size: int) -> dict[str, Peer]:
    """Each of them, made ready and asked once."""
    right = numbers(rows(cursor_of(size), SQL))
    ready: dict[str, Peer] = {}

    for name, make in PEERS.items():
        begun = time.perf_counter()
        peer = ready[name] = make(size)
        MODEL.reset()
        answer = numbers(peer.ask())
        peer.first_s = time.perf_counter() - begun
        if answer != right:
            sys.exit(f"{name} answered {answer}, not {right}")
        bodies = [json.dumps(request["body"], ensure_ascii=False) for request in MODEL.requests()]
        peer.bytes = sum(len(body.encode()) for body in bodies)
        MODEL.reset()
    return ready


def numbers(answer: list[Any]) -> list[list[float]]:
    return [[float(cell) for cell in row] for row in answer]


def measure(size: int, peers: dict[str, Peer]) -> None:
    """Rounds in which each has its turn, as long as its share of time lasts."""
    watching = cursor_of(size)
    backends = [pid for (pid,) in rows(watching, "SELECT pid FROM pg_stat_activity WHERE usename = 'peer'")]

    def processor() -> float:
        return time.process_time() * 1000 + sum(map(cpu_ms, backends))

    for _ in range(ROUNDS):
        for peer in peers.values():
            if sum(peer.times) < SECONDS * 1000:
                before = processor()
                peer.times.append(milliseconds(peer.ask))
                peer.processor.append(processor() - before)
                MODEL.reset()


def plain(size: int, rounds: int = 200) -> dict[str, float]:
    """check() and run() of a query beside the query itself."""
    cursor = cursor_of(size)
    cursor.execute("SET client_min_messages = error")
    works = {
        "the query itself": (SQL, None),
        "text2sql.check() of it": ("SELECT ok FROM text2sql.check(%s)", (SQL,)),
        "text2sql.run() of it": ("SELECT text2sql.run(%s)", (SQL,)),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, (statement, arguments) in works.items():
            times[name].append(milliseconds(partial(rows, cursor, statement, arguments)))
    return {name: statistics.median(measured) for name, measured in times.items()}


def costs(size: int, questions: int = 100) -> tuple[float, float, float]:
    """What a question takes in the backend, milliseconds of the processor and page faults, and megabytes that it keeps
    for itself."""
    session = Text2sql(size, "zero_shot")
    session.ask()
    before, faults = cpu_ms(session.pid), page_faults(session.pid)
    for _ in range(questions):
        session.ask()
    cpu, faults = cpu_ms(session.pid) - before, page_faults(session.pid) - faults
    return cpu / questions, faults / questions, memory_kb(session.pid) / 1024


def at_once(size: int, count: int = 64, rounds: int = 4) -> tuple[float, float]:
    """Questions a second of so many sessions that ask at once, and of one."""
    sessions = [Text2sql(size, "zero_shot") for _ in range(count)]
    with ThreadPoolExecutor(count) as threads:
        list(threads.map(Text2sql.ask, sessions))
        together = milliseconds(lambda: [list(threads.map(Text2sql.ask, sessions)) for _ in range(rounds)])
    alone = milliseconds(lambda: [sessions[0].ask() for _ in range(rounds * 16)])
    for session in sessions:
        session.cursor.connection.close()
    return count * rounds / together * 1000, rounds * 16 / alone * 1000


def around(size: int) -> dict[str, str]:
    """What text2sql costs beside the time of a question."""
    cpu, faults, memory = costs(size)
    together, alone = at_once(size)
    return {name: f"{ms:.2f} ms" for name, ms in plain(size).items()} | {
        "a question in the backend": f"{cpu:.1f} ms of the processor",
        "page faults of a question": f"{faults:.0f}",
        "the backend's own memory": f"{memory:.1f} MB",
        "64 sessions at once": f"{together:.0f} questions a second",
        "one session": f"{alone:.0f} questions a second",
    }


def report(asked: dict[int, dict[str, Peer]], beside: dict[int, dict[str, str]]) -> None:
    heading = "tables | a question through | ms | times the floor | processor ms | kB sent | first answer in s"
    peers = [[f"{size:,}", name, *figures(of_size, name)] for size, of_size in asked.items() for name in of_size]
    table("peers", heading, peers)
    lines = [[name, *(found[name] for found in beside.values())] for name in next(iter(beside.values()))]
    table("peers_beside", "what" + "".join(f" | {size:,} tables" for size in beside), lines)


def figures(peers: dict[str, Peer], name: str) -> list[str]:
    peer, floor = peers[name], statistics.median(peers[FLOOR].times)
    ms, processor = statistics.median(peer.times), statistics.median(peer.processor)
    return [f"{ms:.1f}", f"{ms / floor:.1f}", f"{processor:.1f}", f"{peer.bytes / 1000:.1f}", f"{peer.first_s:.2f}"]


def main() -> None:
    MODEL.set_rules([{"reply": SQL}])
    asked, beside = {}, {}
    for size in SIZES:
        create_server(f"peers_{size}", "peers", MODEL.base_url, "peer")
        asked[size] = prepared(size)
        measure(size, asked[size])
        beside[size] = around(size)
    report(asked, beside)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"This process, with all libraries and their schemas: {most:.0f} MB at most.")


main()
