//! What is shown of two designs that are kept together.

use bakeoff_stats::{KeptFigures, Summary, Together, TogetherQuery};

use crate::text::layout::or_none;
use crate::units;

pub const TITLE: &str = "Two designs together";
/// Says what the figures of both mean.
pub const HINT: &str = "Together every row is loaded into both, one after the other, and stored in both; each question \
    is asked of the design that answers it faster. What to buy, machines and a month are forecasts for the full scale, \
    each design on separate machines.";

/// Row of the table: a figure of each design by itself, and of both.
pub struct Row {
    pub name: String,
    pub cells: [String; 3],
}

/// Answers in a sentence what both take and gain.
pub fn answer(together: &Together) -> String {
    let [one, other] = &together.designs;
    let both = together.both;
    let storage = both.bytes_per_row.map_or_else(
        || "bytes that are not all known".to_owned(),
        |bytes| format!("{bytes:.1} bytes/row{}", times(together)),
    );
    let loading = both.rows_per_second.map_or_else(String::new, |rate| {
        format!(", loaded at {} rows/s", units::rate(rate))
    });
    let [of_one, of_other] = together.asked_of_each();
    format!(
        "{one} and {other} together take {storage}{loading}. {one} answers {} faster, {other} {of_other}.",
        units::plural(of_one as u64, "question", "questions")
    )
}

/// Says how many times as many bytes both take as each of them.
fn times(together: &Together) -> String {
    let both = together.both.bytes_per_row;
    let as_many = together.each.map(|one| {
        let ratio = both? / one.bytes_per_row.filter(|bytes| *bytes > 0.0)?;
        Some(units::factor(ratio))
    });
    match as_many {
        [Some(one), Some(other)] => format!(
            ", {one} as many as {} and {other} as many as {}",
            together.designs[0], together.designs[1]
        ),
        _ => String::new(),
    }
}

/// Returns the rows of the table; figures that need prices only where there are some.
pub fn rows(summary: &Summary, together: &Together) -> Vec<Row> {
    let figures = |name: &str, show: &dyn Fn(&KeptFigures) -> Option<String>| {
        let [one, other] = &together.each;
        let cells = [one, other, &together.both];
        Row {
            name: name.to_owned(),
            cells: cells.map(|kept| or_none(show(kept), |text| text)),
        }
    };
    let full = units::count(summary.full_rows());
    let mut rows = vec![
        figures("Bytes/row", &|kept| {
            Some(format!("{:.1}", kept.bytes_per_row?))
        }),
        figures(&format!("To buy for {full} rows"), &|kept| {
            Some(units::bytes(kept.bytes_to_buy?))
        }),
        figures("Rows/s loaded", &|kept| {
            Some(units::rate(kept.rows_per_second?))
        }),
    ];
    if let Some(currency) = &together.currency {
        rows.push(figures("Machines", &|kept| {
            Some(at_least(kept, kept.machines?.to_string()))
        }));
        rows.push(figures(&format!("A month, {currency}"), &|kept| {
            Some(at_least(kept, units::amount(kept.month?)))
        }));
    }
    rows.extend(
        together
            .queries
            .iter()
            .map(|query| of_query(together, query)),
    );
    rows
}

fn at_least(kept: &KeptFigures, figure: String) -> String {
    if kept.machines_are_least {
        format!("≥ {figure}")
    } else {
        figure
    }
}

fn of_query(together: &Together, query: &TogetherQuery) -> Row {
    let [one, other] = query.seconds.map(|time| or_none(time, units::duration));
    let both = or_none(query.of_asked(&together.designs), |time| {
        let time = units::duration(time);
        if query.is_shown {
            time
        } else {
            format!("{time}, not settled")
        }
    });
    Row {
        name: query.query.clone(),
        cells: [one, other, both],
    }
}
