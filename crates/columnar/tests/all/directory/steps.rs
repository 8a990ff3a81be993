//! The steps of a child, and the rows that have to be there after them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_columnar::{DirectoryStore, Result, Store};
pub use bakeoff_testing::Random;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::support::*;

/// A step of a child, which it reports before and after.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Step {
    Insert(i64, Vec<Row>),
    /// Loads rows into a chunk whose statistics have at least this number of bytes.
    Ingest(i64, Vec<Row>, usize),
    Seal(i64),
    Drop(i64),
    Sweep,
    Reopen,
}

/// The rows that have to be in a table.
#[derive(Debug, Clone, Default)]
pub struct Model(pub BTreeMap<i64, Newest>);

impl Model {
    pub fn apply(&mut self, step: &Step) {
        match step {
            Step::Insert(bucket, rows) | Step::Ingest(bucket, rows, _) => {
                let newest = self.0.entry(*bucket).or_default();
                rows.iter().for_each(|row| keep_newest(newest, row));
            }
            Step::Drop(bucket) => _ = self.0.remove(bucket),
            Step::Seal(_) | Step::Sweep | Step::Reopen => {}
        }
    }

    /// Reads the reports of a child until it ends, and returns the step that it did not finish.
    pub fn follow(&mut self, lines: impl Iterator<Item = String>) -> Option<Step> {
        let mut current: Option<Step> = None;
        for line in lines {
            match line.strip_prefix("begin ") {
                Some(step) => current = serde_json::from_str(step).ok(),
                None if line == "done" => self.apply(&current.take().unwrap()),
                None => {}
            }
        }
        current
    }

    /// Checks that a table has all finished steps, and the unfinished one as a whole or not at all.
    pub fn check(&mut self, found: BTreeMap<i64, Newest>, unfinished: Option<&Step>) {
        let mut with_unfinished = self.clone();
        unfinished
            .iter()
            .for_each(|step| with_unfinished.apply(step));
        if found == with_unfinished.0 {
            *self = with_unfinished;
        }
        assert_eq!(found, self.0, "{unfinished:?} may be there, too");
    }
}

/// Takes a step.
pub async fn perform(store: &mut DirectoryStore, folder: &Path, step: &Step) -> Result<()> {
    match step {
        Step::Insert(bucket, rows) => store.insert(place(*bucket), &fresh(rows)).await?,
        Step::Ingest(bucket, rows, size) => {
            let mut chunk = chunk(rows);
            Arc::make_mut(&mut chunk.meta).last = vec![b'x'; 1 + *size].into();
            store
                .put(place(*bucket), std::slice::from_ref(&chunk))
                .await?;
            commit(store, place(*bucket), &chunk).await?;
        }
        Step::Seal(bucket) => seal(store, place(*bucket)).await?,
        Step::Drop(bucket) => store.drop_places(&[place(*bucket)]).await?,
        Step::Sweep => _ = store.sweep(Duration::ZERO).await?,
        // The lock is held until then, so another folder is used.
        Step::Reopen => {
            let other = TempDir::new().unwrap();
            *store = DirectoryStore::create(other.path(), definition())?;
            *store = DirectoryStore::open(folder)?;
        }
    }
    Ok(())
}

pub fn run(steps: impl Iterator<Item = Step>) {
    let folder = folder_of_child();
    say("ready");
    let mut store = open_or_create(&folder).unwrap();
    runtime().block_on(async {
        for step in steps {
            say(&format!("begin {}", serde_json::to_string(&step).unwrap()));
            perform(&mut store, &folder, &step).await.unwrap();
            say("done");
        }
    });
}

pub fn random_step(random: &mut Random, time: &mut i64) -> Step {
    let bucket = random.below(3) as i64;
    match random.below(100) {
        0..60 => Step::Insert(bucket, random_rows(random, time)),
        60..70 => {
            let size = random.below(2) * random.below(200_000);
            Step::Ingest(bucket, by_key(random_rows(random, time)), size as usize)
        }
        70..85 => Step::Seal(bucket),
        85..90 => Step::Drop(bucket),
        90..97 => Step::Sweep,
        _ => Step::Reopen,
    }
}

pub fn random_rows(random: &mut Random, time: &mut i64) -> Vec<Row> {
    let mut rows = Vec::new();
    for _ in 0..1 + random.below(3) {
        *time += 1;
        let value = (random.below(10) > 0).then(|| format!("v{time}"));
        rows.push(Row(format!("k{}", random.below(20)), *time, value));
    }
    rows
}

/// Returns the last row of each key in order of the keys, as in a chunk.
pub fn by_key(rows: Vec<Row>) -> Vec<Row> {
    let newest: BTreeMap<String, Row> = rows.into_iter().map(|row| (row.0.clone(), row)).collect();
    newest.into_values().collect()
}
