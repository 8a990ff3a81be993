//! Entries of the layouts of rows in `bakeoff list`, with their settings.

use crate::Layout;
use crate::cassandra::read::reading::consistency_setting;
use crate::cassandra::rows::storage::table_options;

/// Table options, which every layout of rows has.
pub const STORAGE_SETTINGS: &str = table_options!();
const NARROW_SETTINGS: &str = concat!(
    table_options!(),
    ", page=5000, aggregate=client|server|ranges|java|java-list, index=country (or a+b or country:2i), \
     table_by=country, view=country, index_table=country, \
     summary=1h (or a number), settle=compact|flush, batch=40KiB, ",
    consistency_setting!()
);
const WIDE_SETTINGS: &str = concat!(
    "bucket=1d (or a number), order=asc|desc, ",
    table_options!(),
    ", page=5000, aggregate=client|server|ranges|java|java-list, index=country (or a+b or country:2i), \
     table_by=country, view=country, index_table=country, \
     summary=1h (or a number), settle=compact|flush, batch=40KiB, ",
    consistency_setting!()
);
/// Settings of the layouts whose columns CQL cannot tell apart, so that it neither aggregates
/// nor indexes them.
const BLOB_SETTINGS: &str = concat!(
    "bucket=1d (or a number), order=asc|desc, ",
    table_options!(),
    ", page=5000, settle=compact|flush, batch=40KiB, ",
    consistency_setting!()
);

/// Entry of the layout `narrow` in `bakeoff list`.
pub const NARROW: Layout = Layout {
    name: "cassandra/narrow",
    what: "one row per partition",
    settings: NARROW_SETTINGS,
};
/// Entry of the layout `wide` in `bakeoff list`.
pub const WIDE: Layout = Layout {
    name: "cassandra/wide",
    what: "rows of a partition key together, in order; a time bucket if asked",
    settings: WIDE_SETTINGS,
};
/// Entry of the layout `blob` in `bakeoff list`.
pub const BLOB: Layout = Layout {
    name: "cassandra/blob",
    what: "as wide, everything outside the key in one encoded blob per row",
    settings: BLOB_SETTINGS,
};
/// Entry of the layout `compact` in `bakeoff list`.
pub const COMPACT: Layout = Layout {
    name: "cassandra/compact",
    what: "as blob, WITH COMPACT STORAGE",
    settings: BLOB_SETTINGS,
};
