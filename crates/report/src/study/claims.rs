//! Makes the table of statements: as published, as measured, and what that decides.

use bakeoff_stats::study::{
    Claim, Comparison, Figure, FigureOf, Finding, Judged, PassTime, Quantile, Value,
};

use super::{Cell, Column, Table};
use crate::units;

/// Explains how statements are decided.
pub const HOW: &str = "A statement holds if the whole interval of the measured figure lies within the bounds \
    that are stated with it, and does not hold if the whole interval lies outside. It is not settled if the \
    interval reaches beyond a bound, or below five rounds. The intervals of all statements that rest on \
    rounds hold at once with a probability of 95%; sizes are counted and have none.";

pub fn table(claims: &[Claim], judged: &[Judged]) -> Table {
    let rows = claims.iter().zip(judged);
    Table {
        caption: String::new(),
        head: vec![
            Column::words("Statement"),
            Column::words("As published"),
            Column::words("Measured here"),
            Column::of("Finding"),
            Column::words("Why"),
        ],
        rows: rows.map(|(claim, judged)| row(claim, judged)).collect(),
    }
}

fn row(claim: &Claim, judged: &Judged) -> Vec<Cell> {
    let mut statement = vec![claim.text.clone()];
    let mut measured = Vec::new();
    if let Some(comparison) = &claim.comparison {
        statement.push(compared(comparison));
        if let Some(value) = &judged.value {
            measured.extend(value_in_words(comparison, value));
        }
        measured.push(bounds(comparison));
    }
    vec![
        statement,
        claim.published.iter().cloned().collect(),
        measured,
        vec![word(&judged.finding).to_owned()],
        why(claim, &judged.finding),
    ]
}

/// Names a finding.
pub fn word(finding: &Finding) -> &'static str {
    match finding {
        Finding::Holds => "holds",
        Finding::DoesNotHold => "does not hold",
        Finding::NotSettled(_) => "not settled",
        Finding::NotMeasured(_) => "not measured",
    }
}

/// Says why a statement does not hold or is not decided.
fn why(claim: &Claim, finding: &Finding) -> Cell {
    let reason = match finding {
        Finding::NotSettled(reason) => Some(reason),
        // A statement that nothing is compared for has its own reason.
        Finding::NotMeasured(reason) if claim.comparison.is_some() => Some(reason),
        _ => None,
    };
    let known = claim.why.iter().filter(|_| *finding != Finding::Holds);
    reason.into_iter().chain(known).cloned().collect()
}

/// Says which figures are compared.
fn compared(comparison: &Comparison) -> String {
    let of = &comparison.of;
    match &comparison.to {
        None => format!("{} of {}", name(&of.figure), of.design),
        Some(to) if to.figure == of.figure => {
            format!("{}: {} ÷ {}", name(&of.figure), of.design, to.design)
        }
        Some(to) if to.design == of.design => {
            format!("{}: {} ÷ {}", of.design, name(&of.figure), name(&to.figure))
        }
        Some(to) => format!("{} ÷ {}", in_full(of), in_full(to)),
    }
}

fn in_full(figure: &FigureOf) -> String {
    format!("{} of {}", name(&figure.figure), figure.design)
}

/// Names a figure.
fn name(figure: &Figure) -> String {
    match figure {
        Figure::Query(query) => format!("time of {query}"),
        Figure::Answered(query) => format!("answered share of {query}"),
        Figure::Load => "rows/s loaded".to_owned(),
        Figure::Storage => "bytes/row".to_owned(),
        Figure::Throughput => "operations/s".to_owned(),
        Figure::Response {
            operation,
            quantile,
        } => {
            let quantile = match quantile {
                Quantile::P50 => "p50",
                Quantile::P99 => "p99",
                Quantile::P999 => "p99.9",
            };
            format!("{operation} {quantile}")
        }
        Figure::Pass { operation, time } => {
            let time = match time {
                PassTime::Real => "real time",
                PassTime::User => "user time",
                PassTime::System => "system time",
                PassTime::ClientCpu => "client's CPU time",
                PassTime::ServerCpu => "server's CPU time",
            };
            format!("{time} of the pass {operation}")
        }
        Figure::CompressionRatio => "compressed size".to_owned(),
        Figure::CompressionMetadata => "compression metadata".to_owned(),
        Figure::DiskReadPerByte => "bytes read from disk/returned".to_owned(),
        Figure::DiskReadPerByteOfReads => {
            "bytes read from disk/returned, without compaction".to_owned()
        }
        Figure::Inserts => "rows/s inserted".to_owned(),
    }
}

/// Writes a value, its interval, and what it rests on.
fn value_in_words(comparison: &Comparison, value: &Value) -> Cell {
    let show = |number: f64| shown(comparison, number);
    let mut lines = vec![show(value.value)];
    match value.interval {
        Some((low, high)) if value.observations > 0 => {
            lines.push(format!("{} to {}", show(low), show(high)));
        }
        Some(_) => lines.push("counted".to_owned()),
        None => lines.push("no interval".to_owned()),
    }
    lines
}

fn bounds(comparison: &Comparison) -> String {
    let show = |number: f64| shown(comparison, number);
    match (comparison.at_least, comparison.at_most) {
        (Some(least), Some(most)) => format!("holds from {} to {}", show(least), show(most)),
        (Some(least), None) => format!("holds from {} on", show(least)),
        (None, Some(most)) => format!("holds up to {}", show(most)),
        (None, None) => String::new(),
    }
}

/// Writes a figure in its unit, or a ratio.
fn shown(comparison: &Comparison, number: f64) -> String {
    if comparison.to.is_some() {
        return ratio(number);
    }
    match comparison.of.figure {
        Figure::Query(_) | Figure::Response { .. } | Figure::Pass { .. } => units::duration(number),
        Figure::Load | Figure::Inserts => format!("{} rows/s", units::rate(number)),
        Figure::Throughput => format!("{} ops/s", units::rate(number)),
        Figure::Storage => format!("{number:.1} bytes/row"),
        Figure::CompressionMetadata => units::bytes(number),
        Figure::CompressionRatio => format!("{:.1}%", number * 100.0),
        Figure::Answered(_) => format!("{:.0}%", number * 100.0),
        Figure::DiskReadPerByte | Figure::DiskReadPerByteOfReads => format!("{number:.2}"),
    }
}

/// Writes a ratio with two digits after the point near 1, where they matter.
fn ratio(number: f64) -> String {
    if number.is_finite() && number < 9.95 {
        format!("{number:.2}×")
    } else {
        units::factor(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_near_one_have_two_digits() {
        let shown = [0.5, 1.154, 9.949, 15.2, 5_800.0].map(ratio);
        assert_eq!(shown, ["0.50×", "1.15×", "9.95×", "15×", "5,800×"]);
        assert_eq!(ratio(f64::NAN), "–");
    }

    #[test]
    fn a_reason_is_given_for_what_does_not_hold_and_only_for_that() {
        let claim = Claim {
            text: "It is so.".to_owned(),
            published: None,
            why: Some("It was.".to_owned()),
            comparison: None,
        };
        assert!(why(&claim, &Finding::Holds).is_empty());
        assert_eq!(why(&claim, &Finding::DoesNotHold), ["It was."]);
        let unsettled = Finding::NotSettled("3 rounds".to_owned());
        assert_eq!(why(&claim, &unsettled), ["3 rounds", "It was."]);
        let unmeasured = Finding::NotMeasured("nothing".to_owned());
        assert_eq!(why(&claim, &unmeasured), ["It was."]);
    }
}
