//! Every form of report of a load.

#[cfg(test)]
mod added;
#[cfg(test)]
mod around;
#[cfg(test)]
mod beside;
#[cfg(test)]
mod disk_for_reads;
pub mod fixture;
#[cfg(test)]
mod growing;
#[cfg(test)]
mod html;
#[cfg(test)]
mod json;
#[cfg(test)]
mod partitions;
#[cfg(test)]
mod passes;
#[cfg(test)]
mod per_node;
#[cfg(test)]
mod recommendation;
#[cfg(test)]
mod results;
#[cfg(test)]
mod simulated;
#[cfg(test)]
mod slower_disk;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod together;
#[cfg(test)]
mod verdict;

/// Written once for all tests that change nothing in a folder.
#[cfg(test)]
mod read {
    use std::sync::LazyLock;

    use bakeoff_report::drive::terminal::render;
    use bakeoff_stats::drive::{DriveSummary, LoadComparison};

    use super::fixture;

    /// Returns the summary with the comparison of what a test changed in it.
    pub fn compared(summary: &DriveSummary) -> DriveSummary {
        DriveSummary {
            comparison: LoadComparison::of(summary),
            ..summary.clone()
        }
    }

    /// Returns the verdict on what a test changed, on one line.
    pub fn verdict(summary: &DriveSummary) -> String {
        let text = render(&compared(summary), 200, false);
        let (_, verdict) = text.split_once("Verdict\n").unwrap();
        verdict.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub static COMPARISON: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::comparison().unwrap().summary);
    pub static SEARCH: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::search().unwrap().summary);
    pub static RATE: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::at_a_rate().unwrap().summary);
    pub static PASSES: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::passes().unwrap().summary);
    pub static QUESTIONS: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::questions().unwrap().summary);
    pub static SEVERAL: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::answered_by_several().unwrap().summary);
    pub static STALL: LazyLock<DriveSummary> = LazyLock::new(|| fixture::stall().unwrap().summary);
}
