//! Shows which designs rules propose for a workload: as text whose first line answers, as JSON, and as comments of the
//! designs in a workload.

mod calibration;
mod text;

use bakeoff_stats::propose::{Proposal, Proposals};
use serde::Serialize;

use crate::units::{factor, plural};

pub use calibration::calibrated;
pub use text::render;

/// Returns the answer in one line: how many designs are worth measuring, and how much is known to go wrong.
pub fn headline(proposals: &Proposals) -> String {
    let workload = &proposals.workload;
    let bad = match proposals.bad_practices.len() as u64 {
        0 => String::new(),
        bad => format!(
            "; {} known to go wrong",
            plural(bad, "practice is", "practices are")
        ),
    };
    match proposals.designs.len() as u64 {
        0 => format!("no rule proposes a design for {workload}{bad}"),
        designs => {
            let worth = plural(designs, "design is", "designs are");
            let rules = plural(proposals.rules().len() as u64, "rule", "rules");
            format!("{worth} worth measuring for {workload}, by {rules}{bad}")
        }
    }
}

/// Returns what a comment in a workload says of a design: its rules, and what the first one says.
pub fn comment(proposal: &Proposal) -> String {
    let rules: Vec<&str> = proposal.reasons.iter().map(|reason| reason.rule).collect();
    match proposal.reasons.first() {
        Some(first) => format!("{}: {}", rules.join(", "), first.says),
        None => String::new(),
    }
}

/// Says of designs that are not measured apart that their tables would hardly differ from that of one that is, in a line
/// for each of these.
pub fn same_in_words(proposals: &Proposals) -> Vec<String> {
    let same = proposals.same_by_measured().into_iter();
    same.map(|(measured, designs)| {
        let theirs = if designs.len() == 1 {
            "its table"
        } else {
            "their tables"
        };
        let designs = designs.join(", ");
        format!(
            "{designs}: all rows lie within one such length, so that {theirs} would hardly differ from that of {measured}"
        )
    })
    .collect()
}

/// Says of designs that are left out by estimates which one is far ahead of them, in a line for each of these.
pub fn behind_in_words(proposals: &Proposals) -> Vec<String> {
    let mut ahead: Vec<(&str, Vec<&str>, f64)> = Vec::new();
    for behind in &proposals.behind {
        match ahead.iter_mut().find(|(id, ..)| *id == behind.ahead) {
            Some((_, designs, least)) => {
                designs.push(&behind.design);
                *least = least.min(behind.times);
            }
            None => ahead.push((&behind.ahead, vec![&behind.design], behind.times)),
        }
    }
    let ahead = ahead.into_iter();
    ahead
        .map(|(ahead, designs, times)| {
            format!(
                "{}: by estimates {ahead} is at least {} as fast in every question, with half the bytes, and loads no slower \
                 (--all-designs keeps them)",
                designs.join(", "),
                factor(times)
            )
        })
        .collect()
}

/// Returns the commands that measure the designs of a workload file, which has them: `run` for questions, and `drive`
/// for a mix with the designs that take its operations. `file` is its name, with the options that say which rows it
/// has.
pub fn commands(proposals: &Proposals, file: &str) -> Vec<String> {
    let designs = proposals.designs.iter().filter(|d| d.not_here.is_none());
    let (mut commands, mut driven) = (Vec::new(), Vec::new());
    let mut are_all_driven = true;
    for design in designs {
        if design.answers_questions && commands.is_empty() {
            commands.push(format!("bakeoff run {file} --race --budget 15m"));
        }
        if design.takes_operations {
            driven.push(design.design.as_str());
        } else {
            are_all_driven = false;
        }
    }
    if !driven.is_empty() {
        let named = if are_all_driven {
            String::new()
        } else {
            format!(" --designs '{}'", driven.join(","))
        };
        commands.push(format!(
            "bakeoff drive {file}{named} --rate 1k --for 60s --rounds 5"
        ));
    }
    commands
}

#[derive(Serialize)]
struct Json<'a> {
    answer: String,
    #[serde(flatten)]
    proposals: &'a Proposals,
}

/// Renders proposals as JSON, for other programs.
///
/// # Errors
/// Fails only if they cannot be written as JSON, which texts always can.
pub fn json(proposals: &Proposals) -> serde_json::Result<String> {
    let json = Json {
        answer: headline(proposals),
        proposals,
    };
    serde_json::to_string_pretty(&json)
}

#[cfg(test)]
mod tests;
