//! What storing and reading cost on a machine, as a table.

use bakeoff_stats::propose::{Calibration, Proposal, Seconds};

use crate::text::layout::{NONE, left, right, table};
use crate::text::style::Style;
use crate::units::{duration, moment_utc, plural, rate};

/// Renders a calibration for a terminal: what a question for few rows takes at most with each kind of designs, how fast
/// further rows are found and read at least, the bytes of a row, and how fast rows are loaded.
pub fn calibrated(calibration: &Calibration) -> String {
    let mut table = table(Style { color: false });
    table.set_header([
        left("kind of designs"),
        right("few rows"),
        right("rows/s found"),
        right("rows/s read"),
        right("B/row"),
        right("rows/s loaded"),
    ]);
    for pace in &calibration.paces {
        table.add_row([
            left(&pace.kind),
            right(duration(pace.question.most)),
            right(a_second(pace.found_row)),
            right(a_second(pace.scanned_row)),
            right(format!("{:.1}", pace.row_bytes)),
            right(rate(pace.load_rate)),
        ]);
    }
    let kinds = plural(calibration.paces.len() as u64, "kind", "kinds");
    let rows = plural(calibration.rows, "row", "rows");
    format!(
        "Calibrated: {kinds} of designs, over {rows}, {}\n\n{table}",
        moment_utc(&calibration.started_at)
    )
}

/// Writes how many rows a second are read at least.
fn a_second(row: Seconds) -> String {
    if row.most > 0.0 {
        rate(1.0 / row.most)
    } else {
        NONE.to_owned()
    }
}

/// Says what the questions take with a design, as it is estimated.
pub fn estimated(proposal: &Proposal) -> Option<String> {
    let all = &proposal.estimated;
    let least: f64 = all.iter().map(|question| question.least).sum();
    let most: f64 = all.iter().map(|question| question.most).sum();
    if all.is_empty() || !most.is_finite() {
        return None;
    }
    let least = duration(least);
    let most = duration(most);
    let between = if least == most {
        format!("about {least}")
    } else {
        format!("{least} to {most}")
    };
    let questions = if all.len() == 1 {
        "the question".to_owned()
    } else {
        format!("all {} questions", all.len())
    };
    Some(format!(
        "estimated for {questions} over all rows: {between}"
    ))
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::propose::Pace;

    use super::*;

    fn seconds(least: f64, most: f64) -> Seconds {
        Seconds { least, most }
    }

    #[test]
    fn a_calibration_is_a_table_of_rates() {
        let calibration = Calibration {
            started_at: "2026-03-02T10:02:00Z".to_owned(),
            rows: 500_000,
            paces: vec![Pace {
                kind: "cassandra/wide".to_owned(),
                question: seconds(2e-3, 2.5e-3),
                found_row: seconds(5e-7, 1e-6),
                scanned_row: seconds(0.0, 0.0),
                value: seconds(0.0, 0.0),
                row_bytes: 31.25,
                load_rate: 25_000.0,
            }],
        };
        let text = calibrated(&calibration);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "Calibrated: 1 kind of designs, over 500,000 rows, 2026-03-02 10:02 UTC"
        );
        let row: Vec<&str> = lines[4].split_whitespace().collect();
        let cells = [
            "cassandra/wide",
            "2.50",
            "ms",
            "1.00",
            "M",
            "–",
            "31.2",
            "25.0",
            "k",
        ];
        assert_eq!(row, cells, "{text}");
    }

    #[test]
    fn an_estimate_is_between_two_times() {
        let mut proposal = Proposal {
            design: "parquet".to_owned(),
            reasons: Vec::new(),
            ddl: Vec::new(),
            answers_questions: true,
            takes_operations: false,
            not_here: None,
            estimated: Vec::new(),
        };
        assert_eq!(estimated(&proposal), None);
        proposal.estimated = vec![seconds(0.01, 0.01)];
        assert_eq!(
            estimated(&proposal).unwrap(),
            "estimated for the question over all rows: about 10.0 ms"
        );
        proposal.estimated.push(seconds(0.02, 2.0));
        assert_eq!(
            estimated(&proposal).unwrap(),
            "estimated for all 2 questions over all rows: 30.0 ms to 2.01 s"
        );
        proposal.estimated.push(Seconds::UNKNOWN);
        assert_eq!(estimated(&proposal), None);
    }
}
