"""Asks Spark on behalf of the process that started this one.

Every line of the standard input is a request in JSON. The first one has Spark's configuration; the others have an `id`
and what is to be done: `open` a table, `close` it, `query` it, or `cancel` another request. Every answer is a line in JSON with the
`id` of its request, and either an `error`, or the number of `bytes` that follow it: an Arrow IPC stream.

When the standard input ends, so do this process and its group, however busy they are.
"""

import io
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

# Requests that are served at the same time; further ones wait.
WORKERS = 256
# Functions that call any method of any class.
UNSAFE_FUNCTIONS = ("reflect", "java_method", "try_reflect")
SECONDS_BETWEEN_CANCELS = 0.1
# The longest that a Java takes to end whose connections are closed.
SECONDS_OF_ENDING = 10
# An exception of Spark goes on with its plan and a stack trace.
MESSAGE_CHARACTERS = 2000


class Pipes:
    """The two pipes to the starter, which nothing that Spark prints or reads gets into."""

    def __init__(self):
        self.requests = os.fdopen(os.dup(0), "rb")
        self.answers = os.fdopen(os.dup(1), "wb")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        self.lock = threading.Lock()

    def send(self, head, body=b""):
        with self.lock:
            self.answers.write(json.dumps(head).encode() + b"\n")
            self.answers.write(body)
            self.answers.flush()


class Driver:
    """A Spark with a session for each table."""

    def __init__(self, configuration):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder
        for name, value in configuration.items():
            builder = builder.config(name, value)
        self.spark = builder.getOrCreate()
        self.spark.sparkContext.setLogLevel("ERROR")
        self.jvm = self.spark.sparkContext._gateway.proc
        self.sessions = {}
        self.jars = set()
        self.adding_jars = threading.Lock()
        self.running = set()

    def versions(self):
        java = self.spark._jvm.java.lang.System.getProperty("java.version")
        return {"spark": self.spark.version, "java": java}

    def open(self, request):
        """Makes a session with one table, and reads all of it into memory if that is wanted."""
        self.close(request)
        self.begin(request)
        session = self.spark.newSession()
        self.drop_unsafe_functions(session)
        source, table = request["source"], request["table"]
        with self.adding_jars:
            for jar in source["jars"]:
                if jar not in self.jars:
                    session.sql("ADD JAR " + literal(jar))
                    self.jars.add(jar)
        reader = session.read.format(source["format"]).options(**source["options"])
        rows = reader.load(source["path"])
        if source["columns"]:
            rows = rows.select([quoted(column) for column in source["columns"]])
        rows.createOrReplaceTempView(table)
        self.sessions[request["session"]] = (session, table)
        if request["cache"]:
            session.sql("CACHE TABLE " + quoted(table))

    def close(self, request):
        """Gives the memory of a table up, if there is a session of that name."""
        opened = self.sessions.pop(request["session"], None)
        if opened:
            session, table = opened
            session.sql("UNCACHE TABLE IF EXISTS " + quoted(table))
            session.catalog.dropTempView(table)

    def query(self, request):
        """Answers one query, to its last row."""
        session, _ = self.sessions[request["session"]]
        self.begin(request)
        rows = session.sql(request["sql"])
        return stream_of(rows, rows._collect_as_arrow())

    def begin(self, request):
        """Lets the jobs that this thread starts be cancelled with the request, and find the classes of all jars."""
        group = str(request["id"])
        self.spark.sparkContext.setJobGroup(group, group, interruptOnCancel=True)
        # ADD JAR does this for the one thread of Java that adds the jar.
        loader = self.spark._jsparkSession.sharedState().jarClassLoader()
        self.spark._jvm.java.lang.Thread.currentThread().setContextClassLoader(loader)

    def cancel(self, request):
        """Cancels a request, again while it is served, since it may start further jobs."""
        while request["request"] in self.running:
            self.spark.sparkContext.cancelJobGroup(str(request["request"]))
            time.sleep(SECONDS_BETWEEN_CANCELS)

    def drop_unsafe_functions(self, session):
        state = session._jsparkSession.sessionState()
        identifier = session._jvm.org.apache.spark.sql.catalyst.FunctionIdentifier
        for name in UNSAFE_FUNCTIONS:
            state.functionRegistry().dropFunction(identifier(name))

    def serve(self, request):
        serving = getattr(self, request["do"])
        try:
            return serving(request) or b"", None
        except Exception as error:
            if has_lost_spark(error):
                end_with(self.jvm, SECONDS_OF_ENDING)
            return b"", message_of(error)
        finally:
            self.running.discard(request["id"])


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def literal(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def stream_of(rows, batches):
    """The rows as an Arrow IPC stream; an answer without rows has its columns all the same."""
    import pyarrow
    from pyspark.sql.pandas.types import to_arrow_schema

    schema = batches[0].schema if batches else to_arrow_schema(rows.schema)
    stream = io.BytesIO()
    with pyarrow.ipc.new_stream(stream, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return stream.getvalue()


def has_lost_spark(error):
    from py4j.protocol import Py4JNetworkError

    return isinstance(error, (OSError, Py4JNetworkError))


def message_of(error):
    """What went wrong, without the plan and the places in the code that Spark adds."""
    thrown = getattr(error, "java_exception", None)
    if thrown is None:
        text = str(error)
    else:
        while thrown.getCause() is not None:
            thrown = thrown.getCause()
        text = thrown.toString()
    for addition in ("\n\nJVM stacktrace:", "\n== SQL", ";\n", "\n\tat "):
        text = text.split(addition)[0]
    return (text.strip() or type(error).__name__)[:MESSAGE_CHARACTERS]


def end():
    """Ends this process and all that it started. Only its leader ends a group: it would be another one's else."""
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def end_with(jvm, seconds=None):
    """Ends this process when Spark's own has ended, for lack of memory for example; returns if it has not by then."""
    try:
        code = jvm.wait(seconds)
    except subprocess.TimeoutExpired:
        return
    print(f"Error: Spark's Java ended with code {code}", file=sys.stderr, flush=True)
    end()


def serve_all(driver, pipes, requests):
    # Those that cancel are others: all workers may be busy with what is to be cancelled.
    with ThreadPoolExecutor(WORKERS) as workers, ThreadPoolExecutor(WORKERS) as cancelling:

        def serve(request):
            body, error = driver.serve(request)
            if error is None:
                pipes.send({"id": request["id"], "bytes": len(body)}, body)
            else:
                pipes.send({"id": request["id"], "error": error})

        for request in iter(requests.get, None):
            # Before anything else, so that a request can be cancelled as soon as it was sent.
            driver.running.add(request["id"])
            pool = cancelling if request["do"] == "cancel" else workers
            pool.submit(serve, request)


def main():
    pipes = Pipes()
    requests = queue.Queue()

    def read():
        try:
            for line in pipes.requests:
                requests.put(json.loads(line))
        finally:
            end()

    threading.Thread(target=read, daemon=True).start()
    configuration = requests.get()
    try:
        driver = Driver(configuration)
    except Exception as error:
        pipes.send({"id": 0, "error": message_of(error)})
        end()
    threading.Thread(target=end_with, args=(driver.jvm,), daemon=True).start()
    pipes.send({"id": 0, "bytes": 0, "versions": driver.versions()})
    serve_all(driver, pipes, requests)


if __name__ == "__main__":
    main()
