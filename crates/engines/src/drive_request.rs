//! What a drive asks of each of its designs.

use bakeoff_workload::{Mix, Workload};

/// What a drive asks of each of its designs, as far as it is known before anything is started.
#[derive(Debug, Clone, Copy)]
pub struct DriveRequest<'a> {
    pub workload: &'a Workload,
    pub mix: &'a Mix,
    /// Whether rows may have the same key.
    pub keys_repeat: bool,
    /// How often an operation is tried again after a time-out.
    pub retries: u32,
    /// The number of worker threads.
    pub threads: u32,
    /// The options of the command line, such as `--shard`, by which a drive does more than to fill a table, offer loads
    /// to it, and remove it.
    pub options: &'a [&'static str],
}

impl<'a> DriveRequest<'a> {
    /// Asks for a load of one thread, without options.
    pub fn plain(workload: &'a Workload, mix: &'a Mix) -> Self {
        DriveRequest {
            workload,
            mix,
            keys_repeat: false,
            retries: 0,
            threads: 1,
            options: &[],
        }
    }
}
