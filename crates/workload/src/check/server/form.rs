//! Forms of the values in `cassandra.yaml`.
//!
//! All of them are plain scalars of letters, digits, `_`, `/` and a minus sign in front, so that a value
//! is nothing but a value to YAML.

use toml::Value;

use super::super::text::quoted;

/// Units of time with their length in milliseconds.
const TIMES: [(&str, u64); 5] = [
    ("ms", 1),
    ("s", 1_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];
const SIZES: [(&str, u64); 4] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];
/// Units of bytes a second. Cassandra knows no larger ones.
const RATES: [(&str, u64); 3] = [("B/s", 1), ("KiB/s", 1 << 10), ("MiB/s", 1 << 20)];

/// The most that Cassandra takes of the smallest unit of a key, unless that is a byte.
const MOST: u64 = i32::MAX as u64 - 1;
const MOST_BYTES: u64 = i64::MAX as u64 - 1;

/// Form of a key's values. What is `least` is in the smallest unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A time in this unit or a larger one.
    Time { smallest: &'static str, least: u64 },
    /// An amount of bytes in this unit or a larger one.
    Size { smallest: &'static str, least: u64 },
    /// Bytes a second.
    Rate,
    /// A whole number.
    Count { least: i32 },
    /// A whole number, or -1 for no limit.
    Limit { least: i32 },
    /// True or false.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl Form {
    /// Returns a value as it is written into `cassandra.yaml`; `None` if it has another form.
    pub fn text(self, value: &Value) -> Option<String> {
        let written = match value {
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Boolean(switch) => switch.to_string(),
            Value::Float(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
                return None;
            }
        };
        self.takes(&written).then_some(written)
    }

    fn takes(self, written: &str) -> bool {
        match self {
            Form::Time { smallest, least } => {
                quantity(written, &TIMES, smallest, MOST).is_some_and(|n| n >= least)
            }
            Form::Size { smallest, least } => {
                let most = if smallest == "B" { MOST_BYTES } else { MOST };
                quantity(written, &SIZES, smallest, most).is_some_and(|n| n >= least)
            }
            Form::Rate => quantity(written, &RATES, "B/s", MOST_BYTES).is_some(),
            Form::Count { least } => whole(written).is_some_and(|n| n >= least),
            Form::Limit { least } => whole(written).is_some_and(|n| n == -1 || n >= least),
            Form::Switch => matches!(written, "true" | "false"),
            Form::Word(words) => words.contains(&written),
        }
    }

    /// Says what is wrong with a value that has another form.
    pub fn complaint(self, key: &str, value: &Value) -> String {
        let written = match value {
            Value::String(text) => format!("`{text}`"),
            Value::Array(_) | Value::Table(_) => "an entry of several values".to_owned(),
            other => format!("`{other}`"),
        };
        let example = self.example();
        let example = match self {
            Form::Count { .. } | Form::Limit { .. } | Form::Switch => example,
            _ => format!("\"{example}\""),
        };
        format!(
            "`{key}` is {written}, but has to be {}: {key} = {example}",
            self.described()
        )
    }

    /// Describes the values of this form.
    pub fn described(self) -> String {
        match self {
            Form::Time { smallest, least } => {
                format!(
                    "a time in {}{}",
                    units(&TIMES, smallest),
                    from(least, smallest)
                )
            }
            Form::Size { smallest, least } => {
                format!(
                    "a size in {}{}",
                    units(&SIZES, smallest),
                    from(least, smallest)
                )
            }
            Form::Rate => format!("a rate in {}", units(&RATES, "B/s")),
            Form::Count { least } => format!("a whole number from {least}"),
            Form::Limit { least } => format!("a whole number from {least}, or -1 for no limit"),
            Form::Switch => "true or false".to_owned(),
            Form::Word(words) => format!("one of {}", quoted(words)),
        }
    }

    /// Returns a value of this form.
    pub fn example(self) -> String {
        match self {
            Form::Time { smallest: "ms", .. } => "5s".to_owned(),
            Form::Time { .. } => "4h".to_owned(),
            Form::Size { smallest: "B", .. } => "64MiB".to_owned(),
            Form::Size {
                smallest: "KiB", ..
            } => "1024KiB".to_owned(),
            Form::Size { .. } => "256MiB".to_owned(),
            Form::Rate => "160MiB/s".to_owned(),
            Form::Count { .. } => "16".to_owned(),
            Form::Limit { .. } => "5000".to_owned(),
            Form::Switch => "true".to_owned(),
            Form::Word(words) => words.last().copied().unwrap_or_default().to_owned(),
        }
    }
}

/// Returns the number of the smallest units in a quantity such as `5s`; `None` if it is none, has a unit
/// that is smaller than that or not known, or is more than `most`.
fn quantity(written: &str, known: &[(&str, u64)], smallest: &str, most: u64) -> Option<u64> {
    let size = |name: &str| {
        known
            .iter()
            .find(|(unit, _)| *unit == name)
            .map(|(_, size)| *size)
    };
    let (number, unit) = written.split_at(written.find(|c: char| !c.is_ascii_digit())?);
    let (unit, smallest) = (size(unit)?, size(smallest)?);
    let count: u64 = number.parse().ok()?;
    if unit < smallest || count.to_string() != number {
        return None;
    }
    count
        .checked_mul(unit / smallest)
        .filter(|count| *count <= most)
}

/// Returns a whole number that is written as Cassandra writes it, in 32 bits.
fn whole(written: &str) -> Option<i32> {
    let number: i32 = written.parse().ok()?;
    (number.to_string() == written).then_some(number)
}

/// Lists the units from the smallest one on: `MiB or GiB`.
fn units(known: &[(&str, u64)], smallest: &str) -> String {
    let from_smallest = known.iter().skip_while(|(unit, _)| *unit != smallest);
    let names: Vec<&str> = from_smallest.map(|(unit, _)| *unit).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn from(least: u64, unit: &str) -> String {
    if least == 0 {
        return String::new();
    }
    format!(", from {least}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME_OUT: Form = Form::Time {
        smallest: "ms",
        least: 10,
    };
    const PERIOD: Form = Form::Time {
        smallest: "s",
        least: 0,
    };
    const MEBIBYTES: Form = Form::Size {
        smallest: "MiB",
        least: 1,
    };
    const BYTES: Form = Form::Size {
        smallest: "B",
        least: 1,
    };
    const LIMIT: Form = Form::Limit { least: 10 };
    const WORDS: Form = Form::Word(&["big", "bti"]);

    #[track_caller]
    fn assert_takes(form: Form, good: &[&str], bad: &[&str]) {
        let text = |written: &str| form.text(&Value::String(written.to_owned()));
        for written in good {
            assert_eq!(text(written).as_deref(), Some(*written), "{form:?}");
        }
        for written in bad {
            assert_eq!(text(written), None, "{form:?}: {written:?}");
        }
        assert!(form.takes(&form.example()), "{form:?}");
    }

    #[test]
    fn times_have_a_unit_that_the_key_knows() {
        let bad = [
            "5", "s", "", "5 s", " 5s", "5S", "5us", "05s", "-5s", "+5s", "1.5s", "9ms",
        ];
        assert_takes(TIME_OUT, &["10ms", "5s", "2m", "1h", "1d"], &bad);
        assert_takes(
            TIME_OUT,
            &[],
            &["25d", "18446744073709551616s", "99999999999d"],
        );
        assert_takes(
            PERIOD,
            &["0s", "500s", "14400s", "4h"],
            &["500ms", "0ms", "4"],
        );
    }

    #[test]
    fn sizes_and_rates_are_binary() {
        let bad = [
            "0MiB",
            "1024KiB",
            "512MB",
            "512mib",
            "512",
            "1TiB",
            "2147483647MiB",
        ];
        assert_takes(
            MEBIBYTES,
            &["1MiB", "512MiB", "2GiB", "2147483646MiB"],
            &bad,
        );
        assert_takes(
            BYTES,
            &["1B", "64KiB", "10GiB"],
            &["0B", "9223372036854775807B"],
        );
        let bad = ["160", "160MB/s", "1GiB/s", "160MiB", "160MiB/s/s"];
        assert_takes(Form::Rate, &["0MiB/s", "160MiB/s", "1B/s"], &bad);
    }

    #[test]
    fn numbers_are_whole() {
        let count = Form::Count { least: 2 };
        assert_takes(
            count,
            &["2", "2147483647"],
            &["1", "-2", "+2", "02", "2.0", "2147483648", ""],
        );
        assert_takes(
            LIMIT,
            &["10", "-1", "5000"],
            &["0", "9", "-2", "1.5", "none"],
        );
        assert_eq!(count.text(&Value::Integer(16)).as_deref(), Some("16"));
        assert_eq!(count.text(&Value::Integer(i64::MAX)), None);
        assert_eq!(count.text(&Value::Float(16.0)), None);
        assert_eq!(TIME_OUT.text(&Value::Integer(5)), None);
    }

    #[test]
    fn switches_and_words_are_those_that_cassandra_knows() {
        assert_takes(
            Form::Switch,
            &["true", "false"],
            &["True", "yes", "on", "1", "~", ""],
        );
        assert_eq!(
            Form::Switch.text(&Value::Boolean(false)).as_deref(),
            Some("false")
        );
        assert_eq!(Form::Switch.text(&Value::Integer(1)), None);
        assert_takes(WORDS, &["big", "bti"], &["Big", "big ", "bi", "", "big\n"]);
        assert_eq!(WORDS.text(&Value::Boolean(true)), None);
    }

    /// A value that ends its line, or begins something else there, would be more than a value to YAML.
    #[test]
    fn nothing_but_a_value_reaches_yaml() {
        let forms = [
            TIME_OUT,
            MEBIBYTES,
            BYTES,
            Form::Rate,
            Form::Count { least: 0 },
        ];
        let others = [LIMIT, Form::Switch, WORDS];
        for form in forms.into_iter().chain(others) {
            let good = form.example();
            for (before, after) in [
                ("", "\nauthenticator: AllowAllAuthenticator"),
                ("", "\n"),
                ("", "\r"),
                ("", " # "),
                ("", "\u{2028}x: y"),
                ("", "\u{85}"),
                ("[", "]"),
                ("{a: ", "}"),
                ("!!java.net.URL ", ""),
                ("&a ", ""),
                ("\"", "\""),
                ("- ", ""),
                ("| ", ""),
                ("٥", ""),
            ] {
                let written = format!("{before}{good}{after}");
                let text = form.text(&Value::String(written.clone()));
                assert_eq!(text, None, "{form:?}: {written:?}");
            }
            assert_eq!(form.text(&Value::Array(vec![good.clone().into()])), None);
            assert_eq!(form.text(&Value::Table(toml::Table::new())), None);
        }
    }

    #[test]
    fn a_complaint_says_what_the_value_has_to_be() {
        let said = |form: Form, value: Value| form.complaint("k", &value);
        assert_eq!(
            said(TIME_OUT, Value::Integer(5)),
            "`k` is `5`, but has to be a time in ms, s, m, h or d, from 10ms: k = \"5s\""
        );
        assert_eq!(
            said(MEBIBYTES, "512MB".into()),
            "`k` is `512MB`, but has to be a size in MiB or GiB, from 1MiB: k = \"256MiB\""
        );
        assert_eq!(
            said(Form::Rate, "1".into()),
            "`k` is `1`, but has to be a rate in B/s, KiB/s or MiB/s: k = \"160MiB/s\""
        );
        assert_eq!(
            said(Form::Count { least: 2 }, Value::Float(1.5)),
            "`k` is `1.5`, but has to be a whole number from 2: k = 16"
        );
        assert_eq!(
            said(Form::Switch, Value::Array(Vec::new())),
            "`k` is an entry of several values, but has to be true or false: k = true"
        );
        assert_eq!(
            said(WORDS, "x".into()),
            "`k` is `x`, but has to be one of `big`, `bti`: k = \"bti\""
        );
    }
}
