//! How long an operation, and a step of a table before the load, may take.

use std::time::Duration;

use clap::Args;

use crate::cmd::options::choice::parse_duration;

#[derive(Args, Debug)]
pub struct LimitOptions {
    /// The longest that an operation may take
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_duration)]
    pub time_out: Duration,

    /// The longest that loading 10,000 rows, or the compaction of a loaded table, may take before the load; a compaction
    /// may also take as long as all tables took to load
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = parse_duration)]
    pub limit: Duration,
}
