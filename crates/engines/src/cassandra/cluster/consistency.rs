//! Conversion of a workload's consistency levels to the driver's type.

use bakeoff_workload::Consistency;

/// Converts a consistency level to the driver's type.
pub fn in_driver(consistency: Consistency) -> scylla::statement::Consistency {
    use scylla::statement::Consistency as Driver;
    match consistency {
        Consistency::Any => Driver::Any,
        Consistency::One => Driver::One,
        Consistency::Two => Driver::Two,
        Consistency::Three => Driver::Three,
        Consistency::Quorum => Driver::Quorum,
        Consistency::All => Driver::All,
        Consistency::LocalQuorum => Driver::LocalQuorum,
        Consistency::EachQuorum => Driver::EachQuorum,
        Consistency::LocalOne => Driver::LocalOne,
    }
}
