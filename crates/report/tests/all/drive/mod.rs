//! Every form of report of a load.

pub mod fixture;
#[cfg(test)]
mod html;
#[cfg(test)]
mod json;
#[cfg(test)]
mod results;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod verdict;

/// Written once for all tests that change nothing in a folder.
#[cfg(test)]
mod read {
    use std::sync::LazyLock;

    use bakeoff_stats::drive::DriveSummary;

    use super::fixture;

    pub static COMPARISON: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::comparison().unwrap().summary);
    pub static SEARCH: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::search().unwrap().summary);
    pub static RATE: LazyLock<DriveSummary> =
        LazyLock::new(|| fixture::at_a_rate().unwrap().summary);
    pub static STALL: LazyLock<DriveSummary> = LazyLock::new(|| fixture::stall().unwrap().summary);
}
