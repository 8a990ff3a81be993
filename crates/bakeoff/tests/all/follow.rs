//! Pages that are kept up to date: of a run that goes on, by another process or by its own.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use crate::study;
use crate::support::processes::{Going, catches_interruptions};
use crate::support::{Bench, HOSTS, READINGS, READS, WORKLOAD, of_kind, records};

const LOAD: [&str; 8] = [
    "drive", "w.toml", "--rate", "100", "--for", "1h", "--out", "out",
];
const RUN: [&str; 6] = ["run", "w.toml", "--rounds", "3", "--out", "out"];
const FOLLOW: [&str; 3] = ["report", "out", "--follow"];
const RELOADS: &str = "<meta http-equiv=\"refresh\" content=\"5\">";

fn page(bench: &Bench, run: &str) -> String {
    fs::read_to_string(bench.path(run).join("report.html")).unwrap_or_default()
}

/// Starts a load of which some seconds are on record when this returns.
fn load(bench: &Bench) -> Going {
    let mut load = Going::start(&mut bench.command(&LOAD));
    load.wait_until("two seconds were recorded", || {
        let all = records(&bench.path("out/drive.jsonl"));
        of_kind(&all, "second").nth(1).is_some()
    });
    load
}

/// Starts to follow the folder `out`, of which there is a page when this returns.
fn follower(bench: &Bench) -> Going {
    let mut follower = Going::start(&mut bench.command(&FOLLOW));
    follower.wait_for_words("Ctrl-C ends it");
    follower.wait_until("the page says what was measured", || {
        page(bench, "out").contains("Measured so far: 1 load of ")
    });
    follower
}

#[test]
fn a_load_is_followed_to_its_end() {
    let bench = Bench::new(READS, "");
    let load = load(&bench);
    let mut follower = follower(&bench);
    let first = page(&bench, "out");
    assert!(first.contains(RELOADS) && !first.contains("<script"));
    follower.wait_until("a later page", || page(&bench, "out") != first);
    assert!(page(&bench, "out").contains(RELOADS));
    load.interrupt();
    load.end().expect(130);
    follower.end().expect(130).says("Report:");
    let last = page(&bench, "out");
    assert!(!last.contains("http-equiv") && last.contains("was interrupted"));
    assert!(bench.path("out/run.json").exists());
}

#[test]
fn a_load_that_was_killed_is_followed_no_longer() {
    let bench = Bench::new(READS, "");
    let load = load(&bench);
    let follower = follower(&bench);
    load.kill();
    let ended = follower.end();
    ended.says("the run is not going on; it was stopped at 20");
    let code = bench.bakeoff(&["report", "out"]).code;
    assert_eq!(ended.code, code, "that of `report`");
    let last = page(&bench, "out");
    assert!(!last.contains("http-equiv") && last.contains("has not finished"));
}

#[test]
fn ctrl_c_ends_following_and_not_the_load() {
    let bench = Bench::new(READS, "");
    let mut load = load(&bench);
    let mut follower = follower(&bench);
    let id = follower.id();
    follower.wait_until("it heard of interruptions", || catches_interruptions(id));
    follower.interrupt();
    follower.end().expect(0).says("not followed any longer");
    let last = page(&bench, "out");
    assert!(!last.contains("http-equiv") && last.contains("has not finished"));
    assert!(load.is_running());
}

/// The journal of a finished run, whose folder also has its report.
fn finished(bench: &Bench) -> String {
    bench.bakeoff(&RUN).expect(0);
    fs::read_to_string(bench.path("out/journal.jsonl")).unwrap()
}

/// Makes a folder `copy` with the beginning of a journal, up to the middle of its last line.
fn copy_torn(bench: &Bench, journal: &str) {
    fs::create_dir(bench.path("copy")).unwrap();
    let last = journal.trim_end().rfind('\n').unwrap();
    fs::write(bench.path("copy/journal.jsonl"), &journal[..last + 10]).unwrap();
}

#[test]
fn a_copy_is_followed_while_it_grows_and_its_torn_line_is_left_for_later() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let journal = finished(&bench);
    copy_torn(&bench, &journal);
    let mut follower = Going::start(&mut bench.command(&["report", "copy", "--follow"]));
    follower.wait_for_words("followed as a copy");
    follower.wait_until("there is a page", || page(&bench, "copy").contains(RELOADS));
    let so_far = page(&bench, "copy");
    assert!(
        so_far.contains("Measured so far: 4 rows, 3 of 3 rounds;"),
        "{so_far}"
    );
    fs::write(bench.path("copy/journal.jsonl"), &journal).unwrap();
    follower.end().expect(0).says("Report:");
    assert_eq!(page(&bench, "copy"), page(&bench, "out"));
}

#[test]
fn a_copy_that_has_not_grown_for_long_is_not_waited_for() {
    let bench = Bench::new(WORKLOAD, READINGS);
    copy_torn(&bench, &finished(&bench));
    let journal = File::options()
        .write(true)
        .open(bench.path("copy/journal.jsonl"))
        .unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    journal.set_modified(long_ago).unwrap();
    let ended = bench.bakeoff(&["report", "copy", "--follow"]);
    ended
        .says("it was stopped at 2001-09-09T01:46:40Z, or copy is a copy")
        .says("Report:");
    assert_eq!(ended.code, bench.bakeoff(&["report", "copy"]).code);
}

#[test]
fn there_has_to_be_a_run_to_follow() {
    let bench = Bench::new(WORKLOAD, READINGS);
    bench.bakeoff(&FOLLOW).expect(1).says("no journal.jsonl");
}

#[test]
fn what_is_shown_of_a_run_at_its_end_is_not_followed() {
    let bench = Bench::new(WORKLOAD, READINGS);
    for other in [
        &["--plans"][..],
        &["--stored"],
        &["--together", "a,b"],
        &["--other-sizes", "b"],
        &["--prometheus", "a.prom"],
        &["--parquet", "a.parquet"],
    ] {
        let both = [&FOLLOW[..], other].concat();
        bench.bakeoff(&both).expect(2).says("cannot be used with");
    }
}

#[test]
fn a_run_that_ended_is_shown_as_ever() {
    let bench = Bench::new(WORKLOAD, READINGS);
    finished(&bench);
    let shown = page(&bench, "out");
    fs::remove_file(bench.path("out/report.html")).unwrap();
    bench.bakeoff(&FOLLOW).expect(0).says("Verdict");
    assert_eq!(page(&bench, "out"), shown);
}

#[test]
fn a_run_that_ended_is_not_waited_for_if_its_page_cannot_be_written() {
    let bench = Bench::new(WORKLOAD, READINGS);
    finished(&bench);
    // No file can replace a folder.
    fs::remove_file(bench.path("out/report.html")).unwrap();
    fs::create_dir(bench.path("out/report.html")).unwrap();
    let ended = bench.bakeoff(&FOLLOW).expect(1);
    ended.says("the page is not up to date: ");
    assert!(!ended.stderr.contains("it was stopped"), "{}", ended.stderr);
}

/// Starts a command that keeps its own page, waits until this has something that was measured, which the first one
/// never has, and interrupts the command.
#[track_caller]
fn keeps_its_page(bench: &Bench, command: &[&str]) {
    let mut going = Going::start(&mut bench.command(command));
    going.wait_for_words("its page, which reloads itself: ");
    going.wait_until("its page has something that was measured", || {
        let page = page(bench, "out");
        let so_far = page.split("Measured so far: ").nth(1).unwrap_or_default();
        so_far.starts_with(|c: char| ('1'..='9').contains(&c))
    });
    assert!(page(bench, "out").contains(RELOADS));
    going.interrupt();
    going.end().expect(130);
    assert!(!page(bench, "out").contains("http-equiv"));
}

#[test]
fn a_drive_keeps_its_page_between_loads() {
    let bench = Bench::new(READS, "");
    let load = ["--rate", "100", "--for", "1s", "--rounds", "1000"];
    let drive = ["drive", "w.toml", "--follow", "--out", "out"];
    keeps_its_page(&bench, &[&drive[..], &load].concat());
}

#[test]
fn a_sweep_keeps_its_page_between_settings() {
    let bench = Bench::new(HOSTS, "");
    let grid = ["--batches", "10", "--workers", "1", "--rounds", "1000"];
    let lengths = ["--for", "300ms", "--warm-up", "10ms"];
    let sweep = ["sweep", "w.toml", "--designs", "local/columnar"];
    let follow = ["--follow", "--out", "out"];
    keeps_its_page(&bench, &[&sweep[..], &grid, &lengths, &follow].concat());
}

#[test]
fn a_run_that_kept_its_page_ends_with_the_page_of_its_report() {
    let bench = Bench::new(WORKLOAD, READINGS);
    let run = [&RUN[..], &["--follow"]].concat();
    bench
        .bakeoff(&run)
        .expect(0)
        .says("its page, which reloads itself: ");
    let last = page(&bench, "out");
    assert!(!last.contains("http-equiv"));
    bench.bakeoff(&["report", "out"]).expect(0);
    assert_eq!(page(&bench, "out"), last);
}

#[test]
fn the_page_of_a_run_that_failed_reloads_itself_no_longer() {
    let mut rows = "series,time,value\n".to_owned();
    for minute in 0..30_000 {
        let (day, hour) = (1 + minute / 1_440, minute / 60 % 24);
        rows += &format!("a,2024-01-{day:02}T{hour:02}:{:02}:00,1.5\n", minute % 60);
    }
    // Far behind those rows that are read before anything begins.
    rows += "a,2024-02-01T00:00:00,one\n";
    let bench = Bench::new(WORKLOAD, &rows);
    let run = [
        &RUN[..],
        &["--rows", "40k", "--designs", "memory", "--follow"],
    ]
    .concat();
    bench
        .bakeoff(&run)
        .expect(1)
        .says("its page, which reloads itself: ");
    let last = page(&bench, "out");
    assert!(last.contains("has not finished") && !last.contains("http-equiv"));
}

#[test]
fn a_study_keeps_its_page_and_those_of_its_steps() {
    let bench = study::bench(study::STUDY);
    let study = ["study", "s.toml", "--out", "out", "--follow"];
    // The second step would last for fifty seconds.
    let command = [&study[..], &["--budget", "2000s"]].concat();
    let mut going = Going::start(&mut bench.command(&command));
    let read = |name: &str| fs::read_to_string(bench.path(name)).unwrap_or_default();
    going.wait_until("the page of the second step", || {
        read("out/2-load/report.html").contains(RELOADS)
    });
    let page = read("out/study.html");
    assert!(page.contains(RELOADS), "{page}");
    assert!(page.contains("Measured so far: 1 of 2 steps;"), "{page}");
    let link = "<p>Being measured: <a href=\"2-load/report.html\">load</a></p>";
    assert!(page.contains(link), "{page}");
    assert!(!read("out/1-files/report.html").contains("http-equiv"));

    going.interrupt();
    let ended = going.end().expect(130);
    ended.says("the page of the study, which reloads itself: out/study.html");
    for name in ["out/study.html", "out/2-load/report.html"] {
        assert!(!read(name).contains("http-equiv"), "{name}");
    }
}

/// Starts a study, and to follow its folder. Its second step, which would last for fifty seconds, is on its pages when
/// this returns.
fn study_and_follower(bench: &Bench) -> (Going, Going) {
    let study = ["study", "s.toml", "--out", "out", "--budget", "2000s"];
    let mut study = Going::start(&mut bench.command(&study));
    study.wait_until("the first step", || {
        bench.path("out/1-files/journal.jsonl").exists()
    });
    let mut follower = Going::start(&mut bench.command(&FOLLOW));
    follower.wait_for_words("following the study in out: out/study.html reloads itself");
    follower.wait_until("the page of the second step", || {
        page(bench, "out/2-load").contains(RELOADS)
    });
    let page = fs::read_to_string(bench.path("out/study.html")).unwrap();
    assert!(page.contains(RELOADS), "{page}");
    assert!(page.contains("Measured so far: 1 of 2 steps;"), "{page}");
    assert!(page.contains("<a href=\"2-load/report.html\">"), "{page}");
    (study, follower)
}

/// Checks that the pages of a study and of its second step stay.
#[track_caller]
fn pages_stay(bench: &Bench) {
    for name in ["out/study.html", "out/2-load/report.html"] {
        let page = fs::read_to_string(bench.path(name)).unwrap();
        assert!(!page.contains("http-equiv"), "{name}");
    }
}

#[test]
fn the_folder_of_a_study_is_followed_from_step_to_step() {
    let bench = study::bench(study::STUDY);
    let (study, follower) = study_and_follower(&bench);
    let again = ["study", "s.toml", "--out", "out", "--budget", "2000s"];
    bench
        .bakeoff(&again)
        .expect(1)
        .says("another run is writing to");
    study.interrupt();
    study.end().expect(130);
    let ended = follower.end();
    ended.expect(3).says("Page: out/study.html");
    pages_stay(&bench);
    // It is not waited for any longer, and needs no other file.
    fs::remove_file(bench.path("s.toml")).unwrap();
    bench.bakeoff(&FOLLOW).expect(3);
    fs::remove_file(bench.path("out/s.toml")).unwrap();
    bench
        .bakeoff(&FOLLOW)
        .expect(2)
        .says("out has no copy of the file of the study s");
}

#[test]
fn ctrl_c_ends_following_and_not_the_study() {
    let bench = study::bench(study::STUDY);
    let (mut study, mut follower) = study_and_follower(&bench);
    let id = follower.id();
    follower.wait_until("it heard of interruptions", || catches_interruptions(id));
    follower.interrupt();
    follower.end().expect(0).says("not followed any longer");
    pages_stay(&bench);
    assert!(study.is_running());
}

#[test]
fn a_folder_of_several_runs_is_not_followed_as_one() {
    let bench = Bench::new(WORKLOAD, READINGS);
    finished(&bench);
    let refused = bench.bakeoff(&["report", ".", "--follow"]).expect(2);
    refused.says("`bakeoff report ./out --follow`");
}

#[test]
fn shards_have_no_time_for_a_page() {
    let bench = Bench::new(READS, "");
    for command in ["drive", "sweep"] {
        let shard = [command, "w.toml", "--shard", "1/2", "--follow"];
        bench
            .bakeoff(&shard)
            .expect(2)
            .says("shards have no time to spare");
    }
    assert!(!bench.path("runs").exists());
}
