"""What asking a Spark takes, whether this process has started it or reaches it elsewhere."""

import contextlib
import io
import os
import re
import signal
import sys
import threading

SECONDS_BETWEEN_CANCELS = 0.1
# An exception of Spark goes on with its plan and a stack trace.
MESSAGE_CHARACTERS = 2000
# The file of the secret, which would be visible to all users of this machine in the command line of Java.
SECRETS = "secrets.properties"
# Held while that file is written, and from its removal to the end of this process.
WRITING_SECRETS = threading.Lock()


class Asking:
    """Serves requests. A subclass has a method for each thing that is to be done."""

    def __init__(self):
        # The numbers of the requests that are served or wait for being served.
        self.running = set()

    def serve(self, request):
        """Returns the bytes of an answer and why there is none; one of them is empty."""
        serving = getattr(self, request["do"])
        try:
            return serving(request) or b"", None
        except Exception as error:
            self.notice(error)
            return b"", message_of(error)
        finally:
            self.running.discard(request["id"])

    def notice(self, error):
        """Ends this process if an error means that Spark is lost."""

    def watch(self):
        """Waits for the end of Spark, and ends this process then; returns at once if only an answer shows it."""

    def leave(self):
        """Removes from Spark what its end, or that of this process, does not remove."""


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def literal(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def stream_of(schema, batches):
    """Rows as an Arrow IPC stream; one without rows has its columns all the same."""
    import pyarrow

    stream = io.BytesIO()
    with pyarrow.ipc.new_stream(stream, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return stream.getvalue()


def message_of(error):
    """What went wrong, without the plan and the places in the code that Spark adds."""
    thrown = getattr(error, "java_exception", None)
    if thrown is None:
        text = str(error)
        details = re.search(r'\n\s*details = "(.*)"', text)
        if text.startswith("<_") and details:
            # A failed call of gRPC, with everything that it knows.
            text = details.group(1)
    else:
        while thrown.getCause() is not None:
            thrown = thrown.getCause()
        text = thrown.toString()
    for addition in ("\n\nJVM stacktrace:", "\n== SQL", ";\n", "\n\tat "):
        text = text.split(addition)[0]
    return (text.strip() or type(error).__name__)[:MESSAGE_CHARACTERS]


def end_because(reason):
    """Ends this process, with the reason in the log that the starter reads."""
    print(f"Error: {reason}", file=sys.stderr, flush=True)
    end()


def end():
    """Ends this process and all that it started. Only its leader ends a group: it would be another one's else."""
    WRITING_SECRETS.acquire()
    with contextlib.suppress(OSError):
        os.remove(SECRETS)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
