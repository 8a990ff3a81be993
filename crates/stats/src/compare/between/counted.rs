//! Figures that are counted, or known without an interval.

use serde::Serialize;

/// A figure without an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    Bytes(f64),
    /// A share from 0 to 1.
    Share(f64),
    Seconds(f64),
    /// Rows or operations a second.
    PerSecond(f64),
    /// A figure with questions beside the load, as a multiple of the one without them.
    Ratio(f64),
    Setting {
        batch_rows: u64,
        workers: u32,
    },
}

/// A figure without an interval in both measurements; `None` where it is not known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counted {
    pub design: String,
    pub what: String,
    pub a: Option<Value>,
    pub b: Option<Value>,
}
