"""Filters of Spark as conditions of SQL for `bakeoff scan --where`.

Spark evaluates every filter again, so a condition may keep too many rows and never too few. What cannot be
said exactly is not said at all:

- Floats are only compared for equality: Spark takes every NaN for the greatest value and both zeros for one,
  while bytes decide elsewhere.
- Texts that a command line cannot hold, and moments between milliseconds, are left to Spark.

Filters are told apart by the names of their classes, so that this file needs no Spark.
"""

import datetime
import math

# The most bytes of a condition, and of one filter in it: a command line has its limits.
CONDITION_BYTES = 64 << 10
FILTER_BYTES = 16 << 10
# Equalities of floats that are written one by one.
FLOATS_AT_MOST = 20

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
COMPARISONS = {
    "EqualTo": "=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "EqualNullSafe": "IS NOT DISTINCT FROM",
}
FLOATS = ("float", "double")


def conjunction(filters, kinds):
    """Returns the condition that all filters state which can be stated, or None if none can.

    `kinds` has the type of each column by its name, as `bakeoff table info` calls it.
    """
    conditions = []
    left = CONDITION_BYTES
    for each in filters:
        text = condition(each, kinds)
        if text is None:
            continue
        size = len(text.encode()) + len("() AND ")
        if size <= min(left, FILTER_BYTES):
            conditions.append(f"({text})")
            left -= size
    return " AND ".join(conditions) or None


def condition(filter, kinds):
    """Returns the condition that a filter states, or None if it is left to Spark."""
    form = type(filter).__name__
    if form == "Not":
        inner = condition(filter.child, kinds)
        return None if inner is None else f"NOT ({inner})"
    path = getattr(filter, "attribute", ())
    kind = kinds.get(path[0]) if len(path) == 1 else None
    if kind is None or "\0" in path[0]:
        return None
    column = name(path[0])
    if form == "IsNull":
        return f"{column} IS NULL"
    if form == "IsNotNull":
        return f"{column} IS NOT NULL"
    if form == "In":
        return one_of(column, kind, filter.value)
    if form == "EqualNullSafe" and filter.value is None:
        return f"{column} IS NULL"
    operator = COMPARISONS.get(form)
    if operator is None or (kind in FLOATS and operator in ("<", "<=", ">", ">=")):
        return None
    value = literal(kind, filter.value)
    return None if value is None else f"{column} {operator} {value}"


def one_of(column, kind, values):
    """Returns the condition that a column has one of some values."""
    # A null equals nothing. Without it a negated list keeps more rows, which Spark drops.
    literals = [literal(kind, value) for value in values if value is not None]
    if not literals or None in literals:
        return None
    if kind not in FLOATS:
        return f"{column} IN ({', '.join(literals)})"
    if len(literals) > FLOATS_AT_MOST:
        return None
    return " OR ".join(f"{column} = {value}" for value in literals)


def literal(kind, value):
    """Returns a value of a column of this kind in SQL, or None if it has no exact form."""
    if kind == "boolean":
        return str(value).lower() if type(value) is bool else None
    if kind == "int":
        return integer(value, 31, "INT")
    if kind == "bigint":
        return integer(value, 63, "BIGINT")
    if kind in FLOATS:
        # Zero has two signs, and NaN many forms.
        is_plain = type(value) is float and math.isfinite(value) and value != 0
        return f"CAST('{value!r}' AS DOUBLE)" if is_plain else None
    if kind == "date":
        return f"CAST('{value.isoformat()}' AS DATE)" if type(value) is datetime.date else None
    if kind == "timestamp":
        return moment(value)
    if kind == "nanotime":
        number = integer(value, 63, "BIGINT")
        return None if number is None else f"arrow_cast({number}, 'Timestamp(Nanosecond, None)')"
    if kind == "text":
        return text(value)
    return None


def integer(value, bits, kind):
    """Returns a whole number in SQL if it fits this number of bits and a sign."""
    fits = type(value) is int and -(1 << bits) <= value < 1 << bits
    # A cast of a text, since SQL has no literal for the least number.
    return f"CAST('{value}' AS {kind})" if fits else None


def moment(value):
    """Returns a moment in SQL if it is one of whole milliseconds."""
    if type(value) is not datetime.datetime or value.tzinfo is None:
        return None
    microseconds = (value - EPOCH) // datetime.timedelta(microseconds=1)
    if microseconds % 1000:
        return None
    number = integer(microseconds // 1000, 63, "BIGINT")
    return f"arrow_cast({number}, 'Timestamp(Millisecond, None)')"


def text(value):
    """Returns a text in SQL, in which only the quote has a meaning, if a command line can hold it."""
    if type(value) is not str or "\0" in value:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a pair of surrogates
        return None
    return "'" + value.replace("'", "''") + "'"


def name(column):
    """Returns the name of a column in SQL."""
    return '"' + column.replace('"', '""') + '"'
