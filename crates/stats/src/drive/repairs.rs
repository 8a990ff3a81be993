//! Reads that found copies which disagree.

use serde::{Deserialize, Serialize};

/// Reads of a trial whose copies disagreed and were made equal before the answer. Recorded after its end, of several
/// nodes that tell it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadRepairs {
    pub design: String,
    pub repairs: u64,
}

#[cfg(test)]
mod tests {
    use crate::drive::testing::{DESIGN, OTHER_DESIGN, folder, header, summary};
    use crate::drive::{DriveRecord, ReadRepairs};

    #[test]
    fn repairs_of_all_trials_of_a_design_are_added_up() {
        let dir = folder(&header(), |log| {
            for (design, repairs) in [(DESIGN, 3), (OTHER_DESIGN, 0), (DESIGN, 4)] {
                let design = design.to_owned();
                let record = DriveRecord::ReadRepairs(ReadRepairs { design, repairs });
                log.append(&record).unwrap();
            }
        });
        let known = summary(dir.path()).read_repairs;
        let known: Vec<(&str, u64)> = known
            .iter()
            .map(|(design, n)| (design.as_str(), *n))
            .collect();
        assert_eq!(known, [(DESIGN, 7), (OTHER_DESIGN, 0)]);
    }
}
