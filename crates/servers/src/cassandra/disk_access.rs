//! Method of reading the files of a table.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Method of reading the files of a table (`disk_access_mode`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskAccess {
    /// Maps indexes into memory and reads data, as Cassandra is shipped. A page of an index that is
    /// not cached makes the kernel read around it as far as the device reads ahead.
    #[default]
    MmapIndexOnly,
    /// Reads everything, so that a miss fetches little more than the pages that are asked for.
    Standard,
    /// Maps everything into memory.
    Mmap,
}

impl fmt::Display for DiskAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DiskAccess::MmapIndexOnly => "mmap_index_only",
            DiskAccess::Standard => "standard",
            DiskAccess::Mmap => "mmap",
        })
    }
}
