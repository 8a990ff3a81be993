//! The command line options of tables in memory.

/// The limits of tables in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryOptions {
    /// The memory that the rows of a table may use, in bytes.
    pub table_bytes: usize,
}
