"""Running `bakeoff scan`."""

import subprocess
import tempfile

# Options of the data source that are passed on, by their names in lower case.
PASSED_ON = {
    "cassandra": "--cassandra",
    "username": "--username",
    "tlsca": "--tls-ca",
    "consistency": "--consistency",
}
OWN = ("table", "columns", "where", "parts", "program", "tls", "threads")
# What a message shows at most of what a failed command has said.
MESSAGE_BYTES = 4096
PARTS = 64


# The end of every whole Arrow stream.
END = b"\xff\xff\xff\xff\0\0\0\0"


class BakeoffError(RuntimeError):
    """A `bakeoff scan` that failed, with what it said."""


class Settings:
    """The checked options of the data source."""

    def __init__(self, options):
        options = {key.lower(): value for key, value in dict(options).items()}
        known = sorted([*OWN, *PASSED_ON])
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise ValueError(
                f"bakeoff has no option {', '.join(unknown)}; there are {', '.join(known)}. A password comes "
                "from BAKEOFF_CASSANDRA_PASSWORD in the environment of the driver and of the executors "
                "(spark.executorEnv)"
            )
        self.table = options.get("table")
        if not self.table:
            raise ValueError('bakeoff needs .option("table", "KEYSPACE.TABLE") or "dir:FOLDER"')
        self.columns = options.get("columns")
        self.where = options.get("where")
        self.parts = whole("parts", options.get("parts", PARTS))
        # Spark gives a task one core.
        self.threads = whole("threads", options.get("threads", 1))
        self.program = options.get("program", "bakeoff")
        self.passed_on = [
            f"{option}={options[key]}" for key, option in PASSED_ON.items() if key in options
        ]
        tls = str(options.get("tls", "false")).lower()
        if tls not in ("true", "false"):
            raise ValueError(f"option tls is true or false, not {tls}")
        if tls == "true":
            self.passed_on.append("--tls")

    def scan(self, *arguments):
        """Returns the command line of a scan. No value is taken for an option, whatever it begins with."""
        return [
            self.program,
            "scan",
            *arguments,
            f"--threads={self.threads}",
            *self.passed_on,
            "--",
            self.table,
        ]

    def request(self, condition):
        """Returns the arguments that name the columns and rows which are wanted, of those of the options."""
        # A comment in the user's condition ends with its line.
        conditions = [f"({self.where}\n)"] if self.where else []
        if condition:
            conditions.append(condition)
        arguments = [f"--columns={self.columns}"] if self.columns else []
        if conditions:
            arguments.append(f"--where={' AND '.join(conditions)}")
        return arguments


def whole(option, value):
    """Reads a number of 1 or more."""
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f"option {option} is a whole number of 1 or more, not {value}")
    return number


def schema(settings):
    """Returns the Arrow schema of the columns that are wanted. No row is read."""
    arguments = ["--part=1/1", *settings.request("false")]
    with Running(settings.scan(*arguments), "") as process:
        stream = process.stream()
        for _ in stream:
            pass
        process.finish()
        return stream.schema


def plan(settings, condition):
    """Makes a plan, and returns the tokens of its parts that may have rows."""
    arguments = [f"--plan={settings.parts}", *settings.request(condition)]
    with Running(settings.scan(*arguments), "") as process:
        lines = process.output.read().decode().splitlines()
        process.finish()
    tokens = []
    for line in lines:
        number, _snapshot, size, token = line.split("\t")
        if size != "0":
            tokens.append((number, token))
    return tokens


def batches(settings, token):
    """Yields the rows of a part as Arrow batches, and fails at the end if they are not all."""
    with Running(settings.scan("--part=-"), token) as process:
        try:
            for batch in process.stream():
                yield batch
        except OSError as error:  # pyarrow's error of a torn stream is one, too
            process.finish()
            raise BakeoffError(f"bakeoff scan wrote no whole stream: {error}") from error
        # A stream that just ends looks whole to a reader: its last bytes and the exit code say if it is.
        process.finish()
        if process.output.last != END:
            raise BakeoffError("bakeoff scan ended before its stream did")


class Running:
    """A command that is running, and is killed if its reader leaves early."""

    def __init__(self, command, text):
        self.command = command
        self.said = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said,
            )
        except OSError as error:
            self.said.close()
            raise BakeoffError(
                f"cannot run {command[0]}: {error}; install Bakeoff on every machine, or name the program "
                'with .option("program", PATH)'
            ) from error
        self.output = Output(self.process.stdout)
        try:
            # A scan reads its token to the end before it writes anything.
            self.process.stdin.write(text.encode())
            self.process.stdin.close()
        except BrokenPipeError:
            # It has ended; `finish` says why.
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.output.close()
        self.said.close()

    def stream(self):
        """Begins to read an Arrow stream."""
        import pyarrow

        try:
            return pyarrow.ipc.open_stream(self.output)
        except (pyarrow.ArrowInvalid, OSError) as error:
            self.finish()
            raise BakeoffError(f"{self.command[0]} scan wrote no Arrow stream: {error}") from error

    def finish(self):
        """Waits for the end of the command, and fails if it did."""
        # It may still want to write what nobody reads.
        self.output.close()
        code = self.process.wait()
        if code != 0:
            raise BakeoffError(f"bakeoff scan {ending(code)}: {self.message()}")

    def message(self):
        self.said.seek(0)
        said = self.said.read().decode(errors="replace").strip()
        # Lines of progress come before.
        at = said.rfind("error: ")
        said = said[at:] if at >= 0 else said
        return said[-MESSAGE_BYTES:] or "it said nothing"


class Output:
    """The output of a command, which remembers its last bytes."""

    def __init__(self, pipe):
        self.pipe = pipe
        self.last = b""

    @property
    def closed(self):
        return self.pipe.closed

    def readable(self):
        return True

    def read(self, size=-1):
        data = self.pipe.read(size)
        self.last = (self.last + data[-len(END) :])[-len(END) :]
        return data

    def close(self):
        self.pipe.close()


def ending(code):
    """Returns how a command ended, in words."""
    return f"was killed by signal {-code}" if code < 0 else f"failed with exit code {code}"
