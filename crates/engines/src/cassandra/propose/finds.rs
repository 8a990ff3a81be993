//! By what designs of Cassandra find rows.

use bakeoff_workload::DesignId;

use crate::advice::{Finds, FoundBy};
use crate::cassandra::rows::key::KEY;
use crate::settings::COLUMNS;

/// Settings with which other tables or Cassandra itself answer questions, so that what it costs to read rows says nothing.
const ANSWERED_OTHERWISE: [&str; 4] = ["aggregate", "summary", "view", COLUMNS];
/// Settings that make rows found by values of a column.
const BY_COLUMN: [&str; 3] = ["index", "table_by", "index_table"];

/// Returns by what a design finds rows: by its partition key and, of rows, by its index or second table.
pub fn finds(id: &DesignId) -> Option<Finds> {
    let setting = |name: &str| id.settings.get(name).cloned();
    // A key of several columns has a `+` between them.
    let has_several = setting(KEY).is_some_and(|key| key.contains('+'));
    if has_several
        || ANSWERED_OTHERWISE
            .iter()
            .any(|name| setting(name).is_some())
    {
        return None;
    }
    let by_columns = BY_COLUMN.iter().filter_map(|name| setting(name));
    let is_columnar = id.layout.as_deref() == Some("columnar");
    Some(Finds {
        surely: vec![setting(KEY).map_or(FoundBy::Key, FoundBy::Column)],
        perhaps: if is_columnar {
            vec![FoundBy::Order]
        } else {
            by_columns.map(FoundBy::Column).collect()
        },
        has_statistics: is_columnar,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_keys_indexes_and_second_tables() {
        let found = |id: &str| finds(&id.parse().unwrap());
        let by = |surely: FoundBy, perhaps: Vec<FoundBy>| {
            let surely = vec![surely];
            let has_statistics = perhaps == [FoundBy::Order];
            Some(Finds {
                surely,
                perhaps,
                has_statistics,
            })
        };
        let column = |name: &str| FoundBy::Column(name.to_owned());
        assert_eq!(
            found("cassandra/wide?chunk=4KiB"),
            by(FoundBy::Key, Vec::new())
        );
        assert_eq!(
            found("cassandra/wide?index=status"),
            by(FoundBy::Key, vec![column("status")])
        );
        assert_eq!(
            found("cassandra/wide?key=room"),
            by(column("room"), Vec::new())
        );
        assert_eq!(
            found("cassandra/columnar"),
            by(FoundBy::Key, vec![FoundBy::Order])
        );
        for id in [
            "cassandra/wide?aggregate=server",
            "cassandra/wide?summary=1h",
            "cassandra/columnar?columns=3",
            "cassandra/wide?key=room+floor",
            "cassandra/wide?view=room",
        ] {
            assert_eq!(found(id), None, "{id}");
        }
    }
}
