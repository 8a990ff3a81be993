//! The texts of the statements that create and drop the CQL tables of a table.

use super::names::{Names, Part};
use super::options::Compression;
use crate::Result;

/// The version of the format of the tables and their contents.
pub(super) const FORMAT: i32 = 1;

/// The time for which Cassandra remembers that blobs and fresh rows were deleted: as long as it keeps
/// hints by default. If deleted ones came back later, no reader would see them.
const DELETED_BLOBS_REMEMBERED_SECONDS: u32 = 3 * 3600;

/// The row of a catalogue that has the definition.
pub(super) const ROW: &str = "table";

/// The row of the catalogue that says which process creates the other tables.
pub(super) const CLAIM: &str = "making";

/// The time for which the row says so, which each statement begins anew.
pub(super) const CLAIMED_SECONDS: u32 = 20;

/// Returns the comment of the CQL tables.
pub(super) fn comment(names: &Names) -> String {
    format!("part of the columnar table {} of Bakeoff", names.table)
}

/// Returns the statement that creates each of the CQL tables.
pub(super) fn create_statements(names: &Names, compression: Compression) -> [(Part, String); 5] {
    Part::ALL.map(|part| (part, create_statement(names, part, compression)))
}

/// Returns all statements that dropping a table and creating it again with a compression of its blobs
/// sends, to show them without sending any. A `?` is in place of the definition, and of the name of the
/// process.
///
/// # Errors
/// Fails if Cassandra would not take a name.
pub fn recreation_statements(
    keyspace: &str,
    table: &str,
    compression: Compression,
) -> Result<Vec<String>> {
    let names = Names::new(keyspace, table)?;
    let mut statements = vec![mark_statement(&names)];
    let dropped = Part::ALL.into_iter().rev();
    statements.extend(dropped.map(|part| drop_statement(&names, part)));
    for (part, statement) in create_statements(&names, compression) {
        statements.push(statement);
        if part == Part::Catalogue {
            statements.push(claim_statement(&names));
        } else {
            statements.push(renewal_statement(&names));
        }
    }
    statements.push(release_statement(&names));
    statements.push(entry_statement(&names));
    Ok(statements)
}

pub(super) fn mark_statement(names: &Names) -> String {
    let catalogue = names.cql(Part::Catalogue);
    format!("UPDATE {catalogue} SET dropping = true WHERE id = '{ROW}' IF EXISTS")
}

pub(super) fn drop_statement(names: &Names, part: Part) -> String {
    format!("DROP TABLE IF EXISTS {}", names.cql(part))
}

pub(super) fn entry_statement(names: &Names) -> String {
    let catalogue = names.cql(Part::Catalogue);
    format!(
        "INSERT INTO {catalogue} (id, format, definition) VALUES ('{ROW}', {FORMAT}, ?) IF NOT EXISTS"
    )
}

fn create_statement(names: &Names, part: Part, compression: Compression) -> String {
    let columns = match part {
        Part::Catalogue => "id text PRIMARY KEY, format int, definition text, dropping boolean",
        Part::Places => {
            "shard int, bucket bigint, opened bigint, closed bigint, sealed bigint, \
             dropped bigint, PRIMARY KEY (shard, bucket)"
        }
        Part::Index => {
            "shard int, bucket bigint, chunk blob, put bigint, renewed bigint, \
             abandoned bigint, committed bigint, retired bigint, meta blob, \
             version uuid, PRIMARY KEY ((shard, bucket), chunk)"
        }
        Part::Chunks => {
            "shard int, bucket bigint, col smallint, chunk blob, data blob, \
             PRIMARY KEY ((shard, bucket), col, chunk)"
        }
        Part::Fresh => {
            "shard int, bucket bigint, generation bigint, key blob, wt bigint, \
             deleted boolean, row blob, PRIMARY KEY ((shard, bucket, generation), key)"
        }
    };
    let compression = match part {
        Part::Chunks => compression,
        Part::Catalogue | Part::Places | Part::Index | Part::Fresh => Compression::default(),
    };
    let remembered = match part {
        Part::Chunks | Part::Fresh => {
            format!(" AND gc_grace_seconds = {DELETED_BLOBS_REMEMBERED_SECONDS}")
        }
        _ => String::new(),
    };
    format!(
        "CREATE TABLE IF NOT EXISTS {} ({columns}) WITH comment = '{}' AND compression = {}{remembered}",
        names.cql(part),
        comment(names),
        compression.cql()
    )
}

/// Returns the statement that makes this process the one that creates the other tables, unless there is one.
pub(super) fn claim_statement(names: &Names) -> String {
    let catalogue = names.cql(Part::Catalogue);
    format!(
        "INSERT INTO {catalogue} (id, definition) VALUES ('{CLAIM}', ?) IF NOT EXISTS \
         USING TTL {CLAIMED_SECONDS}"
    )
}

/// Returns the statement with which it stays the one.
pub(super) fn renewal_statement(names: &Names) -> String {
    let catalogue = names.cql(Part::Catalogue);
    format!(
        "UPDATE {catalogue} USING TTL {CLAIMED_SECONDS} SET definition = ? WHERE id = '{CLAIM}' \
         IF definition = ?"
    )
}

/// Returns the statement that ends this.
pub(super) fn release_statement(names: &Names) -> String {
    let catalogue = names.cql(Part::Catalogue);
    format!("DELETE FROM {catalogue} WHERE id = '{CLAIM}' IF definition = ?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blobs_have_the_compression_that_was_chosen() {
        let statements = recreation_statements("ks", "t", Compression::Deflate).unwrap();
        let made = statements.iter().filter(|s| s.starts_with("CREATE TABLE"));
        let of_class = |class: &str| {
            let option = format!(" AND compression = {{'class': '{class}Compressor', ");
            let tables = made.clone().filter(|s| s.contains(&option));
            tables.map(|s| s.split(' ').nth(5)).collect::<Vec<_>>()
        };
        assert_eq!(of_class("Deflate"), [Some("\"ks\".t_chunks")]);
        assert_eq!(of_class("LZ4").len(), 4);
    }
}
