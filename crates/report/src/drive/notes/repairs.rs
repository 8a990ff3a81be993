//! Says how many reads of the loads found copies that disagreed.

use bakeoff_stats::drive::DriveSummary;

use crate::units;

/// Returns the note; `None` where nothing tells it.
pub fn of(summary: &DriveSummary) -> Option<String> {
    if summary.read_repairs.is_empty() {
        return None;
    }
    let designs = summary.read_repairs.iter();
    let designs = designs.map(|(design, repairs)| match repairs {
        0 => format!("no read of {design}"),
        repairs => format!("{} of {design}", units::plural(*repairs, "read", "reads")),
    });
    let designs: Vec<String> = designs.collect();
    Some(format!(
        "read repairs, over all loads: {} found copies that disagreed, and made them equal before the answer; \
         reads of others on the same cluster count, too",
        designs.join(", ")
    ))
}
