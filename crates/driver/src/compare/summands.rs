//! How far sums of floats may be apart when they are summed in another order.

use bakeoff_workload::Query;

use super::Leeway;
use super::answer::{Cell, Rows};
use crate::Expected;

/// Factor that sums are multiplied by, so that columns that are sums are distinguished from all others.
pub const MARK: f64 = 1e-200;
/// A marked column has no larger value.
const LARGEST_MARKED: f64 = 1e-150;

/// Rewrites SQL so that sums and means are those of summands without their signs, times [`MARK`]. Returns
/// `None` where there are none.
pub fn marked(sql: &str) -> Option<String> {
    let mut marked = String::with_capacity(sql.len());
    let (mut rest, mut is_inside_name) = (sql, false);
    while let Some(character) = rest.chars().next() {
        if let Some(end) = rest.strip_prefix('\'').and_then(|text| text.find('\'')) {
            marked.push_str(&rest[..end + 2]);
            rest = &rest[end + 2..];
            continue;
        }
        let call = call(rest).filter(|_| !is_inside_name);
        let (head, inside, tail) = call.unwrap_or((&rest[..character.len_utf8()], "", ""));
        match call {
            Some(_) => {
                marked.push_str(&format!("({MARK:e} * {head}(abs({inside})))"));
                rest = tail;
            }
            None => {
                marked.push_str(head);
                rest = &rest[head.len()..];
            }
        }
        is_inside_name = character.is_alphanumeric() || matches!(character, '_' | '.' | '"');
        is_inside_name &= call.is_none();
    }
    (marked.len() > sql.len()).then_some(marked)
}

/// Splits a sum or mean that the text begins with into its name, what is summed, and what comes after.
fn call(text: &str) -> Option<(&str, &str, &str)> {
    let name = { ["sum", "avg", "mean"].iter() }.find_map(|name| {
        let start = text.get(..name.len())?;
        start.eq_ignore_ascii_case(name).then_some(start)
    })?;
    let inside = text[name.len()..].trim_start().strip_prefix('(')?;
    let end = closing(inside)?;
    let summed = &inside[..end];
    // A sum of different values, or a sum of sums, has other summands.
    let is_plain = !summed.to_lowercase().trim_start().starts_with("distinct")
        && !summed.contains(['\'', '"', '$'])
        && !summed.contains("--");
    is_plain.then_some((name, summed, &inside[end + 1..]))
}

/// Returns where the parenthesis closes that was opened before the text.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut signs = text.char_indices();
    let closing = signs.find(|(_, sign)| {
        depth += i32::from(*sign == '(') - i32::from(*sign == ')');
        depth == 0
    });
    closing.map(|(at, _)| at)
}

/// Returns whether all values of a column may have been multiplied by [`MARK`].
pub fn is_marked(rows: &Rows, column: usize) -> bool {
    let mut cells = rows.rows.iter().map(|row| &row[column]);
    cells.all(|cell| match cell {
        Cell::Float(float) => float.abs() <= LARGEST_MARKED,
        Cell::Null => true,
        Cell::Exact(_) => false,
    })
}

/// Returns how far an answer to a query over `rows` rows may be from the right one, by the answer to the
/// marked SQL.
///
/// The error of a sum of n floats is at most about n ε Σ|x| in whatever order they are summed (Higham,
/// Accuracy and Stability of Numerical Algorithms, 2002, section 4.2); both answers have one.
pub fn leeway(query: &Query, marked: &Expected, rows: u64) -> Result<Leeway, String> {
    let sums = Rows::new(&marked.batches)?;
    let absolute = |column: usize| {
        let summed = if is_marked(&sums, column) {
            sums.largest(column)
        } else {
            0.0
        };
        4.0 * f64::EPSILON * rows as f64 * (summed / MARK)
    };
    Ok(Leeway {
        absolute: (0..sums.width).map(absolute).collect(),
        ..Leeway::of(query)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Float64Array, StringArray};
    use arrow::record_batch::RecordBatch;

    use super::*;
    use crate::{Comparison, compare, compare_with};

    #[test]
    fn sums_and_means_are_marked_and_nothing_else() {
        let cases = [
            (
                "SELECT sum(x) FROM t",
                "SELECT (1e-200 * sum(abs(x))) FROM t",
            ),
            (
                "SELECT AVG (a * (b + 1)) m",
                "SELECT (1e-200 * AVG(abs(a * (b + 1)))) m",
            ),
        ];
        for (sql, expected) in cases {
            assert_eq!(marked(sql).as_deref(), Some(expected));
        }
        for plain in [
            "SELECT max(x)",
            "SELECT checksum(x)",
            "SELECT sum(DISTINCT x)",
            "'sum(x)'",
            "sum(x",
        ] {
            assert_eq!(marked(plain), None, "{plain}");
        }
    }

    fn answer(host: &str, sum: f64) -> Expected {
        let columns: [(&str, ArrayRef); 2] = [
            ("host", Arc::new(StringArray::from(vec![host]))),
            ("sum", Arc::new(Float64Array::from(vec![sum]))),
        ];
        Expected {
            batches: vec![RecordBatch::try_from_iter(columns).unwrap()],
            order_by: Vec::new(),
            beyond: None,
            ..Expected::default()
        }
    }

    fn query() -> Query {
        Query {
            name: "q".to_owned(),
            sql: String::new(),
            engine_sql: std::collections::BTreeMap::new(),
            parameters: Vec::new(),
            parameter_sets: None,
            tolerance: None,
            expect: None,
            position: (1, 1),
        }
    }

    #[test]
    fn sums_that_cancel_may_differ_by_their_summands_rounding() {
        // 1e6, then many tenths, and -1e6 at the end or right after the first one.
        let tenths = || std::iter::repeat_n(0.1, 1000);
        let late: f64 = [1e6].into_iter().chain(tenths()).chain([-1e6]).sum();
        let soon: f64 = [1e6, -1e6].into_iter().chain(tenths()).sum();
        let right = answer("a", soon - 100.0);
        let ours = answer("a", late - 100.0).batches;
        assert!(matches!(compare(&right, &ours), Comparison::Different(_)));
        let leeway = leeway(&query(), &answer("a", 2_000_100.0 * MARK), 1_002).unwrap();
        let same = Comparison::Same { rows: 1 };
        assert_eq!(compare_with(&right, &ours, &leeway), same);
        let wrong = answer("a", late - 100.0 + 1e-5).batches;
        assert_ne!(compare_with(&right, &wrong, &leeway), same);
        let other = answer("b", soon - 100.0).batches;
        assert_ne!(compare_with(&right, &other, &leeway), same);
    }

    #[test]
    fn a_column_that_is_no_sum_has_no_leeway() {
        let leeway = leeway(&query(), &answer("a", 5.0), 1 << 30).unwrap();
        assert_eq!(leeway.absolute, [0.0, 0.0]);
    }
}
