use bakeoff_stats::Tally;

use super::*;

#[derive(Default)]
struct Shown(Vec<(u32, u64, Option<u64>)>);

impl DriveObserver for Shown {
    fn second(&mut self, second: Second) {
        let done = second.operations[0].successes();
        let memory = second.server.resident_bytes;
        self.0.push((second.second, done, memory));
    }
}

fn slice(thread: u32, second: u32, done: u64) -> Report {
    let mut tally = Tally::default();
    (0..done).for_each(|_| tally.record(1, 1));
    let slice = Slice {
        second,
        operations: vec![tally],
        queued: 0,
    };
    Report::Slice { thread, slice }
}

fn ended(thread: u32, error: Option<&str>) -> Report {
    Report::Ended {
        thread,
        totals: Box::new(Totals::new()),
        error: error.map(str::to_owned),
    }
}

#[test]
fn a_second_is_shown_once_all_threads_are_past_it() {
    let mut shown = Shown::default();
    let mut collector = Collector::new(&mut shown, 1, 2);
    collector.take(slice(0, 0, 5));
    collector.take(slice(0, 1, 6));
    collector.show(9);
    assert_eq!(collector.next, 0);
    // The other one had nothing in the first second.
    collector.take(slice(1, 1, 2));
    collector.show(9);
    assert_eq!(collector.next, 2);
    collector.take(ended(0, None));
    collector.take(slice(1, 3, 1));
    collector.show(9);
    collector.take(ended(1, None));
    assert!(collector.all_have_ended());
    collector.show_rest(6);
    let seconds = [
        (0, 5, None),
        (1, 8, None),
        (2, 0, None),
        (3, 1, None),
        (4, 0, None),
        (5, 0, None),
    ];
    assert_eq!(shown.0, seconds);
}

#[test]
fn a_second_waits_for_the_server_but_not_for_ever() {
    let mut shown = Shown::default();
    let mut collector = Collector::new(&mut shown, 1, 1);
    let sample = |bytes| ServerSample {
        resident_bytes: Some(bytes),
        ..ServerSample::default()
    };
    (0..4).for_each(|second| collector.take(slice(0, second, 1)));
    collector.show(0);
    assert_eq!(collector.next, 0);
    collector.take_sample(0, sample(7));
    collector.show(0);
    assert_eq!(collector.next, 1);
    // The sample of second 1 was skipped, that of second 3 never comes.
    collector.take_sample(2, sample(8));
    collector.show(0);
    assert_eq!(collector.next, 3);
    collector.show(4);
    let seconds = [(0, 1, Some(7)), (1, 1, None), (2, 1, Some(8)), (3, 1, None)];
    assert_eq!(shown.0, seconds);
}

#[test]
fn a_worker_that_ends_early_delays_no_other() {
    let mut shown = Shown::default();
    let mut collector = Collector::new(&mut shown, 1, 3);
    let ready = |thread: u32| Report::Ready {
        thread,
        connecting: Duration::from_millis(thread.into()),
    };
    collector.take(ready(0));
    collector.take(ready(1));
    collector.take(ended(1, Some("no connection")));
    assert!(!collector.all_are_ready());
    collector.take(ready(2));
    assert_eq!(collector.connecting, [0, 1, 2].map(Duration::from_millis));
    assert!(collector.all_are_ready());
    collector.take(ended(0, None));
    collector.give_up("gone");
    assert!(collector.all_have_ended());
    let failures = ["worker thread 2: no connection", "worker thread 3: gone"];
    assert_eq!(collector.worker_failures, failures);
}
