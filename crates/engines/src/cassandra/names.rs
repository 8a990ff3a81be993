//! Names of the engine, of tables and of quoted CQL identifiers, texts as CQL writes them, and the placeholder for the
//! keyspace in statements of a workload file.

use bakeoff_workload::DesignId;
pub use bakeoff_workload::literal::{quoted, text};

/// Name of the engine of Cassandra 5.0 in design ids and records.
pub const ENGINE: &str = "cassandra";
/// Name of the engine that is the release before, as [`super::release`] has it.
pub const ENGINE_4: &str = "cassandra-4";
/// Placeholder for the keyspace in statements of a workload file.
const KEYSPACE_PLACEHOLDER: &str = "${keyspace}";

/// Quotes names and joins them with commas.
pub fn quoted_list(names: &[&str]) -> String {
    names
        .iter()
        .map(|n| quoted(n))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Returns whether a keyspace is one of Cassandra's internal ones.
pub fn is_system_keyspace(keyspace: &str) -> bool {
    keyspace == "system" || keyspace.starts_with("system_")
}

/// Names a design's table after its layout, with a hash of the id where that has settings or a tag.
///
/// The id itself would not do: CQL limits names to 48 characters and folds them to lower case.
pub fn table_name(id: &DesignId) -> String {
    let layout = id.layout.as_deref().unwrap_or_default();
    if id.settings.is_empty() && id.tag.is_none() {
        layout.to_owned()
    } else {
        let hash = xxhash_rust::xxh3::xxh3_64(id.to_string().as_bytes());
        format!("{layout}_{:08x}", hash as u32)
    }
}

/// Replaces the placeholder for the keyspace in a statement of the workload file.
pub fn in_keyspace(cql: &str, keyspace: &str) -> String {
    cql.replace(KEYSPACE_PLACEHOLDER, keyspace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_design_has_its_own_table() {
        let name = |id: &str| table_name(&id.parse().unwrap());
        assert_eq!(name("cassandra/wide"), "wide");
        let names = [
            name("cassandra/wide?bucket=1m"),
            name("cassandra/wide?bucket=1M"),
            name("cassandra/wide?bucket=1d&chunk=1024KiB&compressor=Deflate"),
        ];
        assert!(names.iter().all(|name| name.len() <= 48));
        assert!(names[0] != names[1] && names[1] != names[2], "{names:?}");
    }

    #[test]
    fn keyspaces_of_cassandra_itself_are_known_by_their_names() {
        let is_system = ["system", "system_schema", "systems", "ks"].map(is_system_keyspace);
        assert_eq!(is_system, [true, true, false, false]);
    }
}
