"""Asks Spark on behalf of the process that started this one.

Every line of the standard input is a request in JSON. The first one says which Spark: its configuration (`spark`), the
URL of one elsewhere without secrets (`address`) or none, its URL with secrets for a client of Spark Connect (`remote`)
or none, and the `secret` of a cluster or none. The others have an `id` and what is to be done: `open` a table, `close`
it, `query` it, or `cancel` another request. Every answer is a line in JSON with the `id` of its request, and either an
`error`, or the number of `bytes` that follow it: an Arrow IPC stream.

When the standard input ends, so do this process and its group, however busy they are. Before that, tables in a Spark
that does not end with them are removed.
"""

import json
import os
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

from asking import end, message_of

# Requests that are served at the same time; further ones wait.
WORKERS = 256
# The longest that removing what is left in a Spark elsewhere may take.
SECONDS_OF_LEAVING = 10


class Pipes:
    """The two pipes to the starter, which nothing that Spark prints or reads gets into."""

    def __init__(self):
        self.requests = os.fdopen(os.dup(0), "rb")
        self.answers = os.fdopen(os.dup(1), "wb")
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        self.lock = threading.Lock()

    def send(self, head, body=b""):
        with self.lock:
            self.answers.write(json.dumps(head).encode() + b"\n")
            self.answers.write(body)
            self.answers.flush()


def driver_of(start):
    """Returns what asks the Spark that the first request describes."""
    if start["remote"]:
        from connect import Connect

        return Connect(start)
    from classic import Classic

    return Classic(start)


def serve_all(driver, pipes, requests):
    # Those that cancel are others: all workers may be busy with what is to be cancelled.
    with ThreadPoolExecutor(WORKERS) as workers, ThreadPoolExecutor(WORKERS) as cancelling:

        def serve(request):
            body, error = driver.serve(request)
            if error is None:
                pipes.send({"id": request["id"], "bytes": len(body)}, body)
            else:
                pipes.send({"id": request["id"], "error": error})

        for request in iter(requests.get, None):
            # Before anything else, so that a request can be cancelled as soon as it was sent.
            driver.running.add(request["id"])
            pool = cancelling if request["do"] == "cancel" else workers
            pool.submit(serve, request)


def leave(driver):
    """Lets a driver remove what would stay, within a time."""
    leaving = threading.Thread(target=driver.leave, daemon=True)
    leaving.start()
    leaving.join(SECONDS_OF_LEAVING)


def main():
    pipes = Pipes()
    requests = queue.Queue()
    drivers = []

    def read():
        try:
            for line in pipes.requests:
                requests.put(json.loads(line))
        finally:
            for driver in drivers:
                leave(driver)
            end()

    threading.Thread(target=read, daemon=True).start()
    try:
        driver = driver_of(requests.get())
        about = driver.about()
    except Exception as error:
        pipes.send({"id": 0, "error": message_of(error)})
        end()
    drivers.append(driver)
    threading.Thread(target=driver.watch, daemon=True).start()
    pipes.send({"id": 0, "bytes": 0, "versions": about})
    serve_all(driver, pipes, requests)


if __name__ == "__main__":
    main()
