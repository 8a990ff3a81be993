//! Plans of queries are asked for once, before anything is timed, and none of them fails a design.

use bakeoff_stats::{Planned, QueryPlan, Record};

use super::bench::{Bench, QUERIES, Records};
use super::fake::{Call, Fake, Plan};

/// Every plan that was recorded, with its place among the records.
fn plans(records: &Records) -> Vec<(usize, &Planned)> {
    let records = records.0.iter().enumerate();
    let plans = records.filter_map(|(place, record)| match record {
        Record::Planned(planned) => Some((place, planned)),
        _ => None,
    });
    plans.collect()
}

#[tokio::test]
async fn each_design_tells_the_plan_of_each_query_before_any_is_timed() {
    let told = Fake::new("a").with_plan(Plan::Tells("scan\u{1b}[2J\tof t"));
    let silent = Fake::new("b");
    let records = Bench::new().complete(&[told.clone(), silent]).await;
    let plans = plans(&records);
    let of: Vec<(&str, &str)> = { plans.iter() }
        .map(|(_, plan)| (plan.design.as_str(), plan.query.as_str()))
        .collect();
    assert_eq!(of, QUERIES.map(|query| ("a", query)));
    for (_, planned) in &plans {
        assert_eq!(planned.plan, QueryPlan::told("Fake", "scan[2J of t"));
    }
    let timed = { records.0.iter() }.position(|record| matches!(record, Record::Timed(_)));
    assert!(plans.iter().all(|(place, _)| *place < timed.unwrap()));
    assert_eq!(told.table().plans_asked, QUERIES.len());
}

#[tokio::test]
async fn a_plan_that_cannot_be_had_is_a_reason_and_no_failure() {
    let fails = Fake::new("a").with_plan(Plan::Fails);
    let panics = Fake::new("b").with_plan(Plan::Panics);
    let records = Bench::new().complete(&[fails, panics]).await;
    assert!(records.failures().is_empty());
    assert_eq!(plans(&records).len(), 2 * QUERIES.len());
    for (_, planned) in plans(&records) {
        let QueryPlan::Unknown { reason } = &planned.plan else {
            panic!("{planned:?}");
        };
        let why = match planned.design.as_str() {
            "a" => "it has no plans",
            _ => "a bug in a plan",
        };
        assert!(reason.contains(why), "{reason}");
    }
    for design in ["a", "b"] {
        assert!(records.right_times(design, "all") > 0);
    }
}

#[tokio::test]
async fn a_run_that_goes_on_asks_for_no_plan_again() {
    let bench = Bench::new();
    let is_timed = |call: &Call| call.asks("all", 1);
    let killed = Fake::hanging("a", is_timed).with_plan(Plan::Tells("scan"));
    bench.kill_in(std::slice::from_ref(&killed), is_timed).await;
    assert_eq!(plans(&bench.records()).len(), QUERIES.len());

    let again = Fake::new("a").with_plan(Plan::Tells("another"));
    let again = again.surviving(true);
    again.table().slices = killed.table().slices.clone();
    let records = bench.complete(std::slice::from_ref(&again)).await;
    assert_eq!(again.table().plans_asked, 0);
    assert_eq!(plans(&records).len(), QUERIES.len());
}
