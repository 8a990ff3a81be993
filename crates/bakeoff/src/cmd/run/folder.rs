//! Which folder a run writes to.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bakeoff_stats::{Record, Run};

/// The folder asked for; else `runs/WORKLOAD`, or the first of `runs/WORKLOAD-2`, ... that is free
/// or holds an unfinished run of the same command, which then goes on.
pub fn choose(out: Option<&Path>, workload: &str, fingerprint: &str) -> Result<PathBuf> {
    let path = match out {
        Some(path) => path.to_owned(),
        None => {
            let name = |n: u32| match n {
                1 => Path::new("runs").join(workload),
                n => Path::new("runs").join(format!("{workload}-{n}")),
            };
            (1..)
                .map(name)
                .find(|dir| is_free(dir, fingerprint))
                .unwrap_or_else(|| name(1))
        }
    };
    // The path is in statements and in the keyspace's name: it has to mean the same tomorrow.
    std::path::absolute(&path).with_context(|| format!("cannot use the path {}", path.display()))
}

/// Anything but a run that is complete or of another command: trouble with the folder is told
/// when it is opened.
fn is_free(dir: &Path, fingerprint: &str) -> bool {
    Run::open(dir).map_or(true, |run| {
        let complete = matches!(run.records().last(), Some(Record::Finished { .. }));
        !complete && run.header().fingerprint == fingerprint
    })
}
