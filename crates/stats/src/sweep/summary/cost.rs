//! What the best rates of a sweep cost, and the machines that a wanted rate needs: in proportion to the cores, which is an
//! estimate.

use serde::Serialize;

use super::{SweepDesign, SweepSummary};
use crate::Prices;
use crate::compare::SECONDS_A_MONTH;

/// Costs of inserts in the currency of the prices.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepCost {
    pub prices: Prices,
    /// Rows a second that the machines are to insert, if a rate is wanted.
    pub wanted: Option<f64>,
    /// Designs with a best setting whose cores are known: those of a server that was there before are not.
    pub designs: Vec<InsertCost>,
}

/// Cost of the inserts of a design with its best setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InsertCost {
    pub design: String,
    /// Rows acknowledged a second, divided by the cores that client and servers share.
    pub rows_per_core: f64,
    /// Rows that one unit of the currency pays for while all cores of the measuring machine are paid.
    pub rows_per_unit: f64,
    /// Machines of the price list for the wanted rate.
    pub machines: Option<f64>,
    /// What a month of these machines costs.
    pub machines_month: Option<f64>,
}

impl SweepSummary {
    /// Adds costs at these prices to the summary.
    #[must_use]
    pub fn priced(mut self, prices: Prices, wanted: Option<f64>) -> SweepSummary {
        let designs = { self.designs.iter() }
            .filter(|design| self.cores_are_known(design))
            .filter_map(|design| self.cost_of(design, &prices, wanted));
        self.cost = Some(SweepCost {
            designs: designs.collect(),
            prices,
            wanted,
        });
        self
    }

    /// Returns whether a design ran on the cores of the measuring machine alone.
    fn cores_are_known(&self, design: &SweepDesign) -> bool {
        let mut engines = self.engines.iter();
        let engine = engines.find(|engine| engine.engine == design.info.engine);
        !design.info.server || engine.is_some_and(|engine| engine.start_seconds.is_some())
    }

    fn cost_of(
        &self,
        design: &SweepDesign,
        prices: &Prices,
        wanted: Option<f64>,
    ) -> Option<InsertCost> {
        let rate = design.best_setting()?.rows_per_second()?;
        let rows_per_core = rate / f64::from(self.header.machine.cores.max(1));
        let machine_cores = f64::from(prices.machine_cores);
        let core_second = prices.machine_month / machine_cores / SECONDS_A_MONTH;
        let machines = wanted.map(|wanted| (wanted / (rows_per_core * machine_cores)).ceil());
        (rate > 0.0).then(|| InsertCost {
            design: design.info.id.clone(),
            rows_per_core,
            rows_per_unit: rows_per_core / core_second,
            machines,
            machines_month: machines.map(|machines| machines * prices.machine_month),
        })
    }
}
