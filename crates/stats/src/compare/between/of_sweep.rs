//! A sweep as it is compared with another one: the highest rate of each design, and where more workers bring no more.

use super::RunAbout;
use super::counted::Value;
use super::equal_rates::Curve;
use super::measured::{Measured, MeasuredDesign, MeasuredFigure, Measurement};
use super::what::What;
use crate::compare::summary::rounds::SAME_WITHIN;
use crate::counts::total;
use crate::sweep::{Inserted, SweepDesign, SweepSetting, SweepSummary};

impl Measured {
    /// Takes a sweep, with the name that its reader knows it by.
    pub fn of_sweep(name: &str, sweep: &SweepSummary) -> Measured {
        let header = &sweep.header;
        Measured {
            about: RunAbout {
                name: name.to_owned(),
                workload: header.workload.clone(),
                started_at: header.started_at.clone(),
                bakeoff_version: header.bakeoff_version.clone(),
                rows: header.rows.unwrap_or(0),
                rounds: sweep.rounds,
            },
            of: Measurement::Sweep,
            kind: "a sweep".to_owned(),
            workload_text: header.workload_text.clone(),
            data: header.data.clone(),
            machine: header.machine.clone(),
            finished: sweep.finished,
            unsteady: 0,
            is_one_shard: sweep.is_one_shard(),
            operations: Vec::new(),
            questions: Vec::new(),
            conditions: conditions(sweep),
            engines: sweep.engines.clone(),
            designs: sweep.designs.iter().map(of_design).collect(),
            same_within: SAME_WITHIN,
        }
    }
}

fn conditions(sweep: &SweepSummary) -> Vec<(&'static str, String)> {
    let header = &sweep.header;
    let none = || "none".to_owned();
    let rows = header.rows.map_or_else(none, |rows| rows.to_string());
    let shared = header.shared.as_ref();
    let cluster = shared.and_then(|shared| shared.cluster.clone());
    let level = shared.and_then(|shared| shared.consistency.clone());
    let shards = shared.map_or(1, |shared| shared.shard.1);
    let batches: Vec<String> = header.batches.iter().map(ToString::to_string).collect();
    let workers: Vec<String> = header.workers.iter().map(ToString::to_string).collect();
    vec![
        ("rows", rows),
        ("rows of a batch", batches.join(", ")),
        ("workers", workers.join(", ")),
        ("seconds", header.seconds.to_string()),
        ("seconds of warm-up", header.warm_up_seconds.to_string()),
        ("time-out in seconds", header.time_out_seconds.to_string()),
        ("cluster", cluster.unwrap_or_else(none)),
        ("consistency asked for", level.unwrap_or_else(none)),
        ("shards", shards.to_string()),
        ("threads", header.threads.to_string()),
        ("seed", header.seed.to_string()),
    ]
}

fn of_design(design: &SweepDesign) -> MeasuredDesign {
    let inserted = design.measured().filter_map(|s| s.cell.inserted.as_ref());
    let inserts = total(inserted.map(|inserted| inserted.inserts));
    let failed = total(design.measured().map(|s| s.cell.failures.count()));
    let ended = inserts.saturating_add(failed).max(1);
    MeasuredDesign {
        info: design.info.clone(),
        bytes_per_row: None,
        failed: failed as f64 / ended as f64,
        figures: highest_rate(design).into_iter().collect(),
        counted: counted(design),
        curves: design.cells.iter().filter_map(|row| curve(row)).collect(),
    }
}

/// Returns the best setting of a design, if it is complete in every round.
fn best(design: &SweepDesign) -> Option<&SweepSetting> {
    let setting = design.best_setting()?;
    (setting.is_whole() && design.failures.is_empty()).then_some(setting)
}

/// Makes the figure of the rate with the best setting. Any complete setting might have been the best one.
fn highest_rate(design: &SweepDesign) -> Option<MeasuredFigure> {
    let table = best(design)?.table(true)?;
    let candidates = design.measured().filter(|setting| setting.is_whole());
    Some(MeasuredFigure {
        what: What::Rate("highest rate".to_owned()),
        operation: None,
        is_beside: false,
        rounds: table.rounds,
        part: None,
        chosen_from: candidates.count(),
    })
}

fn counted(design: &SweepDesign) -> Vec<(String, Value)> {
    let mut counted = Vec::new();
    let best = best(design);
    let knee = best.and_then(|_| knee(design));
    for (of, setting) in [("highest rate", best), ("knee", knee)] {
        let Some(setting) = setting else { continue };
        let cell = &setting.cell;
        let at = Value::Setting {
            batch_rows: cell.batch_rows,
            workers: cell.workers,
        };
        counted.push((format!("setting of the {of}"), at));
        let rate = setting.rows_per_second().map(Value::PerSecond);
        counted.extend(rate.map(|rate| (format!("rate at the {of}"), rate)));
        let p99 = cell.inserted.as_ref().and_then(|inserted| inserted.p99);
        counted.extend(p99.map(|p99| (format!("p99 at the {of}"), Value::Seconds(p99))));
    }
    counted
}

/// Returns the setting with the fewest workers that insert about as much as any more of them.
fn knee(design: &SweepDesign) -> Option<&SweepSetting> {
    let flat = design.flattening.as_ref()?;
    let mut settings = design.measured();
    settings.find(|s| (s.cell.batch_rows, s.cell.workers) == (flat.batch_rows, flat.enough))
}

/// Returns the times of complete settings with one size of batches.
fn curve(settings: &[Option<SweepSetting>]) -> Option<Curve> {
    let whole = settings
        .iter()
        .flatten()
        .filter(|setting| setting.is_whole());
    let point = |setting: &SweepSetting| {
        let p99 = setting
            .cell
            .inserted
            .as_ref()
            .and_then(|i: &Inserted| i.p99)?;
        Some((setting.rows_per_second()?, p99))
    };
    let batch_rows = whole.clone().next()?.cell.batch_rows;
    Some(Curve {
        batch_rows,
        points: whole.filter_map(point).collect(),
    })
}
