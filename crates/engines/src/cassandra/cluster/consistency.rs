//! Consistency levels of a workload in the driver's types.

use bakeoff_workload::Consistency;

/// Translates a consistency level of ours to the driver's.
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
