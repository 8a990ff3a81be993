//! Says how much of what servers read from the disk and wrote to it was compaction's.

use bakeoff_stats::drive::{DriveDesign, DriveSummary};

use super::shortened;
use crate::units;

/// Share of the bytes from which on it is told.
const LEAST: f64 = 0.01;
const MEGABYTE: f64 = 1e6;

/// Compares the bytes of compactions with all bytes, for the designs in which they are more than next to nothing.
pub fn share(summary: &DriveSummary) -> Option<String> {
    let known: Vec<String> = summary.designs.iter().filter_map(of_design).collect();
    (!known.is_empty()).then(|| {
        format!(
            "of what the server read from the disk and wrote to it after the warm-up, compaction {}",
            shortened(&known)
        )
    })
}

fn of_design(design: &DriveDesign) -> Option<String> {
    let figures = design.figures.as_ref()?;
    let read = part(
        figures.compaction_read_per_second,
        figures.disk_read_per_second,
    );
    let written = part(
        figures.compaction_written_per_second,
        figures.disk_written_per_second,
    );
    let words = match (read, written) {
        (Some(read), Some(written)) => format!("read {read} and wrote {written}"),
        (Some(read), None) => format!("read {read}"),
        (None, Some(written)) => format!("wrote {written}"),
        (None, None) => return None,
    };
    Some(format!("{words} in {}", design.info.id))
}

/// Writes a part of a rate in bytes per second: `160 of 500 MB/s`; `None` if it is less than is told.
fn part(part: Option<f64>, whole: Option<f64>) -> Option<String> {
    let (part, whole) = (part?, whole?);
    // What was deleted before it was written is missing from the whole only.
    let part = part.min(whole);
    let megabytes = |bytes: f64| units::trimmed(&units::rate(bytes / MEGABYTE));
    (whole > 0.0 && part >= LEAST * whole)
        .then(|| format!("{} of {} MB/s", megabytes(part), megabytes(whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_told_from_one_percent_on_and_never_exceeds_the_whole() {
        let told = |of: f64, whole: f64| part(Some(of), Some(whole));
        assert_eq!(told(160e6, 500e6).unwrap(), "160 of 500 MB/s");
        assert_eq!(told(2.5e6, 2e6).unwrap(), "2 of 2 MB/s");
        assert_eq!(told(4.9e6, 500e6), None);
        assert_eq!(told(0.0, 0.0), None);
        assert_eq!(part(None, Some(1.0)), None);
    }
}
