//! Reads rates of the same measurement on clusters of several sizes.

mod conditions;

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use bakeoff_report::units::plural;
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::per_node::{MeasuredRate, Mismatch, Wanted, mismatch};
use bakeoff_stats::sweep::SweepRun;
use bakeoff_stats::{Machine, Run};

use self::conditions::Conditions;
use crate::exit::Misuse;
use crate::stderr::print_line;

/// A measurement that has rates.
struct Size {
    dir: PathBuf,
    kind: Kind,
    workload_text: String,
    rates: Vec<MeasuredRate>,
    /// Whether it is of some of the processes that measured together only.
    is_one_shard: bool,
    conditions: Conditions,
    machine: Machine,
}

/// Command that wrote a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Run,
    Drive,
    Sweep,
}

impl Kind {
    /// Returns what wrote a folder; `Run` for one that is none of another command.
    pub fn of(dir: &Path) -> Kind {
        if DriveRun::is_one(dir) {
            Kind::Drive
        } else if SweepRun::is_one(dir) {
            Kind::Sweep
        } else {
            Kind::Run
        }
    }

    /// Returns the name of the command.
    pub fn command(self) -> &'static str {
        match self {
            Kind::Run => "run",
            Kind::Drive => "drive",
            Kind::Sweep => "sweep",
        }
    }

    /// Returns what its rates count.
    pub fn counts(self) -> &'static str {
        match self {
            Kind::Run => "answers",
            Kind::Drive => "operations",
            Kind::Sweep => "rows",
        }
    }

    /// Says why a folder has no rates, and what to do.
    fn without_rates(self) -> &'static str {
        match self {
            Kind::Run => {
                "no design answered several clients in full, with its rows on nodes of its own engine, so that \
                 there is no rate of answers; run it with --concurrent-clients"
            }
            Kind::Drive => {
                "it has no rate that a design can do at most: its load was at a given rate, in passes, failed or \
                 unsteady, or was of yardsticks or of rows on nodes of another engine; drive it as fast as it goes, \
                 or with --within"
            }
            Kind::Sweep => {
                "no design has a setting that inserted all of its rows without an error; sweep fewer workers, or more \
                 rows"
            }
        }
    }
}

/// Reason why one process of several has no rates.
const OF_ONE_SHARD: &str = "it is of some of the shards that measured together, whose rate is not that of all \
                            nodes; join the folders of all with `bakeoff merge`, and name that one";

/// Reads the rates of other folders, and checks that the report in `dir` can have what it is asked for.
///
/// # Errors
/// Fails with a misuse if a folder has no rates that are asked for, or is not of the same measurement on another number
/// of nodes, and if a folder cannot be read.
pub fn read(dir: &Path, others: &[PathBuf], wanted: &Wanted) -> Result<Vec<Vec<MeasuredRate>>> {
    if others.is_empty() && *wanted == Wanted::default() {
        return Ok(Vec::new());
    }
    // Prices say something about the other figures of a run, too.
    let is_run = Kind::of(dir) == Kind::Run;
    if is_run && others.is_empty() && wanted.need.is_none() {
        return Ok(Vec::new());
    }
    let all = read_all(dir, others)?.into_iter();
    Ok(all.skip(1).map(|(_, rates)| rates).collect())
}

/// Reads the rates of several folders, and checks that they are of the same measurement on other numbers of nodes each.
///
/// # Errors
/// Those of [`read`].
pub fn read_all(dir: &Path, others: &[PathBuf]) -> Result<Vec<(PathBuf, Vec<MeasuredRate>)>> {
    alike(dir, others, true)
}

/// Reads the rates of several runs, which may have none, and checks that they are of the same measurement.
///
/// # Errors
/// Those of [`read`], but for runs without rates.
pub fn read_runs(dir: &Path, others: &[PathBuf]) -> Result<Vec<(PathBuf, Vec<MeasuredRate>)>> {
    alike(dir, others, false)
}

fn alike(
    dir: &Path,
    others: &[PathBuf],
    needs_rates: bool,
) -> Result<Vec<(PathBuf, Vec<MeasuredRate>)>> {
    let read = |dir: &Path| -> Result<Size> {
        let size = Size::read(dir)?;
        if needs_rates {
            size.check_rates()?;
        }
        Ok(size)
    };
    let mut sizes = vec![read(dir)?];
    for other in others {
        let other = read(other)?;
        for size in &sizes {
            size.check_beside(&other)?;
        }
        if let Some(first) = sizes.first() {
            first.note_other_machine(&other);
        }
        sizes.push(other);
    }
    Ok(sizes
        .into_iter()
        .map(|size| (size.dir, size.rates))
        .collect())
}

impl Size {
    fn read(dir: &Path) -> Result<Size> {
        let (kind, dir) = (Kind::of(dir), dir.to_owned());
        Ok(match kind {
            Kind::Drive => {
                let summary = DriveRun::open(&dir)?.summary()?;
                Size {
                    rates: summary.node_rates(),
                    is_one_shard: summary.is_one_shard(),
                    conditions: Conditions::of_drive(&summary),
                    workload_text: summary.header.workload_text,
                    machine: summary.header.machine,
                    dir,
                    kind,
                }
            }
            Kind::Sweep => {
                let summary = SweepRun::open(&dir)?.summary();
                Size {
                    rates: summary.node_rates(),
                    is_one_shard: summary.is_one_shard(),
                    conditions: Conditions::of_sweep(&summary),
                    workload_text: summary.header.workload_text,
                    machine: summary.header.machine,
                    dir,
                    kind,
                }
            }
            Kind::Run => {
                let summary = Run::open(&dir)?.summary()?;
                Size {
                    rates: summary.node_rates(),
                    is_one_shard: false,
                    conditions: Conditions::of_run(&summary),
                    workload_text: summary.header.workload_text,
                    machine: summary.header.machine,
                    dir,
                    kind,
                }
            }
        })
    }

    fn check_rates(&self) -> Result<()> {
        if !self.rates.is_empty() {
            return Ok(());
        }
        let why = if self.is_one_shard {
            OF_ONE_SHARD
        } else {
            self.kind.without_rates()
        };
        let dir = self.dir.display();
        Err(Misuse::new(anyhow!("{dir} has nothing to divide by nodes: {why}")).into())
    }

    /// Checks that another folder is of the same measurement on another number of nodes.
    fn check_beside(&self, other: &Size) -> Result<()> {
        let Some(why) = self.differs_from(other) else {
            return Ok(());
        };
        let (own, other) = (self.dir.display(), other.dir.display());
        let told = anyhow!("{other} is not {own} on another number of nodes: {why}");
        Err(Misuse::new(told).into())
    }

    /// Says that another folder is of another machine, where that decides what nodes did.
    fn note_other_machine(&self, other: &Size) {
        let shares = |size: &Size| size.rates.iter().any(|rate| rate.cluster.is_shared());
        if !self.machine.may_be(&other.machine) && (shares(self) || shares(other)) {
            print_line(format!(
                "warning: {} and {} were measured on different machines, which nodes shared: rates differ by the \
                 machines, too",
                self.dir.display(),
                other.dir.display()
            ));
        }
    }

    fn differs_from(&self, other: &Size) -> Option<String> {
        if self.kind != other.kind {
            let (own, other) = (self.kind.command(), other.kind.command());
            return Some(format!(
                "one is of `bakeoff {other}`, the other of `bakeoff {own}`"
            ));
        }
        if self.workload_text != other.workload_text {
            return Some("their workload files differ; measure both with the same one".to_owned());
        }
        if let Some(differs) = self.conditions.differ_from(&other.conditions) {
            return Some(format!(
                "they differ in {differs}; measure both with the same options"
            ));
        }
        if self.rates.is_empty() || other.rates.is_empty() {
            return None;
        }
        let why = mismatch(&self.rates, &other.rates)?;
        let number = |copies: Option<u32>| {
            copies.map_or("an unknown number of".to_owned(), |n| n.to_string())
        };
        Some(match why {
            Mismatch::NothingInCommon => {
                "no design has a rate in both; measure the same designs".to_owned()
            }
            Mismatch::SameNodes(nodes) => {
                let nodes = plural(u64::from(nodes), "node", "nodes");
                format!("both had {nodes}; leave one out, or measure it with other --nodes")
            }
            Mismatch::Copies {
                design,
                copies: [own, other],
            } => format!(
                "{design} kept {} and {} copies of each row; measure both with the same --replication",
                number(own),
                number(other)
            ),
        })
    }
}
