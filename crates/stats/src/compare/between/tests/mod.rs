//! Comparisons of runs with known truth, of runs that may not be compared, and of many runs.

mod beside;
mod factors;
mod fail_if;
mod gates;
mod histories;
mod loads;
mod obstacles;
mod ratios;
mod simulated;
mod sweeps;

use super::*;
use crate::compare::testing::*;
use crate::compare::{Instance, Record};
use crate::random::SplitMix64;

/// A run of two designs and two queries, as drawn.
#[derive(Clone)]
struct Drawn {
    seed: u64,
    rounds: u32,
    /// Seconds of a design by which all of its times are multiplied, `a/x` first.
    factors: [f64; 2],
    own: f64,
    tables: f64,
    twins: bool,
    slices: u64,
    day: u32,
}

const DRAWN: Drawn = Drawn {
    seed: 1,
    rounds: 9,
    factors: [1.0, 1.0],
    own: 0.02,
    tables: 0.0,
    twins: true,
    slices: 9,
    day: 1,
};
const DESIGNS: [&str; 2] = ["a/x", "a/y"];
const QUERIES: [&str; 2] = ["scan", "key"];

impl Drawn {
    fn records(&self) -> Vec<Record> {
        let mut random = SplitMix64::new(self.seed);
        let twins = DESIGNS.map(Instance::twin);
        let mut records = run([Record::Rounds {
            rounds: self.rounds,
        }]);
        if let Record::Started(header) = &mut records[0] {
            header.started_at = format!("2026-01-{:02}T00:00:00Z", self.day);
            header.designs.truncate(2);
        }
        let mut tables: Vec<(&str, f64)> = DESIGNS.into_iter().zip(self.factors).collect();
        if self.twins {
            let ids = twins.iter().map(|twin| twin.id.as_str());
            tables.extend(ids.zip(self.factors));
            records.push(Record::Instances {
                instances: twins.to_vec(),
            });
        }
        for (table, factor) in tables {
            records.extend(self.load(table, factor, &mut random));
            for query in QUERIES {
                records.extend(self.times(table, query, factor, &mut random));
            }
        }
        records.push(Record::Finished {
            at: "2026-01-01T01:00:00Z".to_owned(),
            seconds: 1.0,
            peak_memory_bytes: 1,
        });
        records
    }

    fn times(&self, table: &str, query: &str, factor: f64, random: &mut SplitMix64) -> Vec<Record> {
        let centre = factor.ln() + self.tables * random.normal();
        (0..self.rounds)
            .map(|round| {
                let seconds = (centre + self.own * random.normal()).exp();
                match timed(table, query, seconds) {
                    Record::Timed(timing) => Record::Timed(crate::Timing { round, ..timing }),
                    record => record,
                }
            })
            .collect()
    }

    fn load(&self, table: &str, factor: f64, random: &mut SplitMix64) -> Vec<Record> {
        let centre = factor.ln() + self.tables * random.normal();
        let slices = (0..self.slices).map(|slice| {
            let seconds = (centre + self.own * random.normal()).exp();
            loaded(table, slice, seconds)
        });
        let slices: Vec<Record> = slices.collect();
        [vec![created(table)], slices, vec![footprint(table, 90_000)]].concat()
    }

    fn summary(&self) -> Summary {
        Summary::from_records(&self.records()).unwrap()
    }
}

fn between(a: &Drawn, b: &Drawn) -> Between {
    Between::of(("a", &a.summary()), ("b", &b.summary()))
}

fn with_header(drawn: &Drawn, change: impl Fn(&mut crate::Header)) -> Summary {
    let mut records = drawn.records();
    if let Record::Started(header) = &mut records[0] {
        change(header);
    }
    Summary::from_records(&records).unwrap()
}
