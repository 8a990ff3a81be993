//! What servers count of their own work is read before loading, at rest and after what is timed, once for each engine.

use bakeoff_stats::{AccountAt, Moment, Record};

use super::bench::{Bench, Records};
use super::fake::{Fake, Plan};

fn accounts(records: &Records) -> Vec<&AccountAt> {
    let accounts = records.0.iter().filter_map(|record| match record {
        Record::Account(at) => Some(at),
        _ => None,
    });
    accounts.collect()
}

#[tokio::test]
async fn the_account_of_an_engine_is_read_at_three_moments_and_beside_no_question() {
    let fakes = ["a", "b"].map(|id| Fake::new(id).with_account(Plan::Tells("counts")));
    let records = Bench::new().complete(&fakes).await;
    records.assert_complete(&["a", "b"], 3);
    let told: Vec<_> = { accounts(&records).into_iter() }
        .map(|at| (at.engine.as_str(), at.moment, at.account.log_bytes))
        .collect();
    // Both designs are of one engine, of which the first one is asked.
    assert_eq!(
        told,
        [
            ("fake", Moment::Before, Some(1)),
            ("fake", Moment::AtRest, Some(2)),
            ("fake", Moment::After, Some(3)),
        ]
    );
    assert!(!fakes[0].table().is_asked_meanwhile);
    assert_eq!(fakes[1].table().accounts, 0);
    let place = |wanted: fn(&Record) -> bool| records.0.iter().position(wanted).unwrap();
    let first = place(|record| matches!(record, Record::Account(_)));
    assert!(first < place(|record| matches!(record, Record::Loaded(_))));
}

#[tokio::test]
async fn an_account_that_cannot_be_read_is_recorded_with_the_reason_and_harms_nothing() {
    for (plan, reason) in [
        (Plan::Fails, "its server does not count"),
        (Plan::Panics, "a bug in an account"),
    ] {
        let records = Bench::new()
            .complete(&[Fake::new("a").with_account(plan)])
            .await;
        records.assert_complete(&["a"], 3);
        let told = accounts(&records);
        assert_eq!(told.len(), 3);
        for at in told {
            assert!(at.account.missing[0].1.contains(reason), "{at:?}");
        }
    }
}
