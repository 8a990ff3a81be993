//! Measurements: metrics, the walks behind them, and their values.

use crate::{Column, ColumnType, Stream};

use super::law::Law;
use super::walker::{Noise, Visit, Walk, Walker};

/// Amounts of memory that a host can have, in bytes.
const MEMORY_BYTES: [f64; 3] = [8_589_934_592.0, 12_884_901_888.0, 17_179_869_184.0];
/// Probability that a load changes at each time.
const LOAD_CHANGE: f64 = 0.05;
const MOST_LOAD: f64 = 5000.0;

/// A table's metrics, in the order of its columns.
pub struct Measurement {
    pub metrics: Vec<Metric>,
    walks: Vec<(Law, Noise)>,
    /// Noise of the walks that are still to be added.
    noise: Noise,
}

/// A metric with its column and values.
pub struct Metric {
    pub name: &'static str,
    value: Value,
}

#[derive(Clone, Copy)]
enum Value {
    /// Values of the walk with this number, truncated to `parts` parts of 1.
    Walk {
        walk: usize,
        parts: f64,
    },
    /// Values calculated from the whole part of a walk.
    Derived(usize, fn(f64) -> f64),
    /// Values calculated from the whole bytes of a walk between 0 and the host's memory, and from
    /// that memory.
    DerivedFromMemory(usize, fn(f64, f64) -> f64),
    Memory,
    BootTime,
    /// Seconds since the start.
    Uptime {
        interval_ms: u32,
    },
    Load,
}

/// A walk of a measurement that is not itself a column.
#[derive(Clone, Copy)]
pub struct Hidden(usize);

impl Measurement {
    pub fn new(noise: Noise) -> Self {
        Measurement {
            metrics: Vec::new(),
            walks: Vec::new(),
            noise,
        }
    }

    /// Sets the noise of the walks that are added from here on.
    pub fn with_noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }

    /// Returns the columns of all metrics.
    pub fn columns(&self) -> impl Iterator<Item = Column> {
        self.metrics.iter().map(|metric| Column {
            name: metric.name.to_owned(),
            kind: ColumnType::Double,
        })
    }

    /// Adds metrics in whole numbers, each with its own walk.
    pub fn walks(mut self, names: &[&'static str], law: Law) -> Self {
        for name in names {
            self = self.walk(name, law, 1.0);
        }
        self
    }

    /// Adds a metric with its own walk, in whole parts of 1: 10 for one decimal.
    pub fn walk(mut self, name: &'static str, law: Law, parts: f64) -> Self {
        let Hidden(walk) = self.hidden(law);
        self.with(name, Value::Walk { walk, parts })
    }

    /// Adds a walk that is not itself a column.
    pub fn hidden(&mut self, law: Law) -> Hidden {
        self.walks.push((law, self.noise));
        Hidden(self.walks.len() - 1)
    }

    /// Adds a metric that follows from the whole part of a walk.
    pub fn derived(self, walk: Hidden, name: &'static str, value: fn(f64) -> f64) -> Self {
        self.with(name, Value::Derived(walk.0, value))
    }

    /// Adds a metric that follows from the bytes that a walk in 0 to 1 represents, and from the
    /// host's bytes of memory.
    pub fn derived_from_memory(
        self,
        walk: Hidden,
        name: &'static str,
        value: fn(f64, f64) -> f64,
    ) -> Self {
        self.with(name, Value::DerivedFromMemory(walk.0, value))
    }

    /// Adds the memory of the host, in bytes.
    pub fn memory(self, name: &'static str) -> Self {
        self.with(name, Value::Memory)
    }

    /// Adds the time at which the host was started.
    pub fn boot_time(self, name: &'static str) -> Self {
        self.with(name, Value::BootTime)
    }

    /// Adds the seconds since the start.
    pub fn uptime(self, name: &'static str, interval_ms: u32) -> Self {
        self.with(name, Value::Uptime { interval_ms })
    }

    /// Adds a load that is 0 at first, and changes to a uniform one now and then.
    pub fn load(self, name: &'static str) -> Self {
        self.with(name, Value::Load)
    }

    fn with(mut self, name: &'static str, value: Value) -> Self {
        self.metrics.push(Metric { name, value });
        self
    }

    /// Makes the walks of all metrics for this number of sources.
    pub fn walker(&self, stream: &Stream, sources: u32) -> Walker {
        let walks = self.walks.iter().map(|(law, noise)| Walk {
            noise: *noise,
            start: law.start(),
        });
        Walker::new(&stream.and(0), walks.collect(), sources)
    }

    /// Returns the values of each metric for these visits. `stream` is the one that the walker was
    /// made with.
    pub fn values(&self, stream: &Stream, walker: &mut Walker, visits: &[Visit]) -> Vec<Vec<f64>> {
        /// Number of visits at once, so that their walks fit into the processor's cache.
        const TILE: usize = 512;
        let mut columns: Vec<_> = self
            .metrics
            .iter()
            .map(|_| Vec::with_capacity(visits.len()))
            .collect();
        let mut walks = Vec::with_capacity(TILE * self.walks.len());
        for visits in visits.chunks(TILE) {
            walks.clear();
            for visit in visits {
                walks.extend_from_slice(walker.visit(*visit));
            }
            let tile = Tile {
                stream,
                walks: &walks,
                laws: &self.walks,
                visits,
            };
            for (metric, column) in self.metrics.iter().zip(&mut columns) {
                tile.extend(column, metric.value);
            }
        }
        columns
    }
}

/// Some visits, with the points of all walks of their sources, visit by visit.
struct Tile<'a> {
    stream: &'a Stream,
    walks: &'a [f64],
    laws: &'a [(Law, Noise)],
    visits: &'a [Visit],
}

impl Tile<'_> {
    fn extend(&self, column: &mut Vec<f64>, value: Value) {
        let from = column.len();
        let visits = self.visits.iter();
        match value {
            Value::Walk { walk, parts } => {
                self.extend_walk(column, walk);
                truncate(&mut column[from..], parts);
            }
            Value::Derived(walk, of) => {
                self.extend_walk(column, walk);
                truncate(&mut column[from..], 1.0);
                column[from..].iter_mut().for_each(|v| *v = of(*v));
            }
            Value::DerivedFromMemory(walk, of) => {
                self.extend_walk(column, walk);
                for (value, visit) in column[from..].iter_mut().zip(visits) {
                    let total = self.memory(visit.source);
                    *value = of((*value * total).floor(), total);
                }
            }
            Value::Memory => column.extend(visits.map(|visit| self.memory(visit.source))),
            Value::BootTime => column.extend(visits.map(|visit| self.boot_time(visit.source))),
            Value::Uptime { interval_ms } => {
                let milliseconds = u64::from(interval_ms);
                column.extend(visits.map(|visit| (visit.tick * milliseconds / 1000) as f64));
            }
            Value::Load => column.extend(visits.map(|visit| self.load(*visit))),
        }
    }

    fn extend_walk(&self, column: &mut Vec<f64>, walk: usize) {
        let visits = self.walks.chunks_exact(self.laws.len());
        let walked = visits
            .zip(self.visits)
            .map(|(points, visit)| (points[walk], visit.tick));
        self.laws[walk].0.extend(column, walked);
    }

    fn memory(&self, source: u32) -> f64 {
        let mut stream = self.stream.and(1).and(source.into());
        MEMORY_BYTES[stream.below(MEMORY_BYTES.len() as u64) as usize]
    }

    fn boot_time(&self, source: u32) -> f64 {
        self.stream.and(2).and(source.into()).below(240) as f64
    }

    /// Returns the load of the latest change. Looking back for it takes 20 draws on average.
    fn load(&self, visit: Visit) -> f64 {
        let stream = self.stream.and(3).and(visit.source.into());
        let mut exchanges = (1..=visit.tick).rev().filter_map(|tick| {
            let mut draw = stream.and(tick);
            draw.chance(LOAD_CHANGE).then(|| draw.unit() * MOST_LOAD)
        });
        exchanges.next().map_or(0.0, f64::trunc)
    }
}

/// Truncates to whole parts of 1.
fn truncate(values: &mut [f64], parts: f64) {
    if parts == 1.0 {
        values.iter_mut().for_each(|v| *v = *v as i64 as f64);
    } else {
        values
            .iter_mut()
            .for_each(|v| *v = (*v * parts) as i64 as f64 / parts);
    }
}
