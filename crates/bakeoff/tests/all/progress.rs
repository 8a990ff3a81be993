//! A command that goes on says so where nobody sees a terminal.
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use crate::support::Bench;

/// The program while it runs; killed when its test is over.
struct Going(Child);

impl Drop for Going {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until a command that has no end writes a line with these words.
#[track_caller]
fn says(bench: &Bench, arguments: &[&str], words: &str) {
    let mut command = bench.command(arguments);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut going = Going(child.unwrap());
    let lines = BufReader::new(going.0.stderr.take().unwrap()).lines();
    let mut seen = Vec::new();
    for line in lines {
        let line = line.unwrap();
        if line.contains(words) {
            return;
        }
        seen.push(line);
    }
    panic!("no line with `{words}`: {seen:?}");
}

const MIX: &str = r#"
designs = ["dry"]

[table]
name = "keyvalue"
columns = { key = "text", value = "text" }
partition_key = ["key"]

[data]
generator = "columns"
[data.columns]
key = { sequence = {}, prefix = "k" }
value = { characters = [10, 20] }

[scale]
rows = 1000

[mix]
[[mix.operations]]
name = "read"
action = "read-row"
weight = 100
"#;

const SENSOR: &str = "designs = [\"memory\"]\n[data]\ngenerator = \"sensor\"\n\
                      [[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor\"\n";

#[test]
fn a_load_that_is_driven() {
    let bench = Bench::new(MIX, "");
    let drive = ["drive", "w.toml", "--rate", "100", "--for", "1h"];
    says(&bench, &drive, "dry at ");
    let search = ["drive", "w.toml", "--within", "p99<10ms", "--for", "1h"];
    says(&bench, &search, "dry at ");
}

#[test]
fn rows_that_are_written_or_loaded() {
    let bench = Bench::new(SENSOR, "");
    let generate = ["generate", "w.toml", "--rows", "100000M"];
    says(&bench, &generate, "writing rows: ");
    let run = ["run", "w.toml", "--rows", "100000M", "--memory", "100000"];
    says(&bench, &run, "loading: ");
}
