//! Cost of a run's figures at given prices; all of it is forecast.

use serde::Serialize;

use super::cpu::Work;
use super::{Demand, DesignSummary, Forecast, Needed, Summary};
use crate::decide::nearest_on_both_sides;
use crate::prices::Prices;

/// Seconds in a month of 730 hours, as machines are billed.
const SECONDS_A_MONTH: f64 = 730.0 * 3600.0;
const GIB: f64 = (1u64 << 30) as f64;

/// Costs in the currency of the prices, for designs that are neither yardsticks nor failed nor
/// answered wrongly.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    pub prices: Prices,
    /// Load that the machines of a month serve.
    pub demand: Demand,
    pub designs: Vec<DesignCost>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DesignCost {
    pub design: String,
    pub million_inserts: Option<CostRange>,
    /// Cost of a million questions by several clients, in the proportion in which they were
    /// answered.
    pub million_concurrent: Option<CostRange>,
    pub queries: Vec<QueryCost>,
    pub machines: Needed,
    pub machines_month: Option<f64>,
    /// GiB of storage to buy.
    pub storage_gib: Option<f64>,
    /// Monthly cost of that storage.
    pub storage_month: Option<f64>,
    /// Monthly cost of storage and machines.
    pub month: Option<f64>,
}

/// Price at which another design becomes the cheapest one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PriceFlip {
    pub of: PriceOf,
    pub now: f64,
    pub at: f64,
    pub design: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriceOf {
    /// A GiB for a month.
    Storage,
    /// A machine for a month.
    Machine,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueryCost {
    pub query: String,
    /// Cost of a million answers.
    pub million: Option<CostRange>,
}

/// Bounds of what some work costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CostRange {
    /// Cost if only the CPU time of client and server is paid for.
    pub low: f64,
    /// Cost if all cores of the measuring machine are paid for while the work lasts.
    pub high: f64,
}

impl Summary {
    /// Adds costs at these prices to the summary, for what the workload says about its full scale, and
    /// decides again with them.
    #[must_use]
    pub fn priced(mut self, prices: Prices) -> Summary {
        let demand = Demand::of_scale(&self, prices.machine_cores);
        self.cost = Some(Cost::new(&self, prices, demand));
        self.decision = self.decide();
        self
    }
}

impl Cost {
    pub fn new(summary: &Summary, prices: Prices, demand: Demand) -> Cost {
        let forecast = (summary.rows > 0).then(|| summary.projected(demand.rows, demand.copies));
        let machines = summary.machines(&demand);
        let designs = { summary.choosable().zip(machines) }.map(|(design, (_, needed))| {
            let work = WorkCost::new(summary, design, &prices);
            let bytes = forecast.as_ref().and_then(|f| to_buy(f, &design.info.id));
            work.with_month(bytes, needed, &prices)
        });
        Cost {
            designs: designs.collect(),
            prices,
            demand,
        }
    }

    pub fn design(&self, id: &str) -> Option<&DesignCost> {
        self.designs.iter().find(|d| d.design == id)
    }

    /// Returns the design whose month costs least, among those of which it is known what a month costs, and not only
    /// what it costs at least.
    pub fn cheapest(&self) -> Option<&DesignCost> {
        let is_known = |design: &&DesignCost| design.month.is_some() && !design.is_least();
        let known = self.designs.iter().filter(is_known);
        known.min_by(|a, b| a.month.unwrap_or(0.0).total_cmp(&b.month.unwrap_or(0.0)))
    }

    /// Returns the nearest prices below and above today's at which another design becomes the cheapest, all
    /// other prices being the same. A month is linear in each price.
    pub fn flips(&self) -> Vec<PriceFlip> {
        let Some(cheapest) = self.cheapest() else {
            return Vec::new();
        };
        let of = |of: PriceOf, now: f64| {
            let others = self.designs.iter().enumerate();
            let others = others.filter(|(_, other)| !other.is_least());
            let roots = others.filter_map(|(index, other)| {
                Some((index, price_of_tie(cheapest, other, of, now)?))
            });
            let nearest = nearest_on_both_sides(now, roots).into_iter();
            nearest.map(move |(index, at)| PriceFlip {
                of,
                now,
                at,
                design: self.designs[index].design.clone(),
            })
        };
        let storage = of(PriceOf::Storage, self.prices.storage_gib_month);
        let machine = of(PriceOf::Machine, self.prices.machine_month);
        storage.chain(machine).collect()
    }
}

impl DesignCost {
    /// Returns whether a month may cost more, since the CPU time of some question has no forecast.
    pub fn is_least(&self) -> bool {
        self.machines.known().is_some_and(|known| known.is_least)
    }

    /// Returns how many of what the price is of a month pays for.
    fn amount(&self, of: PriceOf) -> Option<f64> {
        match of {
            PriceOf::Storage => self.storage_gib,
            PriceOf::Machine => Some(f64::from(self.machines.known()?.count)),
        }
    }
}

/// Returns the price at which a design that is dearer now costs as little as the cheapest one.
fn price_of_tie(cheapest: &DesignCost, other: &DesignCost, of: PriceOf, now: f64) -> Option<f64> {
    let dearer = other.month? - cheapest.month?;
    let fewer = cheapest.amount(of)? - other.amount(of)?;
    let at = now + dearer / fewer;
    (dearer > 0.0 && at.is_finite() && at > 0.0).then_some(at)
}

fn to_buy(forecast: &Forecast, design: &str) -> Option<f64> {
    let storage = forecast.design(design)?.storage.as_ref()?;
    Some(storage.to_buy(forecast.has_purchases()))
}

/// Costs of a design's work.
struct WorkCost {
    design: String,
    million_inserts: Option<CostRange>,
    million_concurrent: Option<CostRange>,
    queries: Vec<QueryCost>,
}

impl WorkCost {
    fn new(summary: &Summary, design: &DesignSummary, prices: &Prices) -> WorkCost {
        let rate = Rate::new(summary, prices);
        let rows = design.rows_loaded as f64;
        let queries = design.queries.iter().map(|query| {
            let work = design.work_of(query).zip(query.time);
            QueryCost {
                query: query.query.clone(),
                million: work.and_then(|(work, time)| rate.million(work, time.median, 1.0)),
            }
        });
        let load = design.work(&design.load_cpu, 1.0);
        let asked = design.concurrent.as_ref();
        WorkCost {
            design: design.info.id.clone(),
            million_inserts: load.and_then(|load| rate.million(load, design.load_seconds, rows)),
            million_concurrent: asked.and_then(|asked| {
                let work = design.work(&asked.cpu, 1.0)?;
                rate.million(work, asked.seconds, asked.all.answered as f64)
            }),
            queries: queries.collect(),
        }
    }

    fn with_month(self, bytes: Option<f64>, machines: Needed, prices: &Prices) -> DesignCost {
        let storage_gib = bytes.map(|bytes| bytes / GIB);
        let storage_month = storage_gib.map(|gib| gib * prices.storage_gib_month);
        let known = machines.known();
        let machines_month = known.map(|known| f64::from(known.count) * prices.machine_month);
        DesignCost {
            design: self.design,
            million_inserts: self.million_inserts,
            million_concurrent: self.million_concurrent,
            queries: self.queries,
            machines,
            machines_month,
            storage_gib,
            storage_month,
            month: { storage_month.zip(machines_month) }
                .map(|(storage, machines)| storage + machines),
        }
    }
}

impl CostRange {
    /// Returns the middle of the range, by which designs are ranked.
    pub fn middle(&self) -> f64 {
        self.low.midpoint(self.high)
    }
}

/// Rate at which CPU time turns into money.
struct Rate {
    core_second: f64,
    /// Number of cores of the machine that measured.
    cores: f64,
}

impl Rate {
    fn new(summary: &Summary, prices: &Prices) -> Rate {
        let cores = f64::from(prices.machine_cores.max(1));
        Rate {
            core_second: prices.machine_month / cores / SECONDS_A_MONTH,
            cores: f64::from(summary.header.machine.cores.max(1)),
        }
    }

    /// Returns the cost of a million operations if `done` of them took this time. Returns `None` if
    /// nothing was done.
    fn million(&self, work: Work, seconds: f64, done: f64) -> Option<CostRange> {
        if done <= 0.0 || work.seconds() <= 0.0 {
            return None;
        }
        let million_core_seconds = 1e6 * self.core_second / done;
        let low = million_core_seconds * work.seconds();
        let high = million_core_seconds * self.cores * seconds;
        // Ticks of CPU time are coarse: a short query may seem to have more than there was.
        Some(CostRange {
            low: low.min(high),
            high,
        })
    }
}

#[cfg(test)]
mod tests;
