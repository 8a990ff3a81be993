//! Designs of an earlier run on this machine, by one that both measured: what `bakeoff forecast --factors-of` prints.

use bakeoff_stats::between::{BaseTime, ByFactors, ScaledDesign, ScaledScan, ScaledTime};
use comfy_table::Table;
use serde::Serialize;

use super::by_scan_speed::OffBy;
use super::{COLUMNS, unknown};
use crate::text::layout::{left, or_none, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Assumption of the estimate.
const ASSUMED: &str = "Each time is that of the base here, times the factor between both designs in the earlier run. \
    Ranges cover the rounds of both runs; they do not cover that a factor is another one on this machine.";

/// Renders the estimated times of each question, and those of a question by its records if one is asked for.
pub fn render_by_factors(found: &ByFactors, scan: Option<&ScaledScan>) -> String {
    let mut parts = vec![wrap(&headline(found), COLUMNS, "", "")];
    parts.push(wrap(ASSUMED, COLUMNS, "", ""));
    parts.push(wrap(&checked(found), COLUMNS, "", ""));
    parts.extend(scan.map(|scan| of_records(found, scan)));
    parts.extend(found.bases.iter().map(|base| of_query(found, base)));
    parts.extend(storage(found));
    parts.extend(unknown::lines(&found.unknown));
    parts.extend(cautions(found));
    parts.join("\n\n") + "\n"
}

/// Renders the same as JSON. Times are in seconds, sizes in bytes.
///
/// # Errors
/// None that a summary made from records can cause.
pub fn by_factors_json(found: &ByFactors, scan: Option<&ScaledScan>) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Json<'a> {
        answer: String,
        is_estimate: bool,
        #[serde(flatten)]
        found: &'a ByFactors,
        off_by: Option<OffBy>,
        #[serde(skip_serializing_if = "Option::is_none")]
        of_records: Option<&'a ScaledScan>,
    }
    serde_json::to_string_pretty(&Json {
        answer: headline(found),
        is_estimate: true,
        found,
        off_by: off_by(found),
        of_records: scan,
    })
}

/// Names the design with the smallest geometric mean of its factors, among those with all questions, and says how many
/// are not among them.
fn headline(found: &ByFactors) -> String {
    let (base, earlier) = (&found.base, &found.earlier.name);
    let is_complete = |design: &&ScaledDesign| design.times.len() == found.bases.len();
    let complete = found.designs.iter().filter(is_complete);
    let means = complete.map(|design| (design, mean_factor(design)));
    let best = means.min_by(|(_, a), (_, b)| a.total_cmp(b));
    let questions = units::plural(found.bases.len() as u64, "question", "questions");
    let answer = match best {
        Some((design, mean)) if mean < 1.0 => format!(
            "Estimate, not measured: by {base} here and the factors of {earlier}, {} answers fastest, {} as fast as \
             {base} (geometric mean of {questions}).",
            design.design,
            units::factor(mean.recip())
        ),
        Some(_) => format!(
            "Estimate, not measured: by the factors of {earlier}, no design answers faster than {base} (geometric \
             mean of {questions})."
        ),
        None => {
            return format!("No design of {earlier} has factors to {base} for all of {questions}.");
        }
    };
    match found
        .designs
        .iter()
        .filter(|design| !is_complete(design))
        .count()
    {
        0 => answer,
        others => format!(
            "{answer} Without factors for some of them, and not compared: {}.",
            units::plural(others as u64, "design", "designs")
        ),
    }
}

fn mean_factor(design: &ScaledDesign) -> f64 {
    let logarithms = design.times.iter().map(|time| time.factor.ln());
    (logarithms.sum::<f64>() / design.times.len().max(1) as f64).exp()
}

/// Returns how far estimates are off for designs that the run measured itself; `None` if there are none.
fn off_by(found: &ByFactors) -> Option<OffBy> {
    let times = found.designs.iter().flat_map(|design| &design.times);
    OffBy::of(times.filter_map(ScaledTime::off_by))
}

fn checked(found: &ByFactors) -> String {
    match off_by(found) {
        Some(off) => format!(
            "Checked by the designs that {} measured, too: off by {}.",
            found.run.name,
            off.words()
        ),
        None => format!(
            "Not checked: {} measured no other design of the earlier run. Measure one more to see how far factors hold.",
            found.run.name
        ),
    }
}

/// A table without colours, as wide as the text.
fn headed<const N: usize>(names: [&str; N]) -> Table {
    let mut made = table(Style { color: false });
    set_width(&mut made, COLUMNS);
    let cells = names.iter().enumerate();
    made.set_header(cells.map(|(place, name)| match place {
        0 => left(name),
        _ => right(name),
    }));
    made
}

fn of_query(found: &ByFactors, base: &BaseTime) -> String {
    let mut table = headed([&base.query, "Factor", "Estimate", "Range", "Measured here"]);
    table.add_row([
        left(&format!("{} (base)", found.base)),
        right("1"),
        right(or_none(None::<f64>, units::duration)),
        right(or_none(None, range)),
        right(measured(base)),
    ]);
    let designs = found.designs.iter();
    let times = designs.filter_map(|design| {
        let time = design.times.iter().find(|time| time.query == base.query)?;
        Some((design, time))
    });
    let mut times: Vec<(&ScaledDesign, &ScaledTime)> = times.collect();
    times.sort_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds));
    for (design, time) in times {
        table.add_row([
            left(&design.design),
            right(multiple(time.factor)),
            right(units::duration(time.seconds)),
            right(or_none(time.range, range)),
            right(or_none(time.measured, units::duration)),
        ]);
    }
    table.trim_fmt()
}

/// Writes a factor with three digits after the point below 1, where they matter.
fn multiple(factor: f64) -> String {
    if factor < 1.0 {
        return format!("{factor:.3}×");
    }
    units::factor(factor)
}

fn measured(base: &BaseTime) -> String {
    let interval = base
        .interval
        .map(|interval| format!(" ({})", range(interval)));
    units::duration(base.seconds) + &interval.unwrap_or_default()
}

fn range((low, high): (f64, f64)) -> String {
    format!("{} to {}", units::duration(low), units::duration(high))
}

fn of_records(found: &ByFactors, scan: &ScaledScan) -> String {
    let asked = scan.asked;
    let what = format!(
        "A question that reads {}, of {} on {}: {} by its scan speed in {}, the others by its factors.",
        units::plural(asked.records, "record", "records"),
        units::plural(u64::from(asked.users), "user", "users"),
        units::plural(u64::from(asked.cores), "core", "cores"),
        found.base,
        scan.query
    );
    let mut table = headed(["Design", "Over all cores", "One partition"]);
    for design in &scan.designs {
        table.add_row([
            left(&design.design),
            right(units::duration(design.spread)),
            right(units::duration(design.one_partition)),
        ]);
    }
    [wrap(&what, COLUMNS, "", ""), table.trim_fmt()].join("\n")
}

fn storage(found: &ByFactors) -> Option<String> {
    let mut table = headed(["Storage", "Bytes/row, estimated"]);
    let designs = found.designs.iter();
    let sizes = designs.filter_map(|design| Some((&design.design, design.bytes_per_row?)));
    let mut sizes: Vec<(&String, f64)> = sizes.collect();
    sizes.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    for (design, bytes) in &sizes {
        table.add_row([left(design), right(format!("{bytes:.1}"))]);
    }
    (!sizes.is_empty()).then(|| table.trim_fmt())
}

/// Lists what else differs between the earlier run (A) and the other one (B).
fn cautions(found: &ByFactors) -> Option<String> {
    let lines = found.cautions.iter().map(|caution| {
        let text = format!("{caution}.");
        wrap(&text, COLUMNS, "! ", "  ")
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| {
        let (a, b) = (&found.earlier.name, &found.run.name);
        format!("Differences of A, {a}, and B, {b}\n{}", lines.join("\n"))
    })
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::between::{RunAbout, ScaledRecords};
    use bakeoff_stats::{ScanQuestion, UnknownLoad};

    use super::*;

    fn about(name: &str) -> RunAbout {
        RunAbout {
            name: name.to_owned(),
            workload: "events".to_owned(),
            started_at: "2026-03-02T10:02:00Z".to_owned(),
            bakeoff_version: "0.1.0".to_owned(),
            rows: 1_000,
            rounds: 7,
        }
    }

    fn found() -> ByFactors {
        ByFactors {
            base: "cassandra/wide".to_owned(),
            run: about("runs/here"),
            earlier: about("runs/there"),
            cautions: Vec::new(),
            bases: vec![BaseTime {
                query: "scan".to_owned(),
                seconds: 2.0,
                interval: Some((1.9, 2.1)),
            }],
            designs: vec![ScaledDesign {
                design: "parquet".to_owned(),
                times: vec![ScaledTime {
                    query: "scan".to_owned(),
                    factor: 0.05,
                    factor_interval: Some((0.045, 0.055)),
                    seconds: 0.2,
                    range: Some((0.171, 0.231)),
                    measured: None,
                }],
                bytes_per_row: Some(24.21),
            }],
            unknown: vec![UnknownLoad {
                design: "postgres".to_owned(),
                why: "a race of the earlier run dropped it".to_owned(),
            }],
        }
    }

    #[test]
    fn the_first_line_says_that_it_is_an_estimate_and_answers() {
        let text = render_by_factors(&found(), None);
        assert!(text.starts_with(
            "Estimate, not measured: by cassandra/wide here and the factors of runs/there, parquet answers"
        ));
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for told in [
            "20× as fast as cassandra/wide (geometric mean of 1 question).",
            "Not checked: runs/here measured no other design",
            "171 ms to 231 ms",
            "parquet 0.050× 200 ms",
            "2.00 s (1.90 s to 2.10 s)",
            "postgres: not known, since a race of the earlier run dropped it.",
            "24.2",
        ] {
            assert!(one_line.contains(told), "{told} is not in {text}");
        }
        assert!(
            text.lines().all(|line| line.chars().count() <= COLUMNS),
            "{text}"
        );
    }

    #[test]
    fn a_design_that_was_measured_here_too_says_how_far_factors_hold() {
        let mut found = found();
        found.designs[0].times[0].measured = Some(0.4);
        let text = render_by_factors(&found, None);
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = "Checked by the designs that runs/here measured, too: off by 2.0×";
        assert!(one_line.contains(told), "{text}");
        let json = by_factors_json(&found, None).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["off_by"]["most"], 2.0);
        assert_eq!(
            (&json["is_estimate"], &json["of_records"]),
            (&true.into(), &serde_json::Value::Null)
        );
    }

    #[test]
    fn without_a_faster_design_or_any_it_says_so() {
        let mut found = found();
        found.designs[0].times[0].factor = 3.0;
        let text = render_by_factors(&found, None);
        assert!(
            text.contains("no design answers faster than cassandra/wide"),
            "{text}"
        );
        found.designs.clear();
        let text = render_by_factors(&found, None);
        assert!(
            text.starts_with("No design of runs/there has factors"),
            "{text}"
        );
        assert!(!text.contains("Bytes/row"), "{text}");
    }

    #[test]
    fn designs_without_factors_for_some_questions_are_told_apart() {
        let mut found = found();
        let mut other = found.designs[0].clone();
        other.times.clear();
        found.designs.push(other);
        let text = render_by_factors(&found, None);
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let told = "(geometric mean of 1 question). Without factors for some of them, and not compared: 1 design.";
        assert!(one_line.contains(told), "{text}");
    }

    #[test]
    fn a_question_by_its_records_has_a_table_of_its_own() {
        let of = |design: &str, spread: f64| ScaledRecords {
            design: design.to_owned(),
            spread,
            one_partition: 4.0 * spread,
        };
        let scan = ScaledScan {
            asked: ScanQuestion {
                records: 4_160_000,
                users: 1,
                cores: 4,
            },
            query: "scan".to_owned(),
            designs: vec![of("cassandra/wide", 10.0), of("parquet", 1.0)],
        };
        let text = render_by_factors(&found(), Some(&scan));
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            one_line.contains("A question that reads 4,160,000 records, of 1 user on 4 cores"),
            "{text}"
        );
        assert!(one_line.contains("parquet 1.00 s 4.00 s"), "{text}");
        let json = by_factors_json(&found(), Some(&scan)).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["of_records"]["designs"][1]["one_partition"], 4.0);
    }
}
