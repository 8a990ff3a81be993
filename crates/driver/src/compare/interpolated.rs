//! How far percentiles may be apart that are interpolated between two values: the right answers are DataFusion's,
//! which does so with six digits.

use super::marking::{MARK, closing, rewritten};

/// The largest error of the share that DataFusion interpolates with, and a little for rounding: percentiles may differ
/// by this share of the range of their values.
pub const SHARE: f64 = 1.01e-6;
/// Exact percentiles, by any of their names in DataFusion.
const NAMES: [&str; 2] = ["percentile_cont", "quantile_cont"];

/// What may follow an expression by which a percentile orders its values.
const DIRECTIONS: [&str; 2] = [" asc", " desc"];

/// Rewrites SQL so that each percentile is the range of its values, times [`MARK`]. Returns `None` where there is none.
pub fn marked(sql: &str) -> Option<String> {
    rewritten(sql, |text| {
        let (value, filter, behind) = percentile(text)?;
        let range = format!("({MARK:e} * (max({value}){filter} - min({value}){filter}))");
        Some((range, behind))
    })
}

/// Returns whether SQL asks for a percentile, so that another engine may give a figure that differs by [`SHARE`].
pub fn asks_percentile(sql: &str) -> bool {
    marked(sql).is_some()
}

/// Splits a percentile that the text begins with into its values, its filter with a space before it, and what comes
/// after.
fn percentile(text: &str) -> Option<(&str, &str, &str)> {
    let name = NAMES.iter().find(|name| begins_with(text, name))?;
    let (inside, behind) = parentheses(&text[name.len()..])?;
    let within = after(behind, "within").and_then(|text| after(text, "group"));
    let (value, behind) = match within {
        Some(text) => {
            let (order, behind) = parentheses(text)?;
            (value_of(after(after(order, "order")?, "by")?), behind)
        }
        None => (inside.rsplit_once(',')?.0, behind),
    };
    let filter = after(behind, "filter").and_then(parentheses);
    let (filter, tail) = match filter {
        Some((_, tail)) => (&behind[..behind.len() - tail.len()], tail),
        None => ("", behind),
    };
    Some((value.trim(), filter, tail))
}

/// Returns whether a text begins with a word, in any case.
fn begins_with(text: &str, word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Returns what comes behind a word and the blanks before it.
fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let text = text.trim_start();
    begins_with(text, word).then(|| &text[word.len()..])
}

/// Returns what is in the parentheses that come next, and what comes behind them.
fn parentheses(text: &str) -> Option<(&str, &str)> {
    let inside = text.trim_start().strip_prefix('(')?;
    let end = closing(inside)?;
    Some((&inside[..end], &inside[end + 1..]))
}

/// Returns the expression that a percentile orders by, without its direction.
fn value_of(order: &str) -> &str {
    let order = order.trim();
    let direction = DIRECTIONS.iter().find(|direction| {
        let start = order.len().checked_sub(direction.len());
        start.is_some_and(|start| {
            order
                .get(start..)
                .is_some_and(|end| begins_with(end, direction))
        })
    });
    &order[..order.len() - direction.map_or(0, |direction| direction.len())]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Float64Array};
    use arrow::record_batch::RecordBatch;

    use bakeoff_workload::Query;

    use super::super::marking::leeway;
    use super::*;
    use crate::{Comparison, Expected, compare, compare_with};

    #[test]
    fn percentiles_are_marked_and_nothing_else() {
        for (sql, expected) in [
            (
                "SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY x) FROM t",
                "SELECT (1e-200 * (max(x) - min(x))) FROM t",
            ),
            (
                "SELECT a, QUANTILE_CONT(f(x, 1), 0.5) q",
                "SELECT a, (1e-200 * (max(f(x, 1)) - min(f(x, 1)))) q",
            ),
            (
                "SELECT percentile_cont(0.5) within group (order by x + 1 DESC) FILTER (WHERE x > 0), \
                 'percentile_cont('",
                "SELECT (1e-200 * (max(x + 1) FILTER (WHERE x > 0) - min(x + 1) FILTER (WHERE x > 0))), \
                 'percentile_cont('",
            ),
            (
                "SELECT 1 -- don't\n, percentile_cont(x, 0.5) AS \"a\"",
                "SELECT 1 -- don't\n, (1e-200 * (max(x) - min(x))) AS \"a\"",
            ),
        ] {
            assert_eq!(marked(sql).as_deref(), Some(expected));
        }
        for plain in [
            "SELECT max(x)",
            "SELECT approx_percentile_cont(x, 0.5)",
            "SELECT percentile_cont",
            "SELECT percentile_cont(0.5) WITHIN GROUP (x)",
            "SELECT percentile_cont(0.5",
            "SELECT max(x) -- don't ask for percentile_cont(x, 0.5)",
            "SELECT max(x) /* percentile_cont(x, 0.5) */ AS \"quantile_cont(x, 0.5)\"",
        ] {
            assert_eq!(marked(plain), None, "{plain}");
        }
    }

    fn answer(value: f64) -> Expected {
        let columns: [(&str, ArrayRef); 1] = [("p", Arc::new(Float64Array::from(vec![value])))];
        Expected {
            batches: vec![RecordBatch::try_from_iter(columns).unwrap()],
            ..Expected::default()
        }
    }

    #[test]
    fn percentiles_may_differ_by_what_their_interpolation_leaves_out() {
        let query = Query {
            name: "q".to_owned(),
            sql: String::new(),
            engine_sql: std::collections::BTreeMap::new(),
            parameters: Vec::new(),
            parameter_sets: None,
            tolerance: None,
            expect: None,
            position: (1, 1),
        };
        // Of the values 0 and 100 at a share of 0.15, and with 0.149999 as DataFusion has it.
        let (right, ours) = (answer(14.9999), answer(15.0).batches);
        assert!(matches!(compare(&right, &ours), Comparison::Different(_)));
        let leeway = leeway(&query, &answer(100.0 * MARK), SHARE).unwrap();
        let same = Comparison::Same { rows: 1 };
        assert_eq!(compare_with(&right, &ours, &leeway), same);
        let wrong = answer(15.1).batches;
        assert_ne!(compare_with(&right, &wrong, &leeway), same);
    }
}
