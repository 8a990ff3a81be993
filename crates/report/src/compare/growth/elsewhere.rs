//! Check of the forecasts of a run by another run of the workload: what `bakeoff forecast --validate-at`
//! prints.

use bakeoff_stats::ledger::{self, Entry};
use bakeoff_stats::{DesignForecast, Forecast, HeldOut, Projected, Summary, TimeForecast};

use super::validation::{At, Check, Grown, RefusedCheck, Validation};

/// Returns what a run forecasts for another run, with its errors by what that one measured, and with the
/// entries that a ledger keeps of them. Along the axes that both runs know, and otherwise by the rows.
///
/// # Errors
/// Says why they cannot be compared: they are runs of different data, or only one of them says what it
/// has of both axes.
pub fn validate_at(summary: &Summary, other: &Summary) -> Result<(Validation, Vec<Entry>), String> {
    let (ours, theirs) = (&summary.header, &other.header);
    if (&ours.workload, ours.seed) != (&theirs.workload, theirs.seed) {
        return Err(format!(
            "they do not have the same data: one is of {} with seed {}, the other of {} with seed {}",
            ours.workload, ours.seed, theirs.workload, theirs.seed
        ));
    }
    let grown = grown(summary, other)?;
    let forecast = match grown {
        Some(Grown { series, time }) => { summary.projected_along(series, time, 1) }
            .ok_or_else(|| "the first one has nothing to forecast from".to_owned())?,
        None => summary.projected(other.rows, 1),
    };
    let mut validation = Validation::of(
        summary,
        times_at(&forecast, summary, other),
        sizes_at(&forecast, summary, other),
    );
    validation.at = Some(At {
        rows: other.rows,
        grown,
    });
    validation.refused = refused(&forecast, other);
    Ok((validation, ledger::against(&forecast, summary, other)))
}

/// Returns how many times as many series and as long a time the other run has; `None` if neither run has
/// axes.
///
/// # Errors
/// Says that only one of them has.
fn grown(summary: &Summary, other: &Summary) -> Result<Option<Grown>, String> {
    if summary.axes.is_none() && other.axes.is_none() {
        return Ok(None);
    }
    let axes = summary.axes.as_ref().zip(other.axes.as_ref());
    let grown = axes.and_then(|(own, other)| {
        Some(Grown {
            series: times(own.series, other.series)?,
            time: times(own.time, other.time)?,
        })
    });
    grown.map(Some).ok_or_else(|| {
        "one of them does not say how many series and how long a time it has: name both in \
         [scale.grows] of the workload, and run it again"
            .to_owned()
    })
}

/// Returns the other run's amount as a multiple of a run's own.
fn times(own: Option<u64>, other: Option<u64>) -> Option<f64> {
    let own = own.filter(|own| *own > 0)?;
    Some(other? as f64 / own as f64)
}

/// Returns the forecast times that the other run measured.
fn times_at(forecast: &Forecast, own: &Summary, other: &Summary) -> Vec<Check> {
    let times = { forecast.designs.iter() }
        .flat_map(|design| design.times.iter().map(move |time| (design, time)));
    let check = |(design, time): (&DesignForecast, &TimeForecast)| {
        let known = time.known()?;
        let measured = other.design(&design.design)?.query(&time.query)?.time?;
        let held_out = HeldOut {
            predicted: known.seconds,
            interval: known.interval,
            measured: measured.median,
            proportional: time.measured * other.rows as f64 / own.rows as f64,
        };
        Some(Check::of(&design.design, Some(&time.query), &held_out))
    };
    times.filter_map(check).collect()
}

/// Returns the forecast bytes of one copy that the other run measured.
fn sizes_at(forecast: &Forecast, own: &Summary, other: &Summary) -> Vec<Check> {
    let check = |design: &DesignForecast| {
        let storage = design.storage.as_ref()?;
        let bytes = |of: &Summary| of.design(&design.design)?.bytes_per_row;
        let rows = other.rows as f64;
        let held_out = HeldOut {
            predicted: storage.bytes,
            interval: storage.interval.unwrap_or((storage.bytes, storage.bytes)),
            measured: bytes(other)? * rows,
            proportional: bytes(own)? * rows,
        };
        let check = Check::of(&design.design, None, &held_out);
        // Bytes in proportion to the rows have no interval that they could be outside of.
        Some(Check {
            interval: check.interval.filter(|_| storage.interval.is_some()),
            is_covered: check.is_covered.filter(|_| storage.interval.is_some()),
            ..check
        })
    };
    forecast.designs.iter().filter_map(check).collect()
}

/// Returns why there is no forecast of times that the other run measured.
fn refused(forecast: &Forecast, other: &Summary) -> Vec<RefusedCheck> {
    let times = { forecast.designs.iter() }
        .flat_map(|design| design.times.iter().map(move |time| (design, time)));
    let refused = |(design, time): (&DesignForecast, &TimeForecast)| {
        let Projected::Refused(refusal) = &time.forecast else {
            return None;
        };
        other.design(&design.design)?.query(&time.query)?.time?;
        Some(RefusedCheck {
            design: design.design.clone(),
            query: time.query.clone(),
            why: refusal.to_string(),
        })
    };
    times.filter_map(refused).collect()
}
