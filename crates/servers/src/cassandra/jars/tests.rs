use super::*;

/// A version that is not pinned, so that its jars may be any.
const VERSION: &str = "5.0.99";

fn place() -> (tempfile::TempDir, Home, [PathBuf; 1]) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::new(folder.path().join("home")).unwrap();
    let packages = [folder.path().join("site-packages")];
    (folder, home, packages)
}

fn put_jars(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("a.jar"), "abc").unwrap();
    checksums::write(folder).unwrap();
}

#[test]
fn what_was_fetched_comes_before_the_wheel_and_that_before_maven() {
    let (_folder, home, packages) = place();
    let found = || search_in(&home, &packages, Some("/m".into()), VERSION).found;
    assert_eq!(found(), Some(Jars::Maven("/m".into())));
    let in_wheel = packages[0].join("bakeoff_cassandra/cassandra-5.0.99");
    put_jars(&in_wheel);
    assert_eq!(found(), Some(Jars::Wheel(in_wheel)));
    let fetched = home.folder().join("jars/cassandra-5.0.99");
    put_jars(&fetched);
    assert_eq!(found(), Some(Jars::Fetched(fetched)));
}

/// A `mvn` that fetches one jar, and counts how often it was run.
fn put_maven(folder: &Path) -> PathBuf {
    let maven = folder.join("mvn");
    let script = "#!/bin/sh\necho >> \"$0.runs\"\nfor last; do :; done\n\
                  echo abc > \"${last#*=}/a.jar\"\n";
    bakeoff_testing::put_program(&maven, script);
    maven
}

#[tokio::test]
async fn jars_of_the_pinned_version_that_are_not_the_pinned_ones_are_not_kept() {
    let (folder, home, _) = place();
    let maven = put_maven(folder.path());
    let version = pinned_of(Release::Five).unwrap().version;
    let fetched = fetch_once(&home, &maven, &version).await;
    let text = fetched.unwrap_err().to_string();
    assert!(
        text.contains("not those that Bakeoff was tested with"),
        "{text}"
    );
    assert!(text.contains(".jar is missing"), "{text}");
    assert!(!fetched_folder(&home, &version).exists());
}

#[test]
fn jars_of_the_pinned_version_that_were_fetched_before_are_the_pinned_ones() {
    let (_folder, home, packages) = place();
    let version = pinned_of(Release::Five).unwrap().version;
    put_jars(&fetched_folder(&home, &version));
    let search = search_in(&home, &packages, None, &version);
    let text = found_jars(&version, search).unwrap_err().to_string();
    assert!(
        text.contains(".jar is missing. Delete that folder"),
        "{text}"
    );
    // Those of other versions are what they were when they were fetched.
    put_jars(&fetched_folder(&home, VERSION));
    found_jars(VERSION, search_in(&home, &packages, None, VERSION)).unwrap();
}

#[tokio::test]
async fn of_two_first_starts_one_fetches_and_both_have_the_jars() {
    let (folder, home, packages) = place();
    let maven = put_maven(folder.path());
    // Left by something else, with a jar that does not belong there.
    let left = fetched_folder(&home, VERSION);
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("stray.jar"), "").unwrap();
    let fetched = || fetch_once(&home, &maven, VERSION);
    let (first, second) = tokio::join!(fetched(), fetched());
    assert_eq!(first.unwrap(), second.unwrap());
    let runs = fs::read_to_string(folder.path().join("mvn.runs")).unwrap();
    assert_eq!(runs.lines().count(), 1);
    assert!(!left.join("stray.jar").exists());
    let found = search_in(&home, &packages, None, VERSION).found.unwrap();
    check(VERSION, &found).unwrap();
    fs::write(home.folder().join("jars/cassandra-5.0.99/a.jar"), "ab").unwrap();
    assert!(checksums::check(&home.jars().join("cassandra-5.0.99")).is_err());
}

#[tokio::test]
async fn a_home_that_cannot_be_written_leaves_a_wheels_jars_usable() {
    let (_folder, _, packages) = place();
    let home = Home::new("/proc/nothing").unwrap();
    put_jars(&packages[0].join("bakeoff_cassandra/cassandra-5.0.99"));
    let found = search_in(&home, &packages, None, VERSION).found.unwrap();
    check(VERSION, &found).unwrap();
    let error = fetch_once(&home, Path::new("/m"), VERSION)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("set BAKEOFF_HOME to a folder"), "{error}");
}

#[test]
fn a_java_without_jars_leads_to_what_installs_them() {
    let (_folder, home, packages) = place();
    let search = search_in(&home, &packages, None, VERSION);
    assert_eq!(search, Search::new());
    let error = |by_wheel| none_there(VERSION, &search.passed_over, by_wheel).to_string();
    assert!(error(false).contains("`apt-get install maven`"));
    assert!(!error(false).contains("pip"));
    let text = error(true);
    assert!(
        text.starts_with("Cassandra 5.0.99 is not installed: install it with `pip"),
        "{text}"
    );
    let command = "--no-index --find-links DIST --upgrade 'bakeoff[engines]'`";
    assert!(text.contains(command), "{text}");
}

#[test]
fn jars_of_the_release_before_come_from_maven_alone() {
    let (_folder, home, packages) = place();
    put_jars(&packages[0].join("bakeoff_cassandra/cassandra-5.0.99"));
    let search = search_in(&home, &packages, None, "4.1.99");
    assert_eq!(search, Search::new(), "a wheel of 5.0 is not in question");
    for by_wheel in [false, true] {
        let text = none_there("4.1.99", &search.passed_over, by_wheel).to_string();
        assert!(
            text.starts_with("Maven is needed once to fetch Cassandra 4.1.99"),
            "{text}"
        );
        assert!(
            text.ends_with("leave out the designs of cassandra-4"),
            "{text}"
        );
    }
}

#[test]
fn a_wheel_of_another_version_is_passed_over_and_named() {
    let (_folder, home, packages) = place();
    put_jars(&packages[0].join("bakeoff_cassandra/cassandra-5.0.8"));
    let search = search_in(&home, &packages, None, VERSION);
    let text = none_there(VERSION, &search.passed_over, false).to_string();
    let package = packages[0].join("bakeoff_cassandra");
    let named = format!("only Cassandra 5.0.8 ({}) was found", package.display());
    assert!(text.contains(&named), "{text}");
    assert!(text.contains("--upgrade"), "{text}");
    let search = search_in(&home, &packages, Some("/m".into()), VERSION);
    assert_eq!(search.found, Some(Jars::Maven("/m".into())));
}

#[test]
fn damaged_jars_are_refused_with_what_to_do_and_not_read_twice_when_whole() {
    let (folder, ..) = place();
    let jars = folder.path().join("jars");
    put_jars(&jars);
    fs::write(jars.join("a.jar"), "ab").unwrap();
    let text = check(VERSION, &Jars::Wheel(jars.clone()))
        .unwrap_err()
        .to_string();
    assert!(text.contains("a.jar is cut or changed"), "{text}");
    assert!(
        text.contains("--no-index --find-links DIST --force-reinstall bakeoff-cassandra`"),
        "{text}"
    );
    let text = check(VERSION, &Jars::Fetched(jars.clone()))
        .unwrap_err()
        .to_string();
    assert!(
        text.ends_with("Delete that folder, and they are fetched again"),
        "{text}"
    );
    fs::write(jars.join("a.jar"), "abc").unwrap();
    check(VERSION, &Jars::Wheel(jars.clone())).unwrap();
    fs::remove_file(jars.join("a.jar")).unwrap();
    check_once(&jars, None).unwrap();
}

#[test]
fn fetched_jars_without_checksums_are_passed_over() {
    let (folder, home, packages) = place();
    let fetched = fetched_folder(&home, VERSION);
    fs::create_dir_all(&fetched).unwrap();
    let search = search_in(&home, &packages, None, VERSION);
    assert_eq!(search.found, None);
    let text = none_there(VERSION, &search.passed_over, false).to_string();
    let named = format!("{NO_CHECKSUMS} ({})", fetched.display());
    assert!(text.contains(&named), "{text}");
    let search = search_in(&home, &packages, Some("/m".into()), VERSION);
    assert_eq!(search.found, Some(Jars::Maven("/m".into())));
    let jars = folder.path().to_owned();
    let text = check(VERSION, &Jars::Wheel(jars)).unwrap_err().to_string();
    assert!(text.contains("SHA256SUMS"), "{text}");
}

#[test]
fn a_version_is_no_path_and_no_xml() {
    check_version("5.0.99").unwrap();
    check_version("5.1-alpha1").unwrap();
    for bad in ["", "../5.0", "5.0</version>", "latest"] {
        assert!(check_version(bad).is_err(), "{bad}");
    }
}
