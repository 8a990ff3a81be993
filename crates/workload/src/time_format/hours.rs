//! Times of day as some files have them: numbers without the zeros before them, and midnight as the end of a day.

use std::borrow::Cow;

use jiff::fmt::strtime::{self, BrokenDownTime};

/// Milliseconds of an hour.
pub const HOUR: i64 = 3_600_000;

/// Words of a pattern for times of day that are numbers, with their digits.
const NUMBERS: [(&str, usize); 2] = [("%H%M", 4), ("%H%M%S", 6)];

/// Returns a cell with the zeros before a time of day that is a number of its own: `2013 1 1 5` as `2013 1 1 0005`
/// where a pattern says `%Y %m %d %H%M`.
pub fn with_zeros<'c>(pattern: &str, cell: &'c str) -> Cow<'c, str> {
    if !pattern.contains(" %H%M") {
        return Cow::Borrowed(cell);
    }
    let forms: Vec<&str> = pattern.split(' ').collect();
    let words: Vec<&str> = cell.split(' ').collect();
    if forms.len() != words.len() {
        return Cow::Borrowed(cell);
    }
    let padded = forms.iter().zip(words).map(|(form, word)| {
        let number = NUMBERS.iter().find(|(number, _)| number == form);
        let is_digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        match number {
            Some(&(_, digits)) if is_digits => format!("{word:0>digits$}"),
            _ => word.to_owned(),
        }
    });
    let padded: Vec<String> = padded.collect();
    Cow::Owned(padded.join(" "))
}

/// Returns the parts of the last hour of a day whose end a cell says, as hour 24 with nothing behind it: that is an
/// hour after them. `None` if a cell of this pattern says something else.
pub fn last_hour(pattern: &str, cell: &str) -> Option<BrokenDownTime> {
    cell.match_indices("24").find_map(|(place, hour)| {
        let (before, behind) = (&cell[..place], &cell[place + hour.len()..]);
        let parts = strtime::parse(pattern, format!("{before}23{behind}")).ok()?;
        // What cannot be read with 24 and can with 23 in its place has its hour there.
        let is_hour = parts.hour() == Some(23);
        let is_whole = parts.minute().unwrap_or(0) == 0
            && parts.second().unwrap_or(0) == 0
            && parts.subsec_nanosecond().unwrap_or(0) == 0;
        (is_hour && is_whole).then_some(parts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_times_of_day_get_their_zeros() {
        for (pattern, cell, expected) in [
            ("%Y %m %d %H%M", "2013 1 1 5", "2013 1 1 0005"),
            ("%Y %m %d %H%M", "2013 1 1 123", "2013 1 1 0123"),
            ("%Y %m %d %H%M", "2013 1 1 1517", "2013 1 1 1517"),
            ("%Y-%m-%d %H%M%S", "2013-01-01 93000", "2013-01-01 093000"),
            ("%Y %m %d %H%M", "2013 1 1 noon", "2013 1 1 noon"),
            ("%Y %m %d %H%M", "2013 1 5", "2013 1 5"),
            ("%Y %m %d %H", "2013 1 1 5", "2013 1 1 5"),
            ("%m%d%H%M", "1010005", "1010005"),
        ] {
            assert_eq!(with_zeros(pattern, cell), expected, "{pattern}");
        }
    }

    #[test]
    fn hour_24_is_the_end_of_the_day_and_nothing_else_is() {
        for (pattern, cell) in [
            ("%d/%m/%Y %H:%M", "24/12/2024 24:00"),
            ("%m/%d/%y %H.%M.%S", "12/24/24 24.00.00"),
            ("%Y%m%d%H%M", "202412242400"),
            ("%Y %m %d %H", "2024 12 24 24"),
        ] {
            assert!(strtime::parse(pattern, cell).is_err(), "{cell}");
            let parts = last_hour(pattern, cell).unwrap();
            assert_eq!(
                parts.to_datetime().unwrap().to_string(),
                "2024-12-24T23:00:00"
            );
        }
        for (pattern, cell) in [
            ("%d/%m/%Y %H:%M", "24/12/2024 24:30"),
            ("%d/%m/%Y %H:%M:%S", "24/12/2024 24:00:01"),
            ("%d/%m/%Y %H:%M", "01/24/2024 10:00"),
            ("%d/%m/%Y %H:%M", "24/12/2024 25:00"),
            ("%d/%m/%Y %I:%M %p", "24/12/2024 24:00 PM"),
            ("%d/%m/%Y %H:%M", "24"),
        ] {
            assert!(last_hour(pattern, cell).is_none(), "{cell}");
        }
    }
}
