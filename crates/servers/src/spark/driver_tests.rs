//! What the Python program does that asks Spark, without a Spark.

use std::path::Path;
use std::process::Command;

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

#[test]
fn a_query_can_be_cancelled_while_all_workers_are_busy() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/spark");
    let ran = Command::new("python3")
        .args(["-B", "-c", BUSY])
        .arg(folder)
        .output();
    let Ok(output) = ran else {
        bakeoff_testing::skipped("python3 is missing");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "[1, 2, 3]\n",
        "{said}"
    );
}
