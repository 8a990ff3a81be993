//! What the Python program does that asks Spark, without a Spark.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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

def channel(url, options):
    assert dict(options)["grpc.keepalive_time_ms"] > 300_000 and url == "sc://db1;token=hidden"
    return url

for name in ("", ".sql", ".sql.connect", ".sql.connect.client", ".sql.connect.client.core", ".sql.connect.session"):
    sys.modules["pyspark" + name] = types.ModuleType("pyspark" + name)
sys.modules["pyspark.sql.connect.client.core"].ChannelBuilder = channel
sys.modules["pyspark.sql.connect.session"].SparkSession = Session
start = {"remote": "sc://db1;token=hidden", "address": "sc://db1", "spark": {"a": "b"}, "secret": None}
connect = Connect(start)
source = {"format": "parquet", "path": "file:///t", "options": {}, "jars": [], "columns": []}
request = {"do": "open", "id": 7, "session": "s", "table": "t", "source": source, "cache": True}
connect.running.add(7)
assert connect.serve(request) == (b"", None)
"#;

const LEFT: &str = r#"
assert connect.about() == {"spark": "3.5.9", "parts": 3}
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

fn driver_files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/spark")
}

/// Runs a program with the driver's files; `None` where there is no Python, with the reason printed.
fn ran(program: &str) -> Option<Output> {
    let ran = Command::new("python3")
        .args(["-B", "-c", program])
        .arg(driver_files())
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
        "tag bakeoff-7, load file:///t, view t, UNCACHE TABLE IF EXISTS `t`, CACHE TABLE `t`, \
         interrupt all, UNCACHE TABLE IF EXISTS `t`, drop t\n",
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

/// Starts the driver as an application whose Java never gets ready, and says so when the secret is in its file.
const STARTING: &str = r#"
import sys, threading, types
sys.path.insert(0, sys.argv[1])
import driver

class Builder:
    def config(self, name, value): return self
    def getOrCreate(self):
        print("starting", file=sys.stderr, flush=True)
        threading.Event().wait()

sys.modules["pyspark"] = types.ModuleType("pyspark")
sys.modules["pyspark.sql"] = types.ModuleType("pyspark.sql")
sys.modules["pyspark.sql"].SparkSession = types.SimpleNamespace(builder=Builder())
driver.main()
"#;

#[test]
fn a_start_that_is_given_up_leaves_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let started = Command::new("python3")
        .args(["-B", "-c", STARTING])
        .arg(driver_files())
        .current_dir(folder.path())
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        bakeoff_testing::skipped("python3 is missing");
        return;
    };
    let mut requests = child.stdin.take().unwrap();
    let first = serde_json::json!({
        "spark": {}, "address": "spark://db1:7077", "remote": null, "secret": "hidden",
    });
    writeln!(requests, "{first}").unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    log.read_line(&mut said).unwrap();
    assert_eq!(said, "starting\n");
    let secrets = folder.path().join("secrets.properties");
    assert!(secrets.exists());
    drop(requests);
    let status = child.wait().unwrap();
    log.read_to_string(&mut said).unwrap();
    assert_eq!(status.signal(), Some(9), "{said}");
    assert!(!secrets.exists());
}

/// An application whose cluster had two executors with four cores at its start, at several looks a second apart.
const WATCHED: &str = r#"
import os, sys, types
sys.path.insert(0, sys.argv[1])
import classic

class Time:
    now = 0
    def sleep(self, seconds): self.now += seconds
    def monotonic(self): return self.now

class Watched(classic.Classic):
    address, count, cores = "spark://db1:7077", 2, 4
    def __init__(self, looks):
        self.jvm = self
        self.looks = iter(looks)
    def poll(self): return None
    def is_stopped(self): return False
    def there(self):
        look = next(self.looks, None)
        if look is None:
            print("it goes on", flush=True)
            os._exit(0)
        if look == "busy":
            raise RuntimeError(look)
        return look

classic.time = Time()
same, fewer, none = (2, 4), (1, 2), (0, 0)
"#;

#[test]
fn executors_that_are_lost_for_a_while_end_the_process_with_the_reason() {
    let watched = |looks: &str| ran(&format!("{WATCHED}Watched({looks}).watch_executors()"));
    for looks in [
        "[same] * 99",
        "[fewer] * 30 + [same] + [fewer] * 30",
        "[same] + [\"busy\"] * 99 + [same] + [none] * 30",
    ] {
        let Some(output) = watched(looks) else {
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"it goes on\n", "{looks}: {said}");
    }
    for (looks, now) in [
        ("[same] + [fewer] * 31", "executors: 1, cores: 2"),
        (
            "[fewer] * 20 + [\"busy\"] + [none] * 10",
            "executors: 0, cores: 0",
        ),
        ("[(3, 6)] * 31", "executors: 3, cores: 6"),
    ] {
        let Some(output) = watched(looks) else {
            return;
        };
        assert_eq!(output.status.code(), Some(1), "{looks}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            said.starts_with(
                "Error: the cluster at spark://db1:7077 began with executors: 2, cores: 4, and has not had these"
            ),
            "{looks}: {said}"
        );
        assert!(said.contains(now), "{looks}: {said}");
    }
}
