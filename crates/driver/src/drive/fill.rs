//! Filling the tables that are driven, and bringing them to rest.

mod beside;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use arrow::record_batch::RecordBatch;
use bakeoff_stats::drive::{
    DriveLog, DriveRecord, KeyShares, PartitionRows, Partitions, Populated,
};
use bakeoff_workload::{RowSource, RowValues};

use super::context::{DriveCandidates, DriveSettings, RecordError, Trouble, fail, or_why_dead};
use super::requests::requested;
use super::{Shard, Target};
use crate::call::{if_whole, within};
use crate::candidates::start_engine;
use crate::partitions::{PartitionCounter, PartitionKey};
use crate::reader::Reader;
use crate::{Design, DesignError, Observer};

/// Number of rows of a slice: enough to keep requests in flight, few enough to fit into memory.
const SLICE_ROWS: u64 = 10_000;
/// Longest time that the other shards wait for the first one to create the table.
const TABLE_PATIENCE: Duration = Duration::from_secs(120);
/// Longest time until a table that another process created is visible to this one.
const KNOWN_WITHIN: Duration = Duration::from_secs(10);
/// Pause between two checks whether a table is visible.
const POLL: Duration = Duration::from_millis(500);

/// Fills the tables of a drive.
pub struct Filling<'a> {
    pub settings: &'a DriveSettings,
    pub source: Arc<dyn RowSource>,
    /// The same rows by number.
    pub values: Arc<dyn RowValues>,
    /// Partitions of each design whose rows were counted while they were loaded.
    pub partitions: Vec<(String, PartitionRows)>,
    /// Ids of the designs whose server tells statistics of their tables.
    pub with_statistics: Vec<String>,
    pub log: &'a mut DriveLog,
    pub observer: &'a dyn Observer,
}

impl Filling<'_> {
    /// Fills all tables, brings them to rest, and returns the targets. Designs that fail are recorded, and
    /// the others are returned.
    ///
    /// # Errors
    /// If a record cannot be written.
    pub async fn fill_all(
        &mut self,
        candidates: &mut dyn DriveCandidates,
    ) -> Result<Vec<Arc<dyn Target>>, RecordError> {
        let began = Instant::now();
        let mut targets: Vec<Arc<dyn Target>> = Vec::new();
        for (index, id) in candidates.ids().into_iter().enumerate() {
            let filled = match start_engine(candidates, index, self.log).await? {
                Ok(()) => self.fill(candidates, index, &id).await,
                Err(error) => Err(error.into()),
            };
            match filled {
                Ok(target) => targets.push(target.into()),
                Err(trouble) => fail(self.log, self.observer, &id, &trouble)?,
            }
            self.between_steps();
        }
        let settled = self.settle(targets, began.elapsed()).await?;
        self.between_steps();
        Ok(settled)
    }

    /// Lets the observer work for a moment, unless a load is to begin at a given time, for which nothing may be late.
    fn between_steps(&self) {
        if self.settings.load.start_at.is_none() {
            self.observer.between_steps();
        }
    }

    /// Makes a design and fills its table. Only the first shard creates the table; the others wait for it.
    async fn fill(
        &mut self,
        candidates: &mut dyn DriveCandidates,
        index: usize,
        id: &str,
    ) -> Result<Box<dyn Target>, Trouble> {
        let is_first = self.shard().index == 0;
        if self.shards_wait() && !is_first {
            let waiting = format!("waiting for shard 1 to make {id}");
            self.observer.phase(&waiting);
            candidates.wait_for_table(index, self.patience()).await?;
        }
        let target = candidates.make(index).await?;
        let Some(design) = target.design() else {
            return Ok(target);
        };
        if self.settings.fills_tables && is_first {
            design.create().await?;
        } else {
            wait_for_table(design).await?;
        }
        if self.shards_wait() && is_first {
            candidates.announce_table(index).await?;
        }
        if self.settings.fills_tables && !self.settings.begins_empty() {
            let loaded = self.load(&target.info().id, design).await;
            loaded.map_err(|trouble| or_why_dead(target.as_ref(), trouble))?;
        }
        Ok(target)
    }

    fn shard(&self) -> Shard {
        self.settings.load.shard
    }

    /// Returns whether this process is one of several shards, of which the first creates the table.
    fn shards_wait(&self) -> bool {
        let begins_together = self.settings.load.start_at.is_some();
        begins_together && !self.shard().is_whole() && self.settings.fills_tables
    }

    /// Returns the longest time to wait for the tables, which ends when the load is to begin.
    fn patience(&self) -> Duration {
        let Some(start) = self.settings.load.start_at else {
            return TABLE_PATIENCE;
        };
        let left = start.duration_since(SystemTime::now());
        left.unwrap_or_default().min(TABLE_PATIENCE)
    }

    /// Loads this shard's rows, and records how long that took.
    async fn load(&mut self, id: &str, design: &dyn Design) -> Result<(), Trouble> {
        let loaded = self.insert(id, design).await?;
        self.log.append(&DriveRecord::Populated(Populated {
            design: id.to_owned(),
            rows: loaded.rows,
            seconds: loaded.seconds,
        }))?;
        let counted = loaded.counter.and_then(|counter| counter.rows());
        self.partitions
            .extend(counted.map(|rows| (id.to_owned(), rows)));
        Ok(())
    }

    async fn insert(&self, id: &str, design: &dyn Design) -> Result<Loaded, Trouble> {
        let rows = self.shard().rows(self.settings.load.rows);
        let total = rows.end - rows.start;
        let began = Instant::now();
        let mut counting = Counting::begin(design.partition_key());
        self.observer.phase(&format!("loading {id}"));
        let mut slices = Slices::begin(self.source.clone(), rows).await?;
        let (mut loaded, mut slice) = (0, 0);
        while let Some(rows) = slices.next.take() {
            let loading = in_time(self.settings.call_limit, design.load(slice, &rows));
            // The next slice is read while this one is loaded, so that loading need not wait for it.
            let (done, read) = futures::join!(loading, slices.read());
            design.look().await;
            let done = if_whole(design, done);
            done.map_err(|error| DesignError(format!("loading {id}: {error}")))?;
            read?;
            counting.add(&rows)?;
            slice += 1;
            loaded += rows.num_rows() as u64;
            self.observer.loading(id, loaded, Some(total));
        }
        if loaded < total {
            let message =
                format!("the data end after {loaded} of {total} rows: ask for fewer with --rows");
            return Err(message.into());
        }
        Ok(Loaded {
            rows: loaded,
            seconds: (began.elapsed() - counting.took).as_secs_f64(),
            counter: counting.counter,
        })
    }

    /// Brings all tables that were loaded here, which took so long, to rest, and reads their footprints once all are.
    async fn settle(
        &mut self,
        targets: Vec<Arc<dyn Target>>,
        loading: Duration,
    ) -> Result<Vec<Arc<dyn Target>>, RecordError> {
        let mut ready = Vec::new();
        for target in targets {
            let id = &target.info().id;
            self.observer.phase(&format!("settling {id}"));
            match self.prepare(target.as_ref(), loading).await {
                Ok(()) => ready.push(target),
                Err(error) => {
                    let trouble = or_why_dead(target.as_ref(), error);
                    fail(self.log, self.observer, id, &trouble)?;
                }
            }
        }
        for target in &ready {
            self.read_footprint(target.as_ref()).await?;
            self.read_partitions(target.as_ref()).await?;
        }
        Ok(ready)
    }

    async fn prepare(&self, target: &dyn Target, loading: Duration) -> Result<(), DesignError> {
        let is_loaded_here = self.shard().is_whole() && self.settings.fills_tables;
        let has_rows = is_loaded_here && !self.settings.begins_empty();
        if let (Some(design), true) = (target.design(), has_rows) {
            self.bring_to_rest(design, loading).await?;
        }
        target.prepare().await
    }

    /// Brings the table of a design to rest, unless that takes longer than a step of a table may, and than loading took:
    /// what is loaded for hours may be compacted for hours.
    async fn bring_to_rest(
        &self,
        design: &dyn Design,
        loading: Duration,
    ) -> Result<(), DesignError> {
        let limit = self.settings.call_limit.max(loading);
        let settled = in_time(limit, design.settle()).await;
        settled
            .map(drop)
            .map_err(|error| DesignError(format!("bringing its table to rest failed: {error}")))
    }

    async fn read_footprint(&mut self, target: &dyn Target) -> Result<(), RecordError> {
        let has_rows = self.shard().is_whole() && !self.settings.begins_empty();
        let (Some(design), true) = (target.design(), has_rows) else {
            return Ok(());
        };
        self.log.append(&match design.footprint().await {
            Ok(footprint) => {
                if footprint.statistics.is_some() {
                    self.with_statistics.push(target.info().id.clone());
                }
                DriveRecord::Footprint(footprint)
            }
            Err(DesignError(message)) => DriveRecord::Warning { message },
        })?;
        Ok(())
    }
}

impl Filling<'_> {
    /// Records what is known of a design's partitions. What cannot be read is a warning, since loads need
    /// none of it.
    async fn read_partitions(&mut self, target: &dyn Target) -> Result<(), RecordError> {
        let has_rows = self.shard().is_whole() && !self.settings.begins_empty();
        let (Some(design), true) = (target.design(), has_rows) else {
            return Ok(());
        };
        let id = &target.info().id;
        let key = design.partition_key();
        let words = key.as_ref().map(|key| key.words.clone());
        let requests = self.requests(key);
        let requests = self.or_warning(requests)?.flatten();
        let bytes = self.or_warning(design.partition_bytes().await)?;
        let counted = self.partitions.iter().find(|(counted, _)| counted == id);
        let partitions = Partitions {
            design: id.clone(),
            key: words,
            rows: counted.map(|(_, rows)| *rows),
            requests,
            bytes: bytes.unwrap_or_default(),
        };
        let is_known = partitions.rows.is_some() || partitions.requests.is_some();
        if is_known || !partitions.bytes.is_empty() {
            self.log.append(&DriveRecord::Partitions(partitions))?;
        }
        Ok(())
    }

    /// Counts the operations that a load is going to send by partition. Those of passes are one for each row.
    fn requests(&self, key: Option<PartitionKey>) -> Result<Option<KeyShares>, DesignError> {
        let (Some(key), None) = (key, &self.settings.passes) else {
            return Ok(None);
        };
        requested(&self.settings.load, self.values.as_ref(), key)
    }

    /// Records a failure as a warning.
    fn or_warning<T>(&mut self, read: Result<T, DesignError>) -> Result<Option<T>, RecordError> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(DesignError(message)) => {
                self.log.append(&DriveRecord::Warning { message })?;
                Ok(None)
            }
        }
    }
}

/// Waits for a step of a table no longer than this, and says what to do where it takes longer.
async fn in_time<T>(
    limit: Duration,
    step: impl Future<Output = Result<T, DesignError>>,
) -> Result<T, DesignError> {
    let began = Instant::now();
    let ended = within(limit, step).await;
    ended.map_err(|error| {
        if began.elapsed() < limit {
            return error;
        }
        DesignError(format!(
            "{error}: look at what the server does, or allow more time with --limit"
        ))
    })
}

/// Rows that were loaded, and how long that took.
struct Loaded {
    rows: u64,
    seconds: f64,
    counter: Option<PartitionCounter>,
}

/// Counts the rows of a design by partition while they are loaded.
struct Counting {
    /// `None` for a design whose partitions are not known.
    counter: Option<PartitionCounter>,
    /// Time that it took, which is none of the loading.
    took: Duration,
}

impl Counting {
    fn begin(key: Option<PartitionKey>) -> Counting {
        Counting {
            counter: key.map(PartitionCounter::new),
            took: Duration::ZERO,
        }
    }

    fn add(&mut self, rows: &RecordBatch) -> Result<(), DesignError> {
        let began = Instant::now();
        if let Some(counter) = &mut self.counter {
            counter.add(rows)?;
        }
        self.took += began.elapsed();
        Ok(())
    }
}

/// Waits until a table that another process created is visible.
async fn wait_for_table(design: &dyn Design) -> Result<(), Trouble> {
    let deadline = Instant::now() + KNOWN_WITHIN;
    while !design.survives().await {
        if Instant::now() > deadline {
            return Err(
                "its table is not in the keyspace: name the --keyspace that has it, or load it \
                 (shard 1 makes it) without --no-load"
                    .into(),
            );
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

/// Rows in slices, each of which is read before it is needed.
struct Slices {
    reader: Reader,
    /// Numbers of the rows that are not read yet.
    left: Range<u64>,
    /// The next slice; `None` after the last one.
    next: Option<RecordBatch>,
}

impl Slices {
    async fn begin(source: Arc<dyn RowSource>, rows: Range<u64>) -> Result<Slices, Trouble> {
        let mut slices = Slices {
            reader: Reader::new(source, SLICE_ROWS as usize),
            left: rows,
            next: None,
        };
        slices.read().await?;
        Ok(slices)
    }

    /// Reads a slice into `next`, which has been taken. Leaves it empty if no rows are left.
    async fn read(&mut self) -> Result<(), Trouble> {
        let rows = SLICE_ROWS.min(self.left.end - self.left.start);
        if rows > 0 {
            self.next = self.reader.take(self.left.start, rows).await?;
            let read = self.next.as_ref().map_or(0, RecordBatch::num_rows);
            self.left.start += read as u64;
        }
        Ok(())
    }
}
