//! Reads choices of the command line: designs by pattern, and numbers with units.

use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow, bail};
use bakeoff_engines::registry::engine;
use bakeoff_engines::{Context, EngineError};
use bakeoff_stats::DesignInfo;
use bakeoff_workload::{Consistency, DesignId, RowSource, Workload};
use glob::Pattern;

use crate::exit::Misuse;

const DAY: Duration = Duration::from_secs(86_400);

/// Returns the workload's designs that match a pattern, and further designs named by their whole id.
///
/// # Errors
/// Fails with a misuse if there are none.
pub fn designs(workload: &Workload, patterns: &[String]) -> Result<Vec<DesignId>> {
    let chosen = matching("--designs", workload, patterns);
    chosen.map_err(|error| Misuse::new(error).into())
}

/// Describes what each design would do.
///
/// # Errors
/// Fails with a misuse for an impossible design.
pub fn describe(
    designs: &[DesignId],
    workload: &Workload,
    context: &Context,
) -> Result<Vec<DesignInfo>> {
    let describe = |id: &DesignId| engine(id)?.describe(id, workload, context);
    let described: Result<Vec<DesignInfo>, EngineError> = designs.iter().map(describe).collect();
    described.map_err(|error| Misuse::new(error.into()).into())
}

/// Returns whether the value of an option is a pattern, and not the id of a design.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['*', '['])
}

/// Returns the workload's designs that match a pattern of this option, and further designs named by their whole id;
/// without patterns all of its designs.
///
/// # Errors
/// A pattern is none or matches nothing, or an id is none.
pub fn matching(option: &str, workload: &Workload, patterns: &[String]) -> Result<Vec<DesignId>> {
    if patterns.is_empty() {
        if workload.designs.is_empty() {
            bail!(
                "{} names no designs: give it a list `designs = [...]`, or name some with --designs",
                workload.path.display()
            );
        }
        return Ok(workload.designs.clone());
    }
    let mut chosen: Vec<DesignId> = Vec::new();
    for text in patterns {
        let pattern = Pattern::new(text).map_err(|e| anyhow!("{option} {text}: {e}"))?;
        let matching = |id: &&DesignId| pattern.matches(&id.to_string());
        let mut found: Vec<DesignId> = workload.designs.iter().filter(matching).cloned().collect();
        if found.is_empty() && !is_pattern(text) {
            found.push(text.parse().map_err(|e| anyhow!("{option}: {e}"))?);
        }
        if found.is_empty() {
            let known: Vec<String> = workload.designs.iter().map(DesignId::to_string).collect();
            bail!(
                "no design of {} matches {option} {text}; it has {}",
                workload.name,
                known.join(", ")
            );
        }
        found.retain(|id| !chosen.contains(id));
        chosen.extend(found);
    }
    Ok(chosen)
}

/// Reads a number of rows: `200000`, `200_000`, `200k`, `4.16M`.
pub fn parse_rows(text: &str) -> Result<u64, String> {
    parse_count(text).ok_or_else(|| "not a number of rows such as 200000, 200k or 4.16M".to_owned())
}

/// Reads a number of operations, written as a number of rows is.
pub fn parse_operations(text: &str) -> Result<u64, String> {
    parse_count(text).ok_or_else(|| "not a number of operations such as 20000 or 200k".to_owned())
}

/// Reads a number from 1 on, which may end in `k` or `M`.
fn parse_count(text: &str) -> Option<u64> {
    let plain = text.replace('_', "");
    let (digits, factor) = match plain.chars().last() {
        Some('k' | 'K') => (&plain[..plain.len() - 1], 1e3),
        Some('m' | 'M') => (&plain[..plain.len() - 1], 1e6),
        _ => (plain.as_str(), 1.0),
    };
    let number = digits.parse::<f64>().ok()? * factor;
    (1.0..1e15).contains(&number).then(|| number.round() as u64)
}

/// The rows that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    Number(u64),
    /// All rows of a file, or the workload's full scale for a generator that never ends.
    All,
}

impl Rows {
    /// Returns their number. A text file is read once to count its rows.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn number(self, workload: &Workload, source: &dyn RowSource) -> Result<u64> {
        match self {
            Rows::Number(rows) => Ok(rows),
            Rows::All => {
                let counted = source.count_rows(u64::MAX)?;
                Ok(counted.unwrap_or(workload.scale.full_rows))
            }
        }
    }
}

/// Reads a number of rows like [`parse_rows`], or `all`.
pub fn parse_rows_or_all(text: &str) -> Result<Rows, String> {
    match text {
        "all" => Ok(Rows::All),
        text => parse_rows(text)
            .map(Rows::Number)
            .map_err(|error| format!("{error}, or all")),
    }
}

/// Reads a number above 0, such as `200`, `2.5k` or `1M`.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    let (digits, factor) = match text.chars().last() {
        Some('k' | 'K') => (&text[..text.len() - 1], 1e3),
        Some('m' | 'M') => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    let rate = digits.parse::<f64>().map(|number| number * factor);
    let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
    let told = || "not a rate above 0 such as 200, 2.5k or 1M".to_owned();
    rate.ok().filter(is_rate).ok_or_else(told)
}

/// Reads a size in whole MiB or GiB, such as `512MiB` or `8GiB`, and returns it in MiB.
pub fn parse_mebibytes(text: &str) -> Result<u64, String> {
    let units = [("MiB", 1), ("GiB", 1024)];
    let size = units.iter().find_map(|(unit, mib)| {
        let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(*mib)
    });
    let is_some = |mib: &u64| (1..=1 << 30).contains(mib);
    let told = || "not a size of whole MiB or GiB such as 512MiB or 8GiB".to_owned();
    size.filter(is_some).ok_or_else(told)
}

/// Reads a percentage: `5%` or `5`.
pub fn parse_percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 100_000.0 => Ok(percent),
        _ => Err("not a share of the full scale such as 5%".to_owned()),
    }
}

/// Reads a duration above zero: `90s`, `3m`, `1h 30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("not a duration such as 90s, 3m or 1h".to_owned()),
    }
}

/// Reads a duration of no more than a day; it is added to a time, which has to stay within the clock's range.
pub fn parse_duration_to_a_day(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        duration if duration <= DAY => Ok(duration),
        _ => Err("more than a day".to_owned()),
    }
}

/// Reads a time: `2026-01-31T12:00:00Z`, or seconds since 1970.
pub fn parse_time(text: &str) -> Result<SystemTime, String> {
    if let Ok(seconds) = text.parse::<f64>()
        && (0.0..1e11).contains(&seconds)
    {
        return Ok(SystemTime::UNIX_EPOCH + Duration::from_secs_f64(seconds));
    }
    humantime::parse_rfc3339_weak(text).map_err(|_| {
        "not a time such as 2026-01-31T12:00:00Z, in UTC, or seconds since 1970".to_owned()
    })
}

/// Reads a consistency level as CQL names it, in any letter case, also with hyphens: `local-quorum`.
pub fn parse_consistency(text: &str) -> Result<Consistency, String> {
    let plain = text.replace('-', "_");
    let known = Consistency::ALL
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(&plain));
    known.map(|(_, level)| *level).ok_or_else(|| {
        let names: Vec<&str> = Consistency::ALL.iter().map(|(name, _)| *name).collect();
        format!("not one of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_mebibytes() {
        assert_eq!(parse_mebibytes("512MiB"), Ok(512));
        assert_eq!(parse_mebibytes("8 GiB"), Ok(8192));
        for bad in ["", "8", "8GB", "1.5GiB", "0MiB", "-1GiB", "99999999999GiB"] {
            assert!(parse_mebibytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rows_may_have_a_unit() {
        assert_eq!(parse_rows("4.16M"), Ok(4_160_000));
        assert_eq!(parse_rows("200k"), Ok(200_000));
        assert_eq!(parse_rows("1_000"), Ok(1_000));
        for bad in ["", "0", "-5", "many", "1e99", "k"] {
            assert!(parse_rows(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rates_are_above_nothing() {
        assert_eq!(parse_rate("2.5k"), Ok(2_500.0));
        for text in ["0", "-1", "many", "", "k", "inf", "NaN"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_share_is_a_positive_percentage() {
        assert_eq!(parse_percent("2.5%"), Ok(2.5));
        for bad in ["0%", "-1%", "all", "NaN%", "inf%"] {
            assert!(parse_percent(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_duration_is_more_than_nothing() {
        assert_eq!(parse_duration("1m 30s"), Ok(Duration::from_secs(90)));
        for bad in ["", "0s", "soon", "-3m", "3"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_duration_to_a_day("24h"), Ok(DAY));
        for bad in ["0s", "25h", "500000000000y"] {
            assert!(parse_duration_to_a_day(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_time_is_rfc_3339_or_seconds() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        assert_eq!(parse_time("2023-11-14T22:13:20Z"), Ok(time));
        assert_eq!(parse_time("1700000000"), Ok(time));
        for bad in ["", "noon", "-5", "2023-13-01T00:00:00Z", "NaN"] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn consistency_levels_are_named_as_in_cql() {
        assert_eq!(
            parse_consistency("local-quorum"),
            Ok(Consistency::LocalQuorum)
        );
        let error = parse_consistency("most").unwrap_err();
        assert!(error.contains("EACH_QUORUM"), "{error}");
    }
}
