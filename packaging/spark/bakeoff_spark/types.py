"""Types of columnar tables in Spark. Each value has exactly one there."""

# By the name of the Arrow type: what `bakeoff table info` calls it, and Spark's name.
# Spark's moments have microseconds, so those of nanoseconds are whole numbers there.
TYPES = {
    "bool": ("boolean", "boolean"),
    "int32": ("int", "integer"),
    "int64": ("bigint", "long"),
    "float": ("float", "float"),
    "double": ("double", "double"),
    "date32[day]": ("date", "date"),
    "timestamp[ms]": ("timestamp", "timestamp"),
    "timestamp[ns]": ("nanotime", "long"),
    "string": ("text", "string"),
    "binary": ("blob", "binary"),
}


def kinds(schema):
    """Returns the kind of each column of an Arrow schema by its name."""
    return {field.name: known(field)[0] for field in schema}


def spark_json(schema):
    """Returns an Arrow schema as Spark writes one in JSON."""
    fields = [
        {"name": field.name, "type": known(field)[1], "nullable": field.nullable, "metadata": {}}
        for field in schema
    ]
    return {"type": "struct", "fields": fields}


def known(field):
    found = TYPES.get(str(field.type))
    if found is None:
        raise ValueError(
            f"column {field.name} is {field.type}, which this version of bakeoff_spark does not know"
        )
    return found


def converted(batch, nullable):
    """Returns a batch with the types that Spark expects, exactly. `nullable` says so of each column."""
    import pyarrow as pa

    arrays, fields = [], []
    for field, array, is_nullable in zip(batch.schema, batch.columns, nullable):
        array = for_spark(field, array)
        arrays.append(array)
        fields.append(pa.field(field.name, array.type, nullable=is_nullable))
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def for_spark(field, array):
    import pyarrow as pa

    kind = known(field)[0]
    if kind == "nanotime":
        return array.cast(pa.int64())
    if kind != "timestamp":
        return array
    try:
        return array.cast(pa.timestamp("us")).cast(pa.timestamp("us", "UTC"))
    except pa.ArrowInvalid as error:
        raise ValueError(
            f"column {field.name} has a moment that Spark's microseconds cannot hold: {error}; leave the "
            "column out with .option(\"columns\", ...)"
        ) from error
