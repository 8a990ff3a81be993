"""The data source: the driver makes a plan, and each task reads a part of it."""

from dataclasses import dataclass

from pyspark.sql import datasource
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from . import command, filters, types


# Without it, Spark refuses readers that take filters.
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def register(spark, push_filters=False):
    """Makes the format `bakeoff` known to a session.

    With `push_filters`, which takes Spark 4.1, filters of a query exclude chunks by themselves. Then each
    `load()` may be used by one query with one such scan only: Spark 4.3 keeps the filters of one query for the
    next one of the same DataFrame if that has none, and its answer lacks rows. The option `where` excludes
    chunks in any case.
    """
    if push_filters:
        if not hasattr(datasource, "Filter"):
            raise ValueError("push_filters takes Spark 4.1 or newer; use .option(\"where\", ...)")
        spark.conf.set(PUSHDOWN, "true")
        spark.dataSource.register(PushingDataSource)
    else:
        spark.dataSource.register(BakeoffDataSource)


class BakeoffDataSource(DataSource):
    """A columnar table of Bakeoff."""

    @classmethod
    def name(cls):
        return "bakeoff"

    def read_by(self, *arguments):
        return BakeoffReader(*arguments)

    # The Arrow schema, once it was read. It never changes.
    found = None

    def columns(self, settings):
        if self.found is None:
            self.found = command.schema(settings)
        return self.found

    def schema(self):
        found = self.columns(command.Settings(self.options))
        return StructType.fromJson(types.spark_json(found))

    def reader(self, schema):
        settings = command.Settings(self.options)
        found = self.columns(settings)
        expected = StructType.fromJson(types.spark_json(found))
        if shape(schema) != shape(expected):
            raise ValueError(
                f"table {settings.table} has the columns {expected.simpleString()}, not "
                f"{schema.simpleString()}: leave .schema(...) out, and choose with .option(\"columns\", ...)"
            )
        return self.read_by(settings, types.kinds(found), [field.nullable for field in schema])


def shape(schema):
    """Returns the names and types of a schema."""
    return [(field.name, field.dataType) for field in schema]


@dataclass
class Part(InputPartition):
    """A part of a plan; one without a token has no rows."""

    number: str
    token: str


class BakeoffReader(DataSourceReader):
    """Reads the parts of one plan."""

    def __init__(self, settings, kinds, nullable):
        self.settings = settings
        self.kinds = kinds
        self.nullable = nullable
        self.condition = None

    def partitions(self):
        tokens = command.plan(self.settings, self.condition)
        # Spark wants a partition even if no row is wanted.
        return [Part(number, token) for number, token in tokens] or [Part("", "")]

    def read(self, partition):
        if partition.token:
            for batch in command.batches(self.settings, partition.token):
                if batch.num_rows:
                    yield types.converted(batch, self.nullable)


class PushingReader(BakeoffReader):
    """Reads the parts of one plan of the rows that may pass the filters."""

    def pushFilters(self, pushed):
        self.condition = filters.conjunction(pushed, self.kinds)
        # Spark evaluates them all again: then no difference between its comparisons and ours matters.
        return pushed


class PushingDataSource(BakeoffDataSource):
    """A columnar table of Bakeoff, whose filters are pushed down."""

    def read_by(self, *arguments):
        return PushingReader(*arguments)
