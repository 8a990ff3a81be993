//! What looking for something on this machine came to.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;

/// The outcome of looking for something in one place after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Search<T> {
    /// What is used: the first that fits.
    pub found: Option<T>,
    /// What is there but is not used, in the order of looking.
    pub passed_over: Vec<PassedOver>,
}

/// Something that was found and does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassedOver {
    pub path: PathBuf,
    /// What it is instead: `Java 25`.
    pub reason: String,
}

impl<T> Search<T> {
    pub(crate) fn new() -> Search<T> {
        Search {
            found: None,
            passed_over: Vec::new(),
        }
    }

    /// What would have been taken before what is used, if it did, each kind once.
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

/// Each kind once: links lead to the same Java from several places.
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
