//! By what designs find rows without reading all of them, and what share of the rows that is for a question.

use super::facts::Facts;
use super::question::Question;

/// What rows are found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundBy {
    /// Values of the partition key, and a range of the first order column behind them.
    Key,
    /// A range of the first order column.
    Order,
    /// Values of this column.
    Column(String),
}

/// By what a design finds rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finds {
    pub surely: Vec<FoundBy>,
    /// By these, if the rows lie so that others can be skipped, or if the server chooses to.
    pub perhaps: Vec<FoundBy>,
    /// Whether the least, the highest or the number of all rows may be known without reading them.
    pub has_statistics: bool,
}

impl Finds {
    /// Returns the least share of the rows that the design may read for a question, from 0 to 1; `None` if it reads
    /// all.
    pub fn least(&self, facts: &Facts, question: &Question) -> Option<f64> {
        // Nothing is known of conditions that are not about one column each.
        let is_unknown = question.filters.is_empty() && !question.is_of_all_rows;
        let is_known = self.has_statistics && question.is_of_statistics;
        if is_unknown || is_known || question.may_end_early || question.wants_newest {
            return Some(0.0);
        }
        let ways = self.surely.iter().chain(&self.perhaps);
        let shares = ways.filter_map(|by| facts.share_found(question, by, Some(0.0)));
        shares.min_by(f64::total_cmp)
    }

    /// Returns the share of the rows that the design reads for a question at most; `None` if it may read all.
    pub fn most(&self, facts: &Facts, question: &Question) -> Option<f64> {
        let shares = { self.surely.iter() }.filter_map(|by| facts.share_found(question, by, None));
        shares.min_by(f64::total_cmp)
    }
}

impl Facts {
    /// Returns the share of the rows that a question asks for by this, or `unknown` where it says so without its share
    /// being known; `None` if it does not ask by this.
    fn share_found(&self, question: &Question, by: &FoundBy, unknown: Option<f64>) -> Option<f64> {
        let equal = |column: &str| {
            let mut filters = question.filters.iter();
            filters.find(|filter| filter.column == column)?;
            let equals = question.equals(column);
            equals
                .and_then(|filter| self.share_of_all(filter))
                .or(unknown)
        };
        match by {
            FoundBy::Column(column) => equal(column),
            FoundBy::Order => self.share_of_range(question, unknown),
            FoundBy::Key => {
                let mut share = 1.0;
                for column in &self.table.partition_key {
                    share *= equal(column)?;
                }
                Some(share * self.share_of_range(question, unknown).unwrap_or(1.0))
            }
        }
    }

    /// Returns the share of the rows in the range of the first order column that a question asks for, or `unknown`.
    fn share_of_range(&self, question: &Question, unknown: Option<f64>) -> Option<f64> {
        let order = self.table.order_key.first()?;
        let mut filters = question.filters.iter();
        filters.find(|filter| filter.column == *order)?;
        let width = question.range_width(order).map(|width| width as f64);
        let span = self.full_span().filter(|span| *span > 0.0);
        match (width, span) {
            (Some(width), Some(span)) => Some((width / span).clamp(0.0, 1.0)),
            _ => unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::FilterKind;
    use crate::advice::testing::{equals, facts, question, range};

    /// The least and the most of a design that surely finds rows by the key, and perhaps by the order.
    fn shares(question: &Question) -> (Option<f64>, Option<f64>) {
        let finds = Finds {
            surely: vec![FoundBy::Key],
            perhaps: vec![FoundBy::Order],
            has_statistics: false,
        };
        let facts = facts();
        (finds.least(&facts, question), finds.most(&facts, question))
    }

    #[test]
    fn rows_are_found_by_the_key_and_by_ranges() {
        // A million rows of a hundred series, each every ten seconds, are 10,000 steps of ten seconds.
        let tenth = range("time", Some(10_000_000));
        let of_key = || equals("series", Some(0.01));
        let of_one = question("one", vec![of_key()]);
        assert_eq!(shares(&of_one), (Some(0.01), Some(0.01)));
        let of_part = question("part", vec![of_key(), tenth.clone()]);
        let (least, most) = shares(&of_part);
        assert_eq!(least, most);
        assert!((0.000_9..0.001_1).contains(&least.unwrap()), "{least:?}");
        let (least, most) = shares(&question("range", vec![tenth]));
        assert!((0.09..0.11).contains(&least.unwrap()), "{least:?}");
        assert_eq!(most, None);
        let other = question("other", vec![equals("status", Some(0.1))]);
        assert_eq!(shares(&other), (None, None));
    }

    #[test]
    fn a_share_that_is_not_known_may_be_any() {
        let literal = question("literal", vec![range("time", None)]);
        assert_eq!(shares(&literal), (Some(0.0), None));
        let of_key = equals("series", Some(0.01));
        let of_part = question("part", vec![of_key, range("time", None)]);
        assert_eq!(shares(&of_part), (Some(0.0), Some(0.01)));
        let unknown = question("unknown", vec![equals("series", None)]);
        assert_eq!(shares(&unknown), (Some(0.0), None));
        let mut either = equals("series", None);
        either.kind = FilterKind::Other;
        assert_eq!(shares(&question("either", vec![either])), (Some(0.0), None));
    }

    #[test]
    fn few_rows_may_be_enough() {
        let all = || question("q", Vec::new());
        assert_eq!(shares(&all()), (None, None));
        let mut newest = all();
        newest.wants_newest = true;
        let mut limited = all();
        limited.may_end_early = true;
        let mut joined = all();
        joined.is_of_all_rows = false;
        for question in [newest, limited, joined] {
            assert_eq!(shares(&question), (Some(0.0), None), "{question:?}");
        }
        let mut counted = all();
        counted.is_of_statistics = true;
        assert_eq!(shares(&counted), (None, None));
        let with_statistics = Finds {
            has_statistics: true,
            ..Finds::default()
        };
        assert_eq!(with_statistics.least(&facts(), &counted), Some(0.0));
    }
}
