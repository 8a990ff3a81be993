//! Renders what was driven on what: everything that one needs to repeat the load.

use bakeoff_stats::drive::{DriveSummary, Part};

use crate::drive::{notes, passes};
use crate::page::setup::{details, list, started};
use crate::units;

pub fn load(summary: &DriveSummary) -> String {
    let header = &summary.header;
    let mut facts = started(
        &header.command,
        &header.started_at,
        &header.bakeoff_version,
        &header.machine,
    );
    facts.extend([
        ("Threads", header.threads.to_string()),
        ("Schedule", notes::schedule(header)),
        ("In flight", units::count(u64::from(header.in_flight))),
        ("Rows before it", units::count(header.rows)),
        ("Seed", header.seed.to_string()),
    ]);
    let planned = header.planned_seconds();
    facts.extend(match &header.passes {
        Some(passes) => Some(("Passes", passes::tables(passes).to_owned())),
        None => planned.map(|seconds| ("Each load", units::duration(seconds))),
    });
    facts.extend(header.objective.clone().map(|o| ("Objective", o)));
    let (index, of) = header.shard;
    facts.extend((of > 1).then(|| ("Shard", format!("{} of {of}", index + 1))));
    facts.extend(summary.seconds.map(|s| ("Took", units::duration(s))));
    let memory = summary.peak_memory_bytes.map(|b| units::bytes(b as f64));
    facts.extend(memory.map(|m| ("Peak memory of Bakeoff", m)));
    list(facts.iter().map(|(name, value)| (*name, value.as_str())))
}

/// Renders one of several processes.
pub fn part(part: &Part) -> String {
    let facts = [
        ("Command", part.command.clone()),
        (
            "Machine",
            format!("{}, {} cores", part.machine.cpu, part.machine.cores),
        ),
        ("Threads", part.threads.to_string()),
        ("In flight", units::count(u64::from(part.in_flight))),
    ];
    let facts = list(facts.iter().map(|(name, value)| (*name, value.as_str())));
    details(&format!("process {}", part.shard + 1), &facts)
}
