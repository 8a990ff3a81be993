//! `bakeoff study` with a small study whose steps need no server: what is measured, kept, repeated and written,
//! and what is refused.

use std::path::Path;

use crate::support::{Bench, Ended, READINGS, WORKLOAD};

pub const STUDY: &str = r#"
title = "Files of a test"
question = "Which file is smaller?"
method = ["As it was done."]

[publication]
author = "A. Nobody"
year = 2016
title = "Which file is smaller"
url = "https://example.org/which"

[[steps]]
name = "files"
what = "sizes and times of two files"
command = "run"
workload = "w.toml"
share = 50
options = ["--rounds", "5", "--scales", "1", "--no-twins"]

[[steps]]
name = "load"
what = "reads of what is not stored"
command = "drive"
workload = "readings"
share = 50
options = ["--designs", "dry", "--rows", "1000", "--in-flight", "4"]
at_budget = ["--for", "${budget/20}"]

[[claims]]
text = "Two files of four rows are about as large."
published = "as large"
step = "files"
figure = "storage"
of = "parquet?codec=zstd"
to = "parquet?codec=snappy"
at_least = 0.1
at_most = 10

[[claims]]
text = "Parquet takes a thousandth of its own time."
step = "files"
figure = "all"
of = "parquet?codec=zstd"
to_figure = "all"
at_most = 0.001

[[claims]]
text = "It costs less."
why = "Prices are not measured."
"#;

pub fn bench(study: &str) -> Bench {
    let bench = Bench::new(WORKLOAD, READINGS);
    std::fs::write(bench.path("s.toml"), study).unwrap();
    bench
}

/// Steps of 40 s each: the load takes 2 s, and the comparison as long as its few rows do.
fn study(bench: &Bench) -> Ended {
    bench.bakeoff(&["study", "s.toml", "--budget", "80s", "--out", "out"])
}

fn read(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.path(name)).unwrap()
}

/// Removes the last line of a log, as if the command had been killed before.
fn cut_off(log: &Path) {
    let text = std::fs::read_to_string(log).unwrap();
    let end = text.trim_end().rfind('\n').unwrap();
    std::fs::write(log, &text[..=end]).unwrap();
}

#[test]
fn every_step_is_measured_once_and_the_page_says_what_holds() {
    let bench = bench(STUDY);
    let ended = study(&bench).expect(0);
    ended.says("step 1 of 2, files").says("step 2 of 2, load");
    let page = read(&bench, "out/study.md");
    for words in [
        "# Files of a test",
        "1 of 3 published statements hold. Do not hold: 1. Not settled: 0. Not measured: 1.",
        "Prices are not measured.",
        "bakeoff run w.toml --rounds 5 --scales 1 --no-twins --out out/1-files",
        "bakeoff drive readings --designs dry --rows 1000 --in-flight 4 --for 2s --out out/2-load",
        "bakeoff study s.toml --budget 80s --out out",
        "(study/files-all.svg)",
    ] {
        assert!(page.contains(words), "`{words}` is not in: {page}");
    }
    assert!(read(&bench, "out/study.html").contains("Files of a test"));
    assert!(read(&bench, "out/study/files-all.svg").starts_with("<svg xmlns="));

    // What was measured is kept, and what was cut off is measured again, a load in another folder.
    let journal = read(&bench, "out/1-files/journal.jsonl");
    cut_off(&bench.path("out/2-load/drive.jsonl"));
    let ended = study(&bench).expect(0);
    ended.says("step 1 of 2, files, was measured before");
    assert_eq!(read(&bench, "out/1-files/journal.jsonl"), journal);
    assert!(bench.path("out/2-load-2/drive.jsonl").exists());
    study(&bench)
        .expect(0)
        .says("step 2 of 2, load, was measured before");
    assert!(!bench.path("out/2-load-3").exists());

    // The page alone, and a copy of it elsewhere.
    let page = read(&bench, "out/study.md");
    std::fs::remove_file(bench.path("out/study.md")).unwrap();
    let again = [
        "study",
        "s.toml",
        "--from",
        "out",
        "--page",
        "pages/files.md",
    ];
    bench.bakeoff(&again).expect(0).says("Page: pages/files.md");
    assert_eq!(read(&bench, "out/study.md"), page);
    let copy = read(&bench, "pages/files.md");
    assert!(copy.contains("(files/files-all.svg)"), "{copy}");
    assert!(bench.path("pages/files/files-all.svg").exists());
    // It is made again, and any other file stays.
    bench.bakeoff(&again).expect(0);
    assert_eq!(read(&bench, "pages/files.md"), copy);
    std::fs::write(bench.path("pages/files.md"), "# My notes\n").unwrap();
    let refused = bench.bakeoff(&again).expect(2);
    refused.says("pages/files.md of --page already exists and is no page that Bakeoff has written");
    assert_eq!(read(&bench, "pages/files.md"), "# My notes\n");

    // Another size would be another study in the same folder.
    let other = ["study", "s.toml", "--full", "--out", "out"];
    let ended = bench.bakeoff(&other).expect(1);
    ended.says("out holds the study s with a budget of 1m 20s, with other commands than these");
}

#[test]
fn a_step_that_fails_is_on_the_page_and_the_others_are_measured() {
    let broken = STUDY.replace("workload = \"w.toml\"", "workload = \"broken.toml\"");
    let bench = bench(&broken);
    let workload = WORKLOAD.replace("readings.csv", "nowhere.csv");
    std::fs::write(bench.path("broken.toml"), workload).unwrap();
    let ended = study(&bench).expect(3);
    ended.says("step 1 of 2, files, failed").says("nowhere.csv");
    let page = read(&bench, "out/study.md");
    for words in [
        "This step is not measured: ",
        "nowhere.csv",
        "the step files has no figures",
        "1 of 2 steps were measured to their end.",
    ] {
        assert!(page.contains(words), "`{words}` is not in: {page}");
    }
    // Once it can be carried out, its reason is forgotten.
    std::fs::write(bench.path("nowhere.csv"), READINGS).unwrap();
    study(&bench).expect(0);
    assert!(!read(&bench, "out/study.md").contains("This step is not measured"));
}

/// Refused with a misuse before anything is made.
#[track_caller]
fn refused(study: &str, arguments: &[&str], words: &str) {
    let bench = bench(study);
    let ended = bench
        .bakeoff(&[&["study"][..], arguments].concat())
        .expect(2);
    ended.says(words);
    assert!(!bench.path("out").exists() && !bench.path("runs").exists());
}

#[test]
fn mistakes_are_refused_before_anything_is_made() {
    let small = ["s.toml", "--budget", "80s", "--out", "out"];
    refused(
        STUDY,
        &["s.toml"],
        "say how much to measure: --budget 10m, or --full",
    );
    refused(STUDY, &["s9", "--full"], "there is no study `s9`");
    refused(STUDY, &["--full"], "--full is for a study: name one");
    refused(STUDY, &["s.toml", "--budget", "0s"], "not a duration");
    refused(
        STUDY,
        &["s.toml", "--full", "--budget", "1m"],
        "cannot be used with",
    );
    refused(
        STUDY,
        &["s.toml", "--full", "--page", "pages"],
        "has to end in .md",
    );
    refused(
        &STUDY.replace("--rounds", "--round"),
        &small,
        "step files of the study: unexpected argument",
    );
    refused(
        &STUDY.replace("\"all\"", "\"alls\""),
        &small,
        "has no query `alls`; did you mean `all`?",
    );
    refused(
        &STUDY.replace("\"readings\"", "\"formats\""),
        &small,
        "has no [mix], which `drive` needs",
    );
    refused(
        &STUDY.replace("\"readings\"", "\"raedings\""),
        &small,
        "did you mean `readings`",
    );
    refused(
        &STUDY.replace("of = \"parquet?codec=zstd\"", "of = \"parquet?codec=ztsd\""),
        &small,
        "step files: it does not measure parquet?codec=ztsd, which decides \"Two files of four rows",
    );
    refused(
        &STUDY.replace("share = 50", "share = 51"),
        &small,
        "s.toml:",
    );
}

#[test]
fn a_dry_run_prints_commands_and_times_and_touches_nothing() {
    let bench = bench(STUDY);
    let dry = ["study", "s.toml", "--budget", "80s", "--dry-run"];
    let ended = bench.bakeoff(&dry).expect(0);
    ended.says("The study would write to runs/s");
    ended.says("bakeoff run w.toml --rounds 5 --scales 1 --no-twins --out runs/s/1-files");
    ended.says("2s of measuring, out of 40s");
    assert!(!bench.path("runs").exists());
    for study in ["s1", "s2", "s3", "s4", "s5"] {
        for size in [&["--budget", "10m"][..], &["--full"]] {
            let dry = [&["study", study, "--dry-run"][..], size].concat();
            let ended = bench.bakeoff(&dry).expect(0);
            ended.says(&format!("runs/{study}/1-"));
        }
    }
    let full = bench.bakeoff(&["study", "s4", "--dry-run", "--full"]);
    full.expect(0)
        .says("--no-twins --heap 8GiB --out runs/s4/1-pages");
    assert!(!bench.path("runs").exists());
}

#[test]
fn the_studies_are_listed_with_their_publications() {
    let bench = bench(STUDY);
    let list = bench.bakeoff(&["study"]).expect(0).stdout;
    for words in [
        "s1 ",
        "Evan Chan (2016)",
        "s2 ",
        "s3 ",
        "s4 ",
        "DuyHai Doan (2016)",
        "s5 ",
        "Carlos Alonso (2015)",
    ] {
        assert!(list.contains(words), "{words}: {list}");
    }
    let all = bench.bakeoff(&["list"]).expect(0).stdout;
    assert!(
        all.contains("Published studies, for `bakeoff study`:"),
        "{all}"
    );
    let shown = bench.bakeoff(&["show", "s4"]).expect(0).stdout;
    assert!(shown.contains("[[claims]]"), "{shown}");
}

#[test]
fn a_dry_run_says_of_each_step_what_cannot_be_measured_here() {
    let options = "options = [\"--rounds\", \"5\"";
    let with_spark = "options = [\"--designs\", \"*,spark/parquet,spark/parquet?cache=true\", \"--rounds\", \"5\"";
    let with_spark = STUDY.replace(options, with_spark);
    assert_ne!(with_spark, STUDY);
    let bench = bench(&with_spark);
    let mut command = bench.command(&["study", "s.toml", "--budget", "80s", "--dry-run"]);
    command.env("BAKEOFF_SPARK_PYTHON", "/nowhere/python3");
    let ended = Ended::of(command.output().unwrap()).expect(0);
    let (files, load) = ended.stdout.split_once("\n2. load: ").unwrap();
    let told = "\n   cannot be measured here: spark/parquet, spark/parquet?cache=true: Spark ";
    assert!(files.contains(told), "{files}");
    assert!(files.contains("not installed"), "{files}");
    assert!(!load.contains("cannot be measured"), "{load}");
    assert!(!bench.path("runs").exists() && !bench.path("home").exists());
}

#[test]
fn a_step_with_an_option_that_no_design_uses_is_refused() {
    let ignored = STUDY.replace("\"--rounds\", \"5\"", "\"--nodes\", \"2\"");
    assert_ne!(ignored, STUDY);
    let bench = bench(&ignored);
    study(&bench)
        .expect(2)
        .says("step files of the study: --nodes would be ignored");
    assert!(!bench.path("out").exists());
}

#[test]
fn a_step_cannot_name_libraries_of_drivers() {
    let options = "options = [\"--rounds\", \"5\", \"--scales\", \"1\", \"--no-twins\"]";
    let naming = STUDY.replace(options, "options = [\"--adbc\", \"drivers.toml\"]");
    assert_ne!(naming, STUDY);
    let bench = bench(&naming);
    study(&bench).expect(2).says(
        "step files of the study: --adbc loads libraries, and which ones a study may not say",
    );
    assert!(!bench.path("out").exists());
}

#[test]
fn a_step_cannot_name_servers_that_would_get_passwords() {
    let run = "[\"--rounds\", \"5\", \"--scales\", \"1\", \"--no-twins\"]";
    for (option, server) in [
        ("--cassandra", "db1.example"),
        ("--postgres", "postgresql://me@db1.example/metrics"),
        ("--spark", "sc://db1.example"),
    ] {
        let naming = STUDY.replace(run, &format!("[\"{option}\", \"{server}\"]"));
        assert_ne!(naming, STUDY);
        let bench = bench(&naming);
        let why = format!(
            "step files of the study: {option} names a server that your password would be sent to"
        );
        study(&bench).expect(2).says(&why);
        assert!(!bench.path("out").exists());
    }
}

/// A server that gives a read two seconds, and a page for each of 200,000 rows.
const IMPATIENT: &str = r#"
title = "t"
designs = ["cassandra/wide?aggregate=server&page=1"]
[data]
generator = "sensor"
[[queries]]
name = "few"
sql = "SELECT avg(value) AS mean FROM sensor WHERE sensor_id = 10 AND time <= 5"
[[queries]]
name = "many"
sql = "SELECT avg(value) AS mean FROM sensor WHERE sensor_id = 10"
[server.cassandra]
read_request_timeout = "2s"
"#;

const TIME_OUTS: &str = r#"
[[steps]]
name = "time-outs"
what = "few rows and many"
command = "run"
workload = "w.toml"
share = 100
options = ["--rounds", "5", "--rows", "200k", "--scales", "1", "--no-twins"]

[[claims]]
text = "Few rows are averaged."
step = "time-outs"
figure = "few.answered"
of = "cassandra/wide?aggregate=server&page=1"
at_least = 1

[[claims]]
text = "So are many."
step = "time-outs"
figure = "many.answered"
of = "cassandra/wide?aggregate=server&page=1"
at_least = 1
"#;

#[test]
fn a_question_that_the_server_gives_up_is_a_finding() {
    let Some(bench) = Bench::with_cassandra(IMPATIENT, READINGS) else {
        return;
    };
    let head = STUDY.split("[[steps]]").next().unwrap();
    std::fs::write(bench.path("s.toml"), format!("{head}{TIME_OUTS}")).unwrap();
    study(&bench).expect(3);
    let page = read(&bench, "out/study.md");
    for words in [
        "1 of 2 published statements hold. Do not hold: 1.",
        "answered share of many of cassandra/wide?aggregate=server&amp;page=1",
        "holds from 100% on",
    ] {
        assert!(page.contains(words), "`{words}` is not in: {page}");
    }
}
