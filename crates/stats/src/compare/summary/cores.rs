//! Whether the time of an answer is spent on computing or on waiting, and whether its CPU time can be its own.

use super::{DesignSummary, QuerySummary};
use crate::DesignInfo;
use crate::compare::Header;
use crate::design::earlier::looked_at_all_processes;

/// Share of the machine's cores from which on an answer is bound by the CPU.
const BUSY_SHARE: f64 = 0.8;
/// Cores in use below which an answer mostly waits: not even one of them is busy.
const WAITING_BELOW: f64 = 0.8;

/// Multiple of the machine's cores above which the CPU time cannot be that of the answer alone: earlier versions
/// counted what reading the clocks of a server of many processes took in this process.
const MOST_POSSIBLE: f64 = 1.2;
/// Multiple of such a CPU time from which on that of another answer is taken for its own: what else is in it is a tenth
/// of it at most.
const TIMES_OTHER_WORK: f64 = 10.0;

/// Returns whether a machine with this number of cores can have had so many in use, so that CPU time tells something
/// of the time of an answer.
fn are_possible(cores_in_use: f64, cores: u32) -> bool {
    cores_in_use <= MOST_POSSIBLE * f64::from(cores.max(1))
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

impl DesignSummary {
    /// Forgets the CPU times of answers that cannot be those of the answers alone in the run with this header. A query
    /// with more cores in use than there are has other work in it, and other queries of the design have as much: only
    /// of those that are much longer the CPU time is kept.
    pub(in crate::compare) fn forget_impossible_cpu(&mut self, header: &Header) {
        let cores = header.machine.cores;
        let of_more = |query: &&QuerySummary| {
            let used = query.cores_used(&self.info);
            self.knows_cpu_of(query) && used.is_some_and(|used| !are_possible(used, cores))
        };
        let of_more = self.queries.iter().filter(of_more);
        let shown = of_more.filter_map(|query| query.cpu_seconds(&self.info));
        let other_work = shown.chain(self.cpu_of_reading(header)).reduce(f64::max);
        let Some(other_work) = other_work.filter(|seconds| *seconds > 0.0) else {
            return;
        };
        for query in &mut self.queries {
            let seconds = query.cpu_seconds(&self.info);
            if seconds.is_none_or(|seconds| seconds < TIMES_OTHER_WORK * other_work) {
                query.cpu = None;
            }
        }
    }

    /// Returns the most CPU seconds that reading the server's clock can have taken of each answer, where that is in the
    /// client's CPU time: no more than all that the client took of the cheapest one.
    fn cpu_of_reading(&self, header: &Header) -> Option<f64> {
        if header.cpu_without_reading || !looked_at_all_processes(&self.info.engine) {
            return None;
        }
        let known = self.queries.iter().filter_map(|query| query.cpu);
        let with_server = known.filter(|cpu| cpu.server.is_some());
        with_server.map(|cpu| cpu.client).reduce(f64::min)
    }
}

impl QuerySummary {
    /// Returns the cores that client and server used on average while the query was answered; `None` if the CPU time is
    /// not known.
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
        let cpu = self.cpu?;
        let server = match cpu.server {
            None if design.server => return None,
            server => server.unwrap_or_default(),
        };
        Some(cpu.client + server).filter(|seconds| *seconds > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CpuSeconds;
    use crate::compare::Record;
    use crate::compare::summary::Summary;
    use crate::compare::testing::{run, timed};

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
            from_metadata: false,
            cpu: Some(CpuSeconds {
                client,
                server,
                in_ticks: false,
            }),
            bad_rounds: 0,
            given_up_rounds: 0,
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

    /// Summary of a run on two cores, with one answer of each query of the design `a/x`: its seconds, and its CPU
    /// seconds.
    fn summary(scan: (f64, CpuSeconds), key: (f64, CpuSeconds)) -> Summary {
        let answers = [("scan", scan), ("key", key)].map(|(query, (seconds, cpu))| {
            let Record::Timed(mut timing) = timed("a/x", query, seconds) else {
                unreachable!()
            };
            timing.cpu = cpu;
            Record::Timed(timing)
        });
        Summary::from_records(&run(answers)).unwrap()
    }

    fn fine(client: f64) -> CpuSeconds {
        CpuSeconds {
            client: client + 1e-7,
            ..CpuSeconds::default()
        }
    }

    #[test]
    fn what_no_machine_can_do_is_no_answer_s_cpu_time_and_makes_others_doubtful() {
        // 6.6 ms of CPU time in 1.18 ms, and a scan with less than ten times as much.
        let short = summary((0.06, fine(0.065)), (0.001_18, fine(0.006_6)));
        let cpu = |summary: &Summary, query: &str| summary.designs[0].query(query).unwrap().cpu;
        assert_eq!(cpu(&short, "key"), None);
        assert_eq!(cpu(&short, "scan"), None);
        let design = &short.designs[0];
        let mut works = design.queries.iter().map(|query| design.work_of(query));
        assert!(works.all(|work| work.is_none()));

        // Of a long scan it is a small part.
        let long = summary((0.08, fine(0.067)), (0.001_18, fine(0.006_6)));
        assert_eq!(cpu(&long, "key"), None);
        assert!(cpu(&long, "scan").is_some());

        // All cores of the machine may be busy.
        let busy = summary((0.06, fine(0.065)), (0.002, fine(0.004)));
        assert!(cpu(&busy, "key").is_some() && cpu(&busy, "scan").is_some());
    }

    #[test]
    fn of_earlier_records_what_reading_the_clock_may_have_taken_is_doubtful() {
        let answers = [("scan", 0.05, 0.004_1, 0.03), ("key", 0.01, 0.003_1, 0.002)];
        let answers = answers.map(|(query, seconds, client, server)| {
            let Record::Timed(mut timing) = timed("a/x", query, seconds) else {
                unreachable!()
            };
            timing.cpu.client = client;
            timing.cpu.server = Some(server);
            Record::Timed(timing)
        });
        for (engine, is_earlier, is_known) in [
            ("postgres", true, false),
            ("postgres", false, true),
            ("cassandra", true, true),
        ] {
            let mut records = run(answers.clone());
            let Record::Started(header) = &mut records[0] else {
                unreachable!()
            };
            header.cpu_without_reading = !is_earlier;
            header.designs[0].engine = engine.to_owned();
            header.designs[0].server = true;
            let summary = Summary::from_records(&records).unwrap();
            let cpu = |query: &str| summary.designs[0].query(query).unwrap().cpu;
            assert!(cpu("scan").is_some(), "{engine}");
            assert_eq!(cpu("key").is_some(), is_known, "{engine}");
        }
    }

    #[test]
    fn a_few_ticks_in_a_short_answer_are_no_excess() {
        let tick = CpuSeconds {
            client: 0.01,
            ..CpuSeconds::default()
        };
        let ticks = summary((0.06, tick), (0.001, tick));
        assert!(ticks.designs[0].query("key").unwrap().cpu.is_some());
    }

    #[test]
    fn of_short_answers_in_which_processes_end_only_a_bound_is_known() {
        let ended = |server: f64| CpuSeconds {
            client: 0.000_123,
            server: Some(server),
            in_ticks: true,
        };
        let summary = summary((0.2, ended(0.213)), (0.05, ended(0.013)));
        let design = &summary.designs[0];
        let knows = |query: &str| design.knows_cpu_of(design.query(query).unwrap());
        assert!(knows("scan") && !knows("key"));
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
