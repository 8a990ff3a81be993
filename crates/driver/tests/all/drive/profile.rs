//! What is asked of nodes around a load: a recording of what they run, of each load that figures are of, which fails no
//! load; and their read repairs.

use bakeoff_stats::Profile;
use bakeoff_stats::drive::{DriveRecord, DriveRun, ReadRepairs};

use super::bench::{Bench, Driven, Fakes, Records};
use super::fake::{Fake, MILLISECOND};
use crate::compare::fake::{Fake as Table, Plan};

const STACK: &str = "Thread.run;Table.read";

fn recorded(id: &str, profile: Plan) -> Driven {
    let table = Table::new(id).with_server().with_profile(profile);
    Driven::new(table, Fake::taking(MILLISECOND))
}

fn profiles(records: &Records) -> Vec<&Profile> {
    let profiles = records.0.iter().filter_map(|record| match record {
        DriveRecord::Profile(profile) => Some(profile),
        _ => None,
    });
    profiles.collect()
}

#[tokio::test]
async fn each_load_but_those_that_warm_up_has_a_profile() {
    let mut bench = Bench::new();
    (bench.settings.rounds, bench.settings.warms_up) = (2, true);
    let mut fakes = Fakes::new([recorded("a", Plan::Tells(STACK)), Driven::well("b")]);
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty());
    let starts = records.starts().into_iter();
    let of_rounds = starts.filter(|start| start.design == "a" && !start.warm_up);
    let expected: Vec<Option<u32>> = of_rounds.map(|start| Some(start.trial)).collect();
    let profiles = profiles(&records);
    let trials: Vec<Option<u32>> = profiles.iter().map(|profile| profile.trial).collect();
    assert_eq!(trials, expected);
    assert_eq!(trials.len(), 2);
    assert!(records.starts().iter().any(|start| start.warm_up));
    assert!(!fakes.designs[0].table.table().is_recorded);
    for profile in profiles {
        assert_eq!((profile.design.as_str(), profile.samples), ("a", 1));
        let text = std::fs::read_to_string(bench.folder.path().join(&profile.file)).unwrap();
        assert_eq!(text, format!("{STACK} 1\n"));
    }
    let run = DriveRun::open(bench.folder.path()).unwrap();
    assert_eq!(run.summary().unwrap().profiles.len(), 2);
}

#[tokio::test]
async fn a_load_that_cannot_be_recorded_goes_on_with_a_warning() {
    let bench = Bench::new();
    let designs = [
        recorded("fails", Plan::Fails),
        recorded("panics", Plan::Panics),
        recorded("idle", Plan::Tells("")),
    ];
    let records = bench.complete(&mut Fakes::new(designs)).await;
    assert!(records.failures().is_empty());
    assert!(profiles(&records).is_empty());
    assert_eq!(records.trials().len(), 3);
    for (id, reason) in [
        ("fails", "its server does not record"),
        ("panics", "a bug in a recording"),
        ("idle", "nothing of its server ran during the load"),
    ] {
        let begin = format!("there is no profile of a load on {id}: ");
        let told = records.0.iter().any(|record| match record {
            DriveRecord::Warning { message } => {
                message.starts_with(&begin) && message.contains(reason)
            }
            _ => false,
        });
        assert!(told, "{id}");
    }
}

#[tokio::test]
async fn a_load_that_does_not_begin_leaves_no_recording_behind() {
    let refuse = |_| Err(bakeoff_driver::DesignError::new("too many clients"));
    let table = Table::new("a").with_profile(Plan::Tells(STACK));
    let refuses = Driven::new(table, Fake::taking(MILLISECOND).connecting(refuse));
    let mut fakes = Fakes::new([refuses]);
    let bench = Bench::new();
    let records = bench.complete(&mut fakes).await;
    assert_eq!(records.failures().len(), 1);
    assert!(profiles(&records).is_empty());
    assert!(!fakes.designs[0].table.table().is_recorded);
}

#[tokio::test]
async fn read_repairs_of_a_load_are_those_since_it_began() {
    let mut bench = Bench::new();
    (bench.settings.rounds, bench.settings.warms_up) = (2, true);
    let tells = Driven::on_a_server("a");
    tells.table.table().read_repairs = Some(100);
    let mut fakes = Fakes::new([tells, Driven::well("silent")]);
    let records = bench.complete(&mut fakes).await;
    assert!(records.failures().is_empty());
    let repairs = records.0.iter().filter_map(|record| match record {
        DriveRecord::ReadRepairs(repairs) => Some(repairs),
        _ => None,
    });
    let repairs: Vec<&ReadRepairs> = repairs.collect();
    let of_a_load = ReadRepairs {
        design: "a".to_owned(),
        repairs: 2,
    };
    assert_eq!(repairs, [&of_a_load, &of_a_load]);
}
