//! The consistency levels of a workload in the driver's type, and what reads see of what was written at
//! another level.

use bakeoff_columnar::cassandra::reads_see_writes;
use bakeoff_workload::{Consistency, DesignId};

use crate::EngineError;

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

/// The level at which a run writes, and the copies that it writes.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    pub level: Consistency,
    /// Number of copies of each row in every datacenter.
    pub copies: u32,
    pub datacenters: usize,
}

impl Written {
    fn is_seen_at(self, read: Consistency) -> bool {
        let copies = vec![u64::from(self.copies); self.datacenters];
        reads_see_writes(in_driver(read), in_driver(self.level), &copies)
    }

    /// Checks that a design, which reads at a level of its own, sees every row that was acknowledged.
    ///
    /// # Errors
    /// Fails if the copies that answer a read may all lack a row, and names levels with which they do not.
    pub fn check_reads(self, id: &DesignId, read: Consistency) -> Result<(), EngineError> {
        if self.is_seen_at(read) {
            return Ok(());
        }
        let enough = [Consistency::Quorum, Consistency::All];
        let enough = enough.into_iter().find(|level| self.is_seen_at(*level));
        let enough = enough.unwrap_or(Consistency::All).to_string();
        let copies = match self.datacenters {
            1 => format!("{} copies", self.copies),
            several => format!("{} copies in each of {several} datacenters", self.copies),
        };
        Err(EngineError(format!(
            "design {id}: reads at {read} may miss rows that were acknowledged at {}, since each has \
             {copies}: write at --consistency all, or read at consistency={}",
            self.level,
            enough.to_lowercase()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(read: Consistency, level: Consistency, datacenters: usize) -> Result<(), String> {
        let written = Written {
            level,
            copies: 3,
            datacenters,
        };
        let id = "cassandra/wide?consistency=one".parse().unwrap();
        written.check_reads(&id, read).map_err(|error| error.0)
    }

    #[test]
    fn a_read_that_sees_all_that_was_acknowledged_is_allowed() {
        for (read, write) in [
            (Consistency::One, Consistency::All),
            (Consistency::LocalOne, Consistency::All),
            (Consistency::Quorum, Consistency::Quorum),
            (Consistency::LocalQuorum, Consistency::LocalQuorum),
            (Consistency::All, Consistency::LocalOne),
        ] {
            assert_eq!(checked(read, write, 1), Ok(()), "{read} after {write}");
        }
    }

    #[test]
    fn a_read_that_may_miss_rows_is_refused_with_levels_that_do_not() {
        let error = checked(Consistency::One, Consistency::LocalOne, 1).unwrap_err();
        assert_eq!(
            error,
            "design cassandra/wide?consistency=one: reads at ONE may miss rows that were acknowledged at \
             LOCAL_ONE, since each has 3 copies: write at --consistency all, or read at consistency=all"
        );
        let error = checked(Consistency::One, Consistency::Quorum, 1).unwrap_err();
        assert!(error.ends_with("or read at consistency=quorum"), "{error}");
        let level = Consistency::LocalQuorum;
        let error = checked(level, level, 2).unwrap_err();
        assert!(
            error.contains("3 copies in each of 2 datacenters"),
            "{error}"
        );
    }
}
