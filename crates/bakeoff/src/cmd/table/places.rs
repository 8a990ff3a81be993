//! Words the number of places that a columnar table is kept in.

use bakeoff_engines::tables::Definition;
use bakeoff_report::units;

/// Writes `3 buckets`, `4 shards` or `2 shards of buckets`, whichever the table has. A table without either is
/// one place.
pub fn in_words(parts: u64, table: &Definition) -> String {
    match (table.bucket.is_some(), table.shards) {
        (true, 1) => units::plural(parts, "bucket", "buckets"),
        (true, _) => units::plural(parts, "shard of a bucket", "shards of buckets"),
        (false, 1) if parts == 0 => "nothing".to_owned(),
        (false, 1) => "the table".to_owned(),
        (false, _) => units::plural(parts, "shard", "shards"),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroI64;

    use bakeoff_engines::tables::Profile;

    use super::*;

    #[test]
    fn parts_are_called_what_the_table_is_divided_into() {
        let table = |bucket, shards| Definition {
            columns: Vec::new(),
            partition_key: Vec::new(),
            order_key: Vec::new(),
            bucket: NonZeroI64::new(bucket),
            shards,
            profile: Profile::Fast,
            chunk_rows: 1,
        };
        assert_eq!(in_words(1, &table(5, 1)), "1 bucket");
        assert_eq!(in_words(2, &table(5, 4)), "2 shards of buckets");
        assert_eq!(in_words(3, &table(0, 4)), "3 shards");
        assert_eq!(
            [0, 1].map(|n| in_words(n, &table(0, 1))),
            ["nothing", "the table"]
        );
    }
}
