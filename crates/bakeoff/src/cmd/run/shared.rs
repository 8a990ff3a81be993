//! Which designs of a run read the table of another one.

use bakeoff_engines::{SharedTables, share_tables};
use bakeoff_workload::{DesignId, Workload};

use super::Run;

impl Run {
    /// Finds the designs that read the table of another one, which both would write in the same way. There are none
    /// where each design has a server of its own, in a race, which drops a design with its table, and where the
    /// workload bounds the memory of servers: a design would find in the page cache what another one has just read.
    pub fn shared_tables(&self, workload: &Workload, designs: &[DesignId]) -> SharedTables {
        let is_bounded = workload.server.memory_mib.is_some();
        if self.race || self.nodes.server_per_design || is_bounded {
            return SharedTables::default();
        }
        share_tables(designs)
    }
}
