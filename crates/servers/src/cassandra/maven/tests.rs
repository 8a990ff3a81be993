//! Tests of fetching by Maven.

use bakeoff_testing::{Disk, put_program};

use super::*;
use crate::cassandra::pinned;

fn maven_that(does: &str, folder: &Path) -> PathBuf {
    let program = folder.join("mvn");
    put_program(&program, &format!("#!/bin/sh\n{does}\n"));
    program
}

#[tokio::test]
async fn a_failed_fetch_says_why_and_leaves_no_jars() {
    let folder = tempfile::tempdir().unwrap();
    // As Maven 3.8 ends.
    let does = "\
cat <<END
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal copy: Could not transfer 5.0.99 -> [Help 1]
[ERROR] 
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] Re-run Maven using the -X switch to enable full debug logging.
[ERROR] 
[ERROR] For more information about the errors, please read the following articles:
[ERROR] [Help 1] http://cwiki.apache.org/confluence/x
END
exit 1";
    let maven = maven_that(does, folder.path());
    let jars = folder.path().join("cassandra-5.0.99");
    let error = fetch(
        &maven,
        &of_cassandra(&pinned().unwrap(), "5.0.99"),
        None,
        &jars,
        FETCH_LIMIT,
    )
    .await
    .unwrap_err();
    let expected = "Maven could not fetch Cassandra 5.0.99:\n\
                    [ERROR] Failed to execute goal copy: Could not transfer 5.0.99";
    assert_eq!(error.to_string(), expected);
    assert!(!jars.exists());
}

#[tokio::test]
async fn what_a_killed_fetch_left_is_cleared_away() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join(UNFINISHED).join("jars");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("half.jar"), "").unwrap();
    let maven = maven_that(
        "for last; do :; done; touch \"${last#*=}/a.jar\"",
        folder.path(),
    );
    let jars = folder.path().join("cassandra-5.0.9");
    fetch(
        &maven,
        &of_cassandra(&pinned().unwrap(), "5.0.9"),
        None,
        &jars,
        FETCH_LIMIT,
    )
    .await
    .unwrap();
    assert!(jars.join("a.jar").exists() && !jars.join("half.jar").exists());
    checksums::check(&jars).unwrap();
    assert!(!folder.path().join(UNFINISHED).exists());
}

/// Writes a Maven that copies jars of 3 × 25 MiB from a folder, as the real one does from its
/// own.
fn maven_that_copies(folder: &Path) -> PathBuf {
    for jar in ["a.jar", "b.jar", "c.jar"] {
        fs::write(folder.join(jar), vec![1; 25 << 20]).unwrap();
    }
    let from = folder.display();
    maven_that(
        &format!("for last; do :; done\ncp '{from}'/*.jar \"${{last#*=}}\""),
        folder,
    )
}

#[tokio::test]
async fn a_disk_that_becomes_full_is_reported_and_keeps_no_half_of_the_jars() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(folder.path().join("disk"), "size=110m") else {
        return;
    };
    let maven = maven_that_copies(folder.path());
    let jars = disk.folder().join("cassandra-5.0.9");
    let fetch = || async {
        fetch(
            &maven,
            &of_cassandra(&pinned().unwrap(), "5.0.9"),
            None,
            &jars,
            FETCH_LIMIT,
        )
        .await
    };
    let remedy = "needs 100 MiB; free some, or set BAKEOFF_HOME to a folder with more room";

    // Another program writes to the disk at the same time.
    let (filler, script) = (
        disk.folder().join("filler"),
        fs::read_to_string(&maven).unwrap(),
    );
    let fill = format!("\nhead -c 60M /dev/zero > '{}'\n", filler.display());
    put_program(&maven, &script.replacen('\n', &fill, 1));
    let text = fetch().await.unwrap_err().to_string();
    let start = format!(
        "fetching Cassandra 5.0.9 into {} failed, and that disk is full",
        disk.folder().display()
    );
    assert!(text.starts_with(&start) && text.contains(remedy), "{text}");
    let own = "Maven could not fetch Cassandra 5.0.9:\n";
    assert!(text.contains(own), "Maven's own lines are kept: {text}");
    let left: Vec<_> = fs::read_dir(disk.folder()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing but the filler: {left:?}");

    // It is still full before anything is fetched.
    let text = fetch().await.unwrap_err().to_string();
    let start = format!("the disk of {} is full: 50 MiB", disk.folder().display());
    assert!(text.starts_with(&start), "{text}");
    assert!(text.contains("fetching Cassandra needs at least 100 MiB; free some, or set"));

    fs::remove_file(&filler).unwrap();
    put_program(&maven, &script);
    fetch().await.unwrap();
    checksums::check(&jars).unwrap();
    assert_eq!(fs::metadata(jars.join("c.jar")).unwrap().len(), 25 << 20);
}

#[test]
fn room_is_looked_for_before_the_folder_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(folder.path().join("disk"), "size=50m") else {
        return;
    };
    let home = disk.folder().join("home/jars");
    let text = check_room_for_jars(&home).unwrap_err().to_string();
    assert!(
        text.contains("fetching Cassandra needs at least 100 MiB"),
        "{text}"
    );
    assert!(!home.exists());
}

#[tokio::test]
async fn a_full_disk_of_maven_itself_is_reported_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let does = "echo '[ERROR] Could not transfer artifact: /m2/x.jar: No space left on device' \
                && exit 1";
    let maven = maven_that(does, folder.path());
    let jars = folder.path().join("cassandra-5.0.9");
    let error = fetch(
        &maven,
        &of_cassandra(&pinned().unwrap(), "5.0.9"),
        None,
        &jars,
        FETCH_LIMIT,
    )
    .await;
    let text = error.unwrap_err().to_string();
    assert!(
        text.starts_with("Maven could not fetch Cassandra 5.0.9:\n"),
        "{text}"
    );
    assert!(
        text.ends_with("in ~/.m2 and in the temporary folder; free some there"),
        "{text}"
    );
}

#[tokio::test]
async fn a_stuck_maven_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let maven = maven_that("exec sleep 60", folder.path());
    let jars = folder.path().join("cassandra-5.0.9");
    let limit = Duration::from_millis(50);
    let error = fetch(
        &maven,
        &of_cassandra(&pinned().unwrap(), "5.0.9"),
        None,
        &jars,
        limit,
    )
    .await
    .unwrap_err();
    assert!(error.to_string().contains("did not end within"), "{error}");
}

#[test]
fn the_pinned_version_is_asked_for_and_nothing_is_left_to_fill_in() {
    let text = pom_text(&of_cassandra(&pinned().unwrap(), "5.0.9"));
    assert!(text.contains("<artifactId>cassandra-all</artifactId>"));
    assert!(text.contains("<version>5.0.9</version>"));
    assert!(!text.contains('@'), "{text}");
}
