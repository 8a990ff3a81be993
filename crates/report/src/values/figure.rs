//! The figures that other tools get, with their names and units.

mod named;

/// Figure of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    LoadedRows,
    LoadTime,
    SettleTime,
    StoredBytes,
    QueryTime,
    BadRounds,
    OperationsRate,
    HighestRate,
    ResponseP50,
    ResponseP99,
    FailedOperations,
    PassTime,
    BesideRate,
    BesideP50,
    BesideP99,
    Answers,
    AnswerP50,
    FailedQuestions,
    InsertRate,
    InsertP50,
    InsertP99,
    FailedInserts,
    ServerSampled,
    ServerCpu,
    MachineCpu,
    ServerGcTime,
    ServerGcCount,
    ServerAllocated,
    ServerDiskRead,
    ServerDiskWritten,
    DeviceReads,
    DeviceWrites,
    NetworkReceived,
    NetworkSent,
    ServerResident,
    ServerHeap,
    ServerLoad,
    Committed,
    RolledBack,
    RowsRead,
    RowsWritten,
    BlocksHit,
    BlocksRead,
    BlocksWritten,
    TemporaryBytes,
    Deadlocks,
    LogBytes,
    Checkpoints,
    OpenConnections,
    ActiveConnections,
    WaitingConnections,
}

/// What is said of a figure.
struct Named {
    /// Name up to the unit.
    stem: &'static str,
    /// Unit at the end of the name; empty where the name has it already.
    suffix: &'static str,
    unit: &'static str,
    help: &'static str,
}

impl Figure {
    /// All figures, in the order in which they are written.
    pub const ALL: [Figure; 51] = [
        Figure::LoadedRows,
        Figure::LoadTime,
        Figure::SettleTime,
        Figure::StoredBytes,
        Figure::QueryTime,
        Figure::BadRounds,
        Figure::OperationsRate,
        Figure::HighestRate,
        Figure::ResponseP50,
        Figure::ResponseP99,
        Figure::FailedOperations,
        Figure::PassTime,
        Figure::BesideRate,
        Figure::BesideP50,
        Figure::BesideP99,
        Figure::Answers,
        Figure::AnswerP50,
        Figure::FailedQuestions,
        Figure::InsertRate,
        Figure::InsertP50,
        Figure::InsertP99,
        Figure::FailedInserts,
        Figure::ServerSampled,
        Figure::ServerCpu,
        Figure::MachineCpu,
        Figure::ServerGcTime,
        Figure::ServerGcCount,
        Figure::ServerAllocated,
        Figure::ServerDiskRead,
        Figure::ServerDiskWritten,
        Figure::DeviceReads,
        Figure::DeviceWrites,
        Figure::NetworkReceived,
        Figure::NetworkSent,
        Figure::ServerResident,
        Figure::ServerHeap,
        Figure::ServerLoad,
        Figure::Committed,
        Figure::RolledBack,
        Figure::RowsRead,
        Figure::RowsWritten,
        Figure::BlocksHit,
        Figure::BlocksRead,
        Figure::BlocksWritten,
        Figure::TemporaryBytes,
        Figure::Deadlocks,
        Figure::LogBytes,
        Figure::Checkpoints,
        Figure::OpenConnections,
        Figure::ActiveConnections,
        Figure::WaitingConnections,
    ];

    /// Returns the name, with a base unit at its end: `query_seconds`.
    pub fn name(self) -> String {
        self.name_of("")
    }

    /// Returns the name of a bound of the figure, such as `low`, before its unit: `query_low_seconds`.
    pub(super) fn name_of(self, bound: &str) -> String {
        let Named { stem, suffix, .. } = self.named();
        let parts = [stem, bound, suffix].into_iter();
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("_")
    }

    /// Returns the unit in words, such as `seconds`.
    pub fn unit(self) -> &'static str {
        self.named().unit
    }

    /// Describes the figure in a sentence.
    pub(super) fn help(self) -> &'static str {
        self.named().help
    }

    /// Returns the name of what the figure is of: of a query, an operation, a setting, or a step in which a server
    /// was sampled.
    pub(super) fn label(self) -> &'static str {
        match self {
            Figure::ResponseP50
            | Figure::ResponseP99
            | Figure::FailedOperations
            | Figure::PassTime
            | Figure::BesideP50
            | Figure::BesideP99 => "operation",
            Figure::InsertRate | Figure::InsertP50 | Figure::InsertP99 | Figure::FailedInserts => {
                "setting"
            }
            Figure::ServerSampled
            | Figure::ServerCpu
            | Figure::MachineCpu
            | Figure::ServerGcTime
            | Figure::ServerGcCount
            | Figure::ServerAllocated
            | Figure::ServerDiskRead
            | Figure::ServerDiskWritten
            | Figure::DeviceReads
            | Figure::DeviceWrites
            | Figure::NetworkReceived
            | Figure::NetworkSent
            | Figure::ServerResident
            | Figure::ServerHeap
            | Figure::ServerLoad
            | Figure::Committed
            | Figure::RolledBack
            | Figure::RowsRead
            | Figure::RowsWritten
            | Figure::BlocksHit
            | Figure::BlocksRead
            | Figure::BlocksWritten
            | Figure::TemporaryBytes
            | Figure::Deadlocks
            | Figure::LogBytes
            | Figure::Checkpoints
            | Figure::OpenConnections
            | Figure::ActiveConnections
            | Figure::WaitingConnections => "step",
            _ => "query",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_figure_has_a_name_of_its_own_that_ends_with_its_unit() {
        let names: BTreeSet<String> = Figure::ALL.iter().map(|figure| figure.name()).collect();
        assert_eq!(names.len(), Figure::ALL.len());
        for figure in Figure::ALL {
            let name = figure.name();
            let unit = figure.unit().replace('/', "_per_");
            assert!(name.ends_with(&unit), "{name}: {unit}");
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(name.chars().all(is_plain), "{name}");
            assert!(figure.help().ends_with('.'), "{name}");
        }
        assert_eq!(Figure::QueryTime.name_of("low"), "query_low_seconds");
        let rate = Figure::OperationsRate.name_of("high");
        assert_eq!(rate, "operations_per_second_high");
    }
}
