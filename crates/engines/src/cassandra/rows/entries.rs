//! Entries of the layouts of rows in `bakeoff list`, whose texts say which settings there are. Cassandra 4.1 has
//! entries of its own, without what is new in 5.0.

use super::storage::{table_options, table_options_of_4};
use crate::Layout;
use crate::cassandra::read::reading::consistency_setting;

/// Table options, which every layout of rows has.
pub const STORAGE_SETTINGS: &str = table_options!();
/// The table options that Cassandra 4.1 has of them.
pub const STORAGE_SETTINGS_4: &str = table_options_of_4!();

/// Expands to what the settings of layouts whose columns CQL can tell apart have after the table options, with
/// the example of an index. It is a macro, since `concat!` takes no constants.
macro_rules! settings_of_columns {
    ($index:literal) => {
        concat!(
            ", page=5000, aggregate=client|server|ranges|java|java-list, index=country",
            $index,
            ", table_by=country, view=country, index_table=country, summary=1h (or a number), \
             names=full|short, columns=10, \
             settle=compact|flush, alter=chunk:4KiB, batch=40KiB, replication=1, ",
            consistency_setting!()
        )
    };
}

/// Expands to the settings of partitions with several rows.
macro_rules! settings_of_partitions {
    () => {
        "bucket=1d (or a number), order=asc|desc, key=country (or a+b), "
    };
}

/// Entry of the layout `narrow`.
pub const NARROW: Layout = Layout {
    name: "cassandra/narrow",
    what: "one row per partition",
    settings: concat!(
        table_options!(),
        settings_of_columns!(" (or a+b or country:2i)")
    ),
};
/// Entry of the layout `narrow` of Cassandra 4.1.
pub const NARROW_4: Layout = Layout {
    name: "cassandra-4/narrow",
    settings: concat!(
        table_options_of_4!(),
        settings_of_columns!(":2i (or a+b:2i)")
    ),
    ..NARROW
};

/// Entry of the layout `wide`.
pub const WIDE: Layout = Layout {
    name: "cassandra/wide",
    what: "rows of a partition key together, in order; a time bucket if asked",
    settings: concat!(
        settings_of_partitions!(),
        table_options!(),
        settings_of_columns!(" (or a+b or country:2i)")
    ),
};
/// Entry of the layout `wide` of Cassandra 4.1.
pub const WIDE_4: Layout = Layout {
    name: "cassandra-4/wide",
    settings: concat!(
        settings_of_partitions!(),
        table_options_of_4!(),
        settings_of_columns!(":2i (or a+b:2i)")
    ),
    ..WIDE
};

/// Settings of the layouts whose columns CQL cannot tell apart, so that it neither aggregates
/// nor indexes them.
const BLOB_SETTINGS: &str = concat!(
    settings_of_partitions!(),
    table_options!(),
    ", page=5000, columns=10, settle=compact|flush, alter=chunk:4KiB, batch=40KiB, replication=1, ",
    consistency_setting!()
);
const BLOB_SETTINGS_4: &str = concat!(
    settings_of_partitions!(),
    table_options_of_4!(),
    ", page=5000, columns=10, settle=compact|flush, alter=chunk:4KiB, batch=40KiB, replication=1, ",
    consistency_setting!()
);

/// Entry of the layout `blob`.
pub const BLOB: Layout = Layout {
    name: "cassandra/blob",
    what: "as wide, everything outside the key in one encoded blob per row",
    settings: BLOB_SETTINGS,
};
/// Entry of the layout `blob` of Cassandra 4.1.
pub const BLOB_4: Layout = Layout {
    name: "cassandra-4/blob",
    settings: BLOB_SETTINGS_4,
    ..BLOB
};

/// Entry of the layout `compact`.
pub const COMPACT: Layout = Layout {
    name: "cassandra/compact",
    what: "as blob, WITH COMPACT STORAGE",
    settings: BLOB_SETTINGS,
};
/// Entry of the layout `compact` of Cassandra 4.1.
pub const COMPACT_4: Layout = Layout {
    name: "cassandra-4/compact",
    settings: BLOB_SETTINGS_4,
    ..COMPACT
};
