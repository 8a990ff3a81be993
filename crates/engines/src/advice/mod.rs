//! What rules of experts know of a workload, and what they say of it. Engines have the rules
//! ([`Engine::advise`](crate::Engine::advise)), each a pure function from [`Facts`] to designs worth measuring, to
//! practices that are known to go wrong, or to nothing.

mod facts;
mod finds;
mod question;
#[cfg(test)]
pub mod testing;
mod widths;
mod words;

use bakeoff_stats::propose::{BadPractice, Reason};

pub use facts::{Facts, Load, MOSTLY_IN_ORDER, Rows, Sample};
pub use finds::{Finds, FoundBy};
pub use question::{Filter, FilterKind, Question};
pub use widths::{Width, at_least, at_most, duration};
pub use words::{bytes, count, percent};

/// What a rule says.
#[derive(Debug, Clone, PartialEq)]
pub enum Advice {
    Measure(Candidate),
    Avoid(BadPractice),
}

/// A design that a rule names.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Id of the design.
    pub design: String,
    pub rank: Rank,
    pub reason: Reason,
}

/// How soon a design is to be measured, if there are too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// What an engine begins with, which further designs are compared with.
    First,
    /// What a rule names because of the questions or the rows.
    Likely,
    /// Further values of a setting, which show where it is best.
    Further,
}

/// A rule: a pure function from what is known of a workload.
pub type Rule = fn(&Facts) -> Vec<Advice>;

/// The name of a rule, and who states it.
#[derive(Debug, Clone, Copy)]
pub struct Stated {
    pub rule: &'static str,
    pub source: &'static str,
}

impl Stated {
    /// Names a design that is worth measuring.
    pub fn measure(self, rank: Rank, design: impl Into<String>, says: impl Into<String>) -> Advice {
        Advice::Measure(Candidate {
            design: design.into(),
            rank,
            reason: Reason {
                rule: self.rule,
                says: says.into(),
                source: self.source,
            },
        })
    }

    /// Names what is known to go wrong, why, and what to do instead.
    pub fn avoid(
        self,
        what: impl Into<String>,
        why: impl Into<String>,
        instead: impl Into<String>,
    ) -> Advice {
        Advice::Avoid(BadPractice {
            rule: self.rule,
            what: what.into(),
            why: why.into(),
            instead: instead.into(),
            source: self.source,
        })
    }
}

/// Applies rules in their order.
pub fn apply(rules: &[Rule], facts: &Facts) -> Vec<Advice> {
    rules.iter().flat_map(|rule| rule(facts)).collect()
}
