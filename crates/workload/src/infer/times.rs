//! Finds out in which form the times of a column are written.

mod offsets;
mod zoned;

use std::borrow::Cow;
use std::sync::LazyLock;

use super::yearless::Yearless;
use crate::time_format::iso_time;
use crate::{EpochUnit, TimeFormat, Zone};
use offsets::Offsets;
pub use zoned::OddTimes;

/// Patterns that are tried, in the order in which they are preferred where several fit.
const PATTERNS: [&str; 32] = [
    "%Y%m%d",
    "%Y%m%d%H%M%S",
    "%m%d%Y",
    "%d%m%Y",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%m/%d/%Y",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S",
    "%m/%d/%Y %I:%M %p",
    "%m/%d/%Y %I:%M:%S %p",
    "%m/%d/%y",
    "%m/%d/%y %H:%M",
    "%d/%m/%y",
    "%d/%m/%Y",
    "%d/%m/%Y %H:%M",
    "%d/%m/%Y %H:%M:%S",
    "%d.%m.%Y",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %H:%M:%S",
    "%d-%m-%Y",
    "%b %d %Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%b %d, %Y",
    "%a, %d %b %Y %H:%M:%S %z",
    "%d/%b/%Y:%H:%M:%S %z",
    "[%d/%b/%Y:%H:%M:%S %z]",
    "%d/%b/%Y:%H:%M:%S",
    "%a %b %d %H:%M:%S%.f %Y",
];

const UNITS: [EpochUnit; 4] = [
    EpochUnit::Seconds,
    EpochUnit::Milliseconds,
    EpochUnit::Microseconds,
    EpochUnit::Nanoseconds,
];

/// All forms that are tried, in the order in which they are preferred.
static FORMATS: LazyLock<Vec<TimeFormat>> = LazyLock::new(|| {
    let patterns = PATTERNS.map(|pattern| TimeFormat::Pattern(pattern.to_owned()));
    std::iter::once(TimeFormat::Iso)
        .chain(patterns)
        .chain(UNITS.map(TimeFormat::Epoch))
        .collect()
});

/// Milliseconds of the years 1600 and 2300, beyond which numbers and short years are hardly meant as times.
pub const MEANT: std::ops::Range<i64> = -11_676_096_000_000..10_413_792_000_000;

/// Milliseconds of the years 1900 and 2100, beyond which four digits at the end are hardly a year: they may be an hour
/// and a minute.
const YEAR_AT_END: std::ops::Range<i64> = -2_208_988_800_000..4_102_444_800_000;

/// Seconds since 1970 of the years 1980 to 2100, which are numbers that are hardly anything else.
const EPOCH_SECONDS: std::ops::Range<f64> = 315_532_800.0..4_102_444_800.0;

/// Values after which forms that fit too few of them are no longer tried, and that they are tried with again.
const FIRST_LOOK: u64 = 50;
const FURTHER_LOOKS: u64 = 5_000;

/// The form of times that are often written without a year, as a workload has it with one.
pub const OF_A_YEAR: &str = "%m%d%H%M of 2001";

/// How many values of a column each form of a time fits.
pub struct TimeEvidence {
    tried: Vec<Tried>,
    /// Whether the form is said, so that no other one is tried.
    pub is_said: bool,
    /// Values that are month, day, hour and minute without a year.
    pub without_year: u64,
    /// Values that are other times without a year.
    pub yearless: Yearless,
    /// Zone of times that say no offset from UTC; they are in UTC without it.
    pub zone: Option<Zone>,
    /// Values that were looked at.
    values: u64,
    /// Those in ISO form with a zone, and with digits below a millisecond.
    with_zone: u64,
    finer: u64,
    /// Those in ISO form that are days without a time of the day.
    whole_days: u64,
}

struct Tried {
    format: Cow<'static, TimeFormat>,
    /// Values that it fits, also those that the clocks of the zone never show.
    fits: u64,
    first: i64,
    last: i64,
    odd: OddTimes,
    offsets: Offsets,
    is_alive: bool,
}

/// Form of the times of a column.
pub struct FoundTime {
    pub format: TimeFormat,
    /// Values that it fits, also those that the clocks of the zone never show.
    pub fits: u64,
    /// First and last time, in milliseconds since 1970.
    pub first: i64,
    pub last: i64,
    /// Another form that fits as many values, if there is one.
    pub or: Option<TimeFormat>,
    /// Values in ISO form with a zone, and with digits below a millisecond.
    pub with_zone: u64,
    pub finer: u64,
    /// Values in ISO form that are days without a time of the day.
    pub whole_days: u64,
    /// Those that the clocks of the zone show twice or never.
    pub odd: OddTimes,
    /// Offsets from UTC that they say.
    pub offsets: Offsets,
}

impl Tried {
    fn new(format: Cow<'static, TimeFormat>) -> Tried {
        Tried {
            format,
            fits: 0,
            first: i64::MAX,
            last: i64::MIN,
            odd: OddTimes::default(),
            offsets: Offsets::default(),
            is_alive: true,
        }
    }
}

impl TimeEvidence {
    /// Begins with no values, which have one of these forms if there are any.
    pub fn new(said: impl IntoIterator<Item = TimeFormat>) -> TimeEvidence {
        let said = said.into_iter().map(|form| Tried::new(Cow::Owned(form)));
        let mut tried: Vec<Tried> = said.collect();
        let is_said = !tried.is_empty();
        if !is_said {
            let all = FORMATS.iter();
            tried.extend(all.map(|form| Tried::new(Cow::Borrowed(form))));
        }
        TimeEvidence {
            tried,
            is_said,
            without_year: 0,
            yearless: Yearless::new(),
            zone: None,
            values: 0,
            with_zone: 0,
            finer: 0,
            whole_days: 0,
        }
    }

    /// Looks at a value.
    pub fn see(&mut self, cell: &str) {
        self.values += 1;
        self.without_year += u64::from(lacks_year(cell));
        self.yearless.see(cell);
        for tried in self.tried.iter_mut().filter(|tried| tried.is_alive) {
            let shown = if self.is_said {
                tried.format.milliseconds(cell)
            } else {
                meant(&tried.format, cell)
            };
            let Some(shown) = shown else {
                continue;
            };
            tried.fits += 1;
            if *tried.format == TimeFormat::Iso {
                let time_of_day = cell.get("2014-02-14".len()..).unwrap_or_default();
                self.whole_days += u64::from(time_of_day.is_empty());
                self.with_zone += u64::from(time_of_day.contains(['Z', 'z', '+', '-']));
                let nanoseconds = iso_time(cell).map_or(0, |time| time.subsec_nanosecond());
                self.finer += u64::from(nanoseconds % 1_000_000 != 0);
            }
            let says_offset = tried.format.says_offset(cell);
            if says_offset && !matches!(*tried.format, TimeFormat::Epoch(_)) {
                tried.offsets.see(cell);
            }
            let zone = self.zone.as_ref();
            let time = match zone.filter(|_| !says_offset) {
                Some(zone) => tried.odd.see(zone.local_time(shown)),
                None => Some(shown),
            };
            if let Some(time) = time {
                tried.first = tried.first.min(time);
                tried.last = tried.last.max(time);
            }
        }
        let is_look = self.values == FIRST_LOOK || self.values.is_multiple_of(FURTHER_LOOKS);
        if is_look && self.tried.len() > 1 {
            let enough = self.values / 10 * 9;
            for tried in &mut self.tried {
                tried.is_alive = tried.fits >= enough;
            }
        }
    }

    /// Returns what is said of the zone of times that were found.
    pub fn about_zone(&self, found: &FoundTime) -> String {
        zoned::about(self.zone.as_ref(), found)
    }

    /// Returns the form that fits most values, if it fits any. Numbers since 1970 and the like are times only if
    /// something else, such as the column's name, says that they are.
    pub fn found(&self, is_named_as_time: bool) -> Option<FoundTime> {
        let is_meant = |tried: &&Tried| is_named_as_time || !needs_name(&tried.format);
        let mut best: Option<&Tried> = None;
        for tried in self.tried.iter().filter(is_meant) {
            if tried.fits > best.map_or(0, |best| best.fits) {
                best = Some(tried);
            }
        }
        let best = best?;
        let is_other = |tried: &&Tried| tried.fits == best.fits && tried.format != best.format;
        let mut others = self.tried.iter().filter(is_meant);
        let or = others.find(is_other).filter(|_| !self.is_said);
        let is_iso = u64::from(*best.format == TimeFormat::Iso);
        Some(FoundTime {
            format: best.format.clone().into_owned(),
            fits: best.fits,
            first: best.first,
            last: best.last,
            or: or.map(|or| or.format.clone().into_owned()),
            with_zone: self.with_zone * is_iso,
            finer: self.finer * is_iso,
            whole_days: self.whole_days * is_iso,
            odd: best.odd,
            offsets: best.offsets.clone(),
        })
    }
}

/// Returns whether other numbers look like times of this form, too.
fn needs_name(format: &TimeFormat) -> bool {
    match format {
        TimeFormat::Epoch(_) => true,
        TimeFormat::Pattern(pattern) => has_year_at_end(pattern),
        TimeFormat::Iso | TimeFormat::OfYear { .. } => false,
    }
}

/// Returns whether a pattern is eight digits, of which the last four are the year.
fn has_year_at_end(pattern: &str) -> bool {
    ["%m%d%Y", "%d%m%Y"].contains(&pattern)
}

/// Returns whether a cell is month, day, hour and minute, of two digits each, without a year.
fn lacks_year(cell: &str) -> bool {
    let is_digits = cell.len() == "01010001".len() && cell.bytes().all(|b| b.is_ascii_digit());
    let is_within = |place: usize, least: u8, most: u8| {
        let part = cell
            .get(place..place + 2)
            .and_then(|part| part.parse::<u8>().ok());
        part.is_some_and(|part| (least..=most).contains(&part))
    };
    is_digits
        && is_within(0, 1, 12)
        && is_within(2, 1, 31)
        && is_within(4, 0, 23)
        && is_within(6, 0, 59)
}

/// Returns whether two cells are times in the same of the forms that a pattern says.
pub fn are_of_one_form(one: &str, other: &str) -> bool {
    let mut patterns = { FORMATS.iter() }.filter(|format| matches!(format, TimeFormat::Pattern(_)));
    patterns.any(|format| meant(format, one).is_some() && meant(format, other).is_some())
}

/// Returns the time that a cell probably means in this form, in milliseconds since 1970.
pub fn meant(format: &TimeFormat, cell: &str) -> Option<i64> {
    let digits = cell.bytes().all(|byte| byte.is_ascii_digit());
    let may_fit = match format {
        TimeFormat::Iso => !digits && cell.len() >= "2014-02-14".len(),
        // A year is four digits, and none of the others may be taken for it.
        TimeFormat::Pattern(pattern) if pattern == "%Y%m%d" || has_year_at_end(pattern) => {
            digits && cell.len() == 8
        }
        TimeFormat::Pattern(pattern) if pattern == "%Y%m%d%H%M%S" => digits && cell.len() == 14,
        TimeFormat::OfYear { .. } => true,
        TimeFormat::Pattern(_) => !digits && cell.bytes().any(|byte| byte.is_ascii_digit()),
        TimeFormat::Epoch(unit) => {
            let in_seconds = match unit {
                EpochUnit::Seconds => 1.0,
                EpochUnit::Milliseconds => 1e3,
                EpochUnit::Microseconds => 1e6,
                EpochUnit::Nanoseconds => 1e9,
            };
            let number = cell.parse::<f64>().ok();
            number.is_some_and(|number| EPOCH_SECONDS.contains(&(number / in_seconds)))
        }
    };
    let time = may_fit.then(|| format.milliseconds(cell)).flatten()?;
    let years = match format {
        TimeFormat::Pattern(pattern) if has_year_at_end(pattern) => YEAR_AT_END,
        _ => MEANT,
    };
    years.contains(&time).then_some(time)
}

#[cfg(test)]
mod tests;
