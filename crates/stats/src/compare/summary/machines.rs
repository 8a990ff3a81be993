//! Machines that a design needs in production: for its copies, for the CPU time of what is asked and
//! inserted, and for its bytes.

use serde::Serialize;

use super::{DesignSummary, Forecast, Summary};
use crate::counts::whole;
use crate::thousands;

/// Share of the cores that may be busy: beyond it answers wait for each other.
pub const BUSY: f64 = 0.6;
/// Most machines of one cluster.
pub const MOST_MACHINES: u32 = 1_000;

/// Load to be served, and the machines for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Demand {
    pub rows: u64,
    pub copies: u32,
    /// Questions a second, in the shares of the workload's weights.
    pub questions: Option<f64>,
    /// Rows a second that are inserted.
    pub inserts: Option<f64>,
    pub machine_cores: u32,
    /// Bytes of a machine's disk; `None` where storage is bought apart from machines.
    pub disk: Option<f64>,
    /// Number of machines that there are, if it is given.
    pub nodes: Option<u32>,
}

/// Machines of a design, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needed {
    Machines(Machines),
    /// Its CPU time was not measured: the reason.
    Unknown(String),
    /// No number of machines does it: the reason, and what to change.
    Never(String),
}

/// Machines of a design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Machines {
    pub count: u32,
    pub because: Because,
    /// Cores that are busy all the time, of all machines; `None` where no rate is given.
    pub busy_cores: Option<f64>,
    /// Whether some CPU time is that at the measured rows, since it has no forecast: there may have to be
    /// more machines.
    pub is_least: bool,
    /// Whether some CPU time was too short for its clock, so that it is an upper bound.
    pub is_bound: bool,
}

/// Cause of a number of machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Because {
    /// One for each copy.
    Copies,
    /// CPU time of questions and inserts.
    Cpu,
    /// Bytes on their disks.
    Disk,
    /// Cores that the workload says are needed.
    Cores,
}

impl Needed {
    /// Returns the machines, if they are known.
    pub fn known(&self) -> Option<&Machines> {
        match self {
            Needed::Machines(machines) => Some(machines),
            Needed::Unknown(_) | Needed::Never(_) => None,
        }
    }
}

impl Demand {
    /// Returns what the workload says about its full scale, on machines of this many cores.
    pub fn of_scale(summary: &Summary, machine_cores: u32) -> Demand {
        let scale = &summary.header.scale;
        Demand {
            rows: summary.full_rows(),
            copies: scale.replication.max(1),
            questions: scale.questions_per_second,
            inserts: scale.rows_per_second,
            machine_cores: machine_cores.max(1),
            disk: None,
            nodes: None,
        }
    }

    /// Returns whether anything says how much is asked or inserted.
    pub fn has_rates(&self) -> bool {
        self.questions.is_some() || self.inserts.is_some()
    }

    /// Returns the number of machines with this many cores busy and these bytes to buy. The workload names a
    /// number of cores for where there are no rates.
    pub(super) fn machines(&self, busy: f64, bytes: f64, cores: u32) -> f64 {
        let (count, _) = largest(self.needs(busy, Some(bytes), cores));
        whole(count).max(1.0)
    }

    /// Returns how many machines each need asks for.
    fn needs(&self, busy: f64, bytes: Option<f64>, cores: u32) -> [(f64, Because); 4] {
        let cores_of_one = f64::from(self.machine_cores);
        let for_cores = if self.has_rates() {
            0.0
        } else {
            f64::from(cores) / cores_of_one
        };
        let for_disk = { self.disk.zip(bytes) }.map_or(0.0, |(disk, bytes)| bytes / disk);
        [
            (f64::from(self.copies), Because::Copies),
            (for_cores, Because::Cores),
            (for_disk, Because::Disk),
            (busy / (BUSY * cores_of_one), Because::Cpu),
        ]
    }
}

/// CPU seconds a second.
struct Busy {
    cores: f64,
    is_least: bool,
    is_bound: bool,
}

impl Summary {
    /// Returns the machines that each design that may be recommended needs, in the header's order.
    pub fn machines(&self, demand: &Demand) -> Vec<(String, Needed)> {
        let forecast = self.projected(demand.rows, demand.copies);
        let of = |design: &DesignSummary| {
            let needed = self.machines_of(design, demand, &forecast, &|_| true);
            (design.info.id.clone(), needed)
        };
        self.choosable().map(of).collect()
    }

    /// Returns the machines of a design that takes all inserts, and of the questions those alone that it is asked.
    pub(super) fn machines_for(
        &self,
        design: &DesignSummary,
        demand: &Demand,
        is_asked: &dyn Fn(&str) -> bool,
    ) -> Needed {
        let forecast = self.projected(demand.rows, demand.copies);
        self.machines_of(design, demand, &forecast, is_asked)
    }

    fn machines_of(
        &self,
        design: &DesignSummary,
        demand: &Demand,
        forecast: &Forecast,
        is_asked: &dyn Fn(&str) -> bool,
    ) -> Needed {
        let storage = forecast.design(&design.info.id);
        let storage = storage.and_then(|design| design.storage.as_ref());
        let bytes = storage.map(|storage| storage.to_buy(forecast.has_purchases()));
        if let Some(why) = too_small_a_disk(design, demand) {
            return Needed::Never(why);
        }
        if demand.disk.is_some() && bytes.is_none() {
            return Needed::Unknown("its bytes are not known".to_owned());
        }
        let busy = match self.busy(design, demand, forecast, is_asked) {
            Ok(busy) => busy,
            Err(why) => return Needed::Unknown(why),
        };
        let (count, because) = largest(demand.needs(busy.cores, bytes, self.header.scale.cores));
        if count.is_nan() || whole(count) > f64::from(MOST_MACHINES) {
            return Needed::Never(too_many(count, because));
        }
        Needed::Machines(Machines {
            count: (whole(count) as u32).max(1),
            because,
            busy_cores: demand.has_rates().then_some(busy.cores),
            is_least: busy.is_least,
            is_bound: busy.is_bound,
        })
    }

    /// Returns the cores that inserts, and the questions that the design is asked, keep busy.
    fn busy(
        &self,
        design: &DesignSummary,
        demand: &Demand,
        forecast: &Forecast,
        is_asked: &dyn Fn(&str) -> bool,
    ) -> Result<Busy, String> {
        let mut busy = Busy {
            cores: 0.0,
            is_least: false,
            is_bound: false,
        };
        if let Some(rate) = demand.inserts {
            let row = design.work_of_a_row();
            let row = row.ok_or("the CPU time of its inserts is not known")?;
            let copies = f64::from(demand.copies);
            busy.is_bound |= row.is_bound;
            // The client sends a row once; without a server it is what stores every copy.
            busy.cores += rate
                * if design.info.server {
                    let made = self.header.copies_in(&design.info, &self.engines);
                    let made = f64::from(made);
                    row.client + row.server * copies / made
                } else {
                    row.client * copies
                };
        }
        let Some(rate) = demand.questions else {
            return Ok(busy);
        };
        let shares = self.shares();
        if shares.iter().all(|share| *share <= 0.0) {
            return Err("no question can be answered".to_owned());
        }
        for (query, share) in design.queries.iter().zip(shares) {
            if share <= 0.0 || !is_asked(&query.query) {
                continue;
            }
            let work = design.work_of(query);
            let unknown = || format!("the CPU time of {} is not known", query.query);
            let work = work.ok_or_else(unknown)?;
            let grown = grown(forecast, &design.info.id, &query.query);
            busy.is_bound |= work.is_bound;
            busy.is_least |= grown.is_none() && demand.rows > self.rows;
            busy.cores += rate * share * work.seconds() * grown.unwrap_or(1.0);
        }
        Ok(busy)
    }

    /// Returns the questions that fail with every design: nobody asks them, and no forecast counts them.
    pub fn unanswered(&self) -> Vec<&str> {
        self.queries_at_fault()
    }

    /// Returns the share of each query among the questions, by the workload's weights; those without any answer
    /// have none.
    fn shares(&self) -> Vec<f64> {
        let unanswered = self.unanswered();
        let names = self.header.queries.iter().map(|query| query.name.as_str());
        let is_asked: Vec<bool> = names.map(|name| !unanswered.contains(&name)).collect();
        let of_asked = |weights: &[f64]| -> Vec<f64> {
            let weights = weights.iter().zip(&is_asked);
            let weight = |(weight, is_asked): (&f64, &bool)| if *is_asked { *weight } else { 0.0 };
            weights.map(weight).collect()
        };
        let count = is_asked.len();
        let stated = self.header.decide.as_ref();
        let stated = stated.filter(|decide| decide.weights.len() == count);
        let stated = stated.map(|decide| of_asked(&decide.weights));
        let is_any = |weights: &Vec<f64>| weights.iter().sum::<f64>() > 0.0;
        let equal = || of_asked(&vec![1.0; count]);
        let weights = stated.filter(is_any).unwrap_or_else(equal);
        let sum: f64 = weights.iter().sum();
        let share = |weight: &f64| if sum > 0.0 { weight / sum } else { 0.0 };
        weights.iter().map(share).collect()
    }
}

/// Returns the bound that asks for most machines, the first of those that ask for as many.
fn largest(bounds: [(f64, Because); 4]) -> (f64, Because) {
    let larger = |most: (f64, Because), other: (f64, Because)| {
        if other.0.is_nan() || whole(other.0) > whole(most.0) {
            other
        } else {
            most
        }
    };
    bounds.into_iter().fold((1.0, Because::Copies), larger)
}

/// Returns how many times as long an answer takes as at the measured rows, and so how many times as much CPU
/// time.
pub(super) fn grown(forecast: &Forecast, design: &str, query: &str) -> Option<f64> {
    let time = forecast.design(design)?.time(query)?;
    let known = time.known()?;
    (time.measured > 0.0).then_some(known.seconds / time.measured)
}

/// Returns why no number of such disks holds the rows: what is stored as a whole does not fit.
fn too_small_a_disk(design: &DesignSummary, demand: &Demand) -> Option<String> {
    let (disk, rows) = (demand.disk?, design.info.unit_rows.unwrap_or(1));
    let unit = rows.min(demand.rows) as f64 * design.bytes_per_row?;
    (unit > disk).then(|| {
        format!(
            "it stores {} rows as a whole, {} bytes, and a disk has {}; give a larger --disk",
            thousands(rows.min(demand.rows)),
            thousands(unit.ceil() as u64),
            thousands(disk as u64)
        )
    })
}

fn too_many(count: f64, because: Because) -> String {
    let change = match because {
        Because::Cpu => "lower the rates, or give machines of more cores",
        Because::Disk => "give a larger --disk",
        Because::Copies | Because::Cores => "give machines of more cores",
    };
    let most = thousands(u64::from(MOST_MACHINES));
    let count = if count < 1e15 {
        thousands(whole(count) as u64)
    } else {
        "endlessly many".to_owned()
    };
    format!("it needs {count} machines, more than {most}; {change}")
}

#[cfg(test)]
mod tests;
