//! What the designs of a decision are compared by, and how far it has come, as its folder tells.

use std::path::Path;

use bakeoff_stats::{Record, Run};
use bakeoff_workload::Workload;

use super::basis::Asked;
use super::final_plan::{FINAL, Noted};
use super::loads::Loads;
use super::{RUN, WORKLOAD};
use crate::cmd::report::Shown;

/// What the designs of a workload are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Questions,
    /// The operations of a mix, where there are no questions.
    Operations,
    /// Questions, between designs that take the operations of a mix, too.
    Both,
}

impl By {
    /// Returns what the designs of a workload are compared by. One without questions has a mix.
    pub fn of(workload: &Workload) -> By {
        match (workload.queries.is_empty(), &workload.mix) {
            (true, _) => By::Operations,
            (false, None) => By::Questions,
            (false, Some(_)) => By::Both,
        }
    }

    /// Returns how many of so many designs are driven with operations: beside questions the two to which they lead.
    pub fn driven(self, designs: usize) -> usize {
        match self {
            By::Questions => 0,
            By::Operations => designs,
            By::Both => designs.min(2),
        }
    }
}

/// Returns whether the folder of a decision holds a measurement, which may have been stopped.
pub fn has_begun(dir: &Path) -> bool {
    dir.join(RUN).exists() || Loads::of(dir).have_begun()
}

/// Returns whether the run in the folder of a decision came to its end.
pub fn run_has_ended(dir: &Path) -> bool {
    came_to_end(&dir.join(RUN))
}

/// Returns whether a final is to be measured in the folder of a decision, to be gone on with, or still to be planned,
/// since a command was stopped between the end of its race and the note of that.
pub fn is_final_due(dir: &Path) -> bool {
    match Noted::read(dir) {
        Ok(Some(Noted::NoFinal)) => false,
        Ok(None) => run_has_ended(dir),
        // What is wrong with a note is told where it is followed.
        Ok(Some(Noted::Final(_))) | Err(_) => !came_to_end(&dir.join(FINAL)),
    }
}

/// Returns whether the run in a folder came to its end.
pub fn came_to_end(run: &Path) -> bool {
    let run = Run::open(run).ok();
    run.is_some_and(|run| matches!(run.records().last(), Some(Record::Finished { .. })))
}

/// Returns whether all that a decision measures is in its folder, to its end.
pub fn has_ended(dir: &Path) -> bool {
    if is_final_due(dir) {
        return false;
    }
    let loads = Loads::of(dir);
    let by = Workload::read(&dir.join(WORKLOAD)).map(|workload| By::of(&workload));
    match by {
        Ok(By::Both) => run_has_ended(dir) && !are_loads_due(dir, &loads),
        Ok(By::Questions | By::Operations) | Err(_) => run_has_ended(dir) || loads.ended.is_some(),
    }
}

/// Returns whether the designs to which the questions lead are still to be driven. A final may lead to others than those
/// that were driven before it.
fn are_loads_due(dir: &Path, loads: &Loads) -> bool {
    match Asked::read(dir, &Shown::default()) {
        Ok(asked) => {
            let designs = asked.best_two();
            !designs.is_empty() && !loads.are_of(&designs)
        }
        Err(_) => loads.ended.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cmd::decide::final_plan::FinalPlan;
    use crate::cmd::decide::fixture::ended_in;
    use crate::shipped::WORKLOADS;

    #[test]
    fn a_workload_is_decided_by_what_it_has() {
        for (name, expected) in [
            ("formats", By::Questions),
            ("ycsb/a", By::Operations),
            ("readings", By::Both),
        ] {
            let text = WORKLOADS.get(name).unwrap().text;
            let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
            assert_eq!(By::of(&workload), expected, "{name}");
        }
    }

    #[test]
    fn a_folder_in_which_nothing_was_measured_has_neither_begun_nor_ended() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert!(!has_begun(dir) && !has_ended(dir));
        for name in ["formats", "ycsb/a", "readings"] {
            std::fs::write(dir.join(WORKLOAD), WORKLOADS.get(name).unwrap().text).unwrap();
            assert!(!has_begun(dir) && !has_ended(dir), "{name}");
        }
        std::fs::create_dir(dir.join("load")).unwrap();
        assert!(has_begun(dir) && !has_ended(dir));
    }

    #[test]
    fn a_final_that_was_planned_is_due_until_it_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert!(!is_final_due(dir), "nothing was measured");
        let plan = FinalPlan {
            designs: vec!["memory".to_owned()],
            rows: 1,
            budget: std::time::Duration::from_secs(1),
        };
        Noted::Final(plan).write(dir).unwrap();
        ended_in(&dir.join(RUN), "comparison");
        assert!(is_final_due(dir) && !has_ended(dir));
        std::fs::create_dir(dir.join(FINAL)).unwrap();
        assert!(is_final_due(dir), "nothing was measured in it");
        ended_in(&dir.join(FINAL), "comparison");
        assert!(!is_final_due(dir) && has_ended(dir));
    }

    #[test]
    fn a_race_that_ended_without_a_note_has_its_final_still_to_be_planned() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        ended_in(&dir.join(RUN), "comparison");
        assert!(is_final_due(dir) && !has_ended(dir));
        Noted::NoFinal.write(dir).unwrap();
        assert!(!is_final_due(dir) && has_ended(dir));
        // Operations alone have no race.
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        ended_in(&dir.join("load"), "drive");
        assert!(!is_final_due(dir) && has_ended(dir));
    }
}
