use super::*;

fn lines(needs: &[Need]) -> Vec<(&str, bool)> {
    needs
        .iter()
        .map(|need| (need.name, need.found.is_ok()))
        .collect()
}

#[test]
fn the_first_thing_that_is_missing_is_the_verdict() {
    let missing = |name, reason: &str| Need::of(name, Err::<String, _>(reason));
    let mut survey = Survey::built_in("Apache Cassandra");
    assert_eq!(survey.verdict(), Ok("Apache Cassandra"));
    survey.needs.push(Need::of("Java", Ok::<_, Error>("17")));
    survey.needs.push(missing("jars", "no jars"));
    survey.needs.push(missing("memory", "no memory"));
    assert_eq!(survey.verdict(), Err("no jars"));
}

#[tokio::test]
async fn each_need_of_cassandra_is_looked_at_whatever_the_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("home")).unwrap();
    let survey = cassandra_in(&home, "5.0.9").await;
    let names: Vec<_> = survey.needs.iter().map(|need| need.name).collect();
    assert_eq!(names, ["Java", "jars", "memory", "home"]);
    assert!(survey.summary.starts_with("Apache Cassandra 5.0.9"));
    assert!(!home.folder().exists(), "looking makes nothing");
    let jars = home.folder().join("jars/cassandra-5.0.9");
    std::fs::create_dir_all(&jars).unwrap();
    let survey = cassandra_in(&home, "5.0.9").await;
    let found = survey.needs[1].found.as_ref().unwrap();
    assert!(found.starts_with(jars.to_str().unwrap()), "{found}");
}

#[test]
fn a_home_that_cannot_be_made_is_told_with_the_remedy() {
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
fn a_folder_without_room_takes_no_run() {
    let needs = machine(Path::new("/proc"));
    assert_eq!(lines(&needs)[..2], [("cores", true), ("memory", true)]);
    assert_eq!(lines(&needs)[2], ("disk", false));
    let here = tempfile::tempdir().unwrap();
    let needs = machine(here.path());
    assert_eq!(lines(&needs)[3], ("folder", true));
}

#[test]
fn what_is_not_installed_lacks_what_installs_it() {
    let nothing = || Error::Refused("install it with x".to_owned());
    let survey = of_installation("PostgreSQL", Err(nothing()));
    assert_eq!(survey.verdict(), Err("install it with x"));
    let installation = Installation {
        bin_dir: "/nowhere".into(),
        version: "17.11".to_owned(),
        timescale: Some("2.19.3".to_owned()),
    };
    let survey = of_installation("TimescaleDB", Ok(installation));
    assert_eq!(
        survey.summary,
        "TimescaleDB 2.19.3 on PostgreSQL 17.11 in /nowhere"
    );
    assert!(survey.needs.iter().any(|need| need.name == "home"));
}
