mod trouble;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use bakeoff_stats::Machine;
use bakeoff_stats::sweep::{CellPart, SweepRun};
use bakeoff_stats::{DesignInfo, During, EngineInfo, ServerWindow};

use super::*;
use crate::Silent;
use crate::sweep::tests::{Fake, Fault, Kept, fake, sweeping};
use crate::sweep::{Grid, SweepPlan};

/// Rows that the other process inserts into each table.
const OTHERS_ROWS: u64 = 7;

/// A clock that does not wait: it is at once at the moment that is waited for.
struct Jumping(Mutex<SystemTime>);

#[async_trait]
impl WallClock for Jumping {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap()
    }

    async fn sleep_until(&self, at: SystemTime) {
        tokio::task::yield_now().await;
        let mut now = self.0.lock().unwrap();
        *now = at.max(*now);
    }
}

/// One design, and the notes of all processes, of which one is played by the test.
struct Shared {
    kept: Arc<Kept>,
    notes: BTreeMap<String, String>,
    trouble: Trouble,
}

/// What does not work at once in a test.
#[derive(Default)]
struct Trouble {
    /// Note that is only found at the second look.
    found_late: Option<String>,
    /// Failures until another process than the first can say what it has inserted.
    notes_fail: usize,
    /// Whether the design cannot be made.
    no_design: bool,
}

#[async_trait]
impl Candidates for Shared {
    type Ready = Box<dyn Design>;

    fn ids(&self) -> Vec<String> {
        vec!["fake".to_owned()]
    }

    async fn start_engine(&mut self, _: usize) -> Result<Option<EngineInfo>, DesignError> {
        Ok(None)
    }

    async fn make(&mut self, _: usize) -> Result<Box<dyn Design>, DesignError> {
        if self.trouble.no_design {
            return Err(DesignError::new("disk full"));
        }
        Ok(Box::new(Fake {
            kept: Arc::clone(&self.kept),
            ..fake(Fault::Nothing)
        }))
    }
}

#[async_trait]
impl SharedCandidates for Shared {
    async fn leave_note(&mut self, _: usize, name: &str, text: &str) -> Result<(), DesignError> {
        if name.contains(" of shard ") && self.trouble.notes_fail > 0 {
            self.trouble.notes_fail -= 1;
            return Err(DesignError::new("no answer"));
        }
        if name.contains(" table ") {
            let mut rows = self.kept.rows.lock().unwrap();
            rows.extend(0..OTHERS_ROWS as i64);
        }
        self.notes.insert(name.to_owned(), text.to_owned());
        Ok(())
    }

    async fn find_note(&mut self, _: usize, name: &str) -> Result<Option<String>, DesignError> {
        if self.trouble.found_late.as_deref() == Some(name) {
            self.trouble.found_late = None;
            return Ok(None);
        }
        Ok(self.notes.get(name).cloned())
    }
}

/// What one of two processes did.
struct Swept {
    records: Vec<SweepRecord>,
    notes: BTreeMap<String, String>,
    kept: Arc<Kept>,
}

impl Swept {
    fn cells(&self) -> Vec<&Cell> {
        let cells = self.records.iter().filter_map(|record| match record {
            SweepRecord::Cell(cell) => Some(cell),
            _ => None,
        });
        cells.collect()
    }

    fn parts(&self) -> Vec<&CellPart> {
        let parts = self.records.iter().filter_map(|record| match record {
            SweepRecord::Part(part) => Some(part),
            _ => None,
        });
        parts.collect()
    }

    fn windows(&self) -> Vec<&ServerWindow> {
        let windows = self.records.iter().filter_map(|record| match record {
            SweepRecord::Server(window) => Some(window),
            _ => None,
        });
        windows.collect()
    }

    fn failures(&self) -> Vec<&str> {
        let failures = self.records.iter().filter_map(|record| match record {
            SweepRecord::Failed { reason, .. } => Some(reason.as_str()),
            _ => None,
        });
        failures.collect()
    }

    fn warnings(&self) -> Vec<&str> {
        let warnings = self.records.iter().filter_map(|record| match record {
            SweepRecord::Warning { message } => Some(message.as_str()),
            _ => None,
        });
        warnings.collect()
    }

    fn note(&self, what: &str) -> Option<&str> {
        self.notes.get(&name(what)).map(String::as_str)
    }
}

pub fn start() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_790_000_000)
}

/// A note's name in the sweep that begins then.
fn name(what: &str) -> String {
    format!("sweep 1790000000000 {what}")
}

pub fn plan(index: u32) -> SweepPlan {
    let mut sweeping = sweeping(None, Duration::from_millis(20));
    sweeping.shard = Shard { index, of: 2 };
    SweepPlan {
        sweeping,
        grid: Grid::new(&[10, 20], &[1]),
        rounds: 1,
        seed: 5,
        over_any: Vec::new(),
        over_partition: true,
        reads_bytes: false,
    }
}

/// Steps of the plan: a warm-up and two settings.
const STEPS: usize = 3;

fn steps() -> Vec<Timed> {
    let steps = schedule(&plan(0), 1, PAUSE);
    assert_eq!(steps.len(), STEPS);
    steps
}

pub const PAUSE: Duration = Duration::from_secs(30);

fn header(seed: u64) -> SweepHeader {
    SweepHeader {
        bakeoff_version: "0.1.0".to_owned(),
        started_at: "2026-01-01T00:00:00Z".to_owned(),
        command: "bakeoff sweep fakes.toml".to_owned(),
        workload: "fakes".to_owned(),
        title: "Fakes".to_owned(),
        workload_text: String::new(),
        data: "numbers".to_owned(),
        seed,
        rows: None,
        designs: Vec::<DesignInfo>::new(),
        machine: Machine {
            os: "linux".to_owned(),
            cpu: "test".to_owned(),
            cores: 1,
            memory_bytes: 1 << 30,
            model: None,
        },
        threads: 1,
        batches: vec![10, 20],
        workers: vec![1],
        seconds: 0.02,
        rounds: 1,
        warm_up_seconds: 0.0,
        time_out_seconds: 0.3,
        shared: None,
    }
}

/// Sweeps as the first or the second of two processes, from `now` on, with the notes that the other one leaves.
async fn swept(index: u32, now: SystemTime, notes: &[(String, String)]) -> Swept {
    swept_with(Trouble::default(), index, now, notes).await
}

/// Sweeps as [`swept`] does, with trouble.
async fn swept_with(
    trouble: Trouble,
    index: u32,
    now: SystemTime,
    notes: &[(String, String)],
) -> Swept {
    let notes = notes.iter().map(|(what, text)| (name(what), text.clone()));
    let mut candidates = Shared {
        kept: Arc::default(),
        notes: notes.collect(),
        trouble,
    };
    let kept = Arc::clone(&candidates.kept);
    let together = Together {
        start_at: start(),
        pause: PAUSE,
        header: header(5),
    };
    let folder = tempfile::tempdir().unwrap();
    let mut log = SweepLog::create(folder.path(), &together.header).unwrap();
    let plan = plan(index);
    let sharing = Sharing {
        candidates: &mut candidates,
        plan: &plan,
        together: &together,
        log: &mut log,
        observer: &Silent,
        clock: &Jumping(Mutex::new(now)),
        server: ServerWatch::default(),
        place: 0,
        lost: BTreeSet::new(),
        told_of_clocks: false,
    };
    sharing.sweep().await.unwrap();
    drop(log);
    Swept {
        records: SweepRun::open(folder.path()).unwrap().records().to_vec(),
        notes: candidates.notes,
        kept,
    }
}

/// A minute before the sweep begins.
fn early() -> SystemTime {
    start() - Duration::from_secs(60)
}

/// What the first process says: what it sweeps, and that each table is there.
fn of_the_first() -> Vec<(String, String)> {
    let made = TableNote::Made {
        at: early() - Duration::from_secs(1),
    };
    let tables = (0..STEPS).map(|step| (notes::table(step), made.text()));
    let plan = (notes::PLAN.to_owned(), header(5).agreement().unwrap());
    std::iter::once(plan).chain(tables).collect()
}

/// What the second process says that it has inserted in each step.
fn of_the_second() -> Vec<(String, String)> {
    let inserted = format!("{OTHERS_ROWS} 0");
    let done = (0..STEPS).map(|step| (notes::done(step, 1), inserted.clone()));
    done.collect()
}

#[tokio::test]
async fn the_first_process_makes_the_tables_and_counts_the_rows_of_all() {
    let swept = swept(0, early(), &of_the_second()).await;
    assert_eq!(
        swept.note("plan"),
        Some(header(5).agreement().unwrap().as_str())
    );
    for step in 0..STEPS {
        let note = swept.note(&notes::table(step)).unwrap();
        assert!(note.starts_with("made "), "{note}");
    }
    let cells = swept.cells();
    assert_eq!(cells.len(), 2);
    for cell in &cells {
        let Some(Check::Right {
            counted,
            acknowledged,
        }) = cell.check
        else {
            panic!("{cell:?}");
        };
        assert_eq!(counted, acknowledged);
        // Its own rows, those of the warm-up included, and those of the other process.
        assert!(counted > cell.inserted.as_ref().unwrap().rows + OTHERS_ROWS);
        assert_eq!(cell.reason, None);
    }
    let begins = swept.parts().into_iter().map(|part| part.began_at_ns);
    let measured = steps().into_iter().filter(|timed| timed.length.is_some());
    let expected = measured.map(|timed| {
        let since_1970 = timed.measure(start()).duration_since(UNIX_EPOCH);
        since_1970.unwrap().as_nanos() as u64
    });
    assert_eq!(begins.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for (part, cell) in swept.parts().into_iter().zip(cells) {
        assert!(part.is_of(cell));
        assert_eq!(part.inserts.rows, cell.inserted.as_ref().unwrap().rows);
    }
    // Of its two settings the first one has a sample that is due.
    let window = swept.windows()[0];
    let During::Setting {
        batch_rows, rows, ..
    } = window.during
    else {
        panic!("{window:?}");
    };
    let writes = |place: usize| window.samples[place].server.coordinator_writes.unwrap();
    let inserts = writes(window.samples.len() - 1) - writes(0);
    assert_eq!(inserts * batch_rows, rows);
    assert_eq!(rows, swept.parts()[0].inserts.rows);
    assert!(swept.failures().is_empty() && swept.warnings().is_empty());
    assert!(
        swept.kept.rows.lock().unwrap().is_empty(),
        "its last table is empty"
    );
}

#[tokio::test]
async fn another_process_inserts_into_the_tables_of_the_first_one_and_says_how_much() {
    let swept = swept(1, early(), &of_the_first()).await;
    let kept = swept.kept.rows.lock().unwrap().len() as u64;
    assert!(
        swept.kept.dropped.lock().unwrap().is_empty(),
        "it recreates none"
    );
    let said = (0..STEPS).map(|step| {
        let note = swept.note(&notes::done(step, 1)).unwrap();
        let (acknowledged, failed) = note.split_once(' ').unwrap();
        assert_eq!(failed, "0");
        acknowledged.parse::<u64>().unwrap()
    });
    assert_eq!(said.sum::<u64>(), kept);
    let cells = swept.cells();
    assert_eq!((cells.len(), swept.parts().len()), (2, 2));
    for cell in cells {
        assert!(cell.inserted.is_some(), "{cell:?}");
        let Some(Check::NotDone { why }) = &cell.check else {
            panic!("{cell:?}");
        };
        assert_eq!(why, "shard 1/2 counts the rows of all");
    }
    assert!(
        swept.windows().is_empty(),
        "the first process samples for all"
    );
    assert!(swept.warnings().is_empty(), "{:?}", swept.warnings());
}

#[tokio::test]
async fn a_table_that_is_not_there_in_time_or_failed_leaves_a_setting_out() {
    let mut notes = of_the_first();
    let failed = TableNote::Failed {
        why: "making the table failed: disk full".to_owned(),
    };
    // That of the second step failed, and that of the third is missing.
    notes[2].1 = failed.text();
    notes.truncate(3);
    let swept = swept(1, early(), &notes).await;
    let reasons: Vec<&str> = { swept.cells().into_iter() }
        .map(|cell| cell.reason.as_deref().unwrap())
        .collect();
    assert_eq!(
        reasons[0],
        "not measured: shard 1: making the table failed: disk full"
    );
    let words = "not measured: shard 1 had not recreated the table when the setting was to begin";
    assert!(reasons[1].starts_with(words), "{reasons:?}");
    assert!(swept.parts().is_empty());
    // The first process need not wait for it.
    assert_eq!(swept.note(&notes::done(2, 1)), Some("0 0"));
}
