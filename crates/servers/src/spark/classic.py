"""Asks a Spark whose driver is a Java of this process: one that computes in it, or an application of a cluster."""

import contextlib
import os
import shlex
import subprocess
import threading
import time

from asking import (
    SECONDS_BETWEEN_CANCELS,
    SECRETS,
    WRITING_SECRETS,
    Asking,
    end_because,
    literal,
    message_of,
    quoted,
    stream_of,
)

# Functions that call any method of any class.
UNSAFE_FUNCTIONS = ("reflect", "java_method", "try_reflect")
# The longest that a Java takes to end whose connections are closed.
SECONDS_OF_ENDING = 10
# The longest wait for the first executor of a cluster.
SECONDS_TO_EXECUTORS = 60
# The time without a further executor after which all of them count as there.
SECONDS_OF_CALM = 6
# The time without the executors of the start after which a cluster counts as lost.
SECONDS_WITHOUT_EXECUTORS = 30
SECONDS_BETWEEN_LOOKS = 1
# Computed by tasks, since it is of what runs them that it tells the version.
VERSIONS = (
    "SELECT DISTINCT version FROM (SELECT reflect('org.apache.spark.package', 'SPARK_VERSION') AS version"
    " FROM range(1000)) ORDER BY version"
)


class Classic(Asking):
    """A Spark with a session for each table."""

    def __init__(self, start):
        super().__init__()
        # The URL of the cluster's master; none for a Spark that computes in this process's Java.
        self.address = start["address"]
        self.sessions = {}
        self.jars = set()
        self.adding_jars = threading.Lock()
        self.settings = {}
        self.spark = self.started(start)
        self.context = self.spark.sparkContext
        self.context.setLogLevel("ERROR")
        self.jvm = self.context._gateway.proc
        self.cores = None
        if self.address:
            self.await_executors()
            self.count, self.cores = self.there()
            # By default it makes 200 parts of whatever is grouped or joined.
            self.settings["spark.sql.shuffle.partitions"] = str(self.cores)

    def started(self, start):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder
        for name, value in start["spark"].items():
            builder = builder.config(name, value)
        try:
            with secret_file(start["secret"]):
                return builder.getOrCreate()
        except Exception as error:
            if not self.address:
                raise
            raise RuntimeError(
                f"the master at {self.address} did not take the application: it has to be of the same release of"
                " Spark, and if it wants a secret (spark.authenticate), BAKEOFF_SPARK_TOKEN has to be that"
                f" ({message_of(error)})"
            ) from error

    def await_executors(self):
        """Waits until the cluster has started its executors, as many as it has room for."""
        began = counted = time.monotonic()
        count = 0
        while True:
            if self.is_stopped():
                raise RuntimeError(f"the cluster at {self.address} has ended the application")
            now = time.monotonic()
            there = self.executors()
            if there != count:
                count, counted = there, now
            elif count > 0 and now - counted >= SECONDS_OF_CALM:
                return
            elif now - began >= SECONDS_TO_EXECUTORS:
                if count > 0:
                    return
                host = self.context.getConf().get("spark.driver.host")
                raise RuntimeError(
                    f"the cluster at {self.address} started no executor within {SECONDS_TO_EXECUTORS} s: look for a"
                    " worker with free cores and 1 GiB of free memory, for its log, and whether workers reach this"
                    f" machine at {host}, on any port"
                )
            time.sleep(SECONDS_BETWEEN_LOOKS / 5)

    def executors(self):
        # The driver counts as one.
        return self.context._jsc.sc().getExecutorMemoryStatus().size() - 1

    def there(self):
        """The executors of a cluster and the cores of all of them."""
        # Py4J hands the number over as an int.
        return self.executors(), int(self.context._jsc.sc().schedulerBackend().totalCoreCount())

    def is_stopped(self):
        return self.context._jsc.sc().isStopped()

    def about(self):
        java = self.spark._jvm.java.lang.System.getProperty("java.version")
        if not self.address:
            return {"spark": self.spark.version, "java": java}
        versions = [row.version for row in self.spark.sql(VERSIONS).collect()]
        return {
            "spark": ", ".join(versions),
            "java": java,
            "executors": self.count,
            "cores": self.cores,
        }

    def open(self, request):
        """Makes a session with one table, and reads all of it into memory if that is wanted."""
        self.close(request)
        self.begin(request)
        session = self.spark.newSession()
        for name, value in self.settings.items():
            session.conf.set(name, value)
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
        from pyspark.sql.pandas.types import to_arrow_schema

        session, _ = self.sessions[request["session"]]
        self.begin(request)
        rows = session.sql(request["sql"])
        batches = rows._collect_as_arrow()
        schema = batches[0].schema if batches else to_arrow_schema(rows.schema)
        return stream_of(schema, batches)

    def begin(self, request):
        """Lets the jobs that this thread starts be cancelled with the request, and find the classes of all jars."""
        group = str(request["id"])
        self.context.setJobGroup(group, group, interruptOnCancel=True)
        # ADD JAR does this for the one thread of Java that adds the jar.
        loader = self.spark._jsparkSession.sharedState().jarClassLoader()
        self.spark._jvm.java.lang.Thread.currentThread().setContextClassLoader(loader)

    def cancel(self, request):
        """Cancels a request, again while it is served, since it may start further jobs."""
        while request["request"] in self.running:
            self.context.cancelJobGroup(str(request["request"]))
            time.sleep(SECONDS_BETWEEN_CANCELS)

    def drop_unsafe_functions(self, session):
        state = session._jsparkSession.sessionState()
        identifier = session._jvm.org.apache.spark.sql.catalyst.FunctionIdentifier
        for name in UNSAFE_FUNCTIONS:
            state.functionRegistry().dropFunction(identifier(name))

    def notice(self, error):
        from py4j.protocol import Py4JNetworkError

        if isinstance(error, (OSError, Py4JNetworkError)):
            end_with(self.jvm, SECONDS_OF_ENDING)
        elif self.address:
            # Of a Java that is ending nothing can be asked, and who watches it says so.
            with contextlib.suppress(Exception):
                self.end_if_stopped()

    def watch(self):
        if self.address:
            self.watch_executors()
        end_with(self.jvm)

    def end_if_stopped(self):
        if self.is_stopped():
            end_because(f"the cluster at {self.address} has ended the application")

    def watch_executors(self):
        """Looks whether the cluster still has the executors and cores of the start, until Spark's Java ends. Without
        any, questions would wait for ever, and with others their times would be those of another cluster."""
        lost = None
        while self.jvm.poll() is None:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            # What Java does not tell now, for it is busy or ending, it tells at the next look.
            with contextlib.suppress(Exception):
                self.end_if_stopped()
                there = self.there()
                now = time.monotonic()
                if there == (self.count, self.cores):
                    lost = None
                elif lost is None:
                    lost = now
                elif now - lost >= SECONDS_WITHOUT_EXECUTORS:
                    end_because(
                        f"the cluster at {self.address} began with executors: {self.count}, cores: {self.cores}, and"
                        f" has not had these for {SECONDS_WITHOUT_EXECUTORS} s; it now has executors: {there[0]},"
                        f" cores: {there[1]}. Times of both cannot be compared: repeat the run while no worker comes"
                        " or goes"
                    )


@contextlib.contextmanager
def secret_file(secret):
    """While Java starts there is a file with the secret of a cluster, if it has one, that only this user reads."""
    if secret is None:
        yield
        return
    units = secret.encode("utf-16-be")
    escaped = "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
    with WRITING_SECRETS:
        handle = os.open(SECRETS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(f"spark.authenticate.secret={escaped}\n")
    path = shlex.quote(os.path.abspath(SECRETS))
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--properties-file {path} pyspark-shell"
    try:
        yield
    finally:
        # It is gone already where this process is ending.
        with contextlib.suppress(FileNotFoundError):
            os.remove(SECRETS)


def end_with(jvm, seconds=None):
    """Ends this process when Spark's own has ended, for lack of memory for example; returns if it has not by then."""
    try:
        code = jvm.wait(seconds)
    except subprocess.TimeoutExpired:
        return
    end_because(f"Spark's Java ended with code {code}")
