use std::fs;
use std::os::unix::fs::symlink;

use bakeoff_testing::calls::{Failing, Failure};
use bakeoff_testing::{Moment, names_in};

use super::*;

#[test]
fn a_file_gets_its_name_when_it_is_complete_and_replaces_a_link_instead_of_following_it() {
    let folder = tempfile::tempdir().unwrap();
    let (path, others) = (folder.path().join("a.csv"), folder.path().join("others"));
    fs::write(&others, "theirs").unwrap();
    symlink(&others, &path).unwrap();
    let mut file = OutFile::create(&path).unwrap();
    file.write_all(b"ours").unwrap();
    assert!(path.is_symlink());
    file.complete().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
    assert_eq!(fs::read_to_string(&others).unwrap(), "theirs");
    assert_eq!(names_in(folder.path()), ["a.csv", "others"]);
    let readable = fs::metadata(&path).unwrap().permissions().mode();
    assert_ne!(readable & 0o044, 0, "as any new file, others may read it");
}

#[test]
fn what_is_written_quickly_replaces_what_was_there_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.html");
    for text in ["first", "second"] {
        write_quickly(&path, text.as_bytes()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(names_in(folder.path()), ["a.html"]);
    let nowhere = folder.path().join("none/a.html");
    let error = write_quickly(&nowhere, b"x").unwrap_err();
    let error = format!("{error:#}");
    let names_it = error.contains("none/a.html: there is no folder ");
    assert!(names_it && !error.contains(".bakeoff-"), "{error}");
    let error = OutFile::create_new(&path.join("b.html")).err().unwrap();
    assert!(error.to_string().contains("a.html is no folder"), "{error}");
}

#[test]
fn an_unfinished_file_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut file = OutFile::create(&path).unwrap();
    file.write_all(b"half").unwrap();
    drop(file);
    assert_eq!(names_in(folder.path()), [""; 0]);
}

#[test]
fn what_a_killed_command_left_of_a_file_is_known_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let other = OutFile::create(&folder.path().join("a.csv-b")).unwrap();
    // As a kill leaves it.
    std::mem::forget(OutFile::create(&path).unwrap());
    fs::write(&path, "complete").unwrap();
    assert_eq!(names_in(folder.path()).len(), 3);
    remove_unfinished(&path);
    let left = names_in(folder.path());
    assert!(left[0].starts_with(".bakeoff-a.csv-b-"), "{left:?}");
    assert_eq!(left[1..], ["a.csv"]);
    drop(other);
    // A name to which nothing can be added.
    let long = folder.path().join("n".repeat(255));
    OutFile::create(&long).unwrap().complete().unwrap();
    assert!(long.exists());
}

#[test]
fn a_new_file_takes_no_name_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let mut file = OutFile::create_new(&path).unwrap();
    // A link that leads nowhere is somebody's, too.
    symlink(folder.path().join("nowhere"), &path).unwrap();
    assert!(OutFile::create_new(&path).is_err());
    assert!(file.complete().is_err());
    assert_eq!(names_in(folder.path()), ["a.csv"]);
}

/// What begins a file.
type Begin = fn(&Path) -> Result<OutFile>;

/// Returns lines that take several writes to the system.
fn long() -> String {
    (0..5_000).map(|number| format!("{number}\n")).collect()
}

/// Writes a file, which gets its name at the end.
fn write_long(begin: Begin, path: &Path) -> Result<()> {
    let mut file = begin(path)?.private()?;
    for line in long().split_inclusive('\n') {
        file.write_all(line.as_bytes())?;
    }
    file.complete()
}

#[test]
fn whichever_call_fails_the_name_has_what_it_had_and_the_next_attempt_works() {
    let ways: [(Begin, Option<&str>); 3] = [
        (OutFile::create, Some("old")),
        (OutFile::replace, Some("old")),
        (OutFile::create_new, None),
    ];
    for (begin, before) in ways {
        for failure in [Failure::Device, Failure::Full, Failure::Gone] {
            let calls = fail_every_call(begin, before, failure);
            assert!(calls > 5, "{calls}");
        }
    }
}

/// Lets each call in turn fail until none is left that could, and returns the number of calls. The name has this text
/// before, or there is no such file.
fn fail_every_call(begin: Begin, before: Option<&str>, failure: Failure) -> u64 {
    for calls in 0.. {
        let _moment = Moment::new(format!("{failure:?} after {calls} calls, {before:?}"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        if let Some(text) = before {
            fs::write(&path, text).unwrap();
        }
        let failing = Failing::after(calls, failure);
        let written = write_long(begin, &path);
        let has_failed = failing.has_failed();
        drop(failing);
        if has_failed {
            assert!(written.is_err());
            assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
            let left = Vec::from_iter(before.map(|_| "a.csv"));
            assert_eq!(names_in(folder.path()), left);
            write_long(begin, &path).unwrap();
        } else {
            written.unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), long());
        assert_eq!(names_in(folder.path()), ["a.csv"]);
        if !has_failed {
            return calls;
        }
    }
    unreachable!("more calls than numbers")
}
