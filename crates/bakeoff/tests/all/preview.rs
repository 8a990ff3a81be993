//! A dry run says what a server of the user's would get.

use crate::support::{Bench, READINGS, WORKLOAD};

#[test]
fn a_dry_run_on_a_cluster_says_how_much_is_written_and_how_long_that_takes() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = |further: &[&str]| {
        let base = ["run", "w.toml", "--dry-run", "--scales", "1", "--no-twins"];
        let designs = ["--designs", "cassandra/wide,parquet?codec=zstd"];
        bench.bakeoff(&[&base[..], &designs, further].concat())
    };
    let cluster = ["--cassandra", "192.0.2.1", "--rate-limit", "10"];
    let ended = run(&cluster).expect(0);
    for words in [
        "What the server of --cassandra gets:",
        "about 1,000 in all tables of 1 design",
        "of values, before compression",
        "at most 10 rows/s are loaded, all designs and connections together (--rate-limit): 1m 40s at least",
    ] {
        ended.says(words);
    }
    let questions = WORKLOAD.matches("[[queries]]").count();
    ended.says(&format!(
        "{questions} questions of each design in each round, which only read"
    ));
    ended.says("--rate-limit does not hold for rows that are read");
    assert!(!bench.path("runs").exists());
    let more = [&cluster[..2], &["--rate-limit", "none"]].concat();
    run(&more)
        .expect(0)
        .says("as fast as the server takes them");
    // A server that is started gets nothing of which others should know.
    let own = run(&[]).expect(0);
    assert!(!own.stdout.contains("gets:"), "{}", own.stdout);
}
