//! Reads a load from the options: its rate, duration, operations in flight and shard.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bakeoff_driver::drive::{
    DEFAULT_DRAIN_LIMIT, DEFAULT_IN_FLIGHT, DriveSettings, NO_TIME_LIMIT, Objective, Plan,
    Schedule, SearchFor, Shard,
};
use bakeoff_workload::Mix;
use clap::ValueEnum;

use super::Drive;
use super::passes::{self, Asked};

const CLOSED_LOOP_IN_FLIGHT: u32 = 32;
const LOAD: Duration = Duration::from_secs(60);
const PROBE: Duration = Duration::from_secs(10);

/// How operations of a rate arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Arrivals {
    Constant,
    Poisson,
}

/// The load that the options ask for.
#[derive(Debug, Clone)]
pub struct Load {
    pub schedule: Schedule,
    pub in_flight: u32,
    pub duration: Duration,
    pub objective: Option<Objective>,
    /// Passes that take the place of loads.
    pub passes: Option<Vec<Asked>>,
    pub shard: Shard,
}

impl Load {
    /// Reads the load from the options.
    ///
    /// # Errors
    /// Fails for an invalid rate, objective or pass, or an operation that the mix does not have.
    pub fn new(options: &Drive, mix: &Mix) -> Result<Load> {
        let objective = match &options.within {
            Some(text) => Some(objective(text, mix)?),
            None => None,
        };
        let schedule = match (&options.rate, options.operations) {
            (Some(text), _) => schedule(text, options.arrivals)?,
            (None, Some(count)) => Schedule::Operations { count },
            (None, None) => Schedule::ClosedLoop,
        };
        if schedule.is_closed_loop() && objective.is_none() && options.arrivals == Arrivals::Poisson
        {
            bail!("--arrivals poisson needs a --rate, or a rate to search --within");
        }
        let passes = match options.passes.as_slice() {
            [] => None,
            texts => Some(passes::asked(texts, mix)?),
        };
        let in_flight = options.in_flight.unwrap_or(match (&schedule, &objective) {
            _ if passes.is_some() => u32::from(options.threads),
            (schedule, None) if schedule.is_closed_loop() => {
                CLOSED_LOOP_IN_FLIGHT.max(u32::from(options.threads))
            }
            _ => DEFAULT_IN_FLIGHT,
        });
        if in_flight < u32::from(options.threads) {
            bail!(
                "--in-flight {in_flight} is less than --threads {}: each thread needs one",
                options.threads
            );
        }
        let duration = options.duration.unwrap_or(match objective {
            Some(_) => PROBE,
            None if schedule.ends_by_itself() => NO_TIME_LIMIT,
            None => LOAD,
        });
        Ok(Load {
            schedule,
            in_flight,
            duration,
            objective,
            passes,
            shard: options.shard,
        })
    }

    /// Returns what a drive does with each design, on `rows` loaded rows.
    pub fn settings(&self, options: &Drive, mix: Arc<Mix>, seed: u64, rows: u64) -> DriveSettings {
        let at_random = options.arrivals == Arrivals::Poisson;
        let search = self.objective.clone().map(|objective| SearchFor {
            objective,
            at_random,
        });
        let passes = { self.passes.as_ref() }.map(|asked| passes::planned(options, asked, rows));
        DriveSettings {
            load: Plan {
                mix,
                seed,
                ordinal: 0,
                rows,
                new_rows: Vec::new(),
                shard: self.shard,
                threads: u32::from(options.threads),
                in_flight: self.in_flight,
                schedule: self.schedule.clone(),
                duration: self.duration,
                drain_limit: DEFAULT_DRAIN_LIMIT,
                retries: options.retries,
                start_at: options.start_at,
            },
            rounds: options.rounds(),
            search,
            passes,
            beside: None,
            add_node_after: options.added_node.after(),
            warms_up: true,
            fills_tables: !options.no_load,
            call_limit: options.limits.limit,
        }
    }
}

/// Reads a rate, with the arrivals that were asked for.
pub fn schedule(text: &str, arrivals: Arrivals) -> Result<Schedule> {
    let schedule = Schedule::parse(text).with_context(|| format!("--rate {text}"))?;
    match arrivals {
        Arrivals::Constant => Ok(schedule),
        Arrivals::Poisson => Ok(schedule.at_random()?),
    }
}

fn objective(text: &str, mix: &Mix) -> Result<Objective> {
    let operations: Vec<&str> = mix.operations.iter().map(|o| o.name.as_str()).collect();
    Objective::parse(text, &operations).with_context(|| format!("--within {text}"))
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::{Action, Keys, Operation};
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        drive: Drive,
    }

    fn mix() -> Mix {
        let read = Operation {
            name: "read".to_owned(),
            weight: 1.0,
            action: Action::ReadRow,
            keys: Keys::Uniform,
            consistency: None,
            ttl_seconds: None,
            batch: 1,
        };
        Mix {
            operations: vec![read],
            schema: Vec::new(),
            populate: Vec::new(),
            background: Vec::new(),
        }
    }

    fn options(arguments: &[&str]) -> Drive {
        let line = ["drive", "w.toml"].iter().chain(arguments);
        Line::try_parse_from(line).unwrap().drive
    }

    #[test]
    fn passes_have_one_operation_in_flight_for_each_thread_and_no_duration() {
        let options = options(&["--passes", "read=50,read", "--empty", "--threads", "2"]);
        let load = Load::new(&options, &mix()).unwrap();
        assert_eq!(load.in_flight, 2);
        let settings = load.settings(&options, Arc::new(mix()), 1, 80);
        let passes = settings.passes.unwrap();
        assert!(passes.from_empty);
        let rows: Vec<u64> = passes.passes.iter().map(|pass| pass.rows).collect();
        assert_eq!(rows, [50, 80]);
        for other in [["--rate", "5"], ["--for", "5s"], ["--within", "p99<1s"]] {
            let line = [&["drive", "w.toml", "--passes", "read"][..], &other[..]].concat();
            assert!(Line::try_parse_from(line).is_err(), "{other:?}");
        }
        assert!(Line::try_parse_from(["drive", "w.toml", "--empty"]).is_err());
    }

    #[test]
    fn a_number_of_operations_takes_the_place_of_a_time_and_of_a_rate() {
        let load = |arguments: &[&str]| Load::new(&options(arguments), &mix()).unwrap();
        let counted = load(&["--operations", "20k"]);
        assert_eq!(counted.schedule, Schedule::Operations { count: 20_000 });
        assert_eq!(counted.duration, NO_TIME_LIMIT);
        assert_eq!(counted.in_flight, load(&[]).in_flight);
        for other in [
            ["--rate", "5"],
            ["--for", "5s"],
            ["--within", "p99<1s"],
            ["--passes", "read"],
        ] {
            let line = [&["drive", "w.toml", "--operations", "5"][..], &other[..]].concat();
            assert!(Line::try_parse_from(line).is_err(), "{other:?}");
        }
    }

    #[test]
    fn a_step_of_a_table_may_take_an_hour_unless_another_time_is_given() {
        let limit = |arguments: &[&str]| {
            let options = options(arguments);
            let load = Load::new(&options, &mix()).unwrap();
            let settings = load.settings(&options, Arc::new(mix()), 1, 80);
            settings.call_limit
        };
        assert_eq!(limit(&[]), Duration::from_secs(3_600));
        assert_eq!(limit(&["--limit", "90s"]), Duration::from_secs(90));
    }

    #[test]
    fn many_threads_have_an_operation_each_unless_fewer_are_asked_for() {
        for within in [&["--within", "p99<10ms"][..], &[]] {
            let arguments = [&["--threads", "1024"], within].concat();
            let options = options(&arguments);
            let load = Load::new(&options, &mix()).unwrap();
            assert!(load.in_flight >= 1024);
        }
        let too_few = options(&["--threads", "8", "--in-flight", "7"]);
        let error = Load::new(&too_few, &mix()).unwrap_err().to_string();
        assert!(error.contains("--in-flight 7"), "{error}");
    }
}
