//! Checks the statements of a study.

use toml::Spanned;

use super::figure;
use crate::check::text::{Text, suggestion};
use crate::{DesignId, Result, StudyClaim, StudyComparison, StudyStep, wire};

/// Checks a statement: it has a comparison that decides it, or a reason why nothing does.
pub fn claim(
    document: Text<'_>,
    wire: &wire::StudyClaim,
    steps: &[StudyStep],
) -> Result<StudyClaim> {
    let comparison = comparison(document, wire, steps)?;
    if comparison.is_none() && wire.why.is_none() {
        let message = "nothing decides this statement: name `step`, `figure` and `of` with `at_least` or \
                       `at_most`, or say in `why` what is not measured";
        return Err(document.error(wire.text.span(), message));
    }
    Ok(StudyClaim {
        text: wire.text.get_ref().clone(),
        published: wire.published.clone(),
        why: wire.why.clone(),
        comparison,
    })
}

fn comparison(
    document: Text<'_>,
    wire: &wire::StudyClaim,
    steps: &[StudyStep],
) -> Result<Option<StudyComparison>> {
    let (Some(step), Some(figure), Some(of)) = (&wire.step, &wire.figure, &wire.of) else {
        return without(document, wire);
    };
    let step = step_of(document, step, steps)?;
    let first = figure::parse(document, figure, step.command)?;
    let of_design = design(document, of)?;
    let to = match (&wire.to, &wire.to_figure) {
        (None, None) => None,
        (to, other) => {
            let divisor = other.as_ref().unwrap_or(figure);
            let second = figure::parse(document, divisor, step.command)?;
            if !figure::have_one_unit(&first, &second) {
                let message =
                    "a ratio is of two figures of one kind, such as the times of two queries";
                return Err(document.error(divisor.span(), message));
            }
            let other_design = to.as_ref().map(|to| design(document, to)).transpose()?;
            Some((second, other_design.unwrap_or_else(|| of_design.clone())))
        }
    };
    let (at_least, at_most) = bounds(document, wire)?;
    Ok(Some(StudyComparison {
        step: step.name.clone(),
        of: first,
        of_design,
        to,
        at_least,
        at_most,
    }))
}

/// Accepts a statement without a comparison, if it has no part of one.
fn without(document: Text<'_>, wire: &wire::StudyClaim) -> Result<Option<StudyComparison>> {
    let texts = [
        &wire.step,
        &wire.figure,
        &wire.of,
        &wire.to,
        &wire.to_figure,
    ];
    let texts = texts.into_iter().flatten().map(Spanned::span);
    let numbers = [&wire.at_least, &wire.at_most];
    let numbers = numbers.into_iter().flatten().map(Spanned::span);
    match texts.chain(numbers).next() {
        None => Ok(None),
        Some(part) => {
            let message = "a comparison needs all of `step`, `figure` and `of`";
            Err(document.error(part, message))
        }
    }
}

fn step_of<'a>(
    document: Text<'_>,
    written: &Spanned<String>,
    steps: &'a [StudyStep],
) -> Result<&'a StudyStep> {
    let name = written.get_ref();
    let found = steps.iter().find(|step| step.name == *name);
    found.ok_or_else(|| {
        let names = steps.iter().map(|step| step.name.as_str());
        let message = format!("there is no step `{name}`{}", suggestion(name, names));
        document.error(written.span(), message)
    })
}

fn design(document: Text<'_>, written: &Spanned<String>) -> Result<DesignId> {
    let parsed: Result<DesignId, String> = written.get_ref().parse();
    parsed.map_err(|message| document.error(written.span(), message))
}

/// Checks the bounds between which the statement holds.
fn bounds(document: Text<'_>, wire: &wire::StudyClaim) -> Result<(Option<f64>, Option<f64>)> {
    let value = |written: &Option<Spanned<f64>>, key: &str| match written {
        None => Ok(None),
        Some(number) => {
            let checked =
                crate::check::number::positive(document, *number.get_ref(), number.span(), key);
            checked.map(Some)
        }
    };
    let (least, most) = (
        value(&wire.at_least, "at_least")?,
        value(&wire.at_most, "at_most")?,
    );
    match (least, most) {
        (None, None) => {
            let message =
                "nothing says when this statement holds: add `at_least`, `at_most` or both";
            Err(document.error(wire.text.span(), message))
        }
        (Some(least), Some(most)) if least > most => {
            let message = format!("`at_least` ({least}) is above `at_most` ({most})");
            Err(document.error(wire.text.span(), message))
        }
        bounds => Ok(bounds),
    }
}
