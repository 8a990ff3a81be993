//! Adds the mix of a log of queries to a workload, such that `bakeoff drive` takes it as it is.

use std::path::Path;

use bakeoff_engines::DriveRequest;
use bakeoff_engines::registry::engine;
use bakeoff_workload::infer::{AskedMix, AskedQuestion, Inferred};
use bakeoff_workload::{DesignId, Error, Keys, Workload, source};

/// What a workload is written of besides what was found, its mix and its designs.
pub struct Rest<'a> {
    /// The file of rows, or of statements, as the workload names it.
    pub named: &'a str,
    /// File that the workload is for.
    pub path: &'a Path,
    pub questions: &'a [AskedQuestion],
}

/// A mix with which a workload can be driven.
struct Fitted {
    mix: AskedMix,
    /// The designs of the workload, each with the one that takes its place, or why none does.
    designs: Vec<(String, Result<String, String>)>,
}

impl Fitted {
    /// Returns whether the design is left out, since it does not take the mix.
    fn lacks(&self, design: Option<&String>) -> bool {
        let mut designs = self.designs.iter();
        designs.any(|(was, now)| Some(was) == design && now.is_err())
    }
}

/// Adds a mix to what was found, and returns the designs with those that take it in place of others that do not, if
/// there are such. Designs that are never driven stay. Notes what is left out: designs, or the mix.
pub fn add_mix(
    found: &mut Inferred,
    mix: &AskedMix,
    designs: Vec<String>,
    rest: &Rest<'_>,
) -> Vec<String> {
    let baseline = { found.origin.as_ref() }.and_then(|origin| origin.design.clone());
    let mut fitted = fit(found, mix, &designs, rest);
    if fitted
        .as_ref()
        .is_ok_and(|fitted| fitted.lacks(baseline.as_ref()))
    {
        // Today's design may take rows that are there, and no new ones.
        let over_rows = fit(found, &mix.clone().over_rows(), &designs, rest);
        let is_better = |other: &Fitted| !other.lacks(baseline.as_ref());
        if over_rows.as_ref().is_ok_and(is_better) {
            fitted = over_rows;
        }
    }
    let fitted = match fitted {
        Ok(fitted) => fitted,
        Err(why) => {
            found.notes.push(format!(
                "the workload has no mix of the operations of the log: {why}"
            ));
            return designs;
        }
    };
    found.mix = Some(fitted.mix);
    let mut kept = Vec::with_capacity(designs.len());
    for (was, now) in fitted.designs {
        let is_baseline = baseline.as_ref() == Some(&was);
        if let Some(origin) = found.origin.as_mut().filter(|_| is_baseline) {
            origin.design = now.clone().ok();
        }
        match now {
            Ok(now) => {
                if now != was {
                    found.notes.push(format!(
                        "{now} takes the place of {was}, which does not take the operations of the log"
                    ));
                }
                if !kept.contains(&now) {
                    kept.push(now);
                }
            }
            Err(why) => found.notes.push(format!(
                "{was} is not among the designs, since it does not take the operations of the log: {why}"
            )),
        }
    }
    kept
}

/// Finds out which designs take a mix, and how many rows may be loaded for it.
///
/// # Errors
/// Says why no workload of what was found can be driven with it.
fn fit(
    found: &Inferred,
    mix: &AskedMix,
    designs: &[String],
    rest: &Rest<'_>,
) -> Result<Fitted, String> {
    let with_mix = Inferred {
        mix: Some(mix.clone()),
        ..found.clone()
    };
    let text = with_mix.workload(rest.named, designs, rest.questions);
    let workload = Workload::parse(&text, rest.path).map_err(told)?;
    let Some(parsed) = &workload.mix else {
        return Err("it is not read back".to_owned());
    };
    let rows = workload.scale.default_rows;
    let source = source::open(&workload, None).map_err(told)?;
    let held = source::held_rows(&workload, source.as_ref(), rows).map_err(told)?;
    let fewer = held.rows().filter(|held| *held < rows);
    let inserts_new = { parsed.operations.iter() }.any(|of| of.keys == Keys::New);
    let written = if inserts_new {
        u64::MAX
    } else {
        fewer.unwrap_or(rows)
    };
    let request = DriveRequest {
        keys_repeat: held.keys_repeat(written, false),
        ..DriveRequest::plain(&workload, parsed)
    };
    let fitted = Fitted {
        mix: AskedMix {
            most_rows: fewer,
            ..mix.clone()
        },
        designs: { designs.iter() }
            .map(|design| (design.clone(), for_drive(design, &request)))
            .collect(),
    };
    let is_taken = |(was, now): &(String, Result<String, String>)| now.is_ok() && is_driven(was);
    if !fitted.designs.iter().any(is_taken) {
        let whys = fitted
            .designs
            .iter()
            .filter_map(|(_, now)| now.as_ref().err());
        let why = whys.map(String::as_str).next();
        let why = why.unwrap_or("none of the designs takes single operations");
        return Err(why.to_owned());
    }
    Ok(fitted)
}

/// Returns the design that takes a mix in place of this one, mostly itself. One that is never driven stays.
fn for_drive(design: &str, request: &DriveRequest<'_>) -> Result<String, String> {
    if !is_driven(design) {
        return Ok(design.to_owned());
    }
    let id: DesignId = design.parse()?;
    let engine = engine(&id).map_err(|error| error.0)?;
    let taking = engine.for_drive(&id, request).map_err(|error| {
        let own = error.0.strip_prefix(&format!("design {id}: "));
        own.unwrap_or(&error.0).to_owned()
    })?;
    Ok(taking.to_string())
}

/// Returns whether `bakeoff drive` is for a design at all.
fn is_driven(design: &str) -> bool {
    let Ok(id) = design.parse::<DesignId>() else {
        return false;
    };
    engine(&id).is_ok_and(|engine| engine.check_operations(&id).is_ok())
}

/// Returns what is wrong, without the file that is not written yet.
fn told(error: Error) -> String {
    match error {
        Error::Workload { message, .. } => message,
        error => error.to_string(),
    }
}
