//! Names: that of the engine, quoted ones in CQL, those of tables, and the keyspace in statements of
//! a workload file.

use bakeoff_workload::DesignId;

/// The engine in design ids and records.
pub const ENGINE: &str = "cassandra";
/// Stands for the keyspace in statements of a workload file.
const KEYSPACE_PLACE: &str = "${keyspace}";

/// Quotes a name, which keeps its case and makes a word usable that CQL reserves.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Quotes names and joins them with commas.
pub fn quoted_list(names: &[&str]) -> String {
    names
        .iter()
        .map(|n| quoted(n))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Names a design's table by its layout and, where there are settings or a tag, a hash of its id: names are
/// lower case and have at most 48 characters, ids are neither.
pub fn table_name(id: &DesignId) -> String {
    let layout = id.layout.as_deref().unwrap_or_default();
    if id.settings.is_empty() && id.tag.is_none() {
        layout.to_owned()
    } else {
        let hash = xxhash_rust::xxh3::xxh3_64(id.to_string().as_bytes());
        format!("{layout}_{:08x}", hash as u32)
    }
}

/// Puts the keyspace into a statement of the workload file.
pub fn in_keyspace(cql: &str, keyspace: &str) -> String {
    cql.replace(KEYSPACE_PLACE, keyspace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_design_has_a_table_of_its_own() {
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
}
