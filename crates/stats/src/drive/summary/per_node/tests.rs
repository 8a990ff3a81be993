use super::*;
use crate::drive::testing::*;
use crate::drive::{DriveHeader, Part};

/// Summary of a load as fast as it goes, in which the first design does 50 operations per second and the other one 40.
fn load(change: impl Fn(&mut DriveHeader)) -> DriveSummary {
    let mut header = header();
    change(&mut header);
    let dir = folder(&header, |log| {
        for (trial, design, reads) in [(1, DESIGN, 50), (2, OTHER_DESIGN, 40)] {
            let seconds = even_seconds(20, reads, 0);
            write_trial(log, &start(trial, design, 1), &seconds, true);
        }
        finish(log);
    });
    summary(dir.path())
}

fn designs(summary: &DriveSummary) -> Vec<String> {
    let rates = summary.node_rates().into_iter();
    rates.map(|rate| rate.design).collect()
}

#[test]
fn a_design_that_may_not_be_the_best_one_has_no_rate() {
    let mut summary = load(|_| {});
    assert_eq!(designs(&summary), [DESIGN, OTHER_DESIGN]);
    summary.trials[0].steady = Some(false);
    assert_eq!(designs(&summary), [OTHER_DESIGN]);
    summary.trials[0].steady = Some(true);
    summary.trials[0].end.as_mut().unwrap().unsent = 1;
    assert_eq!(designs(&summary), [OTHER_DESIGN]);
}

#[test]
fn a_design_whose_rows_another_engine_stores_has_no_rate() {
    let stored = |header: &mut DriveHeader| header.designs[0].stored_by = Some("b".to_owned());
    assert_eq!(designs(&load(stored)), [OTHER_DESIGN]);
}

#[test]
fn one_shard_of_several_has_no_rate_and_the_joined_ones_have() {
    let shard = load(|header| header.shard = (0, 3));
    assert!(shard.is_one_shard());
    assert_eq!(shard.per_node, None);
    let joined = load(|header| {
        let part = |shard| Part {
            shard,
            command: header.command.clone(),
            machine: header.machine.clone(),
            threads: 1,
            in_flight: 32,
        };
        header.parts = [0, 1, 2].map(part).into();
    });
    assert!(!joined.is_one_shard());
    assert_eq!(designs(&joined), [DESIGN, OTHER_DESIGN]);
}
