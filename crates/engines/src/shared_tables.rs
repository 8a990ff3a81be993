//! Designs of a run that read the table of another one, since both would write the same.

use std::collections::BTreeMap;

use bakeoff_workload::DesignId;

/// Designs of a run that read the table of another one, each with that design.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedTables(BTreeMap<DesignId, DesignId>);

impl SharedTables {
    /// Makes it of designs, each with the id by which those with the same table are known; `None` for a design that
    /// shares its table with no other one. The first design with an id has the table, and the others read it.
    pub fn of<'a>(
        designs: impl IntoIterator<Item = (&'a DesignId, Option<DesignId>)>,
    ) -> SharedTables {
        let mut first: BTreeMap<DesignId, &DesignId> = BTreeMap::new();
        let mut shared = SharedTables::default();
        for (id, table) in designs {
            let Some(table) = table else {
                continue;
            };
            match first.get(&table) {
                Some(of) => shared.add(id.clone(), (*of).clone()),
                None => {
                    first.insert(table, id);
                }
            }
        }
        shared
    }

    /// Adds a design that reads the table of another one.
    pub fn add(&mut self, design: DesignId, of: DesignId) {
        self.0.insert(design, of);
    }

    /// Returns the design whose table a design reads; `None` for a design with a table of its own. For a further table
    /// it is the same further table of that design.
    pub fn table_of(&self, design: &DesignId) -> Option<DesignId> {
        if let Some(of) = self.0.get(design) {
            return Some(of.clone());
        }
        let untagged = DesignId {
            tag: None,
            ..design.clone()
        };
        let of = self.0.get(&untagged)?;
        Some(DesignId {
            tag: design.tag.clone(),
            ..of.clone()
        })
    }

    /// Returns the design that has the table of a design, which is that one itself or another one.
    pub fn holder(&self, design: &DesignId) -> DesignId {
        self.table_of(design).unwrap_or_else(|| design.clone())
    }

    /// Returns whether each design has a table of its own.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> DesignId {
        text.parse().unwrap()
    }

    #[test]
    fn the_first_of_the_designs_with_one_table_has_it() {
        let designs = ["a?page=1", "a", "b", "a?page=2", "c"].map(id);
        let table = |design: &DesignId| match design.engine.as_str() {
            "c" => None,
            engine => Some(id(engine)),
        };
        let shared = SharedTables::of(designs.iter().map(|design| (design, table(design))));
        let first = Some(id("a?page=1"));
        let found = designs.each_ref().map(|design| shared.table_of(design));
        assert_eq!(found, [None, first.clone(), None, first, None]);
        assert_eq!(shared.holder(&id("a")), id("a?page=1"));
        assert_eq!(shared.holder(&id("b")), id("b"));
        assert!(!shared.is_empty());
    }

    #[test]
    fn designs_that_share_with_no_other_one_have_tables_of_their_own() {
        let designs = ["a", "a"].map(id);
        let shared = SharedTables::of(designs.iter().map(|design| (design, None)));
        assert!(shared.is_empty());
        assert_eq!(shared.table_of(&designs[1]), None);
    }

    #[test]
    fn a_further_table_is_read_where_the_other_design_has_the_same_one() {
        let mut shared = SharedTables::default();
        shared.add(id("a?page=2"), id("a"));
        let tagged = |text: &str| DesignId {
            tag: Some("twin".to_owned()),
            ..id(text)
        };
        assert_eq!(shared.table_of(&tagged("a?page=2")), Some(tagged("a")));
        assert_eq!(shared.table_of(&tagged("a")), None);
    }
}
