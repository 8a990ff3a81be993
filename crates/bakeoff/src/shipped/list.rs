//! Lists the files that are part of the program. A test compares the list with the folders.

use super::{Shelf, Shipped};

macro_rules! shipped {
    ($folder:literal, $($name:literal,)*) => {
        &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../../../../", $folder, "/", $name, ".toml")),
        }),*]
    };
}

pub static WORKLOADS: Shelf = Shelf {
    what: "workload",
    folder: "workloads",
    files: shipped![
        "workloads",
        "channel_messages",
        "compactions",
        "compactions_bti",
        "compression",
        "compression_ranges",
        "compression_words",
        "easy-stress/allow_filtering",
        "easy-stress/basic_time_series",
        "easy-stress/counters_wide",
        "easy-stress/create_drop",
        "easy-stress/dse_search",
        "easy-stress/key_value",
        "easy-stress/locking",
        "easy-stress/lwt",
        "easy-stress/maps",
        "easy-stress/materialized_views",
        "easy-stress/random_partition_access_partition",
        "easy-stress/random_partition_access_row",
        "easy-stress/range_scan",
        "easy-stress/sai",
        "easy-stress/sai_global",
        "easy-stress/sets",
        "easy-stress/txn_counter",
        "easy-stress/udt_time_series",
        "formats",
        "formats_columns",
        "formats_indexes",
        "formats_rows",
        "formats_widths",
        "latest_values",
        "metrics",
        "models",
        "nosqlbench/cql_keyvalue2",
        "nosqlbench/cql_timeseries2",
        "partitions",
        "readings",
        "retention",
        "row_cache",
        "sensor",
        "sensor_levels",
        "sensor_timeouts",
        "timeseries",
        "timeseries_diagnostics",
        "timeseries_readings",
        "timeseries_summary",
        "versions",
        "ycsb/a",
        "ycsb/b",
        "ycsb/c",
        "ycsb/d",
        "ycsb/e",
        "ycsb/f",
    ],
};

/// Scripts that are printed for bash to run.
pub static SCRIPTS: Shelf = Shelf {
    what: "script",
    folder: "scripts",
    files: &[
        Shipped {
            name: "install-duckdb",
            text: include_str!("../../../../scripts/install-duckdb"),
        },
        Shipped {
            name: "install-timescaledb",
            text: include_str!("../../../../scripts/install-timescaledb"),
        },
    ],
};

pub static STUDIES: Shelf = Shelf {
    what: "study",
    folder: "studies",
    files: shipped!["studies", "s1", "s2", "s3", "s4", "s5",],
};

pub static PRICES: Shelf = Shelf {
    what: "price list",
    folder: "prices",
    files: shipped!["prices", "study-2018",],
};
