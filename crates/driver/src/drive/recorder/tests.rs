use tokio::sync::mpsc::{self, Receiver};

use super::*;

const START: u64 = 7 * SECOND + 123;

fn recorder(queue: usize) -> (Recorder, Receiver<Report>) {
    let (to_collector, reports) = mpsc::channel(queue);
    let mut recorder = Recorder::new(0, 2, to_collector);
    recorder.begin(START);
    (recorder, reports)
}

fn ended_at(milliseconds: u64) -> Ended {
    let done = START + milliseconds * 1_000_000;
    Ended {
        operation: 1,
        due: done - 3_000_000,
        sent: done - 1_000_000,
        done,
        retries: 0,
        queued: false,
    }
}

/// Second and successes of all slices.
fn slices(reports: impl IntoIterator<Item = Report>) -> Vec<(u32, u64)> {
    let slice = |report| match report {
        Report::Slice { slice, .. } => Some((slice.second, slice.operations[1].successes())),
        _ => None,
    };
    reports.into_iter().filter_map(slice).collect()
}

fn received(reports: &mut Receiver<Report>) -> Vec<(u32, u64)> {
    slices(std::iter::from_fn(|| reports.try_recv().ok()))
}

#[test]
fn operations_are_in_the_second_in_which_they_ended() {
    let (mut recorder, mut reports) = recorder(16);
    for milliseconds in [0, 999, 1_000, 1_999, 4_500] {
        recorder.record(&ended_at(milliseconds), Ok(Done::default()));
    }
    // Seconds 2 and 3 had nothing; that they are over is said once.
    assert_eq!(received(&mut reports), [(0, 2), (1, 2), (3, 0)]);
    recorder.tick(START + 5 * SECOND);
    assert_eq!(received(&mut reports), [(4, 1)]);
    assert_eq!(slices(recorder.last_reports(None)), [(5, 0)]);
}

#[test]
fn times_failures_and_counts_are_kept_apart() {
    let (mut recorder, mut reports) = recorder(16);
    let done = Done {
        rows: 2,
        bytes: 10,
        not_applied: true,
    };
    let mut ended = ended_at(10);
    recorder.record(&ended, Ok(done));
    (ended.retries, ended.queued) = (3, true);
    for i in 0..7 {
        let failure = Failure::new(FailureKind::Wrong, format!("row {i}"));
        recorder.record(&ended, Err(failure));
    }
    recorder.tick(START + SECOND);
    let Some(Report::Slice { slice, .. }) = reports.try_recv().ok() else {
        panic!("no slice");
    };
    let tally = &slice.operations[1];
    assert_eq!((tally.successes(), tally.failed()), (1, 7));
    assert_eq!(tally.failures[FailureKind::Wrong as usize], 7);
    assert!(tally.response.max().abs_diff(3_000_000) < 3_000);
    assert!(tally.service.max().abs_diff(1_000_000) < 1_000);
    assert_eq!((tally.rows, tally.bytes, tally.not_applied), (2, 10, 1));
    assert_eq!((tally.retries, slice.queued), (21, 7));
    let kept: Vec<&str> = recorder
        .totals
        .failures
        .iter()
        .map(|f| &*f.message)
        .collect();
    assert_eq!(kept, ["row 0", "row 1", "row 2", "row 3", "row 4"]);
}

#[test]
fn a_full_queue_neither_blocks_nor_loses_anything() {
    let (mut recorder, mut reports) = recorder(1);
    for second in 0..20 {
        for _ in 0..=second {
            recorder.record(&ended_at(second * 1_000), Ok(Done::default()));
        }
    }
    assert_eq!(
        received(&mut reports),
        [(0, 1)],
        "one fits, the others wait"
    );
    let seconds = slices(recorder.last_reports(None));
    let expected: Vec<_> = (1..20).map(|second| (second, second as u64 + 1)).collect();
    assert_eq!(seconds, expected);
}
