//! Times by the number of records that a question reads: what `bakeoff forecast --records` prints.

use bakeoff_stats::{ByScanSpeed, CoreSpeed, ScanCheck, ScanEstimate, ScanQuestion, Summary};
use serde::Serialize;

use super::{COLUMNS, unknown};
use crate::text::layout::{left, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Assumptions of the estimate.
pub const ASSUMED: &str = "Records × users / (cores × rows a second that one core scans), and the time of a question \
    that reads nothing; records of one partition are read by one core. An estimate without an interval: it knows no \
    other columns, no disk and no network.";

/// Median factor between the estimate and what the run measured, beyond which no estimate is shown.
pub const TRUSTED_TO: f64 = 3.0;

/// Returns the question that reads every row there will be, asked as the workload says.
pub fn of_all_rows(summary: &Summary) -> ScanQuestion {
    let scale = &summary.header.scale;
    ScanQuestion {
        records: summary.full_rows(),
        users: scale.users.max(1),
        cores: scale.cores.max(1),
    }
}

/// Returns the seconds in which a design reads every row there will be; `None` if they are not known, or if the run's
/// own other times refute them.
pub fn seconds_of_all_rows(summary: &Summary, design: &str) -> Option<f64> {
    let found = summary.by_scan_speed(of_all_rows(summary));
    let estimate = { found.designs.iter() }.find(|estimate| estimate.design == design)?;
    let own = { found.checks.iter() }.filter(|check| check.design == design);
    let is_refuted = OffBy::spread(own).is_some_and(|off| off.median > TRUSTED_TO);
    (!is_refuted).then_some(estimate.spread)
}

/// How far the formula is off where the run measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OffBy {
    /// Median factor between estimated and measured time, at least 1.
    pub median: f64,
    /// Largest factor.
    pub most: f64,
}

impl OffBy {
    /// Returns how far times are off by these factors; `None` without one.
    pub(super) fn of(factors: impl Iterator<Item = f64>) -> Option<OffBy> {
        let mut factors: Vec<f64> = factors.filter(|factor| factor.is_finite()).collect();
        factors.sort_by(f64::total_cmp);
        let most = *factors.last()?;
        let median = factors[(factors.len() - 1) / 2];
        Some(OffBy { median, most })
    }

    /// Returns how far times with records on all cores are off.
    pub fn spread<'a>(checks: impl Iterator<Item = &'a ScanCheck>) -> Option<OffBy> {
        OffBy::of(checks.map(ScanCheck::spread_off_by))
    }

    /// Returns how far times with records of one partition are off.
    fn one_partition(checks: &[ScanCheck]) -> Option<OffBy> {
        OffBy::of(checks.iter().map(ScanCheck::one_partition_off_by))
    }

    /// Says it in words.
    pub(super) fn words(self) -> String {
        let OffBy { median, most } = self;
        let (median, most) = (units::factor(median), units::factor(most));
        format!("{median} in the median, at most {most}")
    }
}

/// Renders the estimates, what they rest on, and how far the formula is off for the run's own other times.
pub fn render_by_scan_speed(found: &ByScanSpeed) -> String {
    let mut parts = vec![wrap(&headline(found), COLUMNS, "", "")];
    if !found.designs.is_empty() {
        parts.push(wrap(ASSUMED, COLUMNS, "", ""));
        parts.push(estimates(&found.designs));
        parts.push(wrap(&checked(&found.checks), COLUMNS, "", ""));
    }
    if !found.checks.is_empty() {
        parts.push(checks(&found.checks));
    }
    parts.extend(unknown::lines(&found.unknown));
    parts.join("\n\n") + "\n"
}

/// Renders the same as JSON. Times are in seconds.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn by_scan_speed_json(found: &ByScanSpeed) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Json<'a> {
        #[serde(flatten)]
        found: &'a ByScanSpeed,
        spread_off_by: Option<OffBy>,
        one_partition_off_by: Option<OffBy>,
    }
    serde_json::to_string_pretty(&Json {
        found,
        spread_off_by: OffBy::spread(found.checks.iter()),
        one_partition_off_by: OffBy::one_partition(&found.checks),
    })
}

fn headline(found: &ByScanSpeed) -> String {
    let asked = found.asked;
    let what = format!(
        "a question that reads {} takes {} on {}",
        units::plural(asked.records, "record", "records"),
        units::plural(u64::from(asked.users), "user", "users"),
        units::plural(u64::from(asked.cores), "core", "cores"),
    );
    let by_time = |a: &&ScanEstimate, b: &&ScanEstimate| a.spread.total_cmp(&b.spread);
    match found.designs.iter().min_by(by_time) {
        Some(best) => format!(
            "Estimate: {what} about {}, with {}.",
            units::duration(best.spread),
            best.design
        ),
        None => format!("How long {what} is not known of any design."),
    }
}

/// Says what a speed rests on: a scan and how many cores it kept busy.
pub fn rests_on(speed: &CoreSpeed) -> String {
    let latency = speed.latency_of.as_ref().map(|query| {
        let latency = units::duration(speed.latency);
        format!("; {query}, which reads nothing, takes {latency}")
    });
    format!(
        "{} on {:.1} cores{}",
        speed.query,
        speed.cores_in_use,
        latency.unwrap_or_default()
    )
}

fn estimates(designs: &[ScanEstimate]) -> String {
    let mut designs: Vec<&ScanEstimate> = designs.iter().collect();
    designs.sort_by(|a, b| a.spread.total_cmp(&b.spread));
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    table.set_header([
        left("Design"),
        right("Over all cores"),
        right("One partition"),
        right("Rows/s of a core"),
        left("Rests on"),
    ]);
    for design in designs {
        table.add_row([
            left(&design.design),
            right(units::duration(design.spread)),
            right(units::duration(design.one_partition)),
            right(units::rate(design.speed.rows_per_core_second)),
            left(&rests_on(&design.speed)),
        ]);
    }
    table.trim_fmt()
}

/// Says how far the formula is off for the run's own other times.
fn checked(checks: &[ScanCheck]) -> String {
    let spread = OffBy::spread(checks.iter());
    let (Some(spread), Some(one)) = (spread, OffBy::one_partition(checks)) else {
        return "Not checked: the run measured no other question whose number of records is known."
            .to_owned();
    };
    format!(
        "Checked by {} that this run measured: off by {} over all cores, and by {} as one partition.",
        units::plural(checks.len() as u64, "other time", "other times"),
        spread.words(),
        one.words()
    )
}

fn checks(checks: &[ScanCheck]) -> String {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    table.set_header([
        left("Question"),
        right("Records"),
        right("Users"),
        right("Measured"),
        right("Over all cores"),
        right("One partition"),
    ]);
    let with_factor = |seconds: f64, off: f64| {
        let (seconds, off) = (units::duration(seconds), units::factor(off));
        right(format!("{seconds} ({off} off)"))
    };
    for check in checks {
        table.add_row([
            left(&format!("{}, {}", check.query, check.design)),
            right(units::rows(check.records.round() as u64)),
            right(check.users),
            right(units::duration(check.measured)),
            with_factor(check.spread, check.spread_off_by()),
            with_factor(check.one_partition, check.one_partition_off_by()),
        ]);
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::UnknownLoad;

    use super::*;

    fn found() -> ByScanSpeed {
        let check = |query: &str, spread: f64, one_partition: f64| ScanCheck {
            design: "parquet".to_owned(),
            query: query.to_owned(),
            records: 50_000.0,
            users: 1,
            measured: 1.0,
            spread,
            one_partition,
        };
        ByScanSpeed {
            asked: ScanQuestion {
                records: 4_160_000,
                users: 20,
                cores: 8,
            },
            designs: vec![ScanEstimate {
                design: "parquet".to_owned(),
                speed: CoreSpeed {
                    query: "scan".to_owned(),
                    rows_per_core_second: 1e6,
                    cores_in_use: 1.75,
                    latency: 0.002,
                    latency_of: Some("nothing".to_owned()),
                },
                spread: 10.4,
                one_partition: 10.4,
            }],
            unknown: vec![UnknownLoad {
                design: "postgres".to_owned(),
                why: "no query is known to read all of its rows".to_owned(),
            }],
            checks: vec![check("usa", 0.5, 1.0), check("month", 3.0, 6.0)],
        }
    }

    #[test]
    fn the_first_line_answers_and_the_check_says_how_far_to_trust_it() {
        let text = render_by_scan_speed(&found());
        assert!(text.starts_with(
            "Estimate: a question that reads 4,160,000 records takes 20 users on 8 cores about 10.4 s"
        ));
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for told in [
            "Checked by 2 other times that this run measured: off by 2.0× in the median, at most 3.0× over all \
             cores, and by 1.0× in the median, at most 6.0× as one partition.",
            "postgres: not known, since no query is known to read all of its rows.",
            "(2.0× off)",
        ] {
            assert!(one_line.contains(told), "{told} is not in {text}");
        }
        assert!(
            text.lines().all(|line| line.chars().count() <= COLUMNS),
            "{text}"
        );
    }

    #[test]
    fn a_speed_says_what_it_rests_on() {
        let mut speed = found().designs[0].speed.clone();
        let told = "scan on 1.8 cores; nothing, which reads nothing, takes 2.00 ms";
        assert_eq!(rests_on(&speed), told);
        speed.latency_of = None;
        assert_eq!(rests_on(&speed), "scan on 1.8 cores");
    }

    #[test]
    fn without_speeds_and_checks_it_says_so() {
        let mut found = found();
        found.checks.clear();
        assert!(render_by_scan_speed(&found).contains("Not checked: the run measured no other"));
        found.designs.clear();
        let text = render_by_scan_speed(&found);
        assert!(text.starts_with("How long a question that reads 4,160,000 records takes 20"));
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains("is not known of any design."), "{text}");
        assert!(!text.contains("Not checked"), "{text}");
    }

    #[test]
    fn programs_get_the_errors_too() {
        let json = by_scan_speed_json(&found()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["records"], 4_160_000);
        assert_eq!(json["spread_off_by"]["most"], 3.0);
        assert_eq!(json["checks"][0]["query"], "usa");
        assert_eq!(json["designs"][0]["speed"]["latency_of"], "nothing");
    }
}
