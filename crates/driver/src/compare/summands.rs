//! How far sums of floats may be apart when they are summed in another order.

use super::marking::{MARK, closing, rewritten};

/// Rewrites SQL so that sums and means are those of summands without their signs, times [`MARK`]. They are doubles,
/// since whole numbers without their signs may add up to more than 64 bits. Returns `None` where there are none.
pub fn marked(sql: &str) -> Option<String> {
    rewritten(sql, |text| {
        let (name, summed, behind) = call(text)?;
        Some((
            format!("({MARK:e} * {name}(abs(CAST({summed} AS DOUBLE))))"),
            behind,
        ))
    })
}

/// Returns the share of sums over `rows` rows by which they may differ.
///
/// The error of a sum of n floats is at most about n ε Σ|x| in whatever order they are summed (Higham,
/// Accuracy and Stability of Numerical Algorithms, 2002, section 4.2); both answers have one.
pub fn share(rows: u64) -> f64 {
    4.0 * f64::EPSILON * rows as f64
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Float64Array, StringArray};
    use arrow::record_batch::RecordBatch;

    use bakeoff_workload::Query;

    use super::super::marking::leeway;
    use super::*;
    use crate::{Comparison, Expected, compare, compare_with};

    #[test]
    fn sums_and_means_are_marked_and_nothing_else() {
        let cases = [
            (
                "SELECT sum(x) FROM t",
                "SELECT (1e-200 * sum(abs(CAST(x AS DOUBLE)))) FROM t",
            ),
            (
                "SELECT AVG (a * (b + 1)) m",
                "SELECT (1e-200 * AVG(abs(CAST(a * (b + 1) AS DOUBLE)))) m",
            ),
            (
                "SELECT sum(x) -- don't\n, 'sum(' FROM t",
                "SELECT (1e-200 * sum(abs(CAST(x AS DOUBLE)))) -- don't\n, 'sum(' FROM t",
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
            "SELECT max(x) -- not sum(x)",
            "SELECT \"sum\"(x)",
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
        let leeway = leeway(&query(), &answer("a", 2_000_100.0 * MARK), share(1_002)).unwrap();
        let same = Comparison::Same { rows: 1 };
        assert_eq!(compare_with(&right, &ours, &leeway), same);
        let wrong = answer("a", late - 100.0 + 1e-5).batches;
        assert_ne!(compare_with(&right, &wrong, &leeway), same);
        let other = answer("b", soon - 100.0).batches;
        assert_ne!(compare_with(&right, &other, &leeway), same);
    }

    #[test]
    fn a_column_that_is_no_sum_has_no_leeway() {
        let leeway = leeway(&query(), &answer("a", 5.0), share(1 << 30)).unwrap();
        assert_eq!(leeway.absolute, [0.0, 0.0]);
    }
}
