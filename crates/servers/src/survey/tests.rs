use bakeoff_testing::Disk;

use super::*;

fn lines(needs: &[Need]) -> Vec<(&str, bool)> {
    needs
        .iter()
        .map(|need| (need.name, need.found.is_ok()))
        .collect()
}

#[test]
fn the_first_thing_that_is_missing_is_the_verdict() {
    let missing = |name, reason: &str| Need::new(name, Err::<String, _>(reason));
    let mut survey = Survey::built_in("Apache Cassandra");
    assert_eq!(survey.verdict(), Ok("Apache Cassandra"));
    survey.needs.push(Need::new("Java", Ok::<_, Error>("17")));
    survey.needs.push(missing("jars", "no jars"));
    survey.needs.push(missing("memory", "no memory"));
    assert_eq!(survey.verdict(), Err("no jars"));
}

/// SHA-256 of `abc`.
const SUM: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn pinned() -> PinnedCassandra {
    let mut pinned = cassandra::pinned().unwrap();
    // The jars of a version that is not pinned may be any.
    pinned.version = "5.0.99".to_owned();
    pinned
}

fn java_instead_of(preferred: &[&str]) -> Search<Java> {
    let mut search = Search::new();
    for reason in preferred {
        search.pass_over("/j/bin/java", *reason);
    }
    search.found = Some(Java {
        program: "/k/bin/java".into(),
        version: "17.0.9".to_owned(),
        release: 17,
    });
    search
}

#[test]
fn what_was_preferred_to_what_is_used_is_shown_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("home")).unwrap();
    let java = |preferred: &[&str]| {
        let survey = cassandra_in(&home, &pinned(), Ok(java_instead_of(preferred)));
        assert_eq!(survey.needs[0].found.as_deref(), Ok("17.0.9, /k/bin/java"));
        survey.needs[0].passed_over.clone()
    };
    assert_eq!(java(&[]), None);
    let expected = "Java 25 (/j/bin/java), Java 8 (/j/bin/java): Cassandra needs 17 or 11";
    assert_eq!(
        java(&["Java 25", "Java 25", "Java 8"]).as_deref(),
        Some(expected)
    );
    // Where none is used, what is missing names them.
    let mut none = java_instead_of(&["Java 25"]);
    none.found = None;
    let need = cassandra_in(&home, &pinned(), Ok(none))
        .needs
        .swap_remove(0);
    assert!(
        need.found
            .unwrap_err()
            .contains("only Java 25 (/j/bin/java) was found")
    );
    assert_eq!(need.passed_over, None);
}

#[tokio::test]
async fn each_need_of_cassandra_is_looked_at_whatever_the_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("home")).unwrap();
    let survey = cassandra_in(&home, &pinned(), search_java().await);
    let names: Vec<_> = survey.needs.iter().map(|need| need.name).collect();
    assert_eq!(names, ["Java", "jars", "memory", "home"]);
    assert!(survey.summary.starts_with("Apache Cassandra 5.0.99"));
    assert!(!home.folder().exists(), "looking makes nothing");
    let jars = home.folder().join("jars/cassandra-5.0.99");
    std::fs::create_dir_all(&jars).unwrap();
    std::fs::write(jars.join("a.jar"), "abc").unwrap();
    std::fs::write(jars.join("SHA256SUMS"), format!("{SUM}  a.jar\n")).unwrap();
    let survey = cassandra_in(&home, &pinned(), search_java().await);
    let found = survey.needs[1].found.as_ref().unwrap();
    assert!(found.starts_with(jars.to_str().unwrap()), "{found}");
}

#[test]
fn a_home_that_cannot_be_made_is_reported_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = check_home(&Home::new(file.join("home")).unwrap()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(file.to_str().unwrap()), "{text}");
    assert!(text.contains("BAKEOFF_HOME"), "{text}");
    check_home(&Home::new(folder.path().join("a/b/c")).unwrap()).unwrap();
}

#[test]
fn a_folder_that_cannot_be_written_takes_no_run() {
    let needs = machine(Path::new("/proc"));
    let expected = [
        ("cores", true),
        ("memory", true),
        ("folder", false),
        ("disk", false),
    ];
    assert_eq!(lines(&needs), expected);
    let reason = needs[2].found.as_ref().unwrap_err();
    assert!(reason.starts_with("cannot write to /proc: "), "{reason}");
    assert!(reason.ends_with(": change to a folder that can be written, or name one with --out"));
    let here = tempfile::tempdir().unwrap();
    assert_eq!(lines(&machine(here.path()))[2], ("folder", true));
}

#[test]
fn a_home_on_a_disk_that_is_read_only_is_reported_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = Disk::mount(folder.path(), "ro") else {
        return;
    };
    let home = Home::new(disk.folder().join("home")).unwrap();
    let text = check_home(&home).unwrap_err().to_string();
    let disk = disk.folder().display();
    let start = format!("cannot write to {disk}: Read-only file system");
    assert!(text.starts_with(&start), "{text}");
    assert!(text.contains("set BAKEOFF_HOME to a folder"), "{text}");
}

#[test]
fn what_is_not_installed_lacks_what_installs_it() {
    let nothing = || Error::Refused("install it with x".to_owned());
    let survey = survey_installation("PostgreSQL", Err(nothing()), &[]);
    assert_eq!(survey.verdict(), Err("install it with x"));
    let installation = Installation {
        bin_dir: "/nowhere".into(),
        version: "907.11".to_owned(),
        timescale: Some("2.19.3".to_owned()),
    };
    let preferred = ["PostgreSQL 17.11 without TimescaleDB (/usr)".to_owned()];
    let survey = survey_installation("TimescaleDB", Ok(installation), &preferred);
    let programs = &survey.needs[0];
    assert_eq!(programs.found.as_deref(), Ok("/nowhere"));
    assert_eq!(programs.passed_over.as_ref(), Some(&preferred[0]));
    assert_eq!(
        survey.summary,
        "TimescaleDB 2.19.3 on PostgreSQL 907.11 in /nowhere"
    );
    // What only some runs need is named, and keeps none from starting.
    let standbys = survey.needs.iter().find(|need| need.name == "standbys");
    let told = standbys.unwrap().found.as_ref().unwrap();
    let words = "not possible: pg_basebackup, which copies a server";
    assert!(told.starts_with(words), "{told}");
    assert!(survey.needs.iter().any(|need| need.name == "home"));
}
