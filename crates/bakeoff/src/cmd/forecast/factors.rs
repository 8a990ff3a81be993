//! `bakeoff forecast --factors-of`: the designs of an earlier run, by one that both runs measured.

use std::path::Path;

use anyhow::{Result, anyhow};
use bakeoff_report::growth;
use bakeoff_stats::between::ByFactors;
use bakeoff_stats::{ScanQuestion, Summary};

use crate::exit::Misuse;

/// The run that is estimated for and the one whose factors are taken, each with its folder.
pub struct Runs<'a> {
    pub run: (&'a Path, &'a Summary),
    pub earlier: (&'a Path, &'a Summary),
}

impl Runs<'_> {
    /// Renders the estimates by a base, and those of a question by its records if one is asked for.
    ///
    /// # Errors
    /// A misuse if the runs are of different things, if they have no base, or if its scan speed is not known.
    pub fn render(
        &self,
        base: Option<&str>,
        question: Option<ScanQuestion>,
        json: bool,
    ) -> Result<String> {
        let (own, other) = (self.run.0.display(), self.earlier.0.display());
        let refused = |why: String| {
            Misuse::new(anyhow!(
                "{own} cannot be estimated by the factors of {other}: {why}"
            ))
        };
        let (own_name, other_name) = (own.to_string(), other.to_string());
        let run = (own_name.as_str(), self.run.1);
        let earlier = (other_name.as_str(), self.earlier.1);
        let found = ByFactors::of(run, earlier, base).map_err(refused)?;
        let scan = question.map(|question| found.scan(self.run.1, question));
        let scan = scan.transpose().map_err(refused)?;
        Ok(if json {
            growth::by_factors_json(&found, scan.as_ref())?
        } else {
            growth::render_by_factors(&found, scan.as_ref())
        })
    }
}
