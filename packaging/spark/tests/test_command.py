"""Command lines, and what becomes of a `bakeoff scan` that fails."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from bakeoff_spark import command, types  # noqa: E402

FAKE = str(HERE / "fake_bakeoff")
HAS_ARROW = importlib.util.find_spec("pyarrow") is not None


class Settings(unittest.TestCase):
    def test_a_command_line_takes_no_value_for_an_option(self):
        settings = command.Settings(
            {
                "table": "--help",
                "Cassandra": "--evil",
                "tlsCa": "ca.pem",
                "tls": "TRUE",
                "columns": '-a,"b,c"',
                "parts": "3",
            }
        )
        line = settings.scan("--plan=3", *settings.request("-1 < 0"))
        expected = ["bakeoff", "scan", "--plan=3", '--columns=-a,"b,c"', "--where=-1 < 0", "--threads=1"]
        passed_on = ["--cassandra=--evil", "--tls-ca=ca.pem", "--tls"]
        self.assertEqual(line, [*expected, *passed_on, "--", "--help"])

    def test_the_user_s_condition_and_filters_hold_both(self):
        settings = command.Settings({"table": "ks.t", "where": "a = 1 -- or b"})
        self.assertEqual(settings.request(None), ["--where=(a = 1 -- or b\n)"])
        self.assertEqual(settings.request("c"), ["--where=(a = 1 -- or b\n) AND c"])
        self.assertEqual(command.Settings({"table": "ks.t"}).request(None), [])

    def test_mistakes_name_what_there_is(self):
        for options, said in (
            ({}, "needs .option"),
            ({"table": ""}, "needs .option"),
            ({"table": "ks.t", "colums": "a"}, "no option colums; there are cassandra, columns"),
            ({"table": "ks.t", "password": "x"}, "BAKEOFF_CASSANDRA_PASSWORD"),
            ({"table": "ks.t", "parts": "0"}, "option parts is a whole number of 1 or more, not 0"),
            ({"table": "ks.t", "threads": "two"}, "option threads is"),
            ({"table": "ks.t", "tls": "maybe"}, "option tls is true or false"),
        ):
            with self.assertRaisesRegex(ValueError, said):
                command.Settings(options)

    def test_a_program_that_is_not_there(self):
        settings = command.Settings({"table": "ks.t", "program": "/nowhere/bakeoff"})
        with self.assertRaisesRegex(command.BakeoffError, "cannot run /nowhere/bakeoff: .*install Bakeoff"):
            command.plan(settings, None)


@unittest.skipUnless(HAS_ARROW, "pyarrow is missing")
class Scans(unittest.TestCase):
    def setUp(self):
        self.settings = command.Settings({"table": "ks.t", "program": FAKE, "parts": "4"})
        self.addCleanup(os.environ.pop, "FAKE_FAIL", None)
        os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def rows(self, tokens):
        batches = [batch for _, token in tokens for batch in command.batches(self.settings, token)]
        return sorted(day.toordinal() for batch in batches for day in batch.column("day").to_pylist())

    def test_parts_are_the_whole_table(self):
        tokens = command.plan(self.settings, "true")
        self.assertEqual([number for number, _ in tokens], ["1/4", "2/4", "3/4", "4/4"])
        rows = self.rows(tokens)
        self.assertEqual(rows, list(range(rows[0], rows[0] + 1000)))

    def test_a_part_that_fails_is_an_error_with_what_was_said(self):
        for fails, said in (
            ("always", "failed with exit code 1: error: chunk 7 is gone; make a new plan$"),
            ("once %s", "was killed by signal 9: it said nothing"),
            ("torn", "ended before its stream did"),
        ):
            with tempfile.TemporaryDirectory() as folder:
                os.environ["FAKE_FAIL"] = fails.replace("%s", folder)
                with self.assertRaisesRegex(command.BakeoffError, said):
                    self.rows([("1/4", "token-1-4")])
                if fails.startswith("once"):
                    self.assertEqual(len(self.rows([("1/4", "token-1-4")])), 250)

    def test_a_table_that_is_not_there(self):
        settings = command.Settings({"table": "ks.none", "program": FAKE})
        for ask in (command.schema, lambda settings: command.plan(settings, None)):
            with self.assertRaisesRegex(command.BakeoffError, "error: ks.none is not a columnar table"):
                ask(settings)

    def test_a_reader_that_leaves_early_ends_the_command(self):
        started = []

        class Noted(subprocess.Popen):
            def __init__(self, *arguments, **options):
                super().__init__(*arguments, **options)
                started.append(self)

        with mock.patch.object(command.subprocess, "Popen", Noted):
            batches = command.batches(self.settings, "token-1-1")
            next(batches)
            self.assertIsNone(started[0].returncode)
            batches.close()
        # Only known once it was waited for.
        self.assertIsNotNone(started[0].returncode)

    def test_a_token_longer_than_a_command_line_is_passed(self):
        with self.assertRaisesRegex(command.BakeoffError, "ValueError"):
            list(command.batches(self.settings, "x" * (1 << 20)))

    def test_types_keep_every_value(self):
        import pyarrow as pa

        schema = command.schema(self.settings)
        self.assertEqual(types.kinds(schema)["nano"], "nanotime")
        names = [field["type"] for field in types.spark_json(schema)["fields"]]
        self.assertEqual(names, ["string", "timestamp", "long", "double", "boolean", "date", "binary"])
        batch = next(command.batches(self.settings, "token-1-1"))
        converted = types.converted(batch, [True] * 7)
        self.assertEqual(converted.column("nano").to_pylist()[:2], [-5, -4])
        self.assertEqual(converted.schema.field("time").type, pa.timestamp("us", "UTC"))
        self.assertEqual(converted.column("time").cast(pa.int64()).to_pylist()[:2], [1000, 1001000])
        self.assertTrue(converted.schema.field("host").nullable)
        far = pa.array([1 << 62], pa.timestamp("ms"))
        with self.assertRaisesRegex(ValueError, "column at has a moment"):
            types.for_spark(pa.field("at", far.type), far)
        odd = pa.schema([pa.field("d", pa.decimal128(5, 2))])
        with self.assertRaisesRegex(ValueError, "column d is decimal"):
            types.kinds(odd)


if __name__ == "__main__":
    unittest.main()
