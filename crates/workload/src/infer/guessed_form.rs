//! Guesses the form of times that have none of those that are tried.

use std::iter::Peekable;
use std::ops::RangeInclusive;
use std::str::Chars;

use super::times::MEANT;
use crate::TimeFormat;

/// Orders of year, month and day, in which they are preferred.
const DATES: [[&str; 3]; 13] = [
    ["%Y", "%m", "%d"],
    ["%d", "%m", "%Y"],
    ["%m", "%d", "%Y"],
    ["%d", "%b", "%Y"],
    ["%b", "%d", "%Y"],
    ["%Y", "%b", "%d"],
    ["%d", "%B", "%Y"],
    ["%B", "%d", "%Y"],
    ["%Y", "%B", "%d"],
    ["%d", "%b", "%y"],
    ["%d", "%B", "%y"],
    ["%d", "%m", "%y"],
    ["%m", "%d", "%y"],
];

/// What of a time of day follows a date.
const CLOCK: [&str; 3] = ["%H", "%M", "%S"];

/// Characters that may be between the parts of a time.
const BETWEEN: [char; 8] = ['-', '/', '.', ':', ' ', ',', '_', '\''];

/// A form that values may have.
pub struct Guess {
    pub form: TimeFormat,
    /// Another one, with another order of days and months.
    pub or: Option<TimeFormat>,
}

/// Returns a form that all of these values have; `None` if there is none, or no values.
pub fn guessed(values: &[String]) -> Option<Guess> {
    let first = values.first()?;
    let fits = |form: &TimeFormat| {
        let mut times = values.iter().map(|value| form.milliseconds(value));
        times.all(|time| time.is_some_and(|time| MEANT.contains(&time)))
    };
    let mut forms = DATES.iter().filter_map(|date| {
        let pattern = pattern(first, date)?;
        TimeFormat::parse(&pattern).ok().filter(fits)
    });
    let form = forms.next()?;
    let is_numbers = |form: &TimeFormat| form.written().contains("%m");
    let or = forms
        .next()
        .filter(|or| is_numbers(or) && is_numbers(&form));
    Some(Guess { form, or })
}

/// Returns the pattern of a value whose date has its parts in this order; `None` if the value has none.
fn pattern(value: &str, date: &[&str; 3]) -> Option<String> {
    let (time, offset) = without_offset(value);
    let mut pattern = String::new();
    let mut parts = date.iter().chain(&CLOCK).copied().peekable();
    let mut characters = time.chars().peekable();
    while let Some(c) = characters.peek().copied() {
        if c.is_ascii_digit() {
            // An address such as 10.1.20.24 is no date with an hour.
            if parts.peek() == Some(&"%H") && pattern.ends_with('.') {
                return None;
            }
            let digits = take(&mut characters, |c| c.is_ascii_digit());
            let wanted = wanted(&digits, &mut parts)?;
            // A fraction of a second has its point in its conversion.
            if wanted == "%.f" && pattern.pop() != Some('.') {
                return None;
            }
            pattern.push_str(&wanted);
        } else if c.is_alphabetic() {
            let word = take(&mut characters, char::is_alphabetic);
            match (parts.peek().copied(), word.to_ascii_lowercase().as_str()) {
                (Some(month @ ("%b" | "%B")), _) => {
                    parts.next();
                    pattern.push_str(month);
                }
                (part, "am" | "pm") if part != Some("%H") && pattern.contains("%H") => {
                    pattern = pattern.replace("%H", "%I");
                    pattern.push_str("%p");
                }
                (Some("%H"), "t") => pattern.push_str(&word),
                _ => return None,
            }
        } else if BETWEEN.contains(&c) {
            pattern.push(c);
            characters.next();
        } else {
            return None;
        }
    }
    // A date has all its parts, and an hour its minute.
    let is_whole = { parts.peek() }.is_none_or(|part| !date.contains(part) && *part != "%M");
    is_whole.then(|| pattern + offset)
}

/// Returns the conversions of some digits, for the next parts of a time; `None` if these have others.
fn wanted<'a>(digits: &str, parts: &mut Peekable<impl Iterator<Item = &'a str>>) -> Option<String> {
    let lengths = |part: &str| -> RangeInclusive<usize> {
        match part {
            "%Y" => 4..=4,
            "%y" => 2..=2,
            // Names of months are no digits.
            "%b" | "%B" => 0..=0,
            _ => 1..=2,
        }
    };
    let Some(part) = parts.next() else {
        return Some("%.f".to_owned());
    };
    if lengths(part).contains(&digits.len()) {
        return Some(part.to_owned());
    }
    // A whole date, and parts of a time of day, may have nothing between them, as in 20240229 and 143000.
    let mut together = part.to_owned();
    let mut length = *lengths(part).end();
    while length < digits.len() {
        let next = parts.next_if(|next| CLOCK.contains(next) == CLOCK.contains(&part))?;
        together.push_str(next);
        length += lengths(next).end();
    }
    let is_whole = CLOCK.contains(&part) || together.len() == "%Y%m%d".len();
    (length == digits.len() && is_whole).then_some(together)
}

/// Takes characters as long as they are such ones.
fn take(characters: &mut Peekable<Chars<'_>>, is_such: impl Fn(char) -> bool) -> String {
    let mut taken = String::new();
    while let Some(c) = characters.next_if(|c| is_such(*c)) {
        taken.push(c);
    }
    taken
}

/// Divides a value before its offset from UTC, and returns the conversion of that, which is empty if there is none.
fn without_offset(value: &str) -> (&str, &'static str) {
    for (length, conversion) in [("+0100".len(), "%z"), ("+01:00".len(), "%:z")] {
        let Some(place) = value.len().checked_sub(length) else {
            continue;
        };
        let (Some(time), Some(offset)) = (value.get(..place), value.get(place..)) else {
            continue;
        };
        let is_offset = |(place, c): (usize, char)| match place {
            0 => matches!(c, '+' | '-'),
            3 if length == "+01:00".len() => c == ':',
            _ => c.is_ascii_digit(),
        };
        if time.contains(':') && offset.chars().enumerate().all(is_offset) {
            return (time, conversion);
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(values: &[&str]) -> Option<(String, bool)> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        let guess = guessed(&values)?;
        Some((guess.form.written().to_owned(), guess.or.is_some()))
    }

    #[test]
    fn forms_are_made_of_the_values() {
        for (values, form) in [
            (["13-02-2024 14:30", "01-03-2024 00:00"], "%d-%m-%Y %H:%M"),
            (["02-13-2024", "03-01-2024"], "%m-%d-%Y"),
            (["2024.02.13", "2024.03.01"], "%Y.%m.%d"),
            (["20240213T143000", "20240301T000000"], "%Y%m%dT%H%M%S"),
            (["2024-Feb-13", "2024-Mar-01"], "%Y-%b-%d"),
            (
                ["13 February 2024 14:30", "1 March 2024 00:00"],
                "%d %B %Y %H:%M",
            ),
            (["February 13, 2024", "March 1, 2024"], "%B %d, %Y"),
            (
                ["13.02.2024 14:30:00.250", "01.03.2024 00:00:00.000"],
                "%d.%m.%Y %H:%M:%S%.f",
            ),
            (
                ["13-02-2024 02:30 PM", "01-03-2024 12:00 AM"],
                "%d-%m-%Y %I:%M %p",
            ),
            (
                ["13.02.2024 14:30 +0100", "01.03.2024 00:00 -0500"],
                "%d.%m.%Y %H:%M %z",
            ),
            (["13.02.24", "01.03.24"], "%d.%m.%y"),
        ] {
            assert_eq!(guess(&values), Some((form.to_owned(), false)), "{values:?}");
            assert!(TimeFormat::parse(form).is_ok());
        }
        let either = guess(&["01-02-2024", "03-04-2024"]);
        assert_eq!(either, Some(("%d-%m-%Y".to_owned(), true)));
    }

    #[test]
    fn other_values_have_none() {
        for values in [
            &["north", "south"][..],
            &["1.2.3", "1.2.4"],
            &["10.1.20.24"],
            &["555-12-2024"],
            &["13. Februar 2024"],
            &["13-02-2024", "soon"],
            &["2024"],
            &["2024-02"],
            &["0102-24"],
            &["13-02-2024 14"],
            &["24:00"],
            &["50%"],
            &["2024-02-13 14:30 CET"],
            &["\u{661}3-02-2024"],
            &[""],
            &[],
        ] {
            assert_eq!(guess(values), None, "{values:?}");
        }
    }
}
