//! How many standbys a server that is started has, and which of them a commit waits for.

use bakeoff_stats::{EngineInfo, StandbysInfo};

use super::Flavour;

/// The standbys of each server that is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standbys {
    pub count: u8,
    pub wait_for: WaitFor,
}

/// The standbys that have a row in their log on disk before it counts as committed, beside the primary itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WaitFor {
    All,
    #[default]
    Any,
    None,
}

impl Standbys {
    /// Returns the value of `synchronous_standby_names`; `None` if a commit waits for no standby.
    pub fn synchronous(self, names: &[String]) -> Option<String> {
        let names = names.join(", ");
        match self.wait_for {
            _ if self.count == 0 => None,
            WaitFor::All => Some(format!("{} ({names})", self.count)),
            WaitFor::Any => Some(format!("ANY 1 ({names})")),
            WaitFor::None => None,
        }
    }

    /// Returns what a commit waits for: the end of a sentence that begins with "a commit waits for".
    pub fn commit_waits_for(self) -> &'static str {
        match (self.wait_for, self.count) {
            (WaitFor::None, _) | (_, 0) => "none of them",
            (_, 1) => "it",
            (WaitFor::All, _) => "all of them",
            (WaitFor::Any, _) => "any one of them",
        }
    }

    /// Returns the setting that reports show, with its name; `None` if there are no standbys.
    pub fn setting(self) -> Option<(String, String)> {
        let how = format!(
            "{}; a commit waits for {}",
            self.count,
            self.commit_waits_for()
        );
        (self.count > 0).then(|| (EngineInfo::STANDBYS.to_owned(), how))
    }

    /// Describes them for the records of a run; `None` if there are none.
    pub fn info(self) -> Option<StandbysInfo> {
        let engines = [Flavour::Postgres, Flavour::Timescale];
        (self.count > 0).then(|| StandbysInfo {
            engines: engines.map(|flavour| flavour.name().to_owned()).to_vec(),
            standbys: u32::from(self.count),
            commit_waits_for: self.commit_waits_for().to_owned(),
        })
    }
}

/// Returns the setting that reports show where questions are asked of standbys.
pub fn asked_setting() -> (String, String) {
    let how = "asked of the standbys, each of the one with the fewest under way";
    ("questions".to_owned(), how.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standbys(count: u8, wait_for: WaitFor) -> Standbys {
        Standbys { count, wait_for }
    }

    #[test]
    fn the_primary_is_told_whom_to_wait_for() {
        let names = ["standby1".to_owned(), "standby2".to_owned()];
        let told = |wait_for| standbys(2, wait_for).synchronous(&names);
        let all = told(WaitFor::All);
        assert_eq!(all.as_deref(), Some("2 (standby1, standby2)"));
        let any = told(WaitFor::Any);
        assert_eq!(any.as_deref(), Some("ANY 1 (standby1, standby2)"));
        assert_eq!(told(WaitFor::None), None);
        assert_eq!(standbys(0, WaitFor::All).synchronous(&[]), None);
    }

    #[test]
    fn what_is_on_record_says_how_many_there_are_and_what_a_commit_waits_for() {
        assert_eq!(standbys(0, WaitFor::None).info(), None);
        assert_eq!(standbys(0, WaitFor::All).setting(), None);
        let info = standbys(3, WaitFor::Any).info().unwrap();
        assert_eq!(info.engines, ["postgres", "timescale"]);
        assert_eq!(info.copies(), 4);
        let (name, value) = standbys(3, WaitFor::All).setting().unwrap();
        let shown = (name.as_str(), value.as_str());
        assert_eq!(shown, ("standbys", "3; a commit waits for all of them"));
        let alone = standbys(1, WaitFor::Any).commit_waits_for();
        assert_eq!(alone, "it");
    }
}
