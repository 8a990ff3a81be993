//! What rules of experts propose for a workload before anything is measured: designs with their reasons, and what is
//! known to be bad practice; and, after a run, whether what they propose was better.

mod calibration;
mod cost;
mod held;

use serde::Serialize;

pub use calibration::{
    COLUMN, COLUMNS, COLUMNS_READ, Calibration, FEW, NUMBER_OF_SERIES, Pace, ROWS_OF_FEW, Reading,
    SERIES, Seconds,
};
pub use cost::{Behind, Estimated, TIMES_BEHIND, TIMES_BYTES, far_behind};
pub use held::{Bytes, Held, RulesHeld, rules_held};

/// Most designs that are proposed for a workload.
pub const MOST_PROPOSALS: usize = 40;

/// What the rules say of a workload.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Proposals {
    /// Name of the workload.
    pub workload: String,
    /// What the rules know of it, in words: its key, its rows, its questions and its mix.
    pub facts: Vec<String>,
    /// What is odd about the questions, as far as the rows that were read tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// At most [`MOST_PROPOSALS`], those to begin with first.
    pub designs: Vec<Proposal>,
    pub bad_practices: Vec<BadPractice>,
    /// Ids of designs that would have been proposed as well if there were not so many.
    pub beyond: Vec<String>,
    /// Designs that are left out, since another one is estimated to be far ahead of them in everything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<Behind>,
    /// Designs that a rule named although they do not suit the workload.
    pub misfits: Vec<Misfit>,
    /// Designs whose tables would hardly differ from that of one of those that are proposed, with these rows.
    pub same: Vec<SameTable>,
}

/// A design that is worth measuring.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    /// Id of the design.
    pub design: String,
    /// Rules that name it, with the first one that did first; never empty.
    pub reasons: Vec<Reason>,
    /// Statements that make its tables, or what is done instead of statements.
    pub ddl: Vec<String>,
    /// Whether it answers the questions of the workload.
    pub answers_questions: bool,
    /// Whether it takes the operations of the workload's mix.
    pub takes_operations: bool,
    /// What keeps it from being used on this machine: its engine, or what it alone needs, is not there.
    pub not_here: Option<String>,
    /// Estimated time of each question over all rows; none without a calibration of its kind of designs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub estimated: Vec<Seconds>,
}

/// Why a rule names a design.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Name such as `partition-size`.
    pub rule: &'static str,
    /// What the rule says of this workload, without a full stop.
    pub says: String,
    /// Who states the rule.
    pub source: &'static str,
}

/// What would be possible for the workload and is known to go wrong, so that it is not proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadPractice {
    /// Name such as `unbounded-partition`.
    pub rule: &'static str,
    /// What is bad, such as the id of a design.
    pub what: String,
    /// Why it is bad for this workload, without a full stop.
    pub why: String,
    /// What to do instead, without a full stop.
    pub instead: String,
    /// Who states the rule.
    pub source: &'static str,
}

/// A design that a rule named although it does not suit the workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Misfit {
    /// Id of the design.
    pub design: String,
    /// Why it does not suit.
    pub why: String,
}

/// A design that is not measured, since it differs from a measured one in nothing but a length of time, and all rows lie
/// within both lengths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SameTable {
    /// Id of the design.
    pub design: String,
    /// Id of the one that is measured.
    pub measured: String,
}

impl Proposals {
    /// Returns the names of all rules that named a design, each once and in the order of the designs.
    pub fn rules(&self) -> Vec<&'static str> {
        let mut rules = Vec::new();
        for reason in self.designs.iter().flat_map(|design| &design.reasons) {
            if !rules.contains(&reason.rule) {
                rules.push(reason.rule);
            }
        }
        rules
    }

    /// Leaves out the designs that another one of their engine is estimated to beat by far in everything ([`far_behind`]),
    /// and notes them; never the one that is to be measured in any case.
    pub fn leave_far_behind(&mut self, calibration: &Calibration, kept: Option<&str>) {
        let estimated = self.designs.iter().map(|proposal| Estimated {
            design: &proposal.design,
            pace: calibration.pace(&proposal.design),
            questions: proposal.estimated.clone(),
            is_kept: kept == Some(proposal.design.as_str()) || proposal.takes_operations,
            is_here: proposal.not_here.is_none(),
        });
        let estimated: Vec<Estimated<'_>> = estimated.collect();
        let behind = far_behind(&estimated);
        let is_left = |design: &str| behind.iter().any(|behind| behind.design == design);
        self.designs.retain(|proposal| !is_left(&proposal.design));
        // What hardly differs from one that is left out is left out with it, for the same reason.
        self.same.retain(|same| !is_left(&same.measured));
        self.behind.extend(behind);
    }

    /// Leaves out the last designs beyond [`MOST_PROPOSALS`], and notes them.
    pub fn leave_most(&mut self) {
        if self.designs.len() > MOST_PROPOSALS {
            let beyond = self.designs.split_off(MOST_PROPOSALS);
            self.beyond.extend(beyond.into_iter().map(|p| p.design));
        }
    }

    /// Returns each reason why designs do not suit, once, with the ids of these designs, in the order of the rules.
    pub fn misfits_by_reason(&self) -> Vec<(&str, Vec<&str>)> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for misfit in &self.misfits {
            match reasons.iter_mut().find(|(why, _)| *why == misfit.why) {
                Some((_, designs)) => designs.push(misfit.design.as_str()),
                None => reasons.push((misfit.why.as_str(), vec![misfit.design.as_str()])),
            }
        }
        reasons
    }

    /// Returns each design from whose table those of others would hardly differ, once, with the ids of these.
    pub fn same_by_measured(&self) -> Vec<(&str, Vec<&str>)> {
        let mut same: Vec<(&str, Vec<&str>)> = Vec::new();
        for SameTable { design, measured } in &self.same {
            match same
                .iter_mut()
                .find(|(other, _)| *other == measured.as_str())
            {
                Some((_, designs)) => designs.push(design.as_str()),
                None => same.push((measured.as_str(), vec![design.as_str()])),
            }
        }
        same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_that_names_several_designs_counts_once() {
        let design = |id: &str, rules: &[&'static str]| Proposal {
            design: id.to_owned(),
            reasons: { rules.iter() }
                .map(|rule| Reason {
                    rule,
                    says: String::new(),
                    source: "",
                })
                .collect(),
            ddl: Vec::new(),
            answers_questions: true,
            takes_operations: false,
            not_here: None,
            estimated: Vec::new(),
        };
        let proposals = Proposals {
            designs: vec![
                design("a", &["one"]),
                design("b", &["two", "one"]),
                design("c", &["two"]),
            ],
            ..Proposals::default()
        };
        assert_eq!(proposals.rules(), ["one", "two"]);
    }

    #[test]
    fn designs_far_behind_and_those_beyond_the_most_are_left_out_and_noted() {
        let pace = |kind: &str, bytes: f64| Pace {
            kind: kind.to_owned(),
            question: Seconds::default(),
            found_row: Seconds::default(),
            scanned_row: Seconds::default(),
            value: Seconds::default(),
            row_bytes: bytes,
            load_rate: 1e5,
        };
        let calibration = Calibration {
            paces: vec![pace("x/wide", 30.0), pace("x/columns", 10.0)],
            ..Calibration::default()
        };
        let design = |id: String, seconds: f64| Proposal {
            design: id,
            reasons: Vec::new(),
            ddl: Vec::new(),
            answers_questions: true,
            takes_operations: false,
            not_here: None,
            estimated: vec![Seconds {
                least: seconds,
                most: seconds,
            }],
        };
        let mut proposals = Proposals {
            designs: vec![design("x/columns".to_owned(), 0.01)],
            same: vec![SameTable {
                design: "x/other".to_owned(),
                measured: "x/wide?n=7".to_owned(),
            }],
            ..Proposals::default()
        };
        let wide = (0..MOST_PROPOSALS + 5).map(|n| design(format!("x/wide?n={n}"), 1.0));
        proposals.designs.extend(wide);
        let mut all = proposals.clone();
        all.leave_most();
        assert_eq!(all.designs.len(), MOST_PROPOSALS);
        assert_eq!(all.beyond.len(), 6);
        proposals.leave_far_behind(&calibration, Some("x/wide?n=3"));
        proposals.leave_most();
        let left: Vec<&str> = proposals
            .designs
            .iter()
            .map(|d| d.design.as_str())
            .collect();
        assert_eq!(left, ["x/columns", "x/wide?n=3"]);
        assert_eq!(proposals.behind.len(), MOST_PROPOSALS + 4);
        assert_eq!(proposals.behind[0].ahead, "x/columns");
        assert_eq!(proposals.same, []);
        assert_eq!(proposals.beyond, Vec::<String>::new());
    }

    #[test]
    fn designs_that_do_not_suit_for_the_same_reason_are_told_together() {
        let misfit = |design: &str, why: &str| Misfit {
            design: design.to_owned(),
            why: why.to_owned(),
        };
        let proposals = Proposals {
            misfits: vec![misfit("a", "x"), misfit("b", "y"), misfit("c", "x")],
            ..Proposals::default()
        };
        assert_eq!(
            proposals.misfits_by_reason(),
            [("x", vec!["a", "c"]), ("y", vec!["b"])]
        );
    }
}
