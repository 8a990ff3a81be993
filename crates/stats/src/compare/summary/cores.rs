//! Whether the time of an answer is spent on computing or on waiting.

use super::QuerySummary;
use crate::DesignInfo;

/// Share of the machine's cores from which on an answer is bound by the CPU.
const BUSY_SHARE: f64 = 0.8;
/// Cores in use below which an answer mostly waits: not even one of them is busy.
const WAITING_BELOW: f64 = 0.8;

/// Multiple of the machine's cores above which the CPU time cannot be that of the answer alone: what goes on outside of
/// its time, such as a connection that is reset behind it, is in the CPU time of its process.
const MOST_POSSIBLE: f64 = 1.2;

/// Returns whether a machine with this number of cores can have had so many in use, so that CPU time tells something
/// of the time of an answer.
fn are_possible(cores_in_use: f64, cores: u32) -> bool {
    cores_in_use <= MOST_POSSIBLE * f64::from(cores)
}

/// What the time of an answer depends on, as far as its CPU time tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundBy {
    /// Nearly all cores of the machine are busy.
    Cpu,
    /// Less than one core is busy: it waits for something else.
    Waiting,
    /// Some cores are busy, and others are not.
    FewCores,
}

impl QuerySummary {
    /// Returns the cores that client and server used on average while the query was answered; `None` if the CPU time of
    /// the server is not known.
    pub fn cores_used(&self, design: &DesignInfo) -> Option<f64> {
        let rounds = self.rounds.len() as f64;
        let seconds: f64 = self.rounds.iter().map(|(_, seconds)| seconds).sum();
        (seconds > 0.0).then_some(())?;
        Some(self.cpu_seconds(design)? / (seconds / rounds))
    }

    /// Returns what the query is bound by on a machine with this number of cores; `None` where its CPU time does not
    /// tell.
    pub fn bound_by(&self, design: &DesignInfo, cores: u32) -> Option<BoundBy> {
        let used = self
            .cores_used(design)
            .filter(|used| are_possible(*used, cores))?;
        Some(if used >= BUSY_SHARE * f64::from(cores) {
            BoundBy::Cpu
        } else if used < WAITING_BELOW {
            BoundBy::Waiting
        } else {
            BoundBy::FewCores
        })
    }

    /// Returns the rows that the storage passed on for each second of CPU time of client and server; `None` where
    /// none were, or not all of that time is known.
    pub fn rows_per_core_second(&self, design: &DesignInfo) -> Option<f64> {
        let rows = self.rows_scanned.filter(|rows| *rows > 0.0)?;
        Some(rows / self.cpu_seconds(design)?)
    }

    /// Returns the CPU time of client and server for one answer, if there is some and all of it is known.
    fn cpu_seconds(&self, design: &DesignInfo) -> Option<f64> {
        let server = match self.cpu.server {
            None if design.server => return None,
            server => server.unwrap_or_default(),
        };
        Some(self.cpu.client + server).filter(|seconds| *seconds > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuSeconds;

    fn query(client: f64, server: Option<f64>) -> QuerySummary {
        QuerySummary {
            query: "q".to_owned(),
            time: None,
            // Two seconds on average.
            rounds: vec![(1, 1.5), (2, 2.5)],
            was_right_at_first: true,
            was_right: true,
            always_empty: false,
            times_fastest: None,
            rows_scanned_per_second: None,
            rows_scanned: Some(1_200.0),
            cpu: CpuSeconds { client, server },
            bad_rounds: 0,
        }
    }

    fn design(server: bool) -> DesignInfo {
        DesignInfo {
            server,
            ..crate::compare::testing::header().designs[0].clone()
        }
    }

    #[test]
    fn an_answer_is_bound_by_the_cpu_or_waits() {
        let bound = |client, server| query(client, server).bound_by(&design(true), 4);
        assert_eq!(query(1.0, Some(2.0)).cores_used(&design(true)), Some(1.5));
        assert_eq!(bound(3.5, Some(3.0)), Some(BoundBy::Cpu));
        assert_eq!(bound(3.3, Some(3.0)), Some(BoundBy::FewCores));
        assert_eq!(bound(1.0, Some(0.7)), Some(BoundBy::FewCores));
        assert_eq!(bound(0.6, Some(0.9)), Some(BoundBy::Waiting));
        // More than the machine has: not all of it was for the answer.
        assert_eq!(bound(6.0, Some(4.0)), None);
        // Of one core all is the machine's.
        assert_eq!(
            query(1.7, None).bound_by(&design(false), 1),
            Some(BoundBy::Cpu)
        );
    }

    #[test]
    fn without_the_server_s_time_nothing_is_known() {
        let unknown = query(1.0, None);
        assert_eq!(unknown.cores_used(&design(true)), None);
        assert_eq!(unknown.bound_by(&design(true), 4), None);
        assert_eq!(unknown.rows_per_core_second(&design(true)), None);
        assert_eq!(unknown.cores_used(&design(false)), Some(0.5));
        let never = QuerySummary {
            rounds: Vec::new(),
            ..query(1.0, None)
        };
        assert_eq!(never.cores_used(&design(false)), None);
    }

    #[test]
    fn rows_count_for_each_second_of_a_core() {
        let rows = query(1.0, Some(2.0)).rows_per_core_second(&design(true));
        assert_eq!(rows, Some(400.0));
        let metadata = QuerySummary {
            rows_scanned: Some(0.0),
            ..query(1.0, None)
        };
        assert_eq!(metadata.rows_per_core_second(&design(false)), None);
    }
}
