//! How times are written in CSV and TSV files.

mod hours;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::Offset;

use hours::{HOUR, last_hour, with_zeros};

/// Form of the times in a column of a CSV or TSV file. What is below a millisecond is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeFormat {
    /// `2014-02-14T14:30:00.123456Z`, with a space or `T`, UTC where there is no zone.
    Iso,
    /// Numbers since 1970-01-01 UTC.
    Epoch(EpochUnit),
    /// Conversions of strftime, such as `%m/%d/%Y`.
    Pattern(String),
    /// Conversions of strftime without a year, and the year of all times: `%m%d%H%M of 2001`.
    OfYear {
        /// The form as it is written in a workload.
        written: String,
        pattern: String,
        year: i16,
    },
}

/// Unit of a time that is written as a number since 1970-01-01 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EpochUnit {
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

/// Words for forms of times that have no `%`.
static WORDS: [(&str, TimeFormat); 5] = [
    ("iso", TimeFormat::Iso),
    ("s", TimeFormat::Epoch(EpochUnit::Seconds)),
    ("ms", TimeFormat::Epoch(EpochUnit::Milliseconds)),
    ("us", TimeFormat::Epoch(EpochUnit::Microseconds)),
    ("ns", TimeFormat::Epoch(EpochUnit::Nanoseconds)),
];

/// Characters of a date as ISO 8601 has it.
const DATE_CHARACTERS: usize = "2014-02-14".len();

/// A time with which forms are tried: 2003-11-22T14:35:46Z.
const TRIED_SECONDS: i64 = 1_069_511_746;

/// Largest number of seconds since 1970 that is a time, with a decimal point or without one.
const LARGEST_SECONDS: f64 = 253_402_207_200.0;

impl TimeFormat {
    /// Reads a form as it is written in a workload.
    ///
    /// # Errors
    /// It is none, or does not say a year, a month and a day.
    pub fn parse(written: &str) -> Result<TimeFormat, String> {
        if let Some((_, format)) = WORDS.iter().find(|(word, _)| *word == written) {
            return Ok(format.clone());
        }
        if !written.contains('%') {
            return Err(format!(
                "`{written}` is no form of a time: it is `iso`, `s`, `ms`, `us` or `ns` since 1970, or a pattern \
                 such as `%m/%d/%Y %H:%M`"
            ));
        }
        let tried = Timestamp::from_second(TRIED_SECONDS).map_err(|error| error.to_string())?;
        let format = TimeFormat::Pattern(written.to_owned());
        let shown = strtime::format(written, tried)
            .map_err(|error| format!("`{written}` is no form of a time: {error}"))?;
        if format.milliseconds(&shown).is_some() {
            return Ok(format);
        }
        if let Some((format, pattern)) = of_year(written)
            && let Ok(shown) = strtime::format(pattern, tried)
            && format.milliseconds(&shown).is_some()
        {
            return Ok(format);
        }
        Err(format!(
            "`{written}` does not say a year, a month and a day, or says something that cannot be read back (it \
             writes `{shown}`); of times without a year a form such as `%m%d%H%M of 2001` says it"
        ))
    }

    /// Returns the form as it is written in a workload.
    pub fn written(&self) -> &str {
        if let TimeFormat::Pattern(written) | TimeFormat::OfYear { written, .. } = self {
            return written;
        }
        let word = WORDS.iter().find(|(_, format)| format == self);
        word.map_or("iso", |(word, _)| *word)
    }

    /// Returns whether a cell of this form says where its time is from UTC, so that no zone has to be known.
    pub fn says_offset(&self, cell: &str) -> bool {
        match self {
            TimeFormat::Iso => has_offset(cell),
            TimeFormat::Epoch(_) => true,
            TimeFormat::Pattern(pattern) | TimeFormat::OfYear { pattern, .. } => {
                // What is between `%` and the letter of a conversion are flags, a width or colons.
                let mut conversions = pattern.split('%').skip(1);
                let is_flag = |c: char| "-_0^#:.".contains(c) || c.is_ascii_digit();
                conversions.any(|rest| {
                    rest.trim_start_matches(is_flag)
                        .starts_with(['z', 'Q', 's'])
                })
            }
        }
    }

    /// Returns this form with a year of two digits in place of four, if a cell is written so.
    pub fn with_short_year(&self, cell: &str) -> Option<TimeFormat> {
        let TimeFormat::Pattern(pattern) = self else {
            return None;
        };
        let short = TimeFormat::Pattern(pattern.replace("%Y", "%y"));
        (short != *self && short.milliseconds(cell).is_some()).then_some(short)
    }

    /// Returns the milliseconds since 1970 that a cell says; `None` if it has another form.
    pub fn milliseconds(&self, cell: &str) -> Option<i64> {
        match self {
            TimeFormat::Iso => Some(iso_time(cell)?.as_millisecond()),
            TimeFormat::Epoch(unit) => unit.milliseconds(cell),
            TimeFormat::Pattern(pattern) => time_in(pattern, None, cell),
            TimeFormat::OfYear { pattern, year, .. } => time_in(pattern, Some(*year), cell),
        }
    }
}

/// Returns the form that this is if it ends with a year, and its pattern without that.
fn of_year(written: &str) -> Option<(TimeFormat, &str)> {
    let (pattern, year) = written.rsplit_once(" of ")?;
    let format = TimeFormat::OfYear {
        written: written.to_owned(),
        pattern: pattern.to_owned(),
        year: year.parse().ok()?,
    };
    Some((format, pattern))
}

/// Returns the milliseconds since 1970 of a cell with a pattern, and with a year if the pattern lacks it.
fn time_in(pattern: &str, year: Option<i16>, cell: &str) -> Option<i64> {
    let cell = with_zeros(pattern, cell);
    let cell: &str = &cell;
    let (mut parts, behind) = match strtime::parse(pattern, cell) {
        Ok(parts) => (parts, 0),
        Err(_) => (last_hour(pattern, cell)?, HOUR),
    };
    if parts.year().is_some_and(|year| is_cut_short(year, cell)) {
        return None;
    }
    if year.is_some() {
        parts.set_year(year).ok()?;
    }
    time_of(&parts)?.checked_add(behind)
}

/// Returns whether a year that was read from a cell has fewer than four digits there, as 24 has, which is hardly the
/// year 24.
fn is_cut_short(year: i16, cell: &str) -> bool {
    (0..1_000).contains(&year) && !cell.contains(&format!("{year:04}"))
}

/// Returns the milliseconds since 1970 of a time in parts, in UTC if they have no zone.
fn time_of(parts: &BrokenDownTime) -> Option<i64> {
    let time = if parts.offset().is_some() || parts.timestamp().is_some() {
        parts.to_timestamp().ok()?
    } else {
        Offset::UTC.to_timestamp(parts.to_datetime().ok()?).ok()?
    };
    Some(time.as_millisecond())
}

impl EpochUnit {
    fn milliseconds(self, cell: &str) -> Option<i64> {
        if let Ok(number) = cell.parse::<i64>() {
            return match self {
                EpochUnit::Seconds => number.checked_mul(1_000),
                EpochUnit::Milliseconds => Some(number),
                EpochUnit::Microseconds => Some(number.div_euclid(1_000)),
                EpochUnit::Nanoseconds => Some(number.div_euclid(1_000_000)),
            };
        }
        let number: f64 = cell.parse().ok()?;
        let seconds = match self {
            EpochUnit::Seconds => number,
            EpochUnit::Milliseconds => number / 1e3,
            EpochUnit::Microseconds => number / 1e6,
            EpochUnit::Nanoseconds => number / 1e9,
        };
        // A double of seconds has fewer exact digits than its text, so it is rounded to the nearest one.
        (seconds.abs() <= LARGEST_SECONDS).then(|| (seconds * 1e3).round() as i64)
    }
}

/// Returns whether a time as ISO 8601 has it says its offset from UTC.
pub fn has_offset(cell: &str) -> bool {
    let behind_date = cell.get(DATE_CHARACTERS..);
    behind_date.is_some_and(|time| time.contains(['Z', 'z', '+', '-']))
}

/// Returns the time that a cell says as ISO 8601 has it, in UTC if it has no zone.
pub fn iso_time(cell: &str) -> Option<Timestamp> {
    // A shorter one has no dashes between year, month and day.
    cell.get(DATE_CHARACTERS..)?;
    // A civil time would silently drop an offset, so the two forms are distinguished first.
    if has_offset(cell) {
        cell.parse().ok()
    } else {
        Offset::UTC
            .to_timestamp(cell.parse::<DateTime>().ok()?)
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(format: &str, cell: &str) -> Option<i64> {
        TimeFormat::parse(format).unwrap().milliseconds(cell)
    }

    #[test]
    fn patterns_and_numbers_are_read() {
        let day = Some(1_392_336_000_000);
        for (format, cell) in [
            ("%Y%m%d", "20140214"),
            ("%m/%d/%Y", "02/14/2014"),
            ("%m/%d/%Y", "2/14/2014"),
            ("%d.%m.%Y", "14.02.2014"),
            ("%d %b %Y", "14 Feb 2014"),
            ("%Y/%m/%d %H:%M", "2014/02/14 00:00"),
            ("%m/%d/%Y %I:%M:%S %p", "02/14/2014 12:00:00 AM"),
            ("%Y-%m-%d %H:%M:%S %z", "2014-02-14 01:00:00 +0100"),
            ("%m%d%H%M of 2014", "02140000"),
            ("%d %b of 2014", "14 Feb"),
            ("s", "1392336000"),
            ("s", "1392336000.0"),
            ("ms", "1392336000000"),
            ("us", "1392336000000999"),
            ("ns", "1392336000000999999"),
            ("iso", "2014-02-14T00:00:00.000999"),
            ("%d/%m/%Y %H.%M.%S", "13/02/2014 24.00.00"),
            ("%Y %m %d %H", "2014 2 13 24"),
            ("%Y %m %d %H%M", "2014 2 14 0"),
            ("%d/%b/%Y:%H:%M:%S %z", "13/Feb/2014:17:00:00 -0700"),
            ("[%d/%b/%Y:%H:%M:%S %z]", "[13/Feb/2014:17:00:00 -0700]"),
            ("%a %b %d %H:%M:%S%.f %Y", "Fri Feb 14 00:00:00.0009 2014"),
            ("%b %d %H:%M:%S of 2014", "Feb 14 00:00:00"),
        ] {
            assert_eq!(read(format, cell), day, "{format}: {cell}");
        }
        assert_eq!(read("s", "1392336000.25"), Some(1_392_336_000_250));
        assert_eq!(
            read("%Y %m %d %H%M", "2014 2 14 123"),
            Some(1_392_340_980_000)
        );
        // A leap second is the one before it.
        let last = read("%d/%m/%Y %H:%M:%S", "31/12/2016 23:59:59");
        assert_eq!(read("%d/%m/%Y %H:%M:%S", "31/12/2016 23:59:60"), last);
        // Days of one digit have a space in place of the other one in system logs.
        let first = read("%b %d %H:%M:%S of 2014", "Oct 01 13:55:36");
        assert_eq!(read("%b %d %H:%M:%S of 2014", "Oct  1 13:55:36"), first);
    }

    #[test]
    fn a_year_of_two_digits_is_not_one_of_the_first_hundred() {
        let form = TimeFormat::parse("%d.%m.%Y").unwrap();
        let short = form.with_short_year("14.02.24").unwrap();
        assert_eq!(short.written(), "%d.%m.%y");
        assert_eq!(
            short.milliseconds("14.02.24"),
            form.milliseconds("14.02.2024")
        );
        for cell in ["14.02.2024", "14.02.0024", "14/02/24", ""] {
            assert_eq!(form.with_short_year(cell), None, "{cell}");
        }
        assert!(form.milliseconds("14.02.0024").is_some());
        assert_eq!(short.with_short_year("14.02.24"), None);
        assert_eq!(TimeFormat::Iso.with_short_year("24-02-14"), None);
    }

    #[test]
    fn forms_and_cells_with_an_offset_need_no_zone() {
        for (format, cell, says) in [
            ("iso", "2014-02-14T00:00:00Z", true),
            ("iso", "2014-02-14 00:00:00-05:00", true),
            ("iso", "2014-02-14 00:00:00", false),
            ("iso", "2014-02-14", false),
            ("s", "1392336000", true),
            ("%d.%m.%Y %H:%M", "14.02.2014 00:00", false),
            ("%Y-%m-%d %H:%M:%S %z", "2014-02-14 01:00:00 +0100", true),
            ("%Y-%m-%dT%H:%M:%S%:z", "2014-02-14T01:00:00+01:00", true),
            ("%d %b of 2014", "14 Feb", false),
        ] {
            let format = TimeFormat::parse(format).unwrap();
            assert_eq!(
                format.says_offset(cell),
                says,
                "{}: {cell}",
                format.written()
            );
        }
    }

    #[test]
    fn cells_of_another_form_are_no_times() {
        for (format, cell) in [
            ("%Y%m%d", "19581340"),
            ("%m/%d/%Y", "14/02/2014"),
            ("%m/%d/%Y", "02/14/2014 10:00"),
            ("%m/%d/%Y", ""),
            ("%m%d%H%M of 2001", "02290000"),
            ("%m%d%H%M of 2001", "2140000"),
            ("%d/%m/%Y %H:%M", "13/02/2014 24:30"),
            ("%d/%m/%Y %H:%M", "29/03/2026 02:30 CEST"),
            ("%d/%b/%Y:%H:%M:%S %z", "13/Feb/2014:17:00:00"),
            ("%d.%m.%Y", "14.02.24"),
            ("%Y-%m-%d %H:%M", "24-02-14 00:00"),
            ("%Y/%m/%d", "024/02/14"),
            ("s", "soon"),
            ("s", "NaN"),
            ("s", "9223372036854775807"),
            ("iso", "1392336000000"),
            ("iso", "20140214"),
        ] {
            assert_eq!(read(format, cell), None, "{format}: {cell}");
        }
    }

    #[test]
    fn a_form_has_to_be_one_that_says_a_day() {
        for (written, words) in [
            ("seconds", "`iso`, `s`, `ms`, `us` or `ns`"),
            ("", "is no form of a time"),
            ("%H:%M", "does not say a year"),
            ("%H:%M of 2001", "does not say a year"),
            ("%m%d%H%M", "`%m%d%H%M of 2001` says it"),
            ("%m%d of this year", "does not say a year"),
            ("%m%d of 99999", "does not say a year"),
            ("%!", "is no form of a time"),
        ] {
            let error = TimeFormat::parse(written).unwrap_err();
            assert!(error.contains(words), "{written}: {error}");
        }
    }

    #[test]
    fn a_form_is_written_as_it_was_read() {
        for written in ["iso", "s", "ms", "us", "ns", "%m/%d/%Y", "%m%d of 1999"] {
            assert_eq!(TimeFormat::parse(written).unwrap().written(), written);
        }
    }
}
