"""Questions on a standalone cluster of Spark: a master and two workers on loopback.

    cluster.py PROGRAM [CHECK]...     all checks, if none is named
    cluster.py PROGRAM figures        how long a question takes, beside one process and beside Spark over Parquet

PROGRAM is a built `bakeoff`. It makes a columnar table in a temporary folder, whose rows are known here, and the
answers of Spark are compared with them. It needs pyspark, pyarrow and a Java that Spark takes.
"""

import datetime
import json
import math
import os
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pyspark
from pyspark.sql import SparkSession, functions
from pyspark.sql.types import LongType

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PACKAGE))

from bakeoff_spark import register  # noqa: E402

ROWS = 20_000
PARTS = 8
# Rows of the table whose questions are timed, and how often each is asked.
TIMED_ROWS = 10_000_000
ROUNDS = 7
HOSTS = ["plain", "o'hara", 'say "hi"', "100% \\ sure", "--; /*", "ünï 😀", ""]
UTC = datetime.timezone.utc
START = datetime.datetime(2026, 1, 1, tzinfo=UTC)
WAIT_SECONDS = 120
# The lines of each log that are shown when a check fails.
LOG_LINES = 30


def row(n):
    """Returns a row: host, time, n, value, day, up."""
    value = [n / 8, math.nan, None, -0.0, 1e300][n % 5]
    at = START + datetime.timedelta(milliseconds=n * 997)
    return (HOSTS[n % len(HOSTS)], at, n, value, at.date(), n % 3 == 0)


def comparable(rows):
    """Returns rows in an order of their own, as texts, so that a NaN is equal to another."""
    return sorted(repr(tuple(row)) for row in rows)


def wait_until(what, is_so):
    end = time.monotonic() + WAIT_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"not within {WAIT_SECONDS} s: {what}")
        time.sleep(0.1)


class Cluster:
    """A master and two workers, each with processes of its own group."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.started = []
        spark_home = Path(pyspark.__file__).parent
        self.environment = {
            **os.environ,
            "SPARK_HOME": str(spark_home),
            "SPARK_NO_DAEMONIZE": "1",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(folder / "local"),
            "PYTHONPATH": str(PACKAGE),
            "PYSPARK_PYTHON": sys.executable,
        }
        self.spark_class = str(spark_home / "bin/spark-class")
        self.workers = []

    def start(self):
        master = self.run("Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        wait_until("the master listens or has ended", lambda: answers(self.port) or master.poll() is not None)
        assert master.poll() is None, "the master has ended"
        self.workers = [self.worker(number) for number in (1, 2)]

    def worker(self, number):
        options = ["--host", "127.0.0.1", "--cores", "2", "--memory", "1g", "--webui-port", "0"]
        work = ["--work-dir", str(self.folder / f"worker-{number}")]
        return self.run("Worker", *options, *work, self.url())

    def url(self):
        return f"spark://127.0.0.1:{self.port}"

    def run(self, what, *arguments):
        name = f"{what.lower()}-{len(self.started)}.log"
        command = [self.spark_class, f"org.apache.spark.deploy.{what.lower()}.{what}", *arguments]
        with open(self.folder / name, "wb") as log:
            process = subprocess.Popen(
                command,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started.append(process)
        return process

    def stop(self):
        for process in self.started:
            kill(process)

    def last_lines(self):
        """Returns what the processes said last, which is gone with their folder."""
        logs = sorted(self.folder.glob("*.log"))
        ends = [(log.name, log.read_text(errors="replace").splitlines()[-LOG_LINES:]) for log in logs]
        return "\n".join(f"{name}:\n" + "\n".join(lines) for name, lines in ends)


def kill(process):
    """Kills a process of ours with all that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def answers(port):
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


class Desk:
    """A session of the cluster, and a table whose rows are known."""

    def __init__(self, folder, cluster, program):
        self.folder, self.cluster, self.program = folder, cluster, program
        os.environ.update(cluster.environment)
        self.spark = (
            SparkSession.builder.master(cluster.url())
            .appName("bakeoff")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.executor.memory", "512m")
            .config("spark.executor.cores", "2")
            .config("spark.executorEnv.PYTHONPATH", str(PACKAGE))
            .config("spark.sql.session.timeZone", "America/New_York")
            .config("spark.sql.shuffle.partitions", "4")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.ui.port", str(free_port()))
            .getOrCreate()
        )
        self.spark.sparkContext.setLogLevel("OFF")
        register(self.spark)
        wait_until("two executors are there", lambda: len(self.executors()) == 2)

    def executors(self, which="executors"):
        """Returns what Spark says of its executors; `allexecutors` has those that are lost, too."""
        context = self.spark.sparkContext
        url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{which}"
        with urllib.request.urlopen(url) as answer:
            found = json.load(answer)
        return [executor for executor in found if executor["id"] != "driver"]

    def make_table(self, name):
        columns = list(zip(*map(row, range(ROWS))))
        types = [pa.string(), pa.timestamp("ms", "UTC"), pa.int64(), pa.float64(), pa.date32(), pa.bool_()]
        names = ["host", "time", "n", "value", "day", "up"]
        arrays = [pa.array(values, type) for values, type in zip(columns, types)]
        file = self.folder / f"{name}.parquet"
        pyarrow.parquet.write_table(pa.table(arrays, names), file)
        table = f"dir:{self.folder / name}"
        keys = ["--partition-key", "host", "--order-key", "time,n", "--chunk-rows", "500"]
        command = [self.program, "ingest", str(file), "--into", table, *keys]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return table

    def wrapper(self, name, before):
        """Writes a program that does something before it reads a part, and returns its path."""
        path = self.folder / name
        real = shlex.quote(self.program)
        text = f'#!/bin/bash\ncase "$*" in *--part=-*)\n{before}\nesac\nexec {real} "$@"\n'
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def load(self, table, program=None, **options):
        reader = self.spark.read.format("bakeoff").option("table", table)
        reader = reader.option("program", program or self.program).option("parts", PARTS)
        for key, value in options.items():
            reader = reader.option(key, value)
        return reader.load()


def collected(frame):
    """Returns the rows of a frame with moments in UTC, whatever the zone of this process."""
    micros = functions.unix_micros("time").cast(LongType()).alias("time")
    columns = [micros if name == "time" else functions.col(name) for name in frame.columns]
    zero = datetime.datetime(1970, 1, 1, tzinfo=UTC)

    def with_moment(found):
        found = found.asDict()
        if "time" in found:
            found["time"] = zero + datetime.timedelta(microseconds=found["time"])
        return tuple(found.values())

    return [with_moment(found) for found in frame.select(columns).collect()]


def check_answers(desk):
    """Whole rows, and the same with each kind of filter."""
    table = desk.make_table("answers")
    frame = desk.load(table)
    rows = [row(n) for n in range(ROWS)]
    assert comparable(collected(frame)) == comparable(rows), "whole rows"
    noon = START + datetime.timedelta(hours=2)
    questions = [(functions.col("host") == host, lambda r, host=host: r[0] == host) for host in HOSTS]
    questions += [
        (functions.col("host").isin("o'hara", "'", "nobody"), lambda r: r[0] == "o'hara"),
        (functions.col("host") > "o", lambda r: r[0].encode() > b"o"),
        (functions.col("n") < 100, lambda r: r[2] < 100),
        (~(functions.col("n") >= 100), lambda r: r[2] < 100),
        (functions.col("value") > 5.0, lambda r: r[3] is not None and not r[3] <= 5.0),
        (functions.col("value") == 0.0, lambda r: r[3] == 0.0),
        (functions.col("value") == 10.0, lambda r: r[3] == 10.0),
        (functions.isnan("value"), lambda r: r[3] is not None and math.isnan(r[3])),
        (functions.col("value").isNull(), lambda r: r[3] is None),
        (functions.col("value").eqNullSafe(1e300), lambda r: r[3] == 1e300),
        (functions.col("up"), lambda r: r[5]),
        (functions.col("day") == datetime.date(2026, 1, 1), lambda r: r[4] == datetime.date(2026, 1, 1)),
        (functions.col("time") >= functions.lit(noon), lambda r: r[1] >= noon),
        (functions.col("host").contains("'") & (functions.col("n") > 500), lambda r: "'" in r[0] and r[2] > 500),
        (functions.lit(False), lambda r: False),
    ]
    # All of one DataFrame, so that what Spark keeps of one question would be seen in the next.
    ask(questions, rows, lambda: frame)
    # Filters that are pushed down, each to a scan of its own.
    register(desk.spark, push_filters=True)
    ask(questions[::3], rows, lambda: desk.load(table))
    register(desk.spark)
    few = desk.load(table, where="host = 'o''hara' AND n < 50")
    assert comparable(collected(few)) == comparable(r for r in rows[:50] if r[0] == "o'hara")
    some = collected(desk.load(table, columns="n,host").where("n < 9"))
    assert sorted(some) == [(n, row(n)[0]) for n in range(9)], some


def ask(questions, rows, load):
    for question, is_right in questions:
        found = comparable(collected(load().where(question)))
        expected = comparable(filter(is_right, rows))
        assert found == expected, f"{question}: {len(found)} rows, not {len(expected)}"


def check_division(desk):
    """Parts of about equal rows, read by both workers."""
    before = {executor["id"]: executor["completedTasks"] for executor in desk.executors()}
    frame = desk.load(desk.make_table("division"))
    parts = frame.groupBy(functions.spark_partition_id()).count().collect()
    counts = sorted(count for _, count in parts)
    assert len(counts) == PARTS and sum(counts) == ROWS, counts
    assert counts[-1] <= 2 * counts[0], counts
    done = [executor["completedTasks"] - before[executor["id"]] for executor in desk.executors()]
    assert min(done) * 4 >= sum(done), done


def check_failures(desk):
    """A part that fails in its midst is read again; one that always fails is an error with its reason."""
    table = desk.make_table("failures")
    real = shlex.quote(desk.program)
    marks = shlex.quote(str(desk.folder / "marks"))
    once = f'mkdir {marks} 2>/dev/null && {{ {real} "$@" | head -c 20000; kill -9 $$; }}'
    frame = desk.load(table, program=desk.wrapper("fails-once", once))
    assert comparable(collected(frame)) == comparable(row(n) for n in range(ROWS))
    assert (desk.folder / "marks").exists(), "nothing has failed"
    always = 'echo "error: it does not want to" >&2; exit 1'
    frame = desk.load(table, program=desk.wrapper("fails-always", always))
    expect_error(frame, "it does not want to")


def check_sweep(desk):
    """A chunk that was swept after the plan was made is an error, and not an answer without its rows."""
    table = desk.make_table("sweep")
    real, quoted = shlex.quote(desk.program), shlex.quote(table)
    file = shlex.quote(str(desk.folder / "sweep.parquet"))
    lock = shlex.quote(str(desk.folder / "sweep.lock"))
    mark = shlex.quote(str(desk.folder / "swept"))
    # All rows are written anew, and what they replaced is removed, before any part is read.
    change = (
        f"(flock 9; [ -e {mark} ] || {{ {real} ingest {file} --into {quoted} && {real} table seal {quoted} &&"
        f" {real} table sweep {quoted} --grace 0s && touch {mark}; }} >&2 </dev/null) 9>{lock}"
    )
    frame = desk.load(table, program=desk.wrapper("sweeps", change))
    expect_error(frame, "make a new plan")
    # Spark keeps the plan of a DataFrame.
    assert desk.load(table).count() == ROWS, "a new plan"


def expect_error(frame, words):
    try:
        found = frame.count()
    except Exception as error:  # Py4J has its own
        assert words in str(error), error
    else:
        raise AssertionError(f"{found} rows instead of an error")


def check_killed_worker(desk):
    """A worker that is killed while it reads costs nothing but time."""
    frame = desk.load(desk.make_table("killed"), program=desk.wrapper("slow", "sleep 2"))
    found = []
    asking = threading.Thread(target=lambda: found.extend(collected(frame)))
    asking.start()
    wait_until("both read", lambda: sum(e["activeTasks"] > 0 for e in desk.executors()) == 2)
    kill(desk.cluster.workers[0])
    asking.join()
    assert comparable(found) == comparable(row(n) for n in range(ROWS)), f"{len(found)} rows"
    lost = [e for e in desk.executors("allexecutors") if not e["isActive"]]
    assert lost, "no executor was lost"


def figures(desk):
    """Times of one question with the same rows, asked in turns."""
    numbers = pa.array(range(TIMED_ROWS), pa.int64())
    hosts = pa.array([f"host-{n % 100}" for n in range(TIMED_ROWS)], pa.string())
    values = pa.array([math.sin(n) for n in range(TIMED_ROWS)], pa.float64())
    file = desk.folder / "figures.parquet"
    pyarrow.parquet.write_table(pa.table([hosts, numbers, values], ["host", "n", "value"]), file)
    table = f"dir:{desk.folder / 'figures'}"
    keys = ["--partition-key", "host", "--order-key", "n"]
    run([desk.program, "ingest", str(file), "--into", table, *keys])

    def averages(frame):
        return sorted(map(tuple, frame.groupBy("host").avg("value").collect()))

    def of_one_process():
        question = "SELECT host, avg(value) AS mean FROM figures GROUP BY host ORDER BY host"
        text = run([desk.program, "sql", question, "--dir", str(desk.folder / "figures"), "--format", "json"]).stdout
        return [(found["host"], found["mean"]) for found in map(json.loads, text.splitlines())]

    ways = {
        "one process, bakeoff sql": of_one_process,
        "Spark over bakeoff scan": lambda: averages(desk.load(table, columns="host,value")),
        "Spark over Parquet": lambda: averages(desk.spark.read.parquet(str(file))),
    }
    right = averages(desk.spark.read.parquet(str(file)))
    times = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, ask_it in ways.items():
            began = time.monotonic()
            found = ask_it()
            times[name].append(time.monotonic() - began)
            assert [host for host, _ in found] == [host for host, _ in right], name
            pairs = zip(found, right)
            assert all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for (_, a), (_, b) in pairs), name
    for name, seconds in times.items():
        middle, least, most = statistics.median(seconds), min(seconds), max(seconds)
        print(f"{name}: {middle:.2f} s ({least:.2f} to {most:.2f}) for {TIMED_ROWS} rows, {ROUNDS} rounds", flush=True)


def run(command):
    return subprocess.run(command, check=True, capture_output=True, text=True)


CHECKS = {
    "answers": check_answers,
    "division": check_division,
    "failures": check_failures,
    "sweep": check_sweep,
    # The last one: a worker is missing afterwards.
    "killed": check_killed_worker,
}


def main(program, *names):
    unknown = sorted(set(names) - set(CHECKS) - {"figures"})
    if unknown:
        sys.exit(f"there is no check {', '.join(unknown)}; there are {', '.join(CHECKS)}, and figures")
    # The programs of the tests find this Python's packages.
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with tempfile.TemporaryDirectory(prefix="bakeoff-spark-") as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.start()
            desk = Desk(Path(folder), cluster, str(Path(program).resolve()))
            for name, check in CHECKS.items():
                if not names or name in names:
                    began = time.monotonic()
                    check(desk)
                    print(f"{name}: {check.__doc__} Passed in {time.monotonic() - began:.0f} s.", flush=True)
            if "figures" in names:
                figures(desk)
            desk.spark.stop()
        except BaseException:
            print(cluster.last_lines(), file=sys.stderr, flush=True)
            raise
        finally:
            cluster.stop()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
