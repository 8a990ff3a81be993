//! Full scans at full scale by the speed of a scan on one core: a table of all designs.

use bakeoff_stats::{ScanCheck, ScanEstimate, ScanQuestion, Summary};

use crate::compare::growth::{ASSUMED_OF_SCANS, OffBy, rests_on};
use crate::markup::{Escaped, design_id};
use crate::page::section;
use crate::page::table::{Heading, Table, or_none};
use crate::units;

/// Renders the section; it is empty for a run in which no design has a scan speed.
pub fn of_run(summary: &Summary) -> String {
    let scale = &summary.header.scale;
    let asked = ScanQuestion {
        records: summary.full_rows(),
        users: scale.users.max(1),
        cores: scale.cores.max(1),
    };
    let found = summary.by_scan_speed(asked);
    if found.designs.is_empty() {
        return String::new();
    }
    let rows = { found.designs.iter() }.map(|design| row(design, &found.checks));
    let table = Table {
        caption: "",
        head: vec![
            Heading::text("Design"),
            Heading::number("Rows/s of a core"),
            Heading::number("At full scale"),
            Heading::number("Off by, in this run"),
            Heading::words("Rests on"),
        ],
        rows: rows.collect(),
    };
    let hint = format!(
        "A question that reads {}, asked by {} on {} at the same time. {ASSUMED_OF_SCANS} Off by: the factor between \
         the same estimate and the times of the run's own other questions.",
        units::plural(asked.records, "record", "records"),
        units::plural(u64::from(asked.users), "user", "users"),
        units::plural(u64::from(asked.cores), "core", "cores"),
    );
    let hint = format!("<p class=\"hint-text\">{}</p>\n", Escaped(hint));
    section("Estimate by scan speed", &(hint + &table.html()))
}

fn row(design: &ScanEstimate, checks: &[ScanCheck]) -> Vec<String> {
    let own = { checks.iter() }.filter(|check| check.design == design.design);
    vec![
        design_id(&design.design),
        units::rate(design.speed.rows_per_core_second),
        units::duration(design.spread),
        or_none(OffBy::spread(own), |off| {
            let (median, most) = (units::factor(off.median), units::factor(off.most));
            format!("{median}<small>at most {most}</small>")
        }),
        Escaped(rests_on(&design.speed)).to_string(),
    ]
}
