//! Rules on the partition key itself.

use super::base::Base;
use super::sizes::{COMFORTABLE, LARGE, MANY_ROWS};
use super::sources::APACHE;
use crate::advice::{Advice, Facts, Rank, Stated, at_most, bytes, count};

const OTHER_KEY: Stated = Stated {
    rule: "other-key",
    source: APACHE,
};

/// Proposes the column by which all questions find rows as the partition key, where they do not find them by that of
/// the workload, and names it where its partitions would be too large.
pub fn other(facts: &Facts) -> Vec<Advice> {
    let table = &facts.table;
    let reads_by_key = facts
        .load
        .as_ref()
        .is_some_and(|load| load.reads_of_rows + load.reads_of_partitions > 0.0);
    let finds_by_key = facts.question(|q| q.names_partition(table)).is_some();
    // Rows of an earlier value would stay where keys repeat.
    if facts.keys_repeat || reads_by_key || finds_by_key {
        return Vec::new();
    }
    let lacking = facts
        .rows
        .as_ref()
        .map_or(&[][..], |rows| rows.lacking.as_slice());
    let is_asked = |name: &str| {
        let mut questions = facts.questions.iter();
        !facts.questions.is_empty() && questions.all(|q| q.equals(name).is_some())
    };
    let found = table.columns.iter().find(|column| {
        column.kind.can_be_key() && is_asked(&column.name) && !lacking.contains(&column.name)
    });
    let advice = found.map(|column| keyed_by(facts, &column.name));
    advice.into_iter().collect()
}

/// Says what partitions by a column would be like.
fn keyed_by(facts: &Facts, column: &str) -> Advice {
    let base = Base::of(facts);
    let filters = facts.questions.iter().filter_map(|q| q.equals(column));
    let shares = filters.filter_map(|filter| filter.share);
    let share = shares.reduce(f64::max);
    let rows = share.map(|share| share * facts.full_rows as f64);
    let row_bytes = facts.rows.as_ref().map(|rows| rows.row_bytes);
    let size = rows.zip(row_bytes).map(|(rows, row)| rows * row);
    let is_too_large =
        rows.is_some_and(|rows| rows > MANY_ROWS) || size.is_some_and(|size| size > LARGE);
    let of_partition = rows.zip(size).map_or(String::new(), |(rows, size)| {
        format!(
            "; the largest would have about {} rows, {}",
            count(rows),
            bytes(size)
        )
    });
    let says = format!(
        "all questions find rows by {column}, and none by {}: a partition for each {column}{of_partition}",
        facts.table.partition_key.join(", ")
    );
    if !is_too_large {
        return OTHER_KEY.measure(Rank::Likely, base.keyed_by(column, None), says);
    }
    match rows.and_then(|rows| bucket(facts, column, rows)) {
        Some(width) => OTHER_KEY.measure(
            Rank::Likely,
            base.keyed_by(column, Some(width.as_str())),
            says,
        ),
        None => OTHER_KEY.avoid(
            base.keyed_by(column, None),
            says,
            "a further column in the key, as in key=a+b, or a scan of columnar chunks or files",
        ),
    }
}

/// Returns the widest round bucket with which a partition of so many rows by `key` is comfortable.
fn bucket(facts: &Facts, key: &str, rows: f64) -> Option<String> {
    // Were the divided column the key, rows would have another order.
    let column = facts.divided_column().filter(|column| column.name != key)?;
    let span = facts.full_span().filter(|span| *span > 0.0)?;
    let row_bytes = facts.rows.as_ref()?.row_bytes.max(1.0);
    let most = (COMFORTABLE / row_bytes).min(MANY_ROWS);
    Some(at_most(column.kind, most * span / rows)?.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Load;
    use crate::advice::testing::{avoided, designs, equals, facts, question, range};

    /// Facts with two questions by a column outside the key.
    fn asking(share: f64) -> Facts {
        let mut facts = facts();
        facts.questions = vec![
            question("one", vec![equals("status", Some(share))]),
            question("two", vec![equals("status", None), range("time", None)]),
        ];
        facts
    }

    #[test]
    fn what_all_questions_find_rows_by_is_the_key() {
        assert_eq!(
            designs(&other(&asking(0.01))),
            ["cassandra/wide?key=status"]
        );
        let mut facts = asking(0.01);
        facts.questions.push(question("all", Vec::new()));
        assert_eq!(other(&facts), []);
        facts.questions.pop();
        facts.questions[1].filters.push(equals("series", None));
        assert_eq!(other(&facts), []);
        facts.questions.clear();
        assert_eq!(other(&facts), []);
    }

    #[test]
    fn the_key_of_rows_that_are_read_by_it_or_written_again_stays() {
        let mut facts = asking(0.01);
        facts.keys_repeat = true;
        assert_eq!(other(&facts), []);
        facts.keys_repeat = false;
        facts.load = Some(Load::default());
        assert_eq!(other(&facts).len(), 1);
        facts.load.as_mut().unwrap().reads_of_rows = 0.5;
        assert_eq!(other(&facts), []);
        facts.load = None;
        let rows = facts.rows.as_mut().unwrap();
        rows.lacking = vec!["status".to_owned()];
        assert_eq!(other(&facts), []);
    }

    #[test]
    fn partitions_of_another_key_are_not_too_large() {
        // Half a million rows in 28 hours.
        let mut facts = asking(0.5);
        let with_bucket = ["cassandra/wide?bucket=1h&key=status"];
        assert_eq!(designs(&other(&facts)), with_bucket);
        facts.table.order_key = vec!["value".to_owned()];
        let advice = other(&facts);
        assert_eq!(avoided(&advice), ["cassandra/wide?key=status"]);
        facts.table.order_key.clear();
        facts.full_rows = 1_000;
        assert_eq!(designs(&other(&facts)), ["cassandra/wide?key=status"]);
    }
}
