//! The figures that other tools get, with their names and units.

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
    pub const ALL: [Figure; 37] = [
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
            | Figure::ServerLoad => "step",
            _ => "query",
        }
    }

    fn named(self) -> Named {
        let (stem, suffix, unit, help) = match self {
            Figure::LoadedRows => ("loaded", "rows", "rows", "Rows that were loaded."),
            Figure::LoadTime => ("load", "seconds", "seconds", "Time of loading all rows."),
            Figure::SettleTime => (
                "settle",
                "seconds",
                "seconds",
                "Time of bringing storage to rest.",
            ),
            Figure::StoredBytes => ("stored", "bytes", "bytes", "Bytes at rest."),
            Figure::QueryTime => (
                "query",
                "seconds",
                "seconds",
                "Time of a right answer to a query.",
            ),
            Figure::BadRounds => (
                "query_bad",
                "rounds",
                "rounds",
                "Rounds with a wrong answer or none.",
            ),
            Figure::OperationsRate => (
                "operations_per_second",
                "",
                "operations/second",
                "Successful operations of a load a second.",
            ),
            Figure::HighestRate => (
                "highest_operations_per_second",
                "",
                "operations/second",
                "Highest rate within the objective of a search.",
            ),
            Figure::ResponseP50 => (
                "response_p50",
                "seconds",
                "seconds",
                "Median response time.",
            ),
            Figure::ResponseP99 => (
                "response_p99",
                "seconds",
                "seconds",
                "99th percentile of response times.",
            ),
            Figure::FailedOperations => (
                "failed",
                "operations",
                "operations",
                "Operations that failed.",
            ),
            Figure::PassTime => (
                "pass",
                "seconds",
                "seconds",
                "Time of a pass in which no operation failed.",
            ),
            Figure::BesideRate => (
                "beside_operations_per_second",
                "",
                "operations/second",
                "Successful operations a second of loads beside which questions were asked.",
            ),
            Figure::BesideP50 => (
                "beside_response_p50",
                "seconds",
                "seconds",
                "Median response time of loads beside which questions were asked.",
            ),
            Figure::BesideP99 => (
                "beside_response_p99",
                "seconds",
                "seconds",
                "99th percentile of response times of loads beside which questions were asked.",
            ),
            Figure::Answers => (
                "beside",
                "answers",
                "answers",
                "Questions that were answered beside loads.",
            ),
            Figure::AnswerP50 => (
                "beside_answer_p50",
                "seconds",
                "seconds",
                "Median time of answers beside loads.",
            ),
            Figure::FailedQuestions => (
                "beside_failed",
                "questions",
                "questions",
                "Questions that failed.",
            ),
            Figure::InsertRate => (
                "inserted_rows_per_second",
                "",
                "rows/second",
                "Acknowledged rows of a setting a second.",
            ),
            Figure::InsertP50 => (
                "insert_p50",
                "seconds",
                "seconds",
                "Median time of an insert.",
            ),
            Figure::InsertP99 => (
                "insert_p99",
                "seconds",
                "seconds",
                "99th percentile of the times of inserts.",
            ),
            Figure::FailedInserts => ("failed", "inserts", "inserts", "Inserts that failed."),
            Figure::ServerSampled => (
                "server_sampled",
                "seconds",
                "seconds",
                "Time in which the server was sampled, of which all figures of servers are.",
            ),
            Figure::ServerCpu => (
                "server_cpu",
                "seconds",
                "seconds",
                "CPU time of the server while it was sampled.",
            ),
            Figure::MachineCpu => (
                "server_machine_cpu",
                "seconds",
                "seconds",
                "CPU time of the server's machines while it was sampled, all programs.",
            ),
            Figure::ServerGcTime => (
                "server_gc",
                "seconds",
                "seconds",
                "Time of garbage collections while the server was sampled.",
            ),
            Figure::ServerGcCount => (
                "server_gc",
                "collections",
                "collections",
                "Garbage collections while the server was sampled.",
            ),
            Figure::ServerAllocated => (
                "server_allocated",
                "bytes",
                "bytes",
                "Bytes that were allocated on the heap while the server was sampled.",
            ),
            Figure::ServerDiskRead => (
                "server_disk_read",
                "bytes",
                "bytes",
                "Bytes read from the disk while the server was sampled.",
            ),
            Figure::ServerDiskWritten => (
                "server_disk_written",
                "bytes",
                "bytes",
                "Bytes written to the disk while the server was sampled.",
            ),
            Figure::DeviceReads => (
                "server_device_read",
                "requests",
                "requests",
                "Requests to read from the device, all programs.",
            ),
            Figure::DeviceWrites => (
                "server_device_write",
                "requests",
                "requests",
                "Requests to write to the device, all programs.",
            ),
            Figure::NetworkReceived => (
                "server_network_received",
                "bytes",
                "bytes",
                "Bytes that machines received, all programs.",
            ),
            Figure::NetworkSent => (
                "server_network_sent",
                "bytes",
                "bytes",
                "Bytes that machines sent, all programs.",
            ),
            Figure::ServerResident => (
                "server_resident",
                "bytes",
                "bytes",
                "Highest resident memory of the server.",
            ),
            Figure::ServerHeap => (
                "server_heap_used",
                "bytes",
                "bytes",
                "Most bytes of the heap in use.",
            ),
            Figure::ServerLoad => (
                "server_load",
                "threads",
                "threads",
                "Highest load average of the machine.",
            ),
        };
        Named {
            stem,
            suffix,
            unit,
            help,
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
