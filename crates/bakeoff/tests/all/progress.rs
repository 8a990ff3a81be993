//! A command that goes on says so where nobody sees a terminal.

use crate::support::processes::Going;
use crate::support::{Bench, READS};

/// Waits until a command that has no end says these words.
#[track_caller]
fn says(bench: &Bench, arguments: &[&str], words: &str) {
    Going::start(&mut bench.command(arguments)).wait_for_words(words);
}

const SENSOR: &str = "designs = [\"memory\"]\n[data]\ngenerator = \"sensor\"\n\
                      [[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor\"\n";

#[test]
fn a_load_that_is_driven() {
    let bench = Bench::new(READS, "");
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
