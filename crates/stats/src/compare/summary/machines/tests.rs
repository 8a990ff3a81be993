use super::*;
use crate::compare::testing::*;
use crate::compare::{Record, Step};

/// Makes a run of 100 rows of 1,000 bytes whose answers take 0.1 CPU seconds.
fn summary(rounds: u32) -> Summary {
    Summary::from_records(&records(rounds)).unwrap()
}

fn records(rounds: u32) -> Vec<Record> {
    let asked = (0..rounds).flat_map(|round| {
        ["scan", "key"].map(|query| {
            let Record::Timed(mut timing) = timed("a/x", query, 0.2) else {
                unreachable!()
            };
            (timing.round, timing.cpu.client) = (round, 0.100_000_3);
            Record::Timed(timing)
        })
    });
    let stored = [loaded("a/x", 0, 1.0), footprint("a/x", 100_000)];
    run(stored.into_iter().chain(asked))
}

fn demand(summary: &Summary) -> Demand {
    Demand {
        rows: summary.rows,
        questions: Some(1.0),
        ..Demand::of_scale(summary, 8)
    }
}

fn needed(summary: &Summary, demand: &Demand) -> Needed {
    let all = summary.machines(demand);
    all.into_iter().find(|(id, _)| id == "a/x").unwrap().1
}

fn count(summary: &Summary, demand: &Demand) -> (u32, Because) {
    let needed = needed(summary, demand);
    let known = needed.known().unwrap_or_else(|| panic!("{needed:?}"));
    (known.count, known.because)
}

#[test]
fn the_largest_need_decides() {
    let summary = summary(3);
    let few = demand(&summary);
    assert_eq!(count(&summary, &few), (3, Because::Copies));
    // 480 questions of 0.1 s keep 48 cores busy, and 80 at 60% are 10 machines.
    let many = Demand {
        questions: Some(480.0),
        ..few.clone()
    };
    let ten = count(&summary, &many);
    assert!(ten.0 == 10 || ten.0 == 11, "{ten:?}");
    assert_eq!(ten.1, Because::Cpu);
    // 3 copies of 100,000 bytes.
    let small_disks = Demand {
        disk: Some(20_000.0),
        ..few.clone()
    };
    assert_eq!(count(&summary, &small_disks), (15, Because::Disk));
}

#[test]
fn a_question_that_fails_with_every_design_leaves_its_share_to_the_others() {
    let mut records = records(3);
    records.retain(|record| !matches!(record, Record::Timed(timing) if timing.query == "scan"));
    for design in ["a/x", "a/y"] {
        records.push(failed(design, Step::Verify, Some("scan"), "no function"));
    }
    let summary = Summary::from_records(&records).unwrap();
    assert_eq!(summary.unanswered(), ["scan"]);
    let needed_now = needed(&summary, &demand(&summary));
    let busy = needed_now.known().unwrap().busy_cores.unwrap();
    assert!((busy - 0.1).abs() < 1e-5, "one question a second: {busy}");

    for design in ["a/x", "a/y"] {
        records.push(failed(design, Step::Verify, Some("key"), "no function"));
    }
    let summary = Summary::from_records(&records).unwrap();
    let why = Needed::Unknown("no question can be answered".to_owned());
    assert_eq!(needed(&summary, &demand(&summary)), why);
}

#[test]
fn inserts_count_with_their_copies() {
    // 0.5 s of the client for 100 rows, and 1 s of the server if there is one.
    for (server, expected) in [(false, 15.0), (true, 35.0)] {
        let mut summary = summary(3);
        summary.designs[0].info.server = server;
        let inserts = Demand {
            questions: None,
            inserts: Some(1_000.0),
            ..demand(&summary)
        };
        let needed = needed(&summary, &inserts);
        let busy = needed.known().unwrap().busy_cores.unwrap();
        assert!((busy - expected).abs() < 1e-9, "{server}: {busy}");
    }
}

#[test]
fn without_rates_the_cores_of_the_workload_count() {
    let summary = summary(3);
    let demand = Demand {
        questions: None,
        machine_cores: 4,
        ..demand(&summary)
    };
    assert_eq!(count(&summary, &demand), (4, Because::Cores));
    assert_eq!(needed(&summary, &demand).known().unwrap().busy_cores, None);
}

#[test]
fn a_time_without_forecast_makes_the_number_a_least_one() {
    let summary = summary(3);
    let now = demand(&summary);
    let later = Demand {
        rows: 10 * summary.rows,
        ..now.clone()
    };
    assert!(!needed(&summary, &now).known().unwrap().is_least);
    assert!(needed(&summary, &later).known().unwrap().is_least);
}

#[test]
fn rates_that_no_number_of_machines_meets_say_what_to_change() {
    let summary = summary(3);
    for questions in [1e9, 1e300, f64::INFINITY] {
        let demand = Demand {
            questions: Some(questions),
            ..demand(&summary)
        };
        let Needed::Never(why) = needed(&summary, &demand) else {
            panic!("{questions}");
        };
        assert!(why.contains("more than 1,000; lower the rates"), "{why}");
    }
}

#[test]
fn a_disk_below_a_chunk_holds_nothing() {
    let mut summary = summary(3);
    summary.designs[0].info.unit_rows = Some(50);
    let demand = Demand {
        disk: Some(49_999.0),
        ..demand(&summary)
    };
    let Needed::Never(why) = needed(&summary, &demand) else {
        panic!("it fits");
    };
    assert!(why.contains("50 rows as a whole, 50,000 bytes"), "{why}");
    assert!(why.ends_with("give a larger --disk"), "{why}");
}

#[test]
fn a_design_whose_answers_were_not_measured_is_not_known() {
    let summary = summary(0);
    let needed = needed(&summary, &demand(&summary));
    assert_eq!(
        needed,
        Needed::Unknown("the CPU time of scan is not known".to_owned())
    );
}

#[test]
fn a_design_that_loses_rows_needs_no_machines_and_has_no_users() {
    let mut records = records(3);
    let of_all = Summary::from_records(&records).unwrap();
    assert!(
        of_all
            .machines(&demand(&of_all))
            .iter()
            .any(|(id, _)| id == "a/x")
    );
    records.push(Record::DuplicateKeys {
        rows: 2,
        lost_by: vec!["a/x".to_owned()],
        told_apart_by: None,
    });
    let summary = Summary::from_records(&records).unwrap();
    assert!(
        summary
            .machines(&demand(&summary))
            .iter()
            .all(|(id, _)| id != "a/x")
    );
    let users = summary.under_load(8, 8, summary.rows);
    assert!(users.designs.iter().all(|load| load.design != "a/x"));
    let why = users.unknown.iter().find(|unknown| unknown.design == "a/x");
    assert_eq!(why.unwrap().why, "it loses rows that another design keeps");
    // If all lose them, the key is at fault, and none is better.
    let Some(Record::DuplicateKeys { lost_by, .. }) = records.last_mut() else {
        unreachable!()
    };
    lost_by.push("a/y".to_owned());
    let summary = Summary::from_records(&records).unwrap();
    assert!(
        summary
            .machines(&demand(&summary))
            .iter()
            .any(|(id, _)| id == "a/x")
    );
}
