//! Checks studies.

mod claim;
mod figure;

use std::path::Path;

use toml::Spanned;

use self::claim::claim;
use super::text::{Text, suggestion};
use super::toml_error;
use crate::study::budget_divisor;
use crate::{DesignId, Publication, Result, Study, StudyCommand, StudyStep, Workload, wire};

/// The earliest and the latest year of a publication.
const YEARS: std::ops::RangeInclusive<i64> = 1970..=9999;
/// Options that a study chooses itself.
const OWN_OPTIONS: [&str; 2] = ["--out", "--dry-run"];

impl Study {
    /// Checks the text of a study; `path` names it in errors, and gives the study its name.
    ///
    /// # Errors
    /// [`Error::Workload`](crate::Error::Workload) with line and column if it contains something
    /// impossible.
    pub fn parse(text: &str, path: &Path) -> Result<Study> {
        let document = Text { path, text };
        let wire: wire::Study =
            toml::from_str(text).map_err(|error| toml_error::explain(document, &error))?;
        if wire.steps.is_empty() || wire.claims.is_empty() {
            let message = "a study needs a command that measures, in [[steps]], and a statement that it \
                           checks, in [[claims]]";
            return Err(document.error(wire.title.span(), message));
        }
        let steps = steps(document, &wire.steps)?;
        let claims = wire.claims.iter();
        let claims: Result<Vec<_>> = claims.map(|wire| claim(document, wire, &steps)).collect();
        let name = path.file_stem().unwrap_or_default();
        Ok(Study {
            name: name.to_string_lossy().into_owned(),
            publication: publication(document, wire.publication)?,
            claims: claims?,
            steps,
            title: wire.title.into_inner(),
            question: wire.question,
            method: wire.method,
        })
    }

    /// Checks that a step's workload has what is measured in it: the queries or operations that claims
    /// name. Returns what is wrong, in words.
    ///
    /// # Errors
    /// The workload lacks one of them, or what the step's command needs.
    pub fn check_step(&self, step: &StudyStep, workload: &Workload) -> Result<(), String> {
        let needs = match step.command {
            StudyCommand::Run if workload.queries.is_empty() => Some("queries"),
            StudyCommand::Drive if workload.mix.is_none() => Some("[mix]"),
            _ => None,
        };
        if let Some(needs) = needs {
            return Err(format!(
                "step {}: the workload {} has no {needs}, which `{}` needs",
                step.name,
                step.workload,
                step.command.name()
            ));
        }
        let claims = self.claims.iter();
        let comparisons = claims.filter_map(|claim| claim.comparison.as_ref());
        for comparison in comparisons.filter(|comparison| comparison.step == step.name) {
            let other = comparison.to.as_ref().map(|(figure, _)| figure);
            for named in std::iter::once(&comparison.of).chain(other) {
                figure::check(named, step, workload)?;
            }
        }
        Ok(())
    }
}

impl Study {
    /// Checks that a step measures all designs that claims name. Returns what is wrong, in words.
    ///
    /// # Errors
    /// One of them is not among `designs`, which the step measures.
    pub fn check_designs(&self, step: &StudyStep, designs: &[DesignId]) -> Result<(), String> {
        let claims = self.claims.iter();
        let of_step = claims
            .filter_map(|claim| Some((claim, claim.comparison.as_ref()?)))
            .filter(|(_, comparison)| comparison.step == step.name);
        for (claim, comparison) in of_step {
            let other = comparison.to.as_ref().map(|(_, design)| design);
            let mut named = std::iter::once(&comparison.of_design).chain(other);
            if let Some(design) = named.find(|design| !designs.contains(design)) {
                return Err(format!(
                    "step {}: it does not measure {design}, which decides \"{}\": add it to --designs in the \
                     step's options",
                    step.name, claim.text
                ));
            }
        }
        Ok(())
    }
}

fn publication(document: Text<'_>, wire: wire::StudyPublication) -> Result<Publication> {
    let year = *wire.year.get_ref();
    if !YEARS.contains(&year) {
        let message = format!("`year` is {year}, but has to be one of a publication: year = 2016");
        return Err(document.error(wire.year.span(), message));
    }
    let url = wire.url.get_ref();
    if !url.starts_with("https://") && !url.starts_with("http://") {
        let message = "`url` has to begin with https:// or http://";
        return Err(document.error(wire.url.span(), message));
    }
    Ok(Publication {
        author: wire.author,
        year: u32::try_from(year).unwrap_or_default(),
        title: wire.title,
        url: wire.url.into_inner(),
    })
}

fn steps(document: Text<'_>, wire: &[wire::StudyStep]) -> Result<Vec<StudyStep>> {
    let mut steps: Vec<StudyStep> = Vec::new();
    for written in wire {
        let checked = step(document, written)?;
        if steps.iter().any(|earlier| earlier.name == checked.name) {
            let message = format!("two steps are called `{}`", checked.name);
            return Err(document.error(written.name.span(), message));
        }
        steps.push(checked);
        let shares: u32 = steps.iter().map(|step| step.share).sum();
        if shares > 100 {
            let message =
                format!("the steps up to this one have {shares}% of the budget, above 100%");
            return Err(document.error(written.share.span(), message));
        }
    }
    Ok(steps)
}

fn step(document: Text<'_>, wire: &wire::StudyStep) -> Result<StudyStep> {
    let name = wire.name.get_ref();
    let is_fit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(is_fit) {
        let message =
            format!("`{name}` becomes part of a folder's name: write it with a-z, 0-9 and hyphens");
        return Err(document.error(wire.name.span(), message));
    }
    let share = *wire.share.get_ref();
    let share = u32::try_from(share)
        .ok()
        .filter(|share| (1..=100).contains(share));
    let Some(share) = share else {
        let message = "`share` is a part of the study's budget, from 1 to 100 percent";
        return Err(document.error(wire.share.span(), message));
    };
    Ok(StudyStep {
        name: name.clone(),
        what: wire.what.clone(),
        command: command(document, &wire.command)?,
        workload: wire.workload.clone(),
        share,
        options: options(document, &wire.options, false)?,
        at_budget: options(document, &wire.at_budget, true)?,
        at_full: options(document, &wire.at_full, false)?,
    })
}

fn command(document: Text<'_>, written: &Spanned<String>) -> Result<StudyCommand> {
    let word = written.get_ref();
    let mut known = StudyCommand::ALL.into_iter();
    known.find(|known| known.name() == word).ok_or_else(|| {
        let names = StudyCommand::ALL.map(StudyCommand::name);
        let message = format!("unknown command `{word}`{}", suggestion(word, names));
        document.error(written.span(), message)
    })
}

/// Checks the words of a command. The command itself is read when the study is carried out.
fn options(
    document: Text<'_>,
    written: &[Spanned<String>],
    has_budget: bool,
) -> Result<Vec<String>> {
    for word in written {
        let text = word.get_ref();
        let name = text.split('=').next().unwrap_or_default();
        if OWN_OPTIONS.contains(&name) {
            let message = format!("`{name}` is chosen by the study: leave it out");
            return Err(document.error(word.span(), message));
        }
        let divisor = budget_divisor(text);
        let divisor = divisor.map_err(|message| document.error(word.span(), message))?;
        if divisor.is_some() && !has_budget {
            let message = format!("`{text}` has a meaning in `at_budget` only");
            return Err(document.error(word.span(), message));
        }
    }
    Ok(written.iter().map(|word| word.get_ref().clone()).collect())
}

#[cfg(test)]
mod tests;
