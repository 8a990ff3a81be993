"""Filters become conditions that mean the same, whatever is in names and values."""

import datetime
import math
import random
import re
import sys
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bakeoff_spark.filters import CONDITION_BYTES, condition, conjunction  # noqa: E402

KINDS = {
    "t": "text",
    "i": "int",
    "n": "bigint",
    "f": "float",
    "d": "double",
    "up": "boolean",
    "day": "date",
    "at": "timestamp",
    "nano": "nanotime",
    "raw": "blob",
    'we"ird, ; --': "text",
}


def filter_class(form, *fields):
    """Makes a class like Spark's, which are told apart by their names."""
    return dataclass(type(form, (), {"__annotations__": dict.fromkeys(fields, Any)}))


EqualTo = filter_class("EqualTo", "attribute", "value")
EqualNullSafe = filter_class("EqualNullSafe", "attribute", "value")
GreaterThan = filter_class("GreaterThan", "attribute", "value")
LessThanOrEqual = filter_class("LessThanOrEqual", "attribute", "value")
In = filter_class("In", "attribute", "value")
IsNull = filter_class("IsNull", "attribute")
IsNotNull = filter_class("IsNotNull", "attribute")
Not = filter_class("Not", "child")
StringContains = filter_class("StringContains", "attribute", "value")


def tokens(text):
    """Cuts SQL into quoted names, quoted texts, words and signs, as its grammar does."""
    found, rest = [], text
    pattern = re.compile(r"""\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|[A-Za-z_0-9]+|[^\s'"])""", re.DOTALL)
    while rest.strip():
        match = pattern.match(rest)
        if match is None:
            raise AssertionError(f"a quote has no end: {text}")
        found.append(match.group(1))
        rest = rest[match.end() :]
    return found


class Conditions(unittest.TestCase):
    def states(self, filter, expected):
        self.assertEqual(condition(filter, KINDS), expected)

    def test_simple_comparisons(self):
        self.states(EqualTo(("t",), "x"), "\"t\" = 'x'")
        self.states(GreaterThan(("t",), ""), "\"t\" > ''")
        self.states(LessThanOrEqual(("i",), -5), "\"i\" <= CAST('-5' AS INT)")
        self.states(EqualTo(("up",), True), '"up" = true')
        self.states(IsNull(("t",)), '"t" IS NULL')
        self.states(IsNotNull(("raw",)), '"raw" IS NOT NULL')
        self.states(EqualNullSafe(("n",), None), '"n" IS NULL')
        self.states(EqualNullSafe(("t",), "x"), "\"t\" IS NOT DISTINCT FROM 'x'")
        self.states(In(("t",), ("a", None, "b")), "\"t\" IN ('a', 'b')")
        self.states(Not(EqualTo(("t",), "x")), "NOT (\"t\" = 'x')")
        self.states(Not(IsNull(("t",))), 'NOT ("t" IS NULL)')

    def test_times(self):
        utc = datetime.timezone.utc
        at = datetime.datetime(2026, 1, 31, 12, 0, 0, 123000, tzinfo=utc)
        millis = "arrow_cast(CAST('1769860800123' AS BIGINT), 'Timestamp(Millisecond, None)')"
        self.states(GreaterThan(("at",), at), f'"at" > {millis}')
        zone = datetime.timezone(datetime.timedelta(hours=2))
        self.states(EqualTo(("at",), at.astimezone(zone)), f'"at" = {millis}')
        before = datetime.datetime(1969, 12, 31, 23, 59, 59, 999000, tzinfo=utc)
        self.assertIn("CAST('-1' AS BIGINT)", condition(EqualTo(("at",), before), KINDS))
        self.states(EqualTo(("day",), datetime.date(5, 1, 2)), "\"day\" = CAST('0005-01-02' AS DATE)")
        self.assertIn("'Timestamp(Nanosecond, None)'", condition(EqualTo(("nano",), 7), KINDS))
        # Between milliseconds, without a zone, or a moment where a day is meant.
        self.states(EqualTo(("at",), at.replace(microsecond=1)), None)
        self.states(EqualTo(("at",), at.replace(tzinfo=None)), None)
        self.states(EqualTo(("day",), at), None)
        self.states(EqualTo(("at",), datetime.date(2026, 1, 1)), None)

    def test_numbers_at_their_limits(self):
        for column, bits in (("i", 31), ("n", 63), ("nano", 63)):
            for value in (-(1 << bits), (1 << bits) - 1):
                self.assertIn(f"'{value}'", condition(EqualTo((column,), value), KINDS))
            for value in (-(1 << bits) - 1, 1 << bits, True, 1.0, "1", None):
                self.states(EqualTo((column,), value), None)
        self.states(EqualTo(("d",), 0.1), "\"d\" = CAST('0.1' AS DOUBLE)")
        self.states(In(("f",), (1.5, 1e300)), "\"f\" = CAST('1.5' AS DOUBLE) OR \"f\" = CAST('1e+300' AS DOUBLE)")
        for value in (0.0, -0.0, math.nan, math.inf, -math.inf, 1, True):
            self.states(EqualTo(("d",), value), None)
        # NaN is the greatest value for Spark, whatever its sign.
        self.states(GreaterThan(("d",), 1.5), None)
        self.states(In(("d",), (1.5, math.nan)), None)

    def test_what_cannot_be_said_is_left_to_spark(self):
        for filter in (
            StringContains(("t",), "x"),
            EqualTo(("nothing",), 1),
            EqualTo(("t", "field"), "x"),
            EqualTo(("raw",), b"x"),
            EqualTo(("t",), "nul \0"),
            EqualTo(("t",), "half \ud800"),
            EqualTo(("t",), 1),
            In(("t",), ()),
            In(("t",), (None,)),
            In(("t",), ("a", "\0")),
            Not(StringContains(("t",), "x")),
            Not(EqualTo(("t",), "\0")),
        ):
            self.states(filter, None)

    def test_hostile_texts_stay_texts(self):
        chance = random.Random(7)
        signs = ["'", '"', "\\", ";", "--", "/*", "%", "\n", "é", "😀", "’", "$1", "${x}", " OR true", ")"]
        for _ in range(2000):
            value = "".join(chance.choice(signs) for _ in range(chance.randrange(8)))
            stated = condition(EqualTo(('we"ird, ; --',), value), KINDS)
            column, equals, literal = tokens(stated)
            self.assertEqual(column[1:-1].replace('""', '"'), 'we"ird, ; --')
            self.assertEqual(equals, "=")
            self.assertEqual(literal[1:-1].replace("''", "'"), value)

    def test_a_conjunction_has_what_fits_a_command_line(self):
        both = [EqualTo(("t",), "a"), StringContains(("t",), "b"), IsNotNull(("i",))]
        self.assertEqual(conjunction(both, KINDS), "(\"t\" = 'a') AND (\"i\" IS NOT NULL)")
        self.assertIsNone(conjunction([StringContains(("t",), "b")], KINDS))
        self.assertIsNone(conjunction([], KINDS))
        long = EqualTo(("t",), "ü" * 7000)
        longer = EqualTo(("t",), "ü" * 9000)
        stated = conjunction([longer, *[long] * 9, IsNull(("t",))], KINDS)
        self.assertLessEqual(len(stated.encode()), CONDITION_BYTES)
        self.assertEqual(stated.count("="), 4)
        self.assertTrue(stated.endswith('("t" IS NULL)'))


if __name__ == "__main__":
    unittest.main()
