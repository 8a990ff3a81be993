//! Aggregations that read less than all rows: from statistics (`whole_chunks`), on the codes of
//! dictionaries (`by_codes`), and from the newest rows alone (`newest_rows`).

pub mod by_codes;
mod decoded;
pub mod first_rows;
mod group_rows;
mod grouping;
mod groups_exec;
mod measure;
pub mod newest_rows;
pub mod plain;
pub mod statistics_exec;
mod table_scan;
pub mod whole_chunks;
