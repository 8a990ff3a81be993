//! What comes with Bakeoff can be named in any folder.
use std::path::{Path, PathBuf};

use crate::support::{Bench, READINGS, WORKLOAD, of_kind};

/// A folder in which there is nothing of the repository.
fn elsewhere() -> Bench {
    Bench::new(WORKLOAD, READINGS)
}

fn shipped(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

const SENSOR: [&str; 7] = [
    "sensor",
    "--designs",
    "memory",
    "--rows",
    "1k",
    "--rounds",
    "1",
];

fn run_sensor(bench: &Bench, named: &str) -> crate::support::Ended {
    let options = SENSOR[1..].iter().copied();
    let arguments: Vec<&str> = ["run", named].into_iter().chain(options).collect();
    bench.bakeoff(&arguments).expect(0)
}

#[test]
fn every_command_that_takes_a_workload_takes_a_name() {
    let bench = elsewhere();
    let here = std::fs::canonicalize(bench.dir.path()).unwrap();
    for (command, name, folder) in [
        ("run", "formats", "runs/formats"),
        ("drive", "ycsb/a", "runs/a-drive"),
        ("sweep", "timeseries", "runs/timeseries-sweep"),
    ] {
        let ended = bench.bakeoff(&[command, name, "--dry-run"]).expect(0);
        ended.says(&format!("would write to {}", here.join(folder).display()));
        // A slow machine shows how far it is.
        let is_progress = |line: &str| line.starts_with("checking ");
        let complaint = ended.stderr.lines().find(|line| !is_progress(line));
        assert_eq!(complaint, None, "{command}");
    }
    let by_name = bench
        .bakeoff(&["generate", "readings", "--rows", "20"])
        .expect(0);
    let path = shipped("workloads/readings.toml");
    let by_path = bench.bakeoff(&["generate", path.to_str().unwrap(), "--rows", "20"]);
    assert_eq!(by_name.stdout.lines().count(), 21);
    assert_eq!(by_name.stdout, by_path.expect(0).stdout);
}

#[test]
fn a_run_by_name_goes_on_where_it_was_stopped() {
    let bench = elsewhere();
    run_sensor(&bench, "sensor");
    stop_short(&bench.path("runs/sensor/journal.jsonl"));
    run_sensor(&bench, "sensor").says("going on with the run in");
    let records = bench.journal("runs/sensor");
    assert_eq!(of_kind(&records, "finished").count(), 1);
    assert_eq!(of_kind(&records, "resumed").count(), 1);

    // A record that was torn by a kill, or is of zeros after a loss of power, is left out, and the run says so.
    let cut_off = "its last record was cut off";
    let ends: [&[u8]; 3] = [b"{\"record\":\"creat", &[0; 300], b"{\"record\":\0\0\"}\n"];
    for torn in ends {
        let journal = bench.path("runs/sensor/journal.jsonl");
        stop_short(&journal);
        let whole = std::fs::read(&journal).unwrap();
        std::fs::write(&journal, [&whole[..], torn].concat()).unwrap();
        run_sensor(&bench, "sensor").says(cut_off);
        let records = bench.journal("runs/sensor");
        assert_eq!(of_kind(&records, "finished").count(), 1);
    }

    // The same text out of a file is the same run, and another text is another one.
    stop_short(&bench.path("runs/sensor/journal.jsonl"));
    let text = std::fs::read_to_string(shipped("workloads/sensor.toml")).unwrap();
    std::fs::write(bench.path("sensor.toml"), &text).unwrap();
    run_sensor(&bench, "sensor.toml").says("going on with the run in");
    std::fs::write(bench.path("sensor.toml"), format!("{text}\n# changed\n")).unwrap();
    run_sensor(&bench, "sensor.toml");
    assert!(bench.path("runs/sensor-2/report.html").exists());
}

/// Leaves a journal as a run that was killed at its beginning leaves it.
fn stop_short(journal: &Path) {
    let text = std::fs::read_to_string(journal).unwrap();
    let end = text.find('\n').unwrap();
    std::fs::write(journal, &text[..=end]).unwrap();
}

#[test]
fn a_file_wins_over_a_name_and_one_line_says_so() {
    let bench = elsewhere();
    std::fs::copy(bench.path("w.toml"), bench.path("formats")).unwrap();
    let ended = bench.bakeoff(&["run", "formats", "--dry-run"]).expect(0);
    ended.says("FROM readings");
    assert_eq!(
        ended.stderr,
        "note: formats is a file here, and is taken instead of the workload of that name that \
         comes with Bakeoff\n"
    );
}

#[test]
fn a_copy_with_an_ending_is_not_taken_for_the_name() {
    let bench = elsewhere();
    std::fs::copy(bench.path("w.toml"), bench.path("formats.toml")).unwrap();
    let ended = bench.bakeoff(&["run", "formats", "--dry-run"]).expect(0);
    ended.says("FROM gdelt");
    assert_eq!(
        ended.stderr,
        "note: formats is the workload that comes with Bakeoff; the file here is formats.toml\n"
    );
    let ended = bench
        .bakeoff(&["run", "formats.toml", "--dry-run"])
        .expect(0);
    ended.says("FROM readings");
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_folder_hides_no_name_and_is_no_workload() {
    let bench = elsewhere();
    for folder in ["formats", "ycsb", "mine"] {
        std::fs::create_dir(bench.path(folder)).unwrap();
    }
    let ended = bench.bakeoff(&["run", "formats", "--dry-run"]).expect(0);
    ended.says("FROM gdelt");
    assert_eq!(ended.stderr, "");
    bench.bakeoff(&["drive", "ycsb/a", "--dry-run"]).expect(0);
    let ended = bench.bakeoff(&["drive", "ycsb", "--dry-run"]).expect(2);
    ended.says("ycsb is a folder, not a workload; Bakeoff ships ycsb/a, ycsb/b");
    let ended = bench.bakeoff(&["run", "mine"]).expect(2);
    ended.says("mine is a folder, not a workload; name a workload file in it");
}

#[test]
fn a_file_where_a_name_has_a_folder_hides_no_name() {
    let bench = elsewhere();
    std::fs::write(bench.path("ycsb"), "").unwrap();
    bench.bakeoff(&["drive", "ycsb/a", "--dry-run"]).expect(0);
}

#[test]
fn a_name_that_is_nearly_right_is_told() {
    let bench = elsewhere();
    let no = |asked: &str, hint: &str| {
        let words = format!(
            "error: there is no workload `{asked}`, neither as a file nor in `bakeoff list`{hint}\n"
        );
        let ended = bench.bakeoff(&["run", asked]).expect(2);
        assert_eq!(ended.stderr, words);
    };
    no(
        "fromats",
        "; did you mean `formats` (it comes with Bakeoff)?",
    );
    no(
        "key_value",
        "; did you mean `easy-stress/key_value` (it comes with Bakeoff)?",
    );
    no("nonsense", "");
    let ended = bench.bakeoff(&["run", "workloads/formats.toml"]).expect(2);
    assert_eq!(
        ended.stderr,
        "error: cannot read workload file workloads/formats.toml: No such file or directory (os \
         error 2); did you mean `formats` (it comes with Bakeoff)?\n"
    );
    let ended = bench.bakeoff(&["show", "formatss"]).expect(2);
    ended.says("nothing in `bakeoff list` is called `formatss`; did you mean `formats`");
}

#[test]
fn an_option_of_a_generator_is_set_on_a_name() {
    let bench = elsewhere();
    let run = ["run", "timeseries", "--dry-run", "--set"];
    bench.bakeoff(&[&run[..], &["hosts=3"]].concat()).expect(0);
    let ended = bench.bakeoff(&[&run[..], &["hosts=-1"]].concat()).expect(2);
    ended.says("--set hosts=-1: ");
}

#[test]
fn what_is_shown_is_the_file_and_runs_when_it_is_written_to_one() {
    let bench = elsewhere();
    for (name, path) in [
        ("ycsb/f", "workloads/ycsb/f.toml"),
        ("study-2018", "prices/study-2018.toml"),
        ("install-timescaledb", "scripts/install-timescaledb"),
        ("install-duckdb", "scripts/install-duckdb"),
        ("sensor", "workloads/sensor.toml"),
    ] {
        let shown = bench.bakeoff(&["show", name]).expect(0).stdout;
        assert_eq!(shown, std::fs::read_to_string(shipped(path)).unwrap());
        std::fs::write(bench.path("mine.toml"), shown).unwrap();
    }
    run_sensor(&bench, "mine.toml");
    assert!(bench.path("runs/mine/report.html").exists());
}

#[test]
fn price_lists_have_names_as_well() {
    let bench = elsewhere();
    let run = ["run", "w.toml", "--rounds", "1", "--out", "out", "--prices"];
    let ended = bench
        .bakeoff(&[&run[..], &["study-2018"]].concat())
        .expect(0);
    ended.says("Cost (forecast)");
    bench
        .bakeoff(&["report", "out", "--prices", "study2018"])
        .expect(2)
        .says("there is no price list `study2018`")
        .says("did you mean `study-2018`");
    bench
        .bakeoff(&["report", "out", "--prices", "prices/study-2018.toml"])
        .expect(2)
        .says("cannot read price list prices/study-2018.toml: No such file")
        .says("did you mean `study-2018`");
}

#[test]
fn the_list_has_every_name_and_every_setting() {
    let bench = elsewhere();
    let list = bench.bakeoff(&["list"]).expect(0).stdout;
    let line = |start: &str| {
        let found = list
            .lines()
            .find(|line| line.trim_start().starts_with(start));
        found.unwrap_or_else(|| panic!("no {start} in {list}"))
    };
    assert!(line("formats ").contains("run "), "{}", line("formats "));
    assert!(line("formats ").ends_with("(study of 2016)"));
    assert!(line("readings ").contains("run, drive "));
    assert!(line("ycsb/a ").contains("drive "));
    assert!(line("study-2018 ").contains("Study of 2018"));
    let settings = list
        .lines()
        .skip_while(|line| !line.contains("cassandra/wide "));
    assert!(
        settings.take(2).any(|line| line.contains("order=asc|desc")),
        "{list}"
    );
    let mut of_rates = list
        .lines()
        .skip_while(|line| !line.contains("a rate in B/s, KiB/s or MiB/s"));
    let rates = of_rates.nth(1).unwrap_or_default();
    assert_eq!(rates.trim(), "compaction_throughput", "{list}");
}

#[test]
fn a_folder_that_cannot_be_listed_is_an_error() {
    let bench = elsewhere();
    for (folder, reason) in [("nowhere", "No such file"), ("w.toml", "Not a directory")] {
        let ended = bench.bakeoff(&["list", "--workloads", folder]).expect(1);
        let words = format!("error: cannot read the folder {folder} of --workloads: {reason}");
        assert!(ended.stderr.starts_with(&words), "{}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
}
