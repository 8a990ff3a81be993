//! The name of a table as a statement writes it.

use std::fmt;

/// The name of a table, with its keyspace or schema where that is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedTable {
    pub schema: Option<String>,
    pub name: String,
}

impl AskedTable {
    /// Reads a name as people write it, with its keyspace or schema before a dot.
    pub fn parse(written: &str) -> AskedTable {
        let plain = |part: &str| part.trim_matches('"').to_owned();
        match written.rsplit_once('.') {
            Some((before, name)) => AskedTable {
                schema: before.rsplit('.').next().map(plain),
                name: plain(name),
            },
            None => AskedTable {
                schema: None,
                name: plain(written),
            },
        }
    }

    /// Returns whether both names may mean the same table: a keyspace or schema that one of them lacks may be that of
    /// the other one.
    pub fn may_be(&self, other: &AskedTable) -> bool {
        let is_same =
            self.schema.is_none() || other.schema.is_none() || self.schema == other.schema;
        is_same && self.name == other.name
    }
}

impl fmt::Display for AskedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.schema {
            Some(schema) => write!(f, "{schema}.{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_two_schemas_are_two() {
        let of = AskedTable::parse;
        assert!(of("readings").may_be(&of("shop.readings")));
        assert!(of("a.shop.readings").may_be(&of("\"shop\".\"readings\"")));
        assert!(!of("shop.readings").may_be(&of("old.readings")));
        assert!(!of("shop.readings").may_be(&of("shop.rooms")));
        assert_eq!(of("a.shop.readings").to_string(), "shop.readings");
    }
}
