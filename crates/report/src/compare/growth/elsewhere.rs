//! Check of the forecasts of a run by another run, of more series and a longer time: what
//! `bakeoff forecast --validate-at` prints.

use bakeoff_stats::{Axes, DesignForecast, Forecast, HeldOut, Projected, Summary, TimeForecast};

use super::validation::{At, Check, RefusedCheck, Validation};

/// Returns what a run forecasts for another run's series and time, with its errors by what that one
/// measured; an error says why they cannot be compared.
///
/// # Errors
/// They are runs of different workloads, or do not say what they have of both axes.
pub fn validate_at(summary: &Summary, other: &Summary) -> Result<Validation, String> {
    if summary.header.workload != other.header.workload {
        return Err(format!(
            "they are runs of different workloads, {} and {}",
            summary.header.workload, other.header.workload
        ));
    }
    let factors = summary.axes.as_ref().zip(other.axes.as_ref());
    let Some((series, time)) = factors.and_then(|(own, other)| grown(own, other)) else {
        return Err(
            "one of them does not say how many series and how long a time it has: name both in \
             [scale.grows] of the workload, and run it again"
                .to_owned(),
        );
    };
    let forecast = { summary.projected_along(series, time, 1) }
        .ok_or_else(|| "the first one has nothing to forecast from".to_owned())?;
    let mut validation = Validation::of(
        summary,
        times_at(&forecast, summary, other),
        sizes_at(&forecast, summary, other),
    );
    validation.at = Some(At { series, time });
    validation.refused = refused(&forecast, other);
    Ok(validation)
}

/// Returns how many times as many series and as long a time the other run has.
fn grown(own: &Axes, other: &Axes) -> Option<(f64, f64)> {
    let times = |own: Option<u64>, other: Option<u64>| {
        let own = own.filter(|own| *own > 0)?;
        Some(other? as f64 / own as f64)
    };
    Some((
        times(own.series, other.series)?,
        times(own.time, other.time)?,
    ))
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
        Some(Check::of(&design.design, None, &held_out))
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
