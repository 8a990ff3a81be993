//! What was measured in a folder, as a page of several needs it.

use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::per_node::Cluster;
use bakeoff_stats::sweep::SweepSummary;
use bakeoff_stats::{DesignInfo, EngineInfo, Machine, Summary};

use crate::units;

/// A measurement, with the name that its reader knows it by.
pub struct Folder {
    pub name: String,
    pub figures: Figures,
}

/// The figures of a measurement.
pub enum Figures {
    Run(Box<Summary>),
    Load(Box<DriveSummary>),
    Sweep(Box<SweepSummary>),
}

/// What the header of a measurement says.
#[derive(Default)]
pub struct About<'a> {
    pub workload: &'a str,
    pub title: &'a str,
    pub started_at: &'a str,
    pub version: &'a str,
}

impl Folder {
    pub fn about(&self) -> About<'_> {
        match &self.figures {
            Figures::Run(run) => About {
                workload: &run.header.workload,
                title: &run.header.title,
                started_at: &run.header.started_at,
                version: &run.header.bakeoff_version,
            },
            Figures::Load(load) => About {
                workload: &load.header.workload,
                title: &load.header.title,
                started_at: &load.header.started_at,
                version: &load.header.bakeoff_version,
            },
            Figures::Sweep(sweep) => About {
                workload: &sweep.header.workload,
                title: &sweep.header.title,
                started_at: &sweep.header.started_at,
                version: &sweep.header.bakeoff_version,
            },
        }
    }

    /// Returns the designs in the order of the header.
    pub fn designs(&self) -> &[DesignInfo] {
        match &self.figures {
            Figures::Run(run) => &run.header.designs,
            Figures::Load(load) => &load.header.designs,
            Figures::Sweep(sweep) => &sweep.header.designs,
        }
    }

    /// Returns the machine of the client.
    pub fn machine(&self) -> &Machine {
        match &self.figures {
            Figures::Run(run) => &run.header.machine,
            Figures::Load(load) => &load.header.machine,
            Figures::Sweep(sweep) => &sweep.header.machine,
        }
    }

    /// Returns the rows of the table; `None` for a sweep whose rows never end.
    pub fn rows(&self) -> Option<u64> {
        match &self.figures {
            Figures::Run(run) => Some(run.rows),
            Figures::Load(load) => Some(load.header.rows),
            Figures::Sweep(sweep) => sweep.header.rows,
        }
    }

    pub fn run(&self) -> Option<&Summary> {
        match &self.figures {
            Figures::Run(run) => Some(run),
            _ => None,
        }
    }

    pub fn load(&self) -> Option<&DriveSummary> {
        match &self.figures {
            Figures::Load(load) => Some(load),
            _ => None,
        }
    }

    pub fn sweep(&self) -> Option<&SweepSummary> {
        match &self.figures {
            Figures::Sweep(sweep) => Some(sweep),
            _ => None,
        }
    }

    /// Returns the number of nodes of a design; `None` where nobody counts them.
    pub fn nodes_of(&self, design: &DesignInfo) -> Option<u32> {
        let engines = self.engines();
        let is_counted = !Cluster::is_of_executors(design, engines);
        is_counted.then(|| Cluster::of(design, engines, self.machine()).nodes)
    }

    /// Writes the number of nodes of the designs: `5 nodes`, or `1–5 nodes`; `None` where all are of one node.
    pub fn nodes(&self) -> Option<String> {
        let servers = self.designs().iter().filter(|info| info.server);
        let counts = servers.filter_map(|info| self.nodes_of(info));
        let counts: Vec<u32> = counts.collect();
        let (least, most) = (counts.iter().min()?, counts.iter().max()?);
        if *most < 2 {
            return None;
        }
        let nodes = units::plural(u64::from(*most), "node", "nodes");
        Some(if least == most {
            nodes
        } else {
            format!("{least}–{nodes}")
        })
    }

    fn engines(&self) -> &[EngineInfo] {
        match &self.figures {
            Figures::Run(run) => &run.engines,
            Figures::Load(load) => &load.engines,
            Figures::Sweep(sweep) => &sweep.engines,
        }
    }
}
