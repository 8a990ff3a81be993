//! Results of searching this machine for a program or its files.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;

/// The result of searching one location after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Search<T> {
    /// The first match.
    pub found: Option<T>,
    /// Candidates that were found but do not fit, in the order of the search.
    pub passed_over: Vec<PassedOver>,
}

/// A candidate that was found and does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassedOver {
    pub path: PathBuf,
    /// Description of the candidate, such as `Java 25`.
    pub reason: String,
}

impl<T> Search<T> {
    pub(crate) fn new() -> Search<T> {
        Search {
            found: None,
            passed_over: Vec::new(),
        }
    }

    /// Returns the candidates that come before the match but do not fit, each kind once.
    pub(crate) fn preferred(&self) -> Vec<String> {
        match self.found {
            Some(_) => kinds(&self.passed_over),
            None => Vec::new(),
        }
    }

    pub(crate) fn pass_over(&mut self, path: impl Into<PathBuf>, reason: impl Into<String>) {
        self.passed_over.push(PassedOver {
            path: path.into(),
            reason: reason.into(),
        });
    }
}

/// Returns the candidates as text, each kind once: links lead to the same Java from several
/// locations.
pub(crate) fn kinds(passed_over: &[PassedOver]) -> Vec<String> {
    let mut seen = HashSet::new();
    passed_over
        .iter()
        .filter(|over| seen.insert(&over.reason))
        .map(PassedOver::to_string)
        .collect()
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.reason, self.path.display())
    }
}
