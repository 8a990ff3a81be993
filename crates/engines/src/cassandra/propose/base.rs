//! The design that rules change in one thing each, so that a run shows what that thing does.

use std::collections::BTreeMap;

use bakeoff_workload::DesignId;

use super::sizes::{COMFORTABLE, bucket, is_too_large};
use crate::advice::Facts;

/// A design of rows in one CQL table.
#[derive(Debug, Clone)]
pub struct Base(DesignId);

impl Base {
    /// Chooses the table without what is known to go wrong: with a bucket where partitions would be too large, and the
    /// newest rows first where they are wanted.
    pub fn of(facts: &Facts) -> Base {
        let is_ordered = !facts.table.order_key.is_empty();
        let layout = if is_ordered { "wide" } else { "narrow" };
        let mut base = Base(DesignId {
            engine: "cassandra".to_owned(),
            layout: Some(layout.to_owned()),
            settings: BTreeMap::new(),
            tag: None,
        });
        base.set_if("ttl", facts.ttl.clone());
        if is_ordered && is_too_large(facts) {
            let width = bucket(facts, COMFORTABLE);
            base.set_if("bucket", width.map(|width| width.text));
        }
        if is_ordered && facts.wants_newest() {
            base.set("order", "desc");
        }
        base
    }

    /// Returns the id of the design.
    pub fn id(&self) -> String {
        self.0.to_string()
    }

    /// Returns the id of the same design with another setting.
    pub fn with(&self, name: &str, value: &str) -> String {
        let mut other = self.clone();
        other.set(name, value);
        other.id()
    }

    /// Returns the id of the same design with two other settings.
    pub fn with_both(&self, one: (&str, &str), two: (&str, &str)) -> String {
        let mut other = self.clone();
        other.set(one.0, one.1);
        other.with(two.0, two.1)
    }

    /// Returns the id of the same design without a setting.
    pub fn without(&self, name: &str) -> String {
        let mut other = self.clone();
        other.0.settings.remove(name);
        other.id()
    }

    /// Returns the id of another layout with the same settings.
    pub fn in_layout(&self, layout: &str) -> String {
        let mut other = self.clone();
        other.0.layout = Some(layout.to_owned());
        other.id()
    }

    /// Returns the id of a layout that has neither ranges nor an order of rows, in which rows live as long.
    pub fn unordered(&self, layout: &str) -> String {
        let mut other = self.clone();
        other.0.settings.remove("bucket");
        other.0.settings.remove("order");
        other.in_layout(layout)
    }

    /// Returns the id of the table with another partition key, in which rows are in the same order and live as long.
    pub fn keyed_by(&self, column: &str, bucket: Option<&str>) -> String {
        let mut other = self.clone();
        other.0.layout = Some("wide".to_owned());
        other.0.settings.remove("bucket");
        other.set_if("bucket", bucket.map(str::to_owned));
        other.with("key", column)
    }

    /// Returns the value of a setting.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.0.settings.get(name).map(String::as_str)
    }

    fn set(&mut self, name: &str, value: &str) {
        self.0.settings.insert(name.to_owned(), value.to_owned());
    }

    fn set_if(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value {
            self.set(name, &value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{facts, question};

    #[test]
    fn what_is_known_to_go_wrong_is_not_what_designs_are_compared_with() {
        let mut facts = facts();
        assert_eq!(Base::of(&facts).id(), "cassandra/wide");
        // A partition of ten million rows.
        facts.full_rows = 1_000_000_000;
        let mut newest = question("newest", Vec::new());
        newest.wants_newest = true;
        facts.questions = vec![newest];
        facts.ttl = Some("30d".to_owned());
        let base = Base::of(&facts);
        // 100,000 rows of ten seconds are eleven days and a half.
        assert_eq!(base.id(), "cassandra/wide?bucket=7d&order=desc&ttl=30d");
        assert_eq!(base.setting("bucket"), Some("7d"));
        assert_eq!(base.without("order"), "cassandra/wide?bucket=7d&ttl=30d");
        assert!(base.with("chunk", "4KiB").contains("chunk=4KiB"));
        assert!(base.in_layout("blob").starts_with("cassandra/blob?"));
        assert_eq!(base.unordered("narrow"), "cassandra/narrow?ttl=30d");
        facts.table.order_key.clear();
        assert_eq!(Base::of(&facts).id(), "cassandra/narrow?ttl=30d");
    }
}
