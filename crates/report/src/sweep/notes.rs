//! Notes that a reader needs in addition to the figures.

use bakeoff_stats::sweep::{Cell, Check, Inserted, SweepSummary};

use super::{MUCH_WAITING, setting};
use crate::units;

pub fn facts(summary: &SweepSummary) -> String {
    let header = &summary.header;
    let count = |n: usize, one, many| units::plural(n as u64, one, many);
    format!(
        "{} × {}, each for {} after a warm-up of {}; rows of {}; {} with {}, shared by client and \
         server where that runs here",
        count(header.batches.len(), "batch size", "batch sizes"),
        count(
            header.workers.len(),
            "number of workers",
            "numbers of workers"
        ),
        units::trimmed(&units::duration(header.seconds)),
        units::trimmed(&units::duration(header.warm_up_seconds)),
        header.data,
        header.machine.cpu,
        units::plural(u64::from(header.machine.cores), "core", "cores"),
    )
}

pub fn of(summary: &SweepSummary) -> Vec<String> {
    let mut notes: Vec<String> = [
        unfinished,
        waiting,
        rows_ran_out,
        too_few_rows,
        few_inserts,
        once,
    ]
    .iter()
    .filter_map(|note| note(summary))
    .collect();
    notes.extend(uncounted(summary));
    notes.extend(summary.warnings.iter().cloned());
    notes
}

fn unfinished(summary: &SweepSummary) -> Option<String> {
    let how = match (summary.finished, summary.interrupted) {
        (true, _) => return None,
        (false, true) => "was interrupted",
        (false, false) => "is not finished",
    };
    let header = &summary.header;
    let all = header.designs.len() * header.batches.len() * header.workers.len();
    Some(format!(
        "The sweep {how}: {} of up to {all} settings are measured.",
        summary.cells().count()
    ))
}

fn waiting(summary: &SweepSummary) -> Option<String> {
    let settings = inserted_where(summary, |i| i.waited_share > MUCH_WAITING);
    (settings > 0).then(|| {
        format!(
            "In {} workers waited for rows to be made for more than {:.0}% of their time: these \
             rates may be those at which this machine makes rows.",
            units::plural(settings, "setting", "settings"),
            MUCH_WAITING * 100.0
        )
    })
}

fn rows_ran_out(summary: &SweepSummary) -> Option<String> {
    let settings = inserted_where(summary, |i| i.rows_ran_out);
    (settings > 0).then(|| {
        format!(
            "In {} all rows were inserted before the time was over: such a setting is the best one \
             only where there is no other. {}",
            units::plural(settings, "setting", "settings"),
            MORE_ROWS
        )
    })
}

fn too_few_rows(summary: &SweepSummary) -> Option<String> {
    let known = summary.header.rows?;
    let needs_more = |c: &&Cell| 2 * c.batch_rows * u64::from(c.workers) > known;
    let settings = summary.cells().filter(needs_more).count() as u64;
    (settings > 0).then(|| {
        format!(
            "{} not measured: {} rows are less than two batches for each worker. {MORE_ROWS}",
            units::plural(settings, "setting was", "settings were"),
            units::count(known)
        )
    })
}

fn few_inserts(summary: &SweepSummary) -> Option<String> {
    let settings = inserted_where(summary, |i| i.p99.is_none());
    (settings > 0).then(|| {
        format!(
            "In {} fewer than 100 inserts were acknowledged: too few for a p99.",
            units::plural(settings, "setting", "settings")
        )
    })
}

const MORE_ROWS: &str = "A generator with an option for time has more rows with, for example, \
                         --set days=30.";

fn once(_: &SweepSummary) -> Option<String> {
    Some("Each setting was measured once: small differences are not told apart.".to_owned())
}

/// Settings whose rows were counted otherwise than acknowledged, or not at all.
fn uncounted(summary: &SweepSummary) -> impl Iterator<Item = String> {
    let mut said = Vec::new();
    for cell in summary.cells() {
        match &cell.check {
            Some(Check::NotDone { why }) if !said.contains(&(&cell.design, why)) => {
                said.push((&cell.design, why));
            }
            _ => {}
        }
    }
    let tell = |(design, why)| format!("{design}: rows are not counted after inserting: {why}.");
    said.into_iter().map(tell)
}

/// Lists what went wrong where: wrong counts first, then settings without a figure, then errors.
pub fn failures(summary: &SweepSummary) -> Vec<(String, String)> {
    let designs = summary.designs.iter();
    let out = designs.flat_map(|d| {
        let id = &d.info.id;
        d.failures.iter().map(move |f| (id.clone(), f.clone()))
    });
    let cells = summary.cells().filter_map(|cell| {
        let place = format!(
            "{}, {}",
            cell.design,
            setting(cell.batch_rows, cell.workers)
        );
        Some((place, failure(cell)?))
    });
    out.chain(cells).collect()
}

fn failure(cell: &Cell) -> Option<String> {
    let failed = cell.failures.count();
    let wrong = match &cell.check {
        Some(Check::Wrong {
            counted,
            acknowledged,
        }) => Some(format!(
            "{} rows were acknowledged, {} are there",
            units::count(*acknowledged),
            units::count(*counted)
        )),
        Some(Check::Failed { why }) => Some(format!("counting the rows failed: {why}")),
        _ => None,
    };
    let errors = (failed > 0).then(|| {
        format!(
            "{}: {}",
            super::errors(cell),
            cell.failures.messages.join("; ")
        )
    });
    // A reason that tells an error has its words already.
    let reason = cell.reason.clone().or(errors);
    let parts: Vec<String> = wrong.into_iter().chain(reason).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn inserted_where(summary: &SweepSummary, is_so: impl Fn(&Inserted) -> bool) -> u64 {
    let inserted = summary.cells().filter_map(|c| c.inserted.as_ref());
    inserted.filter(|i| is_so(i)).count() as u64
}
