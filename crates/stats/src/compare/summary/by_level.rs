//! Designs by the consistency level of their reads: those that one copy of a row answers, and those that wait for
//! more.

use super::Summary;
use super::rounds::PairedComparison;
use crate::DesignInfo;

/// Name of the setting in force that has the consistency level of a design's reads.
pub const READ_LEVEL: &str = "consistency of reads";
/// How an id begins to choose it.
const CHOSEN: &str = "consistency=";
/// Levels for which one copy is enough.
const OF_ONE_COPY: [&str; 2] = ["ONE", "LOCAL_ONE"];
/// Fewest designs that are compared with each other.
const FEWEST_DESIGNS: usize = 2;

/// Designs for whose reads one copy is enough, or several are needed.
#[derive(Debug, Clone, PartialEq)]
pub struct AtLevels {
    pub is_of_one_copy: bool,
    /// Designs in the header's order.
    pub designs: Vec<AtLevel>,
    /// Comparison of these designs with each other, with the intervals that a comparison of all designs of the
    /// run has.
    pub comparison: PairedComparison,
}

/// Design with the consistency level of its reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtLevel {
    pub design: String,
    /// Name of the level as in CQL.
    pub level: String,
}

impl AtLevels {
    /// Returns the level of a design.
    pub fn level_of(&self, design: &str) -> Option<&str> {
        let found = self.designs.iter().find(|at| at.design == design);
        found.map(|at| at.level.as_str())
    }

    /// Returns the levels of its designs, each once.
    pub fn levels(&self) -> Vec<&str> {
        let mut levels: Vec<&str> = self.designs.iter().map(|at| at.level.as_str()).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }
}

impl Summary {
    /// Returns the designs for whose reads one copy is enough, and those that wait for more. Returns `None` if no
    /// design has a level of its own, or if there are fewer than two of either kind.
    pub fn by_level(&self) -> Option<[AtLevels; 2]> {
        let mut designs = self.designs.iter();
        if !designs.any(|design| design.info.id.contains(CHOSEN)) {
            return None;
        }
        Some([self.at_levels(true)?, self.at_levels(false)?])
    }

    fn at_levels(&self, is_of_one_copy: bool) -> Option<AtLevels> {
        let stores = { self.designs.iter() }.filter(|design| !design.info.is_yardstick());
        let designs: Vec<AtLevel> = stores
            .filter_map(|design| {
                let level = read_level(&design.info)?;
                let is_one = OF_ONE_COPY.contains(&level);
                (is_one == is_of_one_copy).then(|| AtLevel {
                    design: design.info.id.clone(),
                    level: level.to_owned(),
                })
            })
            .collect();
        if designs.len() < FEWEST_DESIGNS {
            return None;
        }
        let is_among = |id: &str| designs.iter().any(|at| at.design == id);
        Some(AtLevels {
            is_of_one_copy,
            comparison: PairedComparison::of(self, is_among),
            designs,
        })
    }
}

fn read_level(info: &DesignInfo) -> Option<&str> {
    let found = info.settings.iter().find(|(name, _)| name == READ_LEVEL);
    found.map(|(_, level)| level.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Record;
    use crate::compare::testing::*;

    /// A run of designs that are read at these levels.
    fn summary(designs: &[(&str, &str)]) -> Summary {
        let mut records = run([]);
        let Record::Started(header) = &mut records[0] else {
            unreachable!()
        };
        let info = header.designs[0].clone();
        header.designs = { designs.iter() }
            .map(|(id, level)| DesignInfo {
                id: (*id).to_owned(),
                settings: vec![(READ_LEVEL.to_owned(), (*level).to_owned())],
                ..info.clone()
            })
            .collect();
        Summary::from_records(&records).unwrap()
    }

    #[test]
    fn designs_are_parted_by_whether_one_copy_is_enough() {
        let summary = summary(&[
            ("a/x?consistency=one", "ONE"),
            ("a/x?consistency=quorum", "QUORUM"),
            ("a/y", "LOCAL_ONE"),
            ("a/y?consistency=all", "ALL"),
            ("a/z?consistency=all", "ALL"),
        ]);
        let [one, above] = summary.by_level().unwrap();
        assert!(one.is_of_one_copy && !above.is_of_one_copy);
        assert_eq!(one.levels(), ["LOCAL_ONE", "ONE"]);
        assert_eq!(above.levels(), ["ALL", "QUORUM"]);
        assert_eq!(one.level_of("a/y"), Some("LOCAL_ONE"));
        assert_eq!(above.level_of("a/y"), None);
        let designs: Vec<&str> = above.designs.iter().map(|at| at.design.as_str()).collect();
        let expected = [
            "a/x?consistency=quorum",
            "a/y?consistency=all",
            "a/z?consistency=all",
        ];
        assert_eq!(designs, expected);
    }

    #[test]
    fn a_single_design_of_a_kind_is_compared_with_nothing() {
        let two_and_one = [
            ("a/x?consistency=one", "ONE"),
            ("a/y", "ONE"),
            ("a/z", "ALL"),
        ];
        assert_eq!(summary(&two_and_one).by_level(), None);
    }

    #[test]
    fn levels_of_the_run_alone_part_no_designs() {
        let of_the_run = [
            ("a/x", "LOCAL_ONE"),
            ("a/y", "LOCAL_ONE"),
            ("b/x", "LOCAL_QUORUM"),
            ("b/y", "LOCAL_QUORUM"),
        ];
        assert_eq!(summary(&of_the_run).by_level(), None);
    }
}
