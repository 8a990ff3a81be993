//! Shows the figures of two loads or sweeps that have no interval, and those that only one has.

use bakeoff_stats::between::{Absent, Between, Counted, Unknown, Value};

use super::words;
use crate::text::COLUMNS;
use crate::text::layout::{left, right, set_width, table as new_table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Relative difference below which a figure is not listed.
const SAME: f64 = 0.01;

/// Shows the figures that differ, and says how many do not.
pub fn table(between: &Between) -> Option<String> {
    let differing = differing(between);
    let same = between.counted.len() - differing.len();
    let figures = units::plural(same as u64, "figure is", "figures are");
    if differing.is_empty() {
        let sentence = format!("Without an interval: {figures} the same, within 1%.");
        return (same > 0).then_some(sentence);
    }
    let mut table = new_table(Style { color: false });
    set_width(&mut table, COLUMNS);
    let titles = ["A", "B"].map(right);
    let first = ["Design", "Without an interval"].map(left);
    table.set_header(first.into_iter().chain(titles));
    for counted in differing {
        table.add_row([
            left(&counted.design),
            left(&counted.what),
            right(words::value(counted.a)),
            right(words::value(counted.b)),
        ]);
    }
    let rest = if same > 0 {
        format!("\n{figures} the same, within 1%.")
    } else {
        String::new()
    };
    Some(table.trim_fmt() + &rest)
}

/// Returns the figures that differ.
pub fn differing(between: &Between) -> Vec<&Counted> {
    let counted = between.counted.iter();
    counted.filter(|counted| differs(counted)).collect()
}

/// Lists the figures of A that B lacks although it has the design and the operation.
pub fn lost(between: &Between) -> Option<String> {
    let is_lost = |absent: &&Absent| absent.why == Unknown::NotMeasured;
    let absent = between.absent.iter().filter(|_| !between.of.is_run());
    let lines: Vec<String> = absent
        .filter(is_lost)
        .map(|absent| {
            let text = format!(
                "B does not have {} with {}: `bakeoff report` says why.",
                absent.what, absent.design
            );
            wrap(&text, COLUMNS, "✗ ", "  ")
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns whether a figure differs by more than what counts as the same.
fn differs(counted: &Counted) -> bool {
    let number = |value: Value| match value {
        Value::Bytes(number)
        | Value::Share(number)
        | Value::Seconds(number)
        | Value::PerSecond(number)
        | Value::Ratio(number) => Some(number),
        Value::Setting { .. } => None,
    };
    let numbers = (counted.a.and_then(number), counted.b.and_then(number));
    match numbers {
        (Some(a), Some(b)) => (a - b).abs() > SAME * a.abs().max(b.abs()),
        _ => counted.a != counted.b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(a: Option<Value>, b: Option<Value>) -> Counted {
        Counted {
            design: "a/x".to_owned(),
            what: "read failed".to_owned(),
            a,
            b,
        }
    }

    #[test]
    fn what_differs_by_more_than_a_percent_is_listed() {
        let share = |share| Some(Value::Share(share));
        assert!(differs(&counted(share(0.0), share(1e-6))));
        assert!(!differs(&counted(share(0.0), share(0.0))));
        assert!(!differs(&counted(share(0.1), share(0.1009))));
        assert!(differs(&counted(share(0.1), None)));
        let setting = |workers| {
            Some(Value::Setting {
                batch_rows: 100,
                workers,
            })
        };
        assert!(differs(&counted(setting(8), setting(64))));
        assert!(!differs(&counted(setting(8), setting(8))));
    }
}
