//! Losses of power one after another, each during an insert, an ingest or a seal, at a random moment and
//! with a random part of what was not synced.

use std::path::PathBuf;

use bakeoff_columnar::internals::{Operation, Recording};
use bakeoff_testing::{Moment, times};
use tempfile::TempDir;

use super::super::steps::{Model, Random, Step, by_key, random_rows, random_step};
use super::disk::{Disk, Fate};
use super::{Progress, Trace, check};

/// The losses that one table survives.
const LOSSES: usize = 10;

/// What is under way when power is lost.
#[derive(Debug, Clone, Copy)]
enum During {
    Insert,
    Ingest,
    Seal,
}

/// A table that loses power again and again.
struct Life {
    folder: TempDir,
    model: Model,
    random: Random,
    /// The write time of the newest row.
    time: i64,
    repaired: u64,
}

impl Life {
    fn new(seed: u64) -> Life {
        Life {
            folder: TempDir::new().unwrap(),
            model: Model::default(),
            random: Random(seed),
            time: 0,
            repaired: 0,
        }
    }

    fn table(&self) -> PathBuf {
        self.folder.path().join("table")
    }

    /// Returns steps of which the last one is of this kind and has something to do.
    fn steps(&mut self, during: During) -> Vec<Step> {
        let Life { random, time, .. } = self;
        let others = random.below(6);
        let mut steps: Vec<Step> = (0..others).map(|_| random_step(random, time)).collect();
        let bucket = random.below(3) as i64;
        let rows = random_rows(random, time);
        match during {
            During::Insert => steps.push(Step::Insert(bucket, rows)),
            During::Ingest => steps.push(Step::Ingest(bucket, by_key(rows), 0)),
            During::Seal => steps.extend([Step::Insert(bucket, rows), Step::Seal(bucket)]),
        }
        steps
    }

    /// Loses power in the last one of some steps, and checks what is left.
    async fn lose_power(&mut self, during: During) {
        let mut disk = Disk::of(self.folder.path());
        let steps = self.steps(during);
        let folder = std::mem::replace(&mut self.folder, TempDir::new().unwrap());
        let trace = Trace::recorded(folder, steps, Recording::begin).await;
        assert!(trace.error.is_none(), "{:?}", trace.error);
        let operations = trace.recording.operations();
        let begin = Operation::Mark(format!("begin {}", trace.steps.len() - 1));
        let begin = operations.iter().position(|other| *other == begin).unwrap();
        let done = operations.len() - begin;
        assert!(done > 3, "{during:?} does nothing");
        let last = begin + self.random.below(done as u64) as usize;
        let mut progress = Progress {
            model: self.model.clone(),
            unfinished: None,
        };
        for operation in &operations[..=last] {
            disk.apply(operation);
            progress.follow(&trace.steps, operation);
        }
        let fate = Fate::Any(self.random.number());
        let _moment = Moment::new(format!("{fate:?}, {} of {done} operations", last - begin));
        disk.crash(fate, trace.folder.path(), self.folder.path());
        self.repaired += u64::from(check(&self.table(), &mut progress, false).await);
        self.model = progress.model;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn power_that_is_lost_again_and_again_takes_nothing_with_it() {
    let tables = times(2, 170);
    let (mut repaired, mut rows) = (0, 0);
    for seed in 0..tables {
        let mut life = Life::new(seed);
        let kinds = [During::Insert, During::Ingest, During::Seal];
        for (loss, during) in kinds.into_iter().cycle().take(LOSSES).enumerate() {
            let _moment = Moment::new(format!("seed {seed}, loss {loss}, {during:?}"));
            life.lose_power(during).await;
        }
        repaired += life.repaired;
        rows += life.model.0.values().map(|rows| rows.len()).sum::<usize>();
    }
    assert!(rows > tables as usize, "{rows}");
    println!("{} losses, {repaired} repairs", tables as usize * LOSSES);
}
