//! By what designs find rows without reading all of them, and what share of the rows that is for a question.

use super::facts::Facts;
use super::question::{FilterKind, Question};

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
}

impl Finds {
    /// Returns the least share of the rows that the design may read for a question, from 0 to 1; `None` if it reads
    /// all.
    pub fn least(&self, facts: &Facts, question: &Question) -> Option<f64> {
        let mut ways = self.surely.iter().chain(&self.perhaps).peekable();
        ways.peek()?;
        // Nothing is known of other conditions, and the newest rows may be the first ones that are found.
        if question.wants_newest || (question.filters.is_empty() && !question.is_of_all_rows) {
            return Some(0.0);
        }
        let shares = ways.filter_map(|by| facts.share_found(question, by));
        shares.min_by(f64::total_cmp)
    }

    /// Returns the share of the rows that the design reads for a question at most; `None` if it may read all.
    pub fn most(&self, facts: &Facts, question: &Question) -> Option<f64> {
        let shares = { self.surely.iter() }.filter_map(|by| facts.share_found(question, by));
        shares.min_by(f64::total_cmp)
    }
}

impl Facts {
    /// Returns the share of the rows that a question asks for by this; `None` if it does not say it, or if its share is
    /// not known.
    fn share_found(&self, question: &Question, by: &FoundBy) -> Option<f64> {
        let equal = |column: &str| self.share_of_all(question.equals(column)?);
        match by {
            FoundBy::Column(column) => equal(column),
            FoundBy::Order => self.share_of_range(question),
            FoundBy::Key => {
                let mut share = 1.0;
                for column in &self.table.partition_key {
                    share *= equal(column)?;
                }
                Some(share * self.share_of_range(question).unwrap_or(1.0))
            }
        }
    }

    /// Returns the share of the rows in the range of the first order column that a question asks for.
    fn share_of_range(&self, question: &Question) -> Option<f64> {
        let order = self.table.order_key.first()?;
        let width = question.range_width(order).map(|width| width as f64);
        if let (Some(width), Some(span)) = (width, self.full_span())
            && span > 0.0
        {
            return Some((width / span).clamp(0.0, 1.0));
        }
        let is_range = |kind: FilterKind| matches!(kind, FilterKind::Range { .. });
        let mut filters = question.filters.iter();
        let range = filters.find(|filter| filter.column == *order && is_range(filter.kind))?;
        self.share_of_all(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::Filter;
    use crate::advice::testing::{equals, facts, question};

    fn range(column: &str, share: Option<f64>) -> Filter {
        Filter {
            column: column.to_owned(),
            kind: FilterKind::Range { width: None },
            share,
        }
    }

    /// The least and the most of a design that surely finds rows by the key, and perhaps by the order.
    fn shares(question: &Question) -> (Option<f64>, Option<f64>) {
        let finds = Finds {
            surely: vec![FoundBy::Key],
            perhaps: vec![FoundBy::Order],
        };
        let facts = facts();
        (finds.least(&facts, question), finds.most(&facts, question))
    }

    #[test]
    fn rows_are_found_by_the_key_and_by_ranges() {
        let facts = facts();
        let [key] = &facts.table.partition_key[..] else {
            panic!("{:?}", facts.table.partition_key);
        };
        let order = facts.table.order_key[0].clone();
        let of_key = || equals(key, Some(0.1));
        let of_one = question("one", vec![of_key()]);
        assert_eq!(shares(&of_one), (Some(0.1), Some(0.1)));
        let of_part = question("part", vec![of_key(), range(&order, Some(0.5))]);
        assert_eq!(shares(&of_part), (Some(0.05), Some(0.05)));
        let of_all = question("range", vec![range(&order, Some(0.5))]);
        assert_eq!(shares(&of_all), (Some(0.5), None));
        let unknown = question("unknown", vec![equals(key, None)]);
        assert_eq!(shares(&unknown), (None, None));
        let other = question("other", vec![equals("elsewhere", Some(0.1))]);
        assert_eq!(shares(&other), (None, None));
    }

    #[test]
    fn little_may_be_read_where_conditions_are_not_known_or_the_newest_rows_are_wanted() {
        let mut question = question("q", Vec::new());
        question.is_of_all_rows = true;
        assert_eq!(shares(&question), (None, None));
        question.wants_newest = true;
        assert_eq!(shares(&question), (Some(0.0), None));
        question.wants_newest = false;
        question.is_of_all_rows = false;
        assert_eq!(shares(&question), (Some(0.0), None));
        let none = Finds::default();
        assert_eq!(none.least(&facts(), &question), None);
    }
}
