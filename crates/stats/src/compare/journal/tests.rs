use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use super::*;
use crate::compare::testing::header as a_header;

fn started() -> Record {
    Record::Started(Box::new(a_header()))
}

fn warning(message: &str) -> Record {
    Record::Warning {
        message: message.to_owned(),
    }
}

fn finished() -> Record {
    Record::Finished {
        at: "2026-01-01T00:01:00Z".to_owned(),
        seconds: 60.0,
        peak_memory_bytes: 1,
    }
}

fn folder_with(records: &[Record]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create_or_resume(dir.path(), "f1").unwrap();
    records.iter().for_each(|r| journal.append(r).unwrap());
    dir
}

fn add_bytes(dir: &Path, bytes: &[u8]) {
    let mut file = OpenOptions::new()
        .append(true)
        .open(dir.join(Record::FILE))
        .unwrap();
    file.write_all(bytes).unwrap();
}

fn resume_error(dir: &Path, fingerprint: &str) -> String {
    Journal::create_or_resume(dir, fingerprint)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_new_folder_is_created_and_empty() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::create_or_resume(&dir.path().join("a/b"), "f1").unwrap();
    assert!(journal.records().is_empty());
}

#[test]
fn what_would_be_refused_is_found_without_a_trace() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("a/b");
    Journal::check(&dir, "f1").unwrap();
    assert!(!parent.path().join("a").exists());

    fs::create_dir_all(&dir).unwrap();
    Journal::check(&dir, "f1").unwrap();
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    fs::write(dir.join("thesis.txt"), "").unwrap();
    let error = Journal::check(&dir, "f1").unwrap_err();
    assert!(matches!(error, JournalError::NotEmpty { .. }), "{error}");
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);

    let begun = folder_with(&[started()]);
    Journal::check(begun.path(), "f1").unwrap();
    let error = Journal::check(begun.path(), "f2").unwrap_err();
    assert!(
        matches!(error, JournalError::OtherCommand { .. }),
        "{error}"
    );
    let going_on = Journal::create_or_resume(begun.path(), "f1").unwrap();
    let error = Journal::check(begun.path(), "f1").unwrap_err();
    assert!(matches!(error, JournalError::Locked { .. }), "{error}");
    drop(going_on);
    let complete = folder_with(&[started(), finished()]);
    let error = Journal::check(complete.path(), "f1").unwrap_err();
    assert!(matches!(error, JournalError::Finished { .. }), "{error}");
}

#[test]
fn an_unfinished_run_goes_on_where_it_stopped() {
    let dir = folder_with(&[started(), warning("one")]);
    let mut journal = Journal::create_or_resume(dir.path(), "f1").unwrap();
    assert_eq!(journal.records(), [started(), warning("one")]);
    journal.append(&warning("two")).unwrap();
    assert_eq!(journal.records().len(), 3);
    assert_eq!(Run::open(dir.path()).unwrap().records(), journal.records());
}

#[test]
fn the_token_of_a_run_is_known_before_it_goes_on_and_earlier_runs_have_none() {
    let token = |dir: &Path| Journal::begun(dir).unwrap().map(|header| header.token);
    let new = tempfile::tempdir().unwrap();
    assert_eq!(token(&new.path().join("run")), None);
    let header = Header {
        token: Some("0198".to_owned()),
        ..a_header()
    };
    let begun = folder_with(&[Record::Started(Box::new(header))]);
    assert_eq!(token(begun.path()), Some(Some("0198".to_owned())));
    assert_eq!(token(folder_with(&[started()]).path()), Some(None));
}

#[test]
fn a_torn_last_line_is_dropped_and_overwritten() {
    let dir = folder_with(&[started(), warning("one")]);
    add_bytes(dir.path(), br#"{"record":"warning","mess"#);
    assert_eq!(Run::open(dir.path()).unwrap().records().len(), 2);
    let mut journal = Journal::create_or_resume(dir.path(), "f1").unwrap();
    journal.append(&warning("two")).unwrap();
    let run = Run::open(dir.path()).unwrap();
    assert_eq!(run.records(), [started(), warning("one"), warning("two")]);
}

#[test]
fn a_run_killed_in_its_first_line_is_new() {
    let dir = folder_with(&[]);
    add_bytes(dir.path(), br#"{"record":"star"#);
    assert!(matches!(
        Run::open(dir.path()),
        Err(JournalError::Empty { .. })
    ));
    assert!(
        Journal::create_or_resume(dir.path(), "f2")
            .unwrap()
            .records()
            .is_empty()
    );
}

#[test]
fn any_other_broken_line_is_named() {
    let dir = folder_with(&[started()]);
    add_bytes(
        dir.path(),
        b"{\"record\":nonsense}\n{\"record\":\"warning\",\"message\":\"\"}\n",
    );
    let message = resume_error(dir.path(), "f1");
    assert!(message.contains("journal.jsonl, line 2:"), "{message}");
    assert!(matches!(
        Run::open(dir.path()),
        Err(JournalError::Line { line: 2, .. })
    ));
}

/// A folder of a run of this version with this line after its header.
fn of_version(version: &str, line: &str) -> String {
    let dir = folder_with(&[]);
    let Record::Started(header) = started() else {
        unreachable!()
    };
    let header = crate::Header {
        bakeoff_version: version.to_owned(),
        ..*header
    };
    let started = serde_json::to_string(&Record::Started(Box::new(header))).unwrap();
    add_bytes(dir.path(), format!("{started}\n{line}\n").as_bytes());
    resume_error(dir.path(), "f1")
}

#[test]
fn a_record_of_another_version_is_refused_with_that_version() {
    let unknown = r#"{"record":"of-tomorrow","x":1}"#;
    let newer = of_version("999.1.0", unknown);
    let told = "journal.jsonl, line 2: written by a newer Bakeoff (999.1.0) than this one";
    assert!(newer.contains(told), "{newer}");
    assert!(newer.ends_with("use that one"), "{newer}");
    assert!(!newer.contains("expected one of"), "{newer}");
    // A version that was not published yet has the same number.
    let same = of_version(env!("CARGO_PKG_VERSION"), unknown);
    let told = "written by a newer Bakeoff than this one";
    assert!(same.contains(told), "{same}");
    let incomplete = r#"{"record":"warning"}"#;
    let earlier = of_version("0.0.1", incomplete);
    let told = "written by Bakeoff 0.0.1, whose records this one";
    assert!(earlier.contains(told), "{earlier}");
    assert!(earlier.contains("missing field `message`"), "{earlier}");
    assert!(earlier.ends_with("use that version"), "{earlier}");
    let damaged = of_version(env!("CARGO_PKG_VERSION"), incomplete);
    let told = "not a record of a run (missing field";
    assert!(damaged.contains(told), "{damaged}");
    assert!(!damaged.contains("--out"), "{damaged}");
    let odd =
        r#"{"record":"answered","design":"a","query":"q","sql":"","outcome":{"outcome":"odd"}}"#;
    let damaged = of_version(env!("CARGO_PKG_VERSION"), odd);
    let told = "line 2: not a record of a run (unknown variant `odd`, expected one of `right`";
    assert!(damaged.contains(told), "{damaged}");
}

#[test]
fn a_header_that_cannot_be_read_any_more_is_refused_with_its_version() {
    let dir = folder_with(&[]);
    let header = b"{\"record\":\"started\",\"bakeoff_version\":\"0.0.1\"}\n";
    add_bytes(dir.path(), header);
    let message = Run::open(dir.path()).unwrap_err().to_string();
    let told = "line 1: written by Bakeoff 0.0.1";
    assert!(message.contains(told), "{message}");
}

#[test]
fn a_journal_without_its_first_line_is_refused() {
    let dir = folder_with(&[]);
    add_bytes(dir.path(), b"{\"record\":\"warning\",\"message\":\"\"}\n");
    let refused = Journal::create_or_resume(dir.path(), "f1");
    assert!(matches!(refused, Err(JournalError::NoHeader { .. })));
}

#[test]
fn another_commands_run_is_refused_and_its_command_named() {
    let dir = folder_with(&[started()]);
    let message = resume_error(dir.path(), "f2");
    assert!(message.contains(&a_header().command), "{message}");
    assert!(message.contains("--out"), "{message}");
}

#[test]
fn a_finished_run_is_refused_but_can_be_read() {
    let dir = folder_with(&[started(), finished()]);
    for fingerprint in ["f1", "f2"] {
        let refused = Journal::create_or_resume(dir.path(), fingerprint);
        assert!(matches!(refused, Err(JournalError::Finished { .. })));
    }
    assert_eq!(Run::open(dir.path()).unwrap().header(), &a_header());
}

#[test]
fn a_second_writer_is_refused_until_the_first_ends() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = Journal::create_or_resume(dir.path(), "f1").unwrap();
    first.append(&started()).unwrap();
    let message = resume_error(dir.path(), "f1");
    assert!(message.contains("another run is writing to"), "{message}");
    assert!(
        message.contains(&dir.path().display().to_string()),
        "{message}"
    );
    assert!(Run::open(dir.path()).is_ok(), "readers need no lock");
    drop(first);
    assert!(Journal::create_or_resume(dir.path(), "f1").is_ok());
}

#[test]
fn a_folder_that_cannot_be_created_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    for bad in [
        file.clone(),
        file.join("below"),
        PathBuf::from("/proc/bakeoff"),
    ] {
        let message = resume_error(&bad, "f1");
        assert!(
            message.contains("cannot create the run folder"),
            "{message}"
        );
        assert!(message.contains("--out"), "{message}");
    }
}

/// Checks a folder where no user may create a file, not even root, who may write whatever the mode
/// of a folder.
#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_folder_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/sys/kernel/bakeoff", dir.path().join("lock")).unwrap();
    let message = resume_error(dir.path(), "f1");
    assert!(
        message.contains("that you may write to with --out"),
        "{message}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_says_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let mut journal = Journal::create_or_resume(dir.path(), "f1").unwrap();
    journal.log.lines.file = OpenOptions::new().append(true).open("/dev/full").unwrap();
    let message = journal.append(&started()).unwrap_err().to_string();
    assert!(message.contains("make room on the disk"), "{message}");
    assert!(
        journal.records().is_empty(),
        "what is not on the disk is not done"
    );
}

#[test]
fn a_line_left_by_a_failed_write_is_cut_off_before_the_next() {
    let dir = folder_with(&[started()]);
    let mut journal = Journal::create_or_resume(dir.path(), "f1").unwrap();
    add_bytes(dir.path(), b"half a li");
    journal.log.lines.torn = true;
    journal.append(&warning("after")).unwrap();
    assert_eq!(
        Run::open(dir.path()).unwrap().records(),
        [started(), warning("after")]
    );
}

#[test]
fn a_journal_without_a_whole_line_is_told_from_none() {
    for bytes in [&b""[..], br#"{"record":"star"#] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(Record::FILE), bytes).unwrap();
        let message = Run::open(dir.path()).unwrap_err().to_string();
        let told = "its journal.jsonl is empty or cut off in its first line";
        assert!(message.contains(told), "{message}");
        assert!(
            message.ends_with("repeat the `bakeoff run` that began it"),
            "{message}"
        );
    }
}

#[test]
fn a_folder_without_a_run_is_named() {
    let dir = tempfile::tempdir().unwrap();
    for missing in [dir.path().to_owned(), dir.path().join("none")] {
        let message = Run::open(&missing).unwrap_err().to_string();
        assert!(message.contains("there is no run in"), "{message}");
    }
}
