//! Profiles are recorded only where that is asked for, once, after all that is timed, and fail no design.

use std::time::Duration;

use bakeoff_driver::Profiles;
use bakeoff_stats::{Profile, Record};

use super::bench::{Bench, Records};
use super::fake::{Act, Call, Fake, Plan};

const STACK: &str = "Thread.run;Table.read";

fn profiles(records: &Records) -> Vec<&Profile> {
    let profiles = records.0.iter().filter_map(|record| match record {
        Record::Profile(profile) => Some(profile),
        _ => None,
    });
    profiles.collect()
}

fn warnings(records: &Records) -> Vec<&str> {
    let warnings = records.0.iter().filter_map(|record| match record {
        Record::Warning { message } => Some(message.as_str()),
        _ => None,
    });
    warnings.filter(|text| text.contains("profile")).collect()
}

/// Asks each question once.
fn recording() -> Bench {
    let mut bench = Bench::new();
    bench.settings.profiles = Some(Profiles {
        dir: bench.folder.path().to_owned(),
        lasts: Duration::ZERO,
    });
    bench
}

#[tokio::test]
async fn a_profile_is_of_questions_after_all_that_is_timed() {
    let tells = Fake::new("a/b").with_profile(Plan::Tells(STACK));
    let records = Bench::new().complete(std::slice::from_ref(&tells)).await;
    assert!(profiles(&records).is_empty());
    assert!(tells.table().recordings.is_empty());
    let timed = tells.asked().len();

    let bench = recording();
    let tells = Fake::new("a/b").with_profile(Plan::Tells(STACK));
    let records = bench.complete(&[tells.clone(), Fake::new("c")]).await;
    let profiles = profiles(&records);
    assert_eq!(profiles.len(), 1);
    assert_eq!(
        (profiles[0].design.as_str(), profiles[0].samples),
        ("a/b", 1)
    );
    assert_eq!(profiles[0].methods[0].method, "Table.read");
    let last = records
        .0
        .iter()
        .rposition(|r| matches!(r, Record::Timed(_)));
    let profile = records
        .0
        .iter()
        .position(|r| matches!(r, Record::Profile(_)));
    assert!(last < profile, "{last:?} {profile:?}");
    let recordings = tells.table().recordings.clone();
    assert_eq!(recordings.len(), 1);
    assert!(recordings[0] >= timed && tells.asked().len() > recordings[0]);
    assert!(!tells.table().is_recorded);
    let file = bench.folder.path().join(&profiles[0].file);
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text, format!("{STACK} 1\n"));
}

#[tokio::test]
async fn a_run_that_goes_on_records_no_profile_again() {
    let bench = recording();
    let tells = Fake::new("a").with_profile(Plan::Tells(STACK));
    bench.complete(std::slice::from_ref(&tells)).await;
    let again = Fake::new("a").with_profile(Plan::Tells("another"));
    let again = again.surviving(true);
    again.table().slices = tells.table().slices.clone();
    let records = bench.complete(std::slice::from_ref(&again)).await;
    assert!(again.table().recordings.is_empty());
    assert_eq!(profiles(&records).len(), 1);
}

#[tokio::test]
async fn what_cannot_be_recorded_is_a_warning_and_no_failure() {
    let fakes = [
        Fake::new("a").with_profile(Plan::Fails),
        Fake::new("b").with_profile(Plan::Panics),
        Fake::new("c").with_profile(Plan::Tells("")),
    ];
    let records = recording().complete(&fakes).await;
    assert!(records.failures().is_empty());
    assert!(profiles(&records).is_empty());
    let warnings = warnings(&records);
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    let reasons = [
        "its server does not record",
        "a bug in a recording",
        "nothing of its server ran meanwhile",
    ];
    for reason in reasons {
        let told = warnings.iter().any(|warning| warning.contains(reason));
        assert!(told, "{reason}: {warnings:?}");
    }
}

#[tokio::test]
async fn a_question_that_fails_meanwhile_ends_the_recording() {
    let timed = Fake::new("a");
    Bench::new().complete(std::slice::from_ref(&timed)).await;
    let asked = timed.asked();
    let before = asked.iter().filter(|(query, _)| query == "all").count();
    let fails = move |call: &Call| {
        if call.asks("all", before) {
            Act::Fail
        } else {
            Act::Well
        }
    };
    let fake = Fake::acting("a", fails).with_profile(Plan::Tells(STACK));
    let records = recording().complete(std::slice::from_ref(&fake)).await;
    assert!(records.failures().is_empty());
    assert_eq!(warnings(&records), ["there is no profile of a: refused"]);
    assert!(!fake.table().is_recorded);
}
