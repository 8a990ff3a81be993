//! Further tables of a design in the same run, which show how reliable its figures are.

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
}
