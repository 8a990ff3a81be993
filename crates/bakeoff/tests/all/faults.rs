//! Disks that are full, programs that are missing, interruptions: what still works goes on.
use std::path::PathBuf;
use std::process::Command;

use bakeoff_testing::{Disk, skipped, times};

use crate::support::processes::Going;
use crate::support::{Bench, Ended, READINGS, of_kind};

fn sensor(designs: &str) -> Bench {
    let workload = format!(
        "title = \"t\"\ndesigns = [{designs}]\n[data]\ngenerator = \"sensor\"\n\
         [[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) FROM sensor\"\n"
    );
    Bench::new(&workload, READINGS)
}

/// An empty run folder, as a run that was killed at once leaves it: one with other files in it is
/// refused.
fn begin(bench: &Bench) {
    std::fs::create_dir_all(bench.path("out")).unwrap();
    std::fs::write(bench.path("out/journal.jsonl"), "").unwrap();
}

fn failed(bench: &Bench) -> Vec<(String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let records = bench.journal("out");
    of_kind(&records, "failed")
        .map(|r| (text(&r["design"]), text(&r["reason"])))
        .collect()
}

#[test]
fn a_full_disk_under_one_design_fails_that_one_alone() {
    let bench = sensor("\"parquet\", \"memory\"");
    begin(&bench);
    let Some(_disk) = Disk::mount(bench.path("out/parquet"), "size=2m") else {
        return;
    };
    let run = [
        "run", "w.toml", "--rows", "300k", "--budget", "1s", "--out", "out",
    ];
    let ended = bench.bakeoff(&run).expect(3);
    ended.says("No space left on device").says("memory");
    let failed = failed(&bench);
    assert!(
        matches!(&failed[..], [(design, reason)] if design == "parquet" && reason.contains("writing")),
        "{failed:?}"
    );
    let records = bench.journal("out");
    let mut timed = of_kind(&records, "timed");
    assert!(timed.all(|t| t["design"] == "memory" && t["outcome"]["outcome"] == "right"));
    assert_eq!(of_kind(&records, "finished").count(), 1);
}

#[test]
fn a_full_disk_under_the_journal_ends_the_run_which_goes_on_when_there_is_room() {
    let bench = sensor("\"memory\"");
    let Some(_disk) = Disk::mount(bench.path("out"), "size=256k") else {
        return;
    };
    begin(&bench);
    let filler = bench.path("out/filler");
    std::fs::write(&filler, vec![0; 180 << 10]).unwrap();
    let run = [
        "run", "w.toml", "--rows", "1k", "--budget", "1s", "--rounds", "500", "--out", "out",
    ];
    let ended = bench.bakeoff(&run).expect(1);
    ended.says("journal.jsonl").says("make room on the disk");
    let before = of_kind(&bench.journal("out"), "timed").count();
    assert!((1..500).contains(&before), "{before} of 500 rounds");

    std::fs::remove_file(filler).unwrap();
    let ended = Ended::of(bench.command(&run).output().unwrap());
    ended.says("going on with the run");
    let records = bench.journal("out");
    // The disk is small for the report too; what counts is that no round was lost or repeated.
    let mut rounds: Vec<_> = of_kind(&records, "timed")
        .map(|t| t["round"].as_u64())
        .collect();
    assert!(rounds.len() > before);
    rounds.sort_unstable();
    rounds.dedup();
    assert_eq!(rounds.len(), of_kind(&records, "timed").count());
}

#[test]
fn ctrl_c_while_loading_keeps_what_is_loaded() {
    let bench = sensor("\"parquet\", \"memory\"");
    let rows = times("400k", "1M");
    let run = [
        "run", "w.toml", "--rows", rows, "--budget", "5s", "--rounds", "3", "--out", "out",
    ];
    let mut going = Going::start(&mut bench.command(&run));
    going.wait_until("a slice was loaded", || {
        of_kind(&bench.journal("out"), "loaded").next().is_some()
    });
    going.interrupt();
    let ended = going.end().expect(130);
    ended.says("interrupted").says("Report:");
    let records = bench.journal("out");
    assert!(bench.path("out/report.html").exists() && bench.path("out/run.json").exists());
    let loaded = |records: &[serde_json::Value]| {
        let parquet = of_kind(records, "loaded").filter(|r| r["design"] == "parquet");
        parquet
            .map(|r| r["slice"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    let before = loaded(&records);

    bench.bakeoff(&run).expect(0).says("going on with the run");
    let after = loaded(&bench.journal("out"));
    assert_eq!(after[..before.len()], before);
    assert!(
        after.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "a slice is missing or repeated: {after:?}"
    );
    assert_eq!(of_kind(&bench.journal("out"), "finished").count(), 1);
}

/// Hides every Java from a program, which needs a mount namespace of its own and so root.
#[test]
fn without_java_one_sentence_says_what_to_install_and_the_other_designs_run() {
    let bench = sensor("\"cassandra/wide\", \"cassandra/blob\", \"memory\"");
    let hidden = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        let hide = "test ! -d /usr/lib/jvm || mount -t tmpfs none /usr/lib/jvm; exec \"$@\"";
        command
            .args(["--mount", "sh", "-c", hide, "sh"])
            .arg(env!("CARGO_BIN_EXE_bakeoff"))
            .args(arguments)
            .current_dir(bench.dir.path())
            .env("BAKEOFF_HOME", bench.path("home"))
            .env_remove("JAVA_HOME");
        without_java(&mut command);
        command
    };
    let may_hide = Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
        .status();
    if !may_hide.is_ok_and(|status| status.success()) {
        skipped("hiding Java needs root");
        return;
    }
    let run = [
        "run", "w.toml", "--rows", "1k", "--budget", "1s", "--out", "out",
    ];
    let ended = Ended::of(hidden(&run).output().unwrap()).expect(3);
    let sentence = "Java 11 or 17 is needed to start Cassandra: install it with `apt-get install \
                    openjdk-17-jre-headless`, or name a running cluster with --cassandra HOST";
    assert_eq!(
        ended.stderr.matches(sentence).count(),
        1,
        "{}",
        ended.stderr
    );
    let designs: Vec<_> = failed(&bench)
        .into_iter()
        .map(|(design, _)| design)
        .collect();
    assert_eq!(designs, ["cassandra/wide", "cassandra/blob"]);
    let list = Ended::of(hidden(&["list"]).output().unwrap()).expect(0);
    list.says("not available: Java 11 or 17 is needed");
}

/// A PATH with the folders of the usual tools that have no `java` in them.
fn without_java(command: &mut Command) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let real = |folder: &PathBuf| folder.join("java").canonicalize();
    let visible =
        |folder: &PathBuf| !real(folder).is_ok_and(|java| !java.starts_with("/usr/lib/jvm"));
    let folders = std::env::split_paths(&path).filter(visible);
    command.env("PATH", std::env::join_paths(folders).unwrap());
}
