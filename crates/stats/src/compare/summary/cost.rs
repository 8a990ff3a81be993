//! Cost of a run's figures at given prices; all of it is forecast.

use serde::Serialize;

use super::{DesignSummary, Summary};
use crate::{CpuSeconds, DesignInfo};

/// Seconds in a month of 730 hours, as machines are billed.
const SECONDS_A_MONTH: f64 = 730.0 * 3600.0;
const GIB: f64 = (1u64 << 30) as f64;

/// Monthly prices in one currency.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prices {
    pub title: String,
    pub currency: String,
    pub machine_cores: u32,
    pub machine_month: f64,
    pub storage_gib_month: f64,
}

/// Costs in the currency of the prices, for designs that are neither yardsticks nor failed nor
/// answered wrongly.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    pub prices: Prices,
    /// Number of machines that together have the cores that the workload's scale names, and at
    /// least one for each copy.
    pub machines: u32,
    pub machines_month: f64,
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
    /// Monthly cost of storage at full scale.
    pub storage_month: Option<f64>,
    /// Monthly cost of storage and machines.
    pub month: Option<f64>,
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
    /// Adds costs at these prices to the summary, and decides anew with them.
    #[must_use]
    pub fn priced(mut self, prices: Prices) -> Summary {
        self.cost = Some(Cost::new(&self, prices));
        self.decision = self.decide();
        self
    }
}

impl Cost {
    pub fn new(summary: &Summary, prices: Prices) -> Cost {
        let scale = &summary.header.scale;
        let for_cores = scale.cores.div_ceil(prices.machine_cores.max(1));
        let machines = for_cores.max(scale.replication).max(1);
        let machines_month = f64::from(machines) * prices.machine_month;
        Cost {
            machines,
            machines_month,
            designs: summary
                .contenders()
                .map(|d| DesignCost::new(summary, d, &prices, machines_month))
                .collect(),
            prices,
        }
    }

    pub fn design(&self, id: &str) -> Option<&DesignCost> {
        self.designs.iter().find(|d| d.design == id)
    }
}

impl DesignCost {
    fn new(
        summary: &Summary,
        design: &DesignSummary,
        prices: &Prices,
        machines_month: f64,
    ) -> DesignCost {
        let rate = Rate::new(summary, &design.info, prices);
        let rows = design.rows_loaded as f64;
        let queries = design.queries.iter().map(|query| QueryCost {
            query: query.query.clone(),
            million: query
                .time
                .and_then(|time| rate.million(&query.cpu, time.median, 1.0)),
        });
        let asked = design.concurrent.as_ref();
        let forecast = summary.forecast.as_ref();
        let forecast = forecast.and_then(|forecast| forecast.design(&design.info.id));
        let storage = forecast.and_then(|design| design.storage.as_ref());
        let storage_month = storage.map(|s| s.bytes / GIB * prices.storage_gib_month);
        DesignCost {
            design: design.info.id.clone(),
            million_inserts: rate.million(&design.load_cpu, design.load_seconds, rows),
            million_concurrent: asked
                .and_then(|c| rate.million(&c.cpu, c.seconds, c.all.answered as f64)),
            queries: queries.collect(),
            storage_month,
            month: storage_month.map(|storage| storage + machines_month),
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
    /// Set if the engine has a server, so that the server's CPU time has to be known.
    has_server: bool,
}

impl Rate {
    fn new(summary: &Summary, design: &DesignInfo, prices: &Prices) -> Rate {
        let cores = f64::from(prices.machine_cores.max(1));
        Rate {
            core_second: prices.machine_month / cores / SECONDS_A_MONTH,
            cores: f64::from(summary.header.machine.cores.max(1)),
            has_server: design.server,
        }
    }

    /// Returns the cost of a million operations if `done` of them took this time. Returns `None` if
    /// nothing was done, if the CPU time was too short to be counted, or if a server's CPU time is
    /// unknown, since the number of cores that it needs is then unknown as well.
    fn million(&self, cpu: &CpuSeconds, seconds: f64, done: f64) -> Option<CostRange> {
        let used = cpu.client + cpu.server.unwrap_or(0.0);
        if done <= 0.0 || used <= 0.0 || (self.has_server && cpu.server.is_none()) {
            return None;
        }
        let million_core_seconds = 1e6 * self.core_second / done;
        let low = million_core_seconds * used;
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
