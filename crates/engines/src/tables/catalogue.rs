//! The tables of a cluster: ordinary ones, views, and columnar ones, each of which consists of several
//! CQL tables.

use std::collections::BTreeSet;

use bakeoff_columnar::cassandra::table_names;
use scylla::client::session::Session;

/// A table of a cluster, as users see it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relation {
    pub keyspace: String,
    pub name: String,
    pub kind: RelationKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelationKind {
    Table,
    View,
    Columnar,
}

impl RelationKind {
    pub fn in_words(self) -> &'static str {
        match self {
            RelationKind::Table => "CQL table",
            RelationKind::View => "CQL view",
            RelationKind::Columnar => "columnar table",
        }
    }
}

/// Returns all keyspaces of a cluster, sorted.
pub fn keyspaces(session: &Session) -> Vec<String> {
    let cluster = session.get_cluster_state();
    let names: BTreeSet<String> = { cluster.keyspaces_iter() }
        .map(|(name, _)| name.to_owned())
        .collect();
    names.into_iter().collect()
}

/// Returns all tables of a keyspace, sorted, or none if there is no such keyspace.
pub fn relations(session: &Session, keyspace: &str) -> Vec<Relation> {
    let cluster = session.get_cluster_state();
    let Some(found) = cluster.get_keyspace(keyspace) else {
        return Vec::new();
    };
    let tables: BTreeSet<&str> = found.tables.keys().map(String::as_str).collect();
    let of_kind = |name: String, kind| Relation {
        keyspace: keyspace.to_owned(),
        name,
        kind,
    };
    let (ordinary, columnar) = separated(&tables);
    let ordinary = ordinary
        .into_iter()
        .map(|n| of_kind(n, RelationKind::Table));
    let columnar = columnar
        .into_iter()
        .map(|n| of_kind(n, RelationKind::Columnar));
    let views = found
        .views
        .keys()
        .cloned()
        .map(|n| of_kind(n, RelationKind::View));
    let mut relations: Vec<Relation> = ordinary.chain(columnar).chain(views).collect();
    relations.sort();
    relations
}

/// Separates the names of ordinary tables from those of columnar ones, which consist of several tables.
fn separated(tables: &BTreeSet<&str>) -> (Vec<String>, Vec<String>) {
    let suffixes = table_names("");
    let is_whole = |base: &&str| {
        let parts = table_names(base);
        !base.is_empty() && parts.iter().all(|part| tables.contains(part.as_str()))
    };
    let suffix = suffixes.first().map_or("", String::as_str);
    let columnar: Vec<&str> = { tables.iter() }
        .filter_map(|name| name.strip_suffix(suffix))
        .filter(is_whole)
        .collect();
    let parts: BTreeSet<String> = { columnar.iter() }
        .flat_map(|base| table_names(base))
        .collect();
    let ordinary = tables.iter().filter(|name| !parts.contains(**name));
    let owned = |name: &&str| (*name).to_owned();
    (
        ordinary.map(owned).collect(),
        columnar.iter().map(owned).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_columnar_table_is_one_and_half_of_one_is_what_there_is() {
        let whole = table_names("events");
        let half = table_names("half");
        let mut tables: BTreeSet<&str> = whole.iter().map(String::as_str).collect();
        tables.extend(half.iter().take(2).map(String::as_str));
        tables.extend(["readings", "_columnar"]);
        let (ordinary, columnar) = separated(&tables);
        assert_eq!(columnar, ["events"]);
        let mut expected = vec!["_columnar", "readings", &half[0], &half[1]];
        expected.sort_unstable();
        assert_eq!(ordinary, expected);
    }
}
