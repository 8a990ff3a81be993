//! What the servers of a design tell of themselves, whatever its tables are.

use std::collections::BTreeMap;

use async_trait::async_trait;
use bakeoff_stats::Stacks;

use crate::DesignError;

/// Counts of the nodes of a cluster by their names, each since that node started.
pub type NodeCounts = BTreeMap<String, u64>;

/// The servers of an engine that has several designs. Each of these returns them by [`Design::servers`], and does not
/// have to answer what they answer in the same way for all.
///
/// [`Design::servers`]: crate::Design::servers
#[async_trait]
pub trait DesignServers: Send + Sync {
    /// Returns what [`Design::server_cpu_seconds`](crate::Design::server_cpu_seconds) does.
    fn cpu_seconds(&self) -> Option<f64>;

    /// Returns what [`Design::read_repairs`](crate::Design::read_repairs) does.
    async fn read_repairs(&self) -> Option<NodeCounts>;

    /// Begins a recording as [`Design::begin_profile`](crate::Design::begin_profile) does.
    ///
    /// # Errors
    /// The recording does not begin.
    async fn begin_profile(&self) -> Result<bool, DesignError>;

    /// Ends a recording as [`Design::end_profile`](crate::Design::end_profile) does.
    ///
    /// # Errors
    /// The recording cannot be read.
    async fn end_profile(&self) -> Result<Stacks, DesignError>;

    /// Returns the number of nodes on which the engine runs.
    fn nodes(&self) -> u32;

    /// Returns why the engine can serve no further calls; `None` while it can.
    fn dead(&self) -> Option<String>;
}
