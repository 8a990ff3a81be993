//! Servers are sampled while tables are loaded and settled, and in the rounds between answers only.

use std::time::Duration;

use bakeoff_driver::FurtherTables;
use bakeoff_stats::{During, Record, ServerWindow};

use super::bench::{Bench, NONE, Records};
use super::fake::{Act, Call, Fake, FakeInstances};

/// Longer than the time between two samples.
const MORE_THAN_A_SECOND: Duration = Duration::from_millis(1_100);

fn windows(records: &Records) -> Vec<&ServerWindow> {
    let windows = records.0.iter().filter_map(|record| match record {
        Record::Server(window) => Some(window),
        _ => None,
    });
    windows.collect()
}

/// A design that is sampled while it settles, and whose warm-up lasts until the next sample is due.
fn sampled(id: &str) -> Fake {
    let script = |call: &Call| match call {
        Call::Settle => Act::AwaitSample,
        Call::Answer { query, nth: 1, .. } if query == "all" => Act::Take(MORE_THAN_A_SECOND),
        _ => Act::Well,
    };
    Fake::acting(id, script).with_samples()
}

#[tokio::test]
async fn each_kind_of_step_is_sampled_and_no_answer_is_disturbed() {
    let fake = sampled("a");
    let bench = Bench::new();
    let records = bench.complete(std::slice::from_ref(&fake)).await;
    records.assert_complete(&["a"], 3);
    assert!(!fake.table().is_disturbed);
    let windows = windows(&records);
    assert_eq!(
        windows[0].during,
        During::Load {
            slice: 0,
            rows: 5_000
        }
    );
    assert!(windows.iter().any(|window| window.during == During::Settle));
    let is_answer = |window: &&&ServerWindow| matches!(window.during, During::Answer { .. });
    let answers: Vec<&&ServerWindow> = windows.iter().filter(is_answer).collect();
    assert!(!answers.is_empty());
    for window in answers {
        let moments = window.samples.iter().map(|sample| sample.seconds);
        assert_eq!(moments.collect::<Vec<_>>(), [0.0, window.seconds]);
    }
    for window in windows {
        assert_eq!(window.design, "a");
        let cpu = window.samples.iter().map(|s| s.server.cpu_seconds);
        assert!(cpu.is_sorted(), "{window:?}");
        assert!(
            window.samples.iter().is_sorted_by_key(|s| s.seconds),
            "{window:?}"
        );
    }
}

#[tokio::test]
async fn a_window_follows_the_record_of_its_step() {
    let records = Bench::new().complete(&[sampled("a")]).await;
    let mut seen = 0;
    for pair in records.0.windows(2) {
        let Record::Server(window) = &pair[1] else {
            continue;
        };
        let is_its = match (&pair[0], &window.during) {
            (Record::Loaded(slice), During::Load { slice: number, .. }) => slice.slice == *number,
            (Record::Settled { seconds, .. }, During::Settle) => *seconds == window.seconds,
            (Record::Timed(timing), During::Answer { query, round }) => {
                (&timing.query, timing.round, timing.seconds) == (query, *round, window.seconds)
            }
            _ => false,
        };
        assert!(is_its, "{pair:?}");
        seen += 1;
    }
    assert!(seen >= 3, "{seen}");
}

#[tokio::test]
async fn twins_are_not_sampled() {
    let fakes = [sampled("a"), Fake::new("b"), Fake::new("c")];
    let mut instances = FakeInstances {
        like: vec![Fake::new("a").with_samples()],
        ..FakeInstances::default()
    };
    let mut bench = Bench::new();
    bench.settings.further = FurtherTables {
        twins: true,
        ..NONE
    };
    bench.run_with(&fakes, &mut instances).await.unwrap();
    let records = bench.records();
    assert!(windows(&records).iter().all(|w| w.design == "a"));
    assert!(
        instances
            .tables
            .values()
            .all(|twin| twin.table().samples == 0)
    );
    assert!(!instances.tables.is_empty());
}
