//! Which designs of a run read the table of another one.

use bakeoff_engines::{SharedTables, share_tables};
use bakeoff_workload::DesignId;

use super::Run;

impl Run {
    /// Finds the designs that read the table of another one, which both would write in the same way. There are none
    /// where each design has a server of its own, and in a race, which drops a design with its table.
    pub fn shared_tables(&self, designs: &[DesignId]) -> SharedTables {
        if self.race || self.nodes.server_per_design {
            return SharedTables::default();
        }
        share_tables(designs)
    }
}
