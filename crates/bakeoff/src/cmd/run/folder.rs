//! Which folder a run writes to.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_stats::{Record, Run};

/// The folder asked for; else `runs/WORKLOAD`, or the first of `runs/WORKLOAD-2`, ... that does
/// not hold a complete run, so that the same command goes on with an incomplete one.
pub fn choose(out: Option<&Path>, workload: &str) -> Result<PathBuf> {
    let path = match out {
        Some(path) => path.to_owned(),
        None => {
            let name = |n: u32| match n {
                1 => Path::new("runs").join(workload),
                n => Path::new("runs").join(format!("{workload}-{n}")),
            };
            (1..)
                .map(name)
                .find(|dir| !is_complete(dir))
                .unwrap_or_else(|| name(1))
        }
    };
    // The path is in statements and in the keyspace's name: it has to mean the same tomorrow.
    std::path::absolute(&path).with_context(|| format!("cannot use the path {}", path.display()))
}

fn is_complete(dir: &Path) -> bool {
    Run::open(dir).is_ok_and(|run| matches!(run.records().last(), Some(Record::Finished { .. })))
}
