use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// Hands over each line that is written.
struct Lines(Sender<String>, String);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.1.push_str(&String::from_utf8_lossy(bytes));
        if let Some(line) = self.1.strip_suffix('\n') {
            // The test may have seen enough.
            let _ = self.0.send(line.to_owned());
            self.1.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn lines(what: &str, pace: Pace) -> (Progress, Receiver<String>) {
    let (sender, receiver) = channel();
    let out = Box::new(Lines(sender, String::new()));
    (Progress::lines(what, out, pace), receiver)
}

const AT_ONCE: Pace = Pace {
    first: Duration::ZERO,
    every: Duration::ZERO,
};
const NEVER: Pace = Pace {
    first: Duration::from_secs(86_400),
    every: Duration::from_secs(86_400),
};

/// Returns the next line that contains `wanted`, skipping older ones.
#[track_caller]
fn wait_for(lines: &Receiver<String>, wanted: &str) -> String {
    lines
        .iter()
        .find(|line| line.contains(wanted))
        .unwrap_or_else(|| panic!("no line with {wanted}"))
}

#[test]
fn lines_are_written_without_news_and_show_news() {
    let (progress, lines) = lines("starting", AT_ONCE);
    for _ in 0..3 {
        wait_for(&lines, "starting: ");
    }
    progress.set_designs(2);
    progress.phase("loading");
    progress.loading("a", 10, Some(40));
    progress.loading("b", 10, Some(40));
    wait_for(&lines, "loading: 20 of 80 rows (25%)");
    progress.details("driving".to_owned(), "5 ops/s\nread 5".to_owned());
    let line = wait_for(&lines, "driving");
    assert!(line.ends_with("5 ops/s"), "one line only: {line}");
    progress.step("asking");
    progress.watch(|_| "as far as this".to_owned());
    wait_for(&lines, "asking: as far as this");
}

#[test]
fn a_command_that_ends_before_the_first_time_shows_nothing_and_is_not_held_up() {
    let (progress, lines) = lines("starting", NEVER);
    progress.finish();
    drop(progress);
    assert_eq!(lines.iter().count(), 0);
}

#[test]
fn a_line_shows_count_rate_and_time_left() {
    let begun = Instant::now();
    let after = |seconds| begun + Duration::from_secs(seconds);
    let mut status = Status::new("loading", begun);
    assert_eq!(status.text(after(75)), "loading: 1m 15s");
    status.at(12_000, Some(60_000), Unit::Rows);
    assert_eq!(
        status.text(after(3)),
        "loading: 12,000 of 60,000 rows (20%), 4.00 k/s, 12s left"
    );
    status.at(12_000, None, Unit::Rows);
    assert_eq!(status.text(after(3)), "loading: 12,000 rows, 4.00 k/s");
    let mut status = Status::new("measuring", begun);
    status.at(0, Some(10), Unit::Queries);
    assert_eq!(status.text(after(3)), "measuring: 0 of 10 queries (0%)");
    status.at(5, Some(10), Unit::Queries);
    assert_eq!(
        status.text(after(3)),
        "measuring: 5 of 10 queries (50%), 3s left"
    );
}

#[test]
fn work_is_done_between_steps_and_nowhere_else() {
    let (progress, _lines) = lines("starting", NEVER);
    progress.between_steps();
    let (done, seen) = channel();
    progress.do_between_steps(move || {
        let _ = done.send(());
        None
    });
    progress.phase("loading");
    progress.loading("a", 1, None);
    assert!(
        seen.try_recv().is_err(),
        "nothing is done while something is measured"
    );
    progress.between_steps();
    progress.between_steps();
    assert_eq!(seen.try_iter().count(), 2);
}
