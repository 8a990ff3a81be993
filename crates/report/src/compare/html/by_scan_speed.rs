//! Full scans at full scale by the speed of a scan on one core: a table of all designs.

use bakeoff_stats::{ScanCheck, ScanEstimate, Summary};

use crate::compare::growth::{ASSUMED_OF_SCANS, OffBy, TRUSTED_TO, of_all_rows, rests_on};
use crate::markup::{Escaped, design_id};
use crate::page::section;
use crate::page::table::{Heading, NONE, Table, or_none};
use crate::units;

/// Renders the section; it is empty for a run in which no design has a scan speed.
pub fn of_run(summary: &Summary) -> String {
    let asked = of_all_rows(summary);
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
            Heading::number("Estimate for all rows"),
            Heading::number("Off from times of this run"),
            Heading::words("Rests on"),
        ],
        rows: rows.collect(),
    };
    let hint = format!(
        "A question that reads {}, asked by {} on {} at the same time: how long it would take, by the rows a second \
         that one core scanned in this run. {ASSUMED_OF_SCANS} Off: the factor between such estimates for the run's own \
         other questions and their measured times, in the median of these and where it is largest, as for questions \
         of few rows, whose time is not that of a scan. Where the median is above {}, the estimate for all rows is \
         not shown.",
        units::plural(asked.records, "record", "records"),
        units::plural(u64::from(asked.users), "user", "users"),
        units::plural(u64::from(asked.cores), "core", "cores"),
        units::factor(TRUSTED_TO),
    );
    let hint = format!("<p class=\"hint-text\">{}</p>\n", Escaped(hint));
    let title = "A question that reads all rows, by the speed of a scan";
    section(title, &(hint + &table.html()))
}

fn row(design: &ScanEstimate, checks: &[ScanCheck]) -> Vec<String> {
    let own = { checks.iter() }.filter(|check| check.design == design.design);
    let off = OffBy::spread(own);
    let estimate = match off {
        Some(off) if off.median > TRUSTED_TO => format!("{NONE}<small>too far off</small>"),
        _ => units::duration(design.spread),
    };
    vec![
        design_id(&design.design),
        units::rate(design.speed.rows_per_core_second),
        estimate,
        or_none(off, |off| {
            let (median, most) = (units::factor(off.median), units::factor(off.most));
            if median == most {
                return median;
            }
            format!("{median} in the median<small>{most} at worst</small>")
        }),
        Escaped(rests_on(&design.speed)).to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::CoreSpeed;

    use super::*;

    #[test]
    fn an_estimate_that_the_run_itself_refutes_is_not_shown() {
        let design = ScanEstimate {
            design: "parquet".to_owned(),
            speed: CoreSpeed {
                query: "scan".to_owned(),
                rows_per_core_second: 1e6,
                cores_in_use: 1.0,
                latency: 0.0,
                latency_of: None,
            },
            spread: 10.4,
            one_partition: 10.4,
        };
        let check = |spread: f64| ScanCheck {
            design: "parquet".to_owned(),
            query: "usa".to_owned(),
            records: 50_000.0,
            users: 1,
            measured: 1.0,
            spread,
            one_partition: 1.0,
        };
        assert_eq!(row(&design, &[])[2], "10.4 s");
        assert_eq!(row(&design, &[check(2.9)])[2], "10.4 s");
        let refuted = row(&design, &[check(0.25)]);
        assert_eq!(refuted[2], "–<small>too far off</small>");
        assert_eq!(refuted[3], "4.0×");
        let of_three = row(&design, &[check(0.25), check(0.5), check(20.0)]);
        assert_eq!(of_three[3], "4.0× in the median<small>20× at worst</small>");
    }
}
