//! Makes the first record of a sweep: what is swept, and on which machine.

use bakeoff_driver::sweep::Grid;
use bakeoff_stats::DesignInfo;
use bakeoff_stats::sweep::SweepHeader;
use bakeoff_workload::Workload;

use super::Sweep;
use crate::machine;

pub fn header(
    options: &Sweep,
    workload: &Workload,
    rows: Option<u64>,
    grid: &Grid,
    designs: Vec<DesignInfo>,
) -> SweepHeader {
    SweepHeader {
        bakeoff_version: machine::VERSION.to_owned(),
        started_at: machine::now(),
        command: crate::cmd::command_line(),
        workload: workload.name.clone(),
        title: workload.title.clone(),
        workload_text: workload.text.clone(),
        data: options.data.described(workload),
        seed: workload.seed,
        rows,
        designs,
        machine: machine::describe(),
        threads: machine::cores() as u32,
        batches: grid.batches.iter().copied().map(u64::from).collect(),
        workers: grid.workers.clone(),
        seconds: options.length.as_secs_f64(),
        rounds: options.rounds,
        warm_up_seconds: options.warm_up.as_secs_f64(),
        time_out_seconds: options.time_out.as_secs_f64(),
        shared: options.shared(),
    }
}
