//! The settings of a design id, which layouts take one by one so that unknown ones are noticed.

use std::collections::BTreeMap;
use std::str::FromStr;

use bakeoff_workload::{Column, ColumnType, DesignId, Table, nearest};

use crate::EngineError;

/// Setting by which a design stores some columns of the table only. What reads it is in `stored_columns`, since the
/// table that layouts get has no others then.
pub const COLUMNS: &str = "columns";

/// The settings of a design that were not taken yet.
pub struct Settings<'a> {
    id: &'a DesignId,
    untaken: BTreeMap<&'a str, &'a str>,
}

impl<'a> Settings<'a> {
    /// Checks that a layout has all settings of a design. The description of the layout's settings
    /// is what `bakeoff list` shows: `bucket=1d (or a number), order=asc|desc`.
    pub fn new(id: &'a DesignId, description: &'static str) -> Result<Self, EngineError> {
        let untaken = id
            .settings
            .iter()
            .map(|(k, v)| (k.as_str(), v.as_str()))
            .collect();
        let mut settings = Settings { id, untaken };
        let known: Vec<&str> = names(description).collect();
        match settings.untaken.keys().find(|name| !known.contains(name)) {
            Some(name) => Err(settings.unknown(name, &known, description)),
            None => {
                settings.untaken.remove(COLUMNS);
                Ok(settings)
            }
        }
    }

    fn unknown(&self, name: &str, known: &[&str], description: &str) -> EngineError {
        if name == COLUMNS {
            return self.error(format!(
                "this layout always stores all columns of the table: leave {COLUMNS}= out"
            ));
        }
        let meant = nearest(name, known.iter().copied())
            .map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        let all = match description {
            "" => "none",
            description => description,
        };
        self.error(format!("unknown setting `{name}`{meant}; there are: {all}"))
    }

    /// Takes a setting that is one of these words, ignoring case.
    pub fn word(
        &mut self,
        name: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, EngineError> {
        let Some(value) = self.untaken.remove(name) else {
            return Ok(None);
        };
        let known = words
            .iter()
            .copied()
            .find(|w| w.eq_ignore_ascii_case(value));
        known
            .map(Some)
            .ok_or_else(|| self.error(format!("{name}={value} is not one of {}", words.join(", "))))
    }

    /// Takes a setting and parses it. `form` describes its form in an error.
    pub fn parsed<T: FromStr>(&mut self, name: &str, form: &str) -> Result<Option<T>, EngineError> {
        let Some(value) = self.untaken.remove(name) else {
            return Ok(None);
        };
        let parsed = value.parse().map(Some);
        parsed.map_err(|_| self.error(format!("{name}={value} is not {form}")))
    }

    /// Returns whether there is such a setting that was not taken yet.
    #[cfg(feature = "postgres")]
    pub fn has(&self, name: &str) -> bool {
        self.untaken.contains_key(name)
    }

    /// Takes a size in KiB written as `4KiB` or `4`.
    pub fn kib(&mut self, name: &str) -> Result<Option<u32>, EngineError> {
        let Some(value) = self.untaken.remove(name) else {
            return Ok(None);
        };
        let number = value
            .strip_suffix("KiB")
            .or_else(|| value.strip_suffix("KB"))
            .unwrap_or(value);
        match number.parse::<u32>() {
            Ok(kib) if kib.is_power_of_two() && kib <= 1024 => Ok(Some(kib)),
            _ => Err(self.error(format!(
                "{name}={value} is not a power of two in KiB up to 1024, for example {name}=16KiB"
            ))),
        }
    }

    /// Parses the width of a range, the value of the setting `name`: a duration such as `1d` if the first
    /// order key is a timestamp, or else a whole number. Returns that column and the width in its units.
    pub fn width<'t>(
        &self,
        table: &'t Table,
        name: &str,
        width: &str,
    ) -> Result<(&'t Column, i64), EngineError> {
        let column = table.order_key.first().and_then(|name| table.column(name));
        let Some(column) = column else {
            return Err(self.error(format!("{name}= needs an order key")));
        };
        let width = match column.kind {
            ColumnType::Timestamp => humantime::parse_duration(width)
                .ok()
                .and_then(|d| i64::try_from(d.as_millis()).ok())
                .ok_or("is not a duration such as 1d or 6h"),
            ColumnType::Int | ColumnType::Bigint => width
                .parse()
                .map_err(|_| "is not a whole number, as the order key's type asks for"),
            _ => Err("needs an order key that is a timestamp, bigint or int"),
        }
        .map_err(|why| self.error(format!("{name}={width} {why}")))?;
        if width > 0 {
            Ok((column, width))
        } else {
            Err(self.error(format!("{name}= has to be more than 0")))
        }
    }

    /// Checks that every setting was taken. One that was not is named by the layout's description,
    /// but not read by its code.
    pub fn end(self) -> Result<(), EngineError> {
        match self.untaken.keys().next() {
            None => Ok(()),
            Some(name) => Err(self.error(format!("{name}= is not read by this layout"))),
        }
    }

    pub fn error(&self, message: String) -> EngineError {
        EngineError(format!("design {}: {message}", self.id))
    }
}

/// Returns the names of the settings in a layout's description.
pub fn names(description: &'static str) -> impl Iterator<Item = &'static str> {
    description
        .split(", ")
        .filter_map(|setting| Some(setting.split_once('=')?.0))
}

#[cfg(test)]
mod tests;
