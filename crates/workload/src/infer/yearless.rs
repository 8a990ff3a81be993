//! Finds out whether the times of a column are written without a year.

use std::sync::LazyLock;

use crate::TimeFormat;

/// Forms without a year that are tried. Those at the end are so short that other values look like them, too.
const PATTERNS: [&str; 15] = [
    "%b %d %H:%M:%S",
    "%b %d %H:%M",
    "%d %b %H:%M:%S",
    "%d %b %H:%M",
    "%b %d",
    "%d %b",
    "%d-%b",
    "%d-%b %H:%M",
    "%m-%d %H:%M:%S",
    "%m-%d %H:%M",
    "%m/%d %H:%M:%S",
    "%m/%d %H:%M",
    "%d.%m. %H:%M",
    "%m-%d",
    "%m/%d",
];
const SHORT: usize = 2;

/// A year with a 29th of February, by which forms are tried, and the one that is suggested.
const TRIED: i16 = 2000;
const SUGGESTED: i16 = 2001;

/// Values after which forms that fit too few of them are no longer tried.
const FIRST_LOOK: u64 = 50;

static FORMS: LazyLock<[TimeFormat; PATTERNS.len()]> =
    LazyLock::new(|| PATTERNS.map(|pattern| of_year(pattern, TRIED)));

/// How many values of a column each form without a year fits.
pub struct Yearless {
    fits: [u64; PATTERNS.len()],
    values: u64,
}

impl Yearless {
    /// Begins with no values.
    pub fn new() -> Yearless {
        Yearless {
            fits: [0; PATTERNS.len()],
            values: 0,
        }
    }

    /// Looks at a value.
    pub fn see(&mut self, cell: &str) {
        let least = if self.values < FIRST_LOOK {
            0
        } else {
            self.values / 10 * 9
        };
        self.values += 1;
        if self.fits.iter().all(|fits| *fits < least) {
            return;
        }
        let has_digit = cell.bytes().any(|byte| byte.is_ascii_digit());
        if !has_digit || cell.parse::<f64>().is_ok() {
            return;
        }
        for (form, fits) in FORMS.iter().zip(&mut self.fits) {
            if *fits >= least && form.milliseconds(cell).is_some() {
                *fits += 1;
            }
        }
    }

    /// Returns the form that fits most values, with a year, and the number of these values. Short forms count only if
    /// something else, such as the column's name, says that the values are times.
    pub fn found(&self, is_named_as_time: bool) -> Option<(TimeFormat, u64)> {
        let tried = if is_named_as_time {
            PATTERNS.len()
        } else {
            PATTERNS.len() - SHORT
        };
        let all = PATTERNS.iter().zip(self.fits).take(tried);
        // Of equally good ones the first, which `max_by_key` would find last.
        let (pattern, fits) = all.rev().max_by_key(|(_, fits)| *fits)?;
        (fits > 0).then(|| (of_year(pattern, SUGGESTED), fits))
    }
}

fn of_year(pattern: &str, year: i16) -> TimeFormat {
    TimeFormat::OfYear {
        written: format!("{pattern} of {year}"),
        pattern: pattern.to_owned(),
        year,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(cells: &[&str], is_named_as_time: bool) -> Option<(String, u64)> {
        let mut evidence = Yearless::new();
        cells.iter().for_each(|cell| evidence.see(cell));
        let found = evidence.found(is_named_as_time);
        found.map(|(form, fits)| (form.written().to_owned(), fits))
    }

    #[test]
    fn forms_without_a_year_are_found_with_one_that_can_be_said() {
        for (cells, form) in [
            (
                ["Mar 01 00:00:00", "Feb 29 23:59:59"],
                "%b %d %H:%M:%S of 2001",
            ),
            (
                ["Oct 10 13:55:36", "Oct  1 00:00:00"],
                "%b %d %H:%M:%S of 2001",
            ),
            (["01-01 00:00", "12-31 23:00"], "%m-%d %H:%M of 2001"),
            (["01-Jan", "31-Dec"], "%d-%b of 2001"),
            (["Jan 1", "Dec 31"], "%b %d of 2001"),
        ] {
            assert_eq!(
                found(&cells, false),
                Some((form.to_owned(), 2)),
                "{cells:?}"
            );
            assert_eq!(TimeFormat::parse(form).unwrap().written(), form);
        }
        assert_eq!(found(&["01/02", "12/31"], false), None);
        let short = Some(("%m/%d of 2001".to_owned(), 2));
        assert_eq!(found(&["01/02", "12/31"], true), short);
        assert_eq!(
            found(&["Jan 1 2000", "2000-01-01", "12", "north"], true),
            None
        );
    }

    #[test]
    fn every_form_can_be_said() {
        for pattern in PATTERNS {
            let form = of_year(pattern, SUGGESTED);
            assert_eq!(TimeFormat::parse(form.written()).as_ref(), Ok(&form));
        }
    }
}
