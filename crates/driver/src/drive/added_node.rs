//! A node that joins the servers of a design while a load runs.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use bakeoff_stats::JournalError;
use bakeoff_stats::drive::{
    HistogramLog, HistogramLogReader, LoadPart, NodeAdded, PartFigures, PartOfLoad, SecondCounts,
    Tally, warm_up_of,
};
use tokio::sync::watch;
use tokio::time::Instant;

use super::Target;
use crate::DesignError;

/// How far a node came that is added during a load.
#[derive(Default)]
pub struct Joining {
    /// Seconds from the start of the load until the node was started.
    began: Option<f64>,
    /// Seconds from the start of the load until the node had joined or failed, and what became of it.
    ended: Option<(f64, Result<Option<u64>, String>)>,
}

/// A load that has ended and is on record.
pub struct Recorded<'a> {
    /// Folder of the drive.
    pub dir: &'a Path,
    /// Names of the operations, in the order of the mix.
    pub operations: &'a [String],
    pub seconds: &'a [SecondCounts],
    /// Time in which operations became due.
    pub duration: Duration,
}

impl Joining {
    /// Waits until the load of that number has begun and so much time has passed, adds a node, and returns when it has
    /// joined or failed. If the returned future is dropped, what came before is known.
    pub async fn join(
        &mut self,
        target: &dyn Target,
        after: Duration,
        trial: u32,
        mut begun: watch::Receiver<u32>,
    ) {
        if begun.wait_for(|begun| *begun == trial).await.is_err() {
            return;
        }
        let start = Instant::now();
        tokio::time::sleep(after).await;
        self.began = Some(start.elapsed().as_secs_f64());
        let joined = target.add_node().await;
        let joined = joined.map_err(|DesignError(why)| why);
        self.ended = Some((start.elapsed().as_secs_f64(), joined));
    }

    /// Describes what became of the node, without the parts of the load; `None` if none was started.
    pub fn node_added(self, trial: u32, design: &str) -> Option<NodeAdded> {
        let (ended, streamed_bytes, failed) = match self.ended {
            Some((at, Ok(bytes))) => (Some(at), bytes, None),
            Some((at, Err(why))) => (Some(at), None, Some(why)),
            None => {
                let why = "the load ended before; give it a longer --for";
                (None, None, Some(why.to_owned()))
            }
        };
        Some(NodeAdded {
            trial,
            design: design.to_owned(),
            began: self.began?,
            ended,
            failed,
            streamed_bytes,
            parts: Vec::new(),
        })
    }
}

impl Recorded<'_> {
    /// Sums up the load before the node was started, while it joined, and afterwards.
    ///
    /// # Errors
    /// The load's histograms cannot be read back.
    pub fn parts(&self, added: &NodeAdded) -> Result<Vec<LoadPart>, JournalError> {
        let spans = self.spans(added);
        let mut sums = vec![vec![Tally::default(); self.operations.len()]; spans.len()];
        let place = |second: u32| spans.iter().position(|(_, span)| span.contains(&second));
        let path = HistogramLog::path(self.dir, added.trial);
        for logged in HistogramLogReader::open(&path, self.operations)? {
            let logged = logged?;
            if let Some(part) = place(logged.second) {
                for (sum, tally) in sums[part].iter_mut().zip(&logged.tallies) {
                    *sum += tally;
                }
            }
        }
        for second in self.seconds {
            if let Some(part) = place(second.second) {
                for (sum, counts) in sums[part].iter_mut().zip(&second.operations) {
                    counts.add_to(sum);
                }
            }
        }
        let parts = spans.into_iter().zip(&sums);
        let parts = parts.map(|((part, span), sums)| LoadPart {
            part,
            from: span.start,
            to: span.end,
            operations: sums.iter().map(figures).collect(),
        });
        Ok(parts.collect())
    }

    /// Returns the seconds of each part that has some. Those in which joining began or ended belong to it.
    fn spans(&self, added: &NodeAdded) -> Vec<(PartOfLoad, Range<u32>)> {
        let end = self.duration.as_secs() as u32;
        let began = (added.began.floor() as u32).min(end);
        let ended = added.ended.map_or(end, |at| at.ceil() as u32).min(end);
        let warm_up = warm_up_of(self.seconds, f64::from(began)).seconds as u32;
        let spans = [
            (PartOfLoad::Before, warm_up..began),
            (PartOfLoad::During, began..ended),
            (PartOfLoad::After, ended..end),
        ];
        let lasting = spans.into_iter().filter(|(_, span)| !span.is_empty());
        lasting.collect()
    }
}

fn figures(tally: &Tally) -> PartFigures {
    let times = Some(&tally.response).filter(|times| !times.is_empty());
    PartFigures {
        successes: tally.successes(),
        failed: tally.failed(),
        p50_ns: times.map(|times| times.value_at_quantile(0.5)),
        p99_ns: times.map(|times| times.value_at_quantile(0.99)),
        max_ns: times.map(|times| times.max()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use bakeoff_stats::FailureKind;
    use bakeoff_stats::ServerSample;

    use super::*;

    fn added(began: f64, ended: Option<f64>) -> NodeAdded {
        let joining = Joining {
            began: Some(began),
            ended: ended.map(|at| (at, Ok(None))),
        };
        joining.node_added(1, "a").unwrap()
    }

    #[test]
    fn each_part_has_the_operations_of_its_seconds() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["read".to_owned()];
        let path = HistogramLog::path(folder.path(), 1);
        let mut log = HistogramLog::create(&path, UNIX_EPOCH).unwrap();
        let mut seconds = Vec::new();
        for second in 0..7 {
            let mut tally = Tally::default();
            let milliseconds = if (2..5).contains(&second) { 30 } else { 3 };
            for _ in 0..10 {
                tally.record(milliseconds * 1_000_000, 1_000_000);
            }
            tally.failures[FailureKind::TimedOut as usize] = u64::from(second == 4);
            let tallies = [tally];
            log.write(second, &names, &tallies).unwrap();
            let server = ServerSample::default();
            seconds.push(SecondCounts::new(1, second, &tallies, 0, server));
        }
        let load = Recorded {
            dir: folder.path(),
            operations: &names,
            seconds: &seconds,
            duration: Duration::from_secs(6),
        };
        let parts = load.parts(&added(2.3, Some(4.2))).unwrap();
        let spans: Vec<(PartOfLoad, u32, u32)> = { parts.iter() }
            .map(|part| (part.part, part.from, part.to))
            .collect();
        assert_eq!(
            spans,
            [
                (PartOfLoad::Before, 0, 2),
                (PartOfLoad::During, 2, 5),
                (PartOfLoad::After, 5, 6)
            ]
        );
        let of = |part: usize| &parts[part].operations[0];
        assert_eq!([0, 1, 2].map(|part| of(part).successes), [20, 30, 10]);
        assert_eq!([0, 1, 2].map(|part| of(part).failed), [0, 1, 0]);
        let p99 = |part: usize| of(part).p99_ns.unwrap() as f64 / 1e6;
        assert!((p99(0) - 3.0).abs() < 0.1 && (p99(1) - 30.0).abs() < 0.1);
        assert!(parts[1].seconds() == 3);
        // Without an end the node was joining until the load was over.
        let parts = load.parts(&added(2.3, None)).unwrap();
        assert_eq!((parts.len(), parts[1].to), (2, 6));
    }

    #[test]
    fn a_node_that_had_not_joined_in_the_end_has_not_joined_at_all() {
        assert!(Joining::default().node_added(1, "a").is_none());
        let still = added(2.3, None);
        assert_eq!((still.ended, still.joining_seconds()), (None, None));
        assert!(still.failed.unwrap().contains("--for"));
        let failed = Joining {
            began: Some(1.0),
            ended: Some((4.0, Err("no memory".to_owned()))),
        };
        let failed = failed.node_added(1, "a").unwrap();
        assert_eq!(failed.failed.as_deref(), Some("no memory"));
        assert_eq!(failed.joining_seconds(), None);
        assert_eq!(added(1.0, Some(4.0)).joining_seconds(), Some(3.0));
    }
}
