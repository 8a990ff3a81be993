//! Checks `generator = "devops"` and `"iot"`: number of hosts or trucks, measurement, interval and
//! days.

use toml::Spanned;

use super::text::{Text, suggestion};
use crate::{
    DevopsMeasurement, Generator, IotMeasurement, Result, TsbsScale,
    tsbs::{DAY_MS, MOST_TICKS},
    wire,
};

/// Number of hosts or trucks by default.
const DEFAULT_SOURCES: u32 = 100;
/// Largest number of hosts or trucks, since the tags and walks of all of them are kept in memory: up to
/// 700 bytes for a host.
const MOST_SOURCES: u32 = 1_000_000;
/// Milliseconds between two readings by default.
const DEFAULT_INTERVAL_MS: u32 = 10_000;

/// Checks the options of `devops`.
pub fn devops(document: Text<'_>, data: &wire::Data) -> Result<Generator> {
    let measurement = data.measurement.as_ref();
    Ok(Generator::Devops {
        measurement: check_measurement(document, measurement, &DevopsMeasurement::ALL)?,
        scale: scale(document, data, "hosts", data.hosts.as_ref())?,
    })
}

/// Checks the options of `iot`.
pub fn iot(document: Text<'_>, data: &wire::Data) -> Result<Generator> {
    let measurement = data.measurement.as_ref();
    Ok(Generator::Iot {
        measurement: check_measurement(document, measurement, &IotMeasurement::ALL)?,
        scale: scale(document, data, "trucks", data.trucks.as_ref())?,
    })
}

/// Returns the first measurement, unless the file names another one.
fn check_measurement<T: Copy, const N: usize>(
    document: Text<'_>,
    written: Option<&Spanned<String>>,
    all: &[(&'static str, T); N],
) -> Result<T> {
    let Some(written) = written else {
        return Ok(all[0].1);
    };
    let found = all.iter().find(|(name, _)| name == written.get_ref());
    found.map(|(_, measurement)| *measurement).ok_or_else(|| {
        let hint = suggestion(written.get_ref(), all.iter().map(|(name, _)| *name));
        document.error(
            written.span(),
            format!("unknown measurement `{written}`{hint}"),
        )
    })
}

fn scale(
    document: Text<'_>,
    data: &wire::Data,
    sources_key: &str,
    sources: Option<&Spanned<i64>>,
) -> Result<TsbsScale> {
    let mut scale = TsbsScale {
        sources: check_sources(document, sources_key, sources)?,
        interval_ms: check_interval(document, data.interval.as_ref())?,
        days: None,
    };
    if let Some(days) = &data.days {
        scale.days = Some(check_days(document, days, &scale)?);
    }
    Ok(scale)
}

fn check_sources(document: Text<'_>, key: &str, written: Option<&Spanned<i64>>) -> Result<u32> {
    let Some(written) = written else {
        return Ok(DEFAULT_SOURCES);
    };
    u32::try_from(*written.get_ref())
        .ok()
        .filter(|count| (1..=MOST_SOURCES).contains(count))
        .ok_or_else(|| {
            let message = format!("`{key}` is {written}, but has to be from 1 to {MOST_SOURCES}");
            document.error(written.span(), message)
        })
}

/// Returns the interval in milliseconds.
fn check_interval(document: Text<'_>, written: Option<&Spanned<String>>) -> Result<u32> {
    let Some(written) = written else {
        return Ok(DEFAULT_INTERVAL_MS);
    };
    let duration = humantime::parse_duration(written.get_ref()).map_err(|error| {
        let message = format!(
            "`interval` is `{written}`, which is not a duration ({error}): interval = \"10s\""
        );
        document.error(written.span(), message)
    })?;
    u32::try_from(duration.as_millis())
        .ok()
        .filter(|ms| (1..=DAY_MS).contains(&u64::from(*ms)))
        .filter(|_| duration.subsec_nanos() % 1_000_000 == 0)
        .ok_or_else(|| {
            let message = format!(
                "`interval` is `{written}`, but has to be whole milliseconds from 1ms to 1day"
            );
            document.error(written.span(), message)
        })
}

fn check_days(document: Text<'_>, written: &Spanned<i64>, scale: &TsbsScale) -> Result<u32> {
    let most = scale.most_ticks() * u64::from(scale.interval_ms) / DAY_MS;
    u32::try_from(*written.get_ref())
        .ok()
        .filter(|days| (1..=most).contains(&u64::from(*days)))
        .ok_or_else(|| {
            let reason = match scale.most_ticks() {
                MOST_TICKS => format!("at this interval, of which there are {MOST_TICKS}"),
                _ => "until the year 9999 ends".to_owned(),
            };
            let message = format!("`days` is {written}, but has to be from 1 to {most} {reason}");
            document.error(written.span(), message)
        })
}
