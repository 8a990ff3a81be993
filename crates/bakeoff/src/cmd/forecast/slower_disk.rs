//! `bakeoff forecast` on the folder of a load: what a slower disk would leave of it, and what a rate of reads needs.

use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_report::drive::disk_for_reads::DiskForRate;
use bakeoff_report::drive::slower_disk::SlowerDisk;
use bakeoff_stats::drive::{DriveRun, DriveSummary};

use super::amount::amount;
use crate::exit::Misuse;

/// Renders the forecast of the load in a folder for a disk that gives this many bytes a second, or for that of
/// another load, with what that one measured.
///
/// # Errors
/// Fails with a misuse if neither is given, or if the loads show nothing about the disk.
pub fn render(dir: &Path, disk: Option<f64>, bounded: Option<&Path>, json: bool) -> Result<String> {
    let load = summary(dir)?;
    let forecast = match (disk, bounded) {
        (_, Some(other)) => SlowerDisk::checked(&load, &summary(other)?).map_err(|why| {
            let (own, other) = (dir.display(), other.display());
            anyhow!("the load in {other} cannot be forecast from that in {own}: {why}")
        }),
        (Some(disk), None) => SlowerDisk::of(&load, disk).map_err(|why| {
            anyhow!(
                "the load in {} shows nothing about the disk: {why}",
                dir.display()
            )
        }),
        (None, None) => Err(anyhow!(
            "{} is the folder of a load, of which there are forecasts about the disk only, for a \
             slower one with --disk-read 50MB/s and for a rate of reads with --reads 10k; for another one name the \
             folder of `bakeoff run`",
            dir.display()
        )),
    };
    let forecast = forecast.map_err(Misuse::new)?;
    Ok(if json {
        forecast.json()?
    } else {
        forecast.render()
    })
}

/// Renders what the designs of the load in a folder need from their disk for this many reads a second.
///
/// # Errors
/// Fails with a misuse if the load shows nothing about reads from the disk.
pub fn render_for_reads(dir: &Path, reads: f64, json: bool) -> Result<String> {
    let estimate = DiskForRate::of(&summary(dir)?, reads).map_err(|why| {
        Misuse::new(anyhow!(
            "the load in {} shows nothing about reads from the disk: {why}",
            dir.display()
        ))
    })?;
    Ok(if json {
        estimate.json()?
    } else {
        estimate.render()
    })
}

fn summary(dir: &Path) -> Result<DriveSummary> {
    Ok(DriveRun::open(dir)?.summary()?)
}

/// Reads bytes a second such as `50MB/s`.
pub fn parse_disk_rate(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 4] = [
        ("MiB/s", 1_048_576.0),
        ("GiB/s", 1_073_741_824.0),
        ("MB/s", 1e6),
        ("GB/s", 1e9),
    ];
    let told = || "not bytes a second with their unit such as 50MB/s or 1GiB/s".to_owned();
    amount(text, &UNITS).ok_or_else(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_a_second_have_units() {
        assert_eq!(parse_disk_rate("50MB/s"), Ok(5e7));
        assert_eq!(parse_disk_rate("1.5 GiB/s"), Ok(1_610_612_736.0));
        for text in ["50", "50MB", "0MB/s", "-1MB/s", "MB/s", "infMB/s", "5KB/s"] {
            assert!(parse_disk_rate(text).is_err(), "{text}");
        }
    }
}
