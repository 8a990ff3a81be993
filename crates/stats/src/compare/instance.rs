//! Further tables of a design in the same run, which show how reliable its figures are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A further table of a design, loaded and asked alongside the design's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Id of this table in records, such as `parquet#twin`.
    pub id: String,
    /// Id of the design.
    pub design: String,
    #[serde(flatten)]
    pub kind: InstanceKind,
}

/// Purpose of a further table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "instance", rename_all = "kebab-case")]
pub enum InstanceKind {
    /// Holds the same rows as the design's own table, so that their figures show by how much a design
    /// differs from itself.
    Twin,
    /// Holds the first rows only, so that figures can be followed from scale to scale.
    Smaller { rows: u64 },
    /// Holds one of `series` series over the first of `time` parts of the time, so that figures can be
    /// followed along both axes of growth.
    Part { series: u32, time: u32, rows: u64 },
}

/// Number of series and length of time in the rows of a run: the axes along which the table grows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axes {
    /// Number of series; `None` if there are too many to count.
    pub series: Option<u64>,
    /// Length of the time, in milliseconds or in the units of a number; `None` without times.
    pub time: Option<u64>,
    /// How many times as many series and as long a time the full scale has.
    pub to_full: (f64, f64),
    /// Shares of the time that questions about a window look at, by the name of the query.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub windows: BTreeMap<String, f64>,
}

impl Instance {
    /// Makes the twin of a design.
    pub fn twin(design: &str) -> Instance {
        Instance {
            id: format!("{design}#twin"),
            design: design.to_owned(),
            kind: InstanceKind::Twin,
        }
    }

    /// Makes the table of a design that holds the first rows only.
    pub fn smaller(design: &str, rows: u64) -> Instance {
        Instance {
            id: format!("{design}#{rows}rows"),
            design: design.to_owned(),
            kind: InstanceKind::Smaller { rows },
        }
    }

    /// Makes the table of a design that holds a share of the series and of the time.
    pub fn part(design: &str, (series, time): (u32, u32), rows: u64) -> Instance {
        Instance {
            id: format!("{design}#s{series}t{time}"),
            design: design.to_owned(),
            kind: InstanceKind::Part { series, time, rows },
        }
    }

    /// Returns the id that the same further table of another design has.
    pub fn like_it(&self, design: &str) -> String {
        let tag = self.id.strip_prefix(&self.design).unwrap_or_default();
        format!("{design}{tag}")
    }
}
