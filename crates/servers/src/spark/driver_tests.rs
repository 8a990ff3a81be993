//! What the Python program does that asks Spark, without a Spark.

use std::path::Path;
use std::process::{Command, Output};

/// Asks as many endless queries as there are workers, and then for the end of one.
const BUSY: &str = r#"
import queue, sys, threading
sys.path.insert(0, sys.argv[1])
import driver

driver.WORKERS = 2

class Busy:
    running = set()
    cancelled = threading.Event()

    def serve(self, request):
        if request["do"] == "cancel":
            self.cancelled.set()
        elif not self.cancelled.wait(30):
            return b"", "nobody cancelled it"
        return b"", None

class Pipes:
    sent = []

    def send(self, head, body=b""):
        self.sent.append(head)

requests = queue.Queue()
for number in (1, 2):
    requests.put({"id": number, "do": "query"})
requests.put({"id": 3, "do": "cancel", "request": 1})
requests.put(None)
driver.serve_all(Busy(), Pipes(), requests)
print(sorted(head["id"] for head in Pipes.sent if "error" not in head))
"#;

/// A Spark Connect that does nothing but note what it is told, and a client of it with one table in its memory.
const CONNECTED: &str = r#"
import sys, types
sys.path.insert(0, sys.argv[1])
import driver
from connect import Connect

told = []

class Client:
    _retry_policy = {}
    def clear_tags(self): pass
    def add_tag(self, tag): told.append("tag " + tag)
    def interrupt_tag(self, tag): told.append("interrupt " + tag)
    def to_table(self, plan):
        if plan == "lost":
            raise RuntimeError('<_InactiveRpcError\n\tstatus = StatusCode.UNAVAILABLE\n\tdetails = "gone"\n>')
        return types.SimpleNamespace(column=lambda n: [types.SimpleNamespace(as_py=lambda: 3)]), None

class Rows:
    def select(self, columns): return self
    def createOrReplaceTempView(self, name): told.append("view " + name)

class Session:
    version = "3.5.9"
    def __init__(self, connection, userId):
        self.client = Client()
        self.conf = types.SimpleNamespace(set=lambda name, value: told.append(f"{name}={value}"))
        self.catalog = types.SimpleNamespace(dropTempView=lambda name: told.append("drop " + name))
        itself = lambda *_, **all: self.read
        self.read = types.SimpleNamespace(format=itself, options=itself, load=self.load)
    def load(self, path):
        told.append("load " + path)
        return Rows()
    def sql(self, sql):
        told.append(sql)
        plan = types.SimpleNamespace(to_proto=lambda client: sql)
        return types.SimpleNamespace(_plan=plan)
    def interruptAll(self): told.append("interrupt all")

for name in ("pyspark", "pyspark.sql", "pyspark.sql.connect", "pyspark.sql.connect.session"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["pyspark.sql.connect.session"].SparkSession = Session
start = {"remote": "sc://db1;token=hidden", "address": "sc://db1", "spark": {"a": "b"}, "secret": None}
connect = Connect(start)
source = {"format": "parquet", "path": "file:///t", "options": {}, "jars": [], "columns": []}
request = {"do": "open", "id": 7, "session": "s", "table": "t", "source": source, "cache": True}
connect.running.add(7)
assert connect.serve(request) == (b"", None)
"#;

const LEFT: &str = r#"
assert connect.about() == {"spark": "3.5.9", "cores": 3}
assert told.count("spark.sql.shuffle.partitions=3") == 1 and told.count("a=b") == 2
del told[: told.index("tag bakeoff-7")]
driver.leave(connect)
print(", ".join(told))
"#;

const LOST: &str = r#"
connect.serve({"do": "query", "id": 8, "session": "s", "sql": "SELECT nothing FROM t"})
connect.serve({"do": "query", "id": 9, "session": "s", "sql": "lost"})
print("it goes on")
"#;

/// Runs a program with the driver's files; `None` where there is no Python, with the reason printed.
fn ran(program: &str) -> Option<Output> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/spark");
    let ran = Command::new("python3")
        .args(["-B", "-c", program])
        .arg(folder)
        .output();
    if ran.is_err() {
        bakeoff_testing::skipped("python3 is missing");
    }
    ran.ok()
}

#[test]
fn a_query_can_be_cancelled_while_all_workers_are_busy() {
    let Some(output) = ran(BUSY) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "[1, 2, 3]\n",
        "{said}"
    );
}

#[test]
fn tables_in_a_spark_that_goes_on_are_removed_when_requests_end() {
    let Some(output) = ran(&format!("{CONNECTED}{LEFT}")) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "tag bakeoff-7, load file:///t, view t, CACHE TABLE `t`, interrupt all, UNCACHE TABLE IF EXISTS `t`, drop t\n",
        "{said}"
    );
}

#[test]
fn a_spark_elsewhere_that_no_longer_answers_ends_the_process_with_the_reason() {
    let Some(output) = ran(&format!("{CONNECTED}{LOST}")) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "Error: the Spark at sc://db1 no longer answers: gone\n"
    );
}

/// Makes the file with a secret, as while Java starts, and reads it in the manner of Java.
const SECRET: &str = r#"
import os, re, sys, tempfile
sys.path.insert(0, sys.argv[1])
from classic import SECRETS, secret_file

os.chdir(tempfile.mkdtemp())
with secret_file(None):
    assert os.listdir() == [] and "PYSPARK_SUBMIT_ARGS" not in os.environ
secret = "a ü\\\n=😀"
with secret_file(secret):
    assert os.stat(SECRETS).st_mode & 0o777 == 0o600
    assert os.path.abspath(SECRETS) in os.environ["PYSPARK_SUBMIT_ARGS"]
    name, value = open(SECRETS).read().rstrip("\n").split("=", 1)
units = bytes.fromhex("".join(re.findall(r"\\u([0-9a-f]{4})", value)))
print(name, units.decode("utf-16-be") == secret, os.listdir())
os.rmdir(os.getcwd())
"#;

#[test]
fn a_secret_is_in_a_file_of_its_own_and_only_while_java_starts() {
    let Some(output) = ran(SECRET) else {
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "spark.authenticate.secret True []\n",
        "{said}"
    );
}
