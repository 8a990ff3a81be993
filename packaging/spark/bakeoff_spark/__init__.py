"""Columnar tables of Bakeoff as a data source of Apache Spark.

    from bakeoff_spark import register
    register(spark)
    spark.read.format("bakeoff").option("table", "ks.readings").option("cassandra", "db1").load()

Every task runs `bakeoff scan` on its executor and reads one part of a plan that the driver has made, so that
all tasks see one snapshot of the table.
"""

__version__ = "0.1.0"
__all__ = ["BakeoffDataSource", "BakeoffError", "register"]


def __getattr__(name):
    # Only these need Spark: filters and commands are used and tested without it.
    if name in ("BakeoffDataSource", "register"):
        from . import source

        return getattr(source, name)
    if name == "BakeoffError":
        from .command import BakeoffError

        return BakeoffError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
