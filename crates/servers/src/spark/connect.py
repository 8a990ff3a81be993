"""Asks a Spark elsewhere through Spark Connect."""

import time

from asking import SECONDS_BETWEEN_CANCELS, Asking, end_because, message_of, quoted, stream_of

# How often, and for how many milliseconds in between, a call is repeated that found no server: 14 s in all.
RETRIES = {"max_retries": 6, "max_backoff": 5000}
# A connection whose other end has gone without a word is noticed by a ping, which a server takes every 5 minutes at
# most, and by what is sent and not acknowledged in time.
CHANNEL = [("grpc.keepalive_time_ms", 310_000), ("grpc.keepalive_timeout_ms", 20_000)]
# The name under which the server lists sessions whose URL names no user.
USER = "bakeoff"
# How a failed call says that there is no server.
NO_SERVER = "StatusCode.UNAVAILABLE"
# The parts that the server makes where nothing says how many: as many as it has cores, unless it is set otherwise.
PARTS = "SELECT count(DISTINCT part) AS n FROM (SELECT spark_partition_id() AS part FROM range(1000000))"


class Connect(Asking):
    """A client of Spark Connect with a session for each table."""

    def __init__(self, start):
        super().__init__()
        self.remote = start["remote"]
        self.address = start["address"]
        self.settings = dict(start["spark"])
        # By names: all sessions, those of them that have a table, and the jars that were sent.
        self.sessions = {}
        self.tables = {}
        self.jars = {}
        # The sessions of requests that are served.
        self.asked = {}
        self.is_leaving = False
        self.version = "of an unknown version"
        try:
            self.version = self.plain_session().version
            self.parts = answer(self.session(), PARTS).column(0)[0].as_py()
        except Exception as error:
            raise RuntimeError(
                f"the Spark {self.version} at {self.address} cannot be asked: check --spark, and BAKEOFF_SPARK_TOKEN"
                f" if it wants a token ({message_of(error)})"
            ) from error
        # By default it makes 200 parts of whatever is grouped or joined.
        self.settings["spark.sql.shuffle.partitions"] = str(self.parts)

    def plain_session(self):
        from pyspark.sql.connect.client.core import ChannelBuilder
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession(connection=ChannelBuilder(self.remote, CHANNEL), userId=USER)
        session.client._retry_policy.update(RETRIES)
        return session

    def session(self):
        session = self.plain_session()
        for name, value in self.settings.items():
            session.conf.set(name, value)
        return session

    def about(self):
        return {"spark": self.version, "parts": self.parts}

    def serve(self, request):
        try:
            return super().serve(request)
        finally:
            self.asked.pop(request["id"], None)

    def open(self, request):
        """Gives a session one table, which is read into the memory of Spark if that is wanted."""
        self.close(request)
        name, source, table = request["session"], request["source"], request["table"]
        if name not in self.sessions:
            self.sessions[name] = self.session()
        session = self.sessions[name]
        self.begin(request, session)
        jars = [jar for jar in source["jars"] if jar not in self.jars.setdefault(name, set())]
        if jars:
            session.addArtifacts(*jars)
            self.jars[name].update(jars)
        reader = session.read.format(source["format"]).options(**source["options"])
        rows = reader.load(source["path"])
        if source["columns"]:
            rows = rows.select([quoted(column) for column in source["columns"]])
        self.tables[name] = table
        rows.createOrReplaceTempView(table)
        if request["cache"] and not self.is_leaving:
            # The server may have the same rows of a run that could not remove them, as they were then.
            session.sql("UNCACHE TABLE IF EXISTS " + quoted(table))
            session.sql("CACHE TABLE " + quoted(table))

    def close(self, request):
        """Gives the memory of a table up, if there is a session of that name with one."""
        name = request["session"]
        table = self.tables.pop(name, None)
        if table:
            session = self.sessions[name]
            session.sql("UNCACHE TABLE IF EXISTS " + quoted(table))
            session.catalog.dropTempView(table)

    def query(self, request):
        """Answers one query, to its last row."""
        session = self.sessions[request["session"]]
        self.begin(request, session)
        rows = answer(session, request["sql"])
        return stream_of(rows.schema, rows.to_batches())

    def begin(self, request, session):
        """Lets what this thread starts be interrupted with the request."""
        session.client.clear_tags()
        session.client.add_tag(tag_of(request["id"]))
        self.asked[request["id"]] = session

    def cancel(self, request):
        """Interrupts a request, again while it is served, since it may start further operations."""
        number = request["request"]
        while number in self.running:
            session = self.asked.get(number)
            if session:
                session.client.interrupt_tag(tag_of(number))
            time.sleep(SECONDS_BETWEEN_CANCELS)

    def notice(self, error):
        if NO_SERVER in str(error):
            end_because(f"the Spark at {self.address} no longer answers: {message_of(error)}")

    def leave(self):
        """Interrupts what is served, and removes all tables. The server closes sessions that are idle by itself."""
        self.is_leaving = True
        for name, session in list(self.sessions.items()):
            for leaving in (session.interruptAll, lambda: self.close({"session": name})):
                try:
                    leaving()
                except Exception as error:
                    # A server that is gone keeps nothing.
                    print(f"leaving {name} failed: {message_of(error)}", flush=True)


def answer(session, sql):
    """The answer to a query as a table of Arrow."""
    rows = session.sql(sql)
    table, _ = session.client.to_table(rows._plan.to_proto(session.client))
    return table


def tag_of(number):
    return f"bakeoff-{number}"
