//! What a command line may ask of tables in memory.

/// How much memory tables may take.
#[derive(Debug, Clone, Default)]
pub struct MemoryOptions {
    /// Memory that the rows of a table may use.
    pub table_bytes: usize,
}
