//! Reads what a report is shown with: rates of the same measurement on clusters of other sizes.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use bakeoff_report::units::plural;
use bakeoff_stats::Run;
use bakeoff_stats::drive::DriveRun;
use bakeoff_stats::per_node::{MeasuredRate, Mismatch, Wanted, mismatch};
use bakeoff_stats::sweep::SweepRun;

use crate::exit::Misuse;

/// A measurement that has rates.
struct Size {
    dir: PathBuf,
    kind: Kind,
    workload_text: String,
    rates: Vec<MeasuredRate>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Run,
    Drive,
    Sweep,
}

impl Kind {
    fn command(self) -> &'static str {
        match self {
            Kind::Run => "run",
            Kind::Drive => "drive",
            Kind::Sweep => "sweep",
        }
    }

    /// Says why a folder has no rates, and what to do.
    fn without_rates(self) -> &'static str {
        match self {
            Kind::Run => {
                "no design answered several clients in full, so that there is no rate of answers; run it with \
                 --concurrent-clients"
            }
            Kind::Drive => {
                "it has no rate that a design can do at most: its load was at a given rate, in passes, \
                 failed, or was of yardsticks; drive it as fast as it goes, or with --within"
            }
            Kind::Sweep => {
                "no design has a setting that inserted all of its rows without an error; sweep fewer workers, or more \
                 rows"
            }
        }
    }
}

/// Reads the rates of other folders, and checks that the report in `dir` can have what it is asked for.
///
/// # Errors
/// Fails with a misuse if a folder has no rates that are asked for, or is not of the same measurement on another number
/// of nodes, and if a folder cannot be read.
pub fn read(dir: &Path, others: &[PathBuf], wanted: &Wanted) -> Result<Vec<Vec<MeasuredRate>>> {
    if others.is_empty() && *wanted == Wanted::default() {
        return Ok(Vec::new());
    }
    let first = Size::read(dir)?;
    // Prices say something about the other figures of a run, too.
    let needs_rates = first.kind != Kind::Run || !others.is_empty() || wanted.need.is_some();
    if needs_rates {
        first.check_rates()?;
    }
    let mut sizes = vec![first];
    for other in others {
        let other = Size::read(other)?;
        other.check_rates()?;
        for size in &sizes {
            size.check_beside(&other)?;
        }
        sizes.push(other);
    }
    Ok(sizes.into_iter().skip(1).map(|size| size.rates).collect())
}

impl Size {
    fn read(dir: &Path) -> Result<Size> {
        let size = |kind, workload_text: &String, rates| Size {
            dir: dir.to_owned(),
            kind,
            workload_text: workload_text.clone(),
            rates,
        };
        if DriveRun::is_one(dir) {
            let summary = DriveRun::open(dir)?.summary()?;
            let text = &summary.header.workload_text;
            return Ok(size(Kind::Drive, text, summary.node_rates()));
        }
        if SweepRun::is_one(dir) {
            let summary = SweepRun::open(dir)?.summary();
            let text = &summary.header.workload_text;
            return Ok(size(Kind::Sweep, text, summary.node_rates()));
        }
        let summary = Run::open(dir)?.summary()?;
        let text = &summary.header.workload_text;
        Ok(size(Kind::Run, text, summary.node_rates()))
    }

    fn check_rates(&self) -> Result<()> {
        if !self.rates.is_empty() {
            return Ok(());
        }
        let (dir, why) = (self.dir.display(), self.kind.without_rates());
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
        let why = mismatch(&self.rates, &other.rates)?;
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
                "{design} kept {own} and {other} copies of each row; measure both with the same --replication"
            ),
        })
    }
}
