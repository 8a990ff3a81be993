//! Checks sequences.

use toml::{Spanned, Value as Toml};

use super::super::number;
use super::Checked;
use super::values::{day_of, moment};
use crate::{ColumnGenerator, ColumnType, Result, Sequence, days, wire};

const NANOSECONDS_OF_A_DAY: u128 = 86_400_000_000_000;

impl Checked<'_> {
    /// Checks a sequence.
    pub fn sequence(
        &self,
        wire: &Spanned<wire::Sequence>,
        prefix: String,
        rows: u64,
    ) -> Result<ColumnGenerator> {
        let written = wire.get_ref();
        let one_or_more = |value: &Option<Spanned<i64>>, key| {
            number::at_least(self.document, value.as_ref(), key, 1)
        };
        let (start, step) = match self.column.kind {
            ColumnType::Timestamp => self.times(wire)?,
            ColumnType::Date => self.days(wire)?,
            _ => (
                self.whole(written.start.as_ref(), "start", 0)?,
                self.whole(written.step.as_ref(), "step", 1)?,
            ),
        };
        if let (0, Some(written)) = (step, &written.step) {
            let message = "`step` is 0, so that all rows would have the same value";
            return Err(self.document.error(written.span(), message));
        }
        let sequence = Sequence {
            start,
            step,
            every: one_or_more(&written.every, "every")?.unwrap_or(1),
            cycle: one_or_more(&written.cycle, "cycle")?,
            prefix,
        };
        self.last_value_fits(&sequence, wire, rows)?;
        Ok(ColumnGenerator::Sequence(sequence))
    }

    /// Returns a whole number; `usual` if none is given.
    fn whole(&self, written: Option<&Spanned<Toml>>, key: &str, usual: i64) -> Result<i64> {
        match written.map(|w| (w.get_ref(), w.span())) {
            None => Ok(usual),
            Some((Toml::Integer(number), _)) => Ok(*number),
            Some((other, span)) => {
                let message = format!(
                    "`{key}` is {other}, but has to be a whole number in a {} column",
                    self.column.kind.name()
                );
                Err(self.document.error(span, message))
            }
        }
    }

    /// Returns start and step in milliseconds.
    fn times(&self, wire: &Spanned<wire::Sequence>) -> Result<(i64, i64)> {
        const EXAMPLE: &str = "a sequence of times has, for example, { start = \"2024-01-01T00:00:00Z\", step = \"10s\" }";
        let (start, step) = (&wire.get_ref().start, &wire.get_ref().step);
        let (Some(start), Some(step)) = (start, step) else {
            return Err(self.document.error(wire.span(), EXAMPLE));
        };
        let start_ms =
            moment(start.get_ref()).ok_or_else(|| self.document.error(start.span(), EXAMPLE))?;
        let step_ms = step.get_ref().as_str().and_then(|text| {
            let duration = humantime::parse_duration(text).ok()?;
            let is_whole = duration.subsec_nanos() % 1_000_000 == 0;
            i64::try_from(duration.as_millis())
                .ok()
                .filter(|_| is_whole)
        });
        let step_ms = step_ms.ok_or_else(|| {
            let message = format!("`step` has to be whole milliseconds; {EXAMPLE}");
            self.document.error(step.span(), message)
        })?;
        Ok((start_ms, step_ms))
    }

    /// Returns start and step in days.
    fn days(&self, wire: &Spanned<wire::Sequence>) -> Result<(i64, i64)> {
        const EXAMPLE: &str =
            "a sequence of dates has, for example, { start = \"2024-01-01\", step = \"1d\" }";
        let (start, step) = (&wire.get_ref().start, &wire.get_ref().step);
        let (Some(start), Some(step)) = (start, step) else {
            return Err(self.document.error(wire.span(), EXAMPLE));
        };
        let first =
            day_of(start.get_ref()).ok_or_else(|| self.document.error(start.span(), EXAMPLE))?;
        let length = step.get_ref().as_str().and_then(|text| {
            let duration = humantime::parse_duration(text).ok()?;
            i64::try_from(duration.as_nanos() / NANOSECONDS_OF_A_DAY)
                .ok()
                .filter(|_| duration.as_nanos() % NANOSECONDS_OF_A_DAY == 0)
        });
        let length = length.ok_or_else(|| {
            let message = format!("`step` has to be whole days; {EXAMPLE}");
            self.document.error(step.span(), message)
        })?;
        Ok((first.into(), length))
    }

    /// Checks that the last value of the cycle, or of all rows that the file mentions, fits the
    /// column.
    fn last_value_fits(
        &self,
        sequence: &Sequence,
        wire: &Spanned<wire::Sequence>,
        rows: u64,
    ) -> Result<()> {
        let positions = rows.saturating_sub(1) / sequence.every;
        let last = sequence.cycle.map_or(positions, |cycle| cycle - 1);
        let value = i128::from(sequence.start) + i128::from(sequence.step) * i128::from(last);
        let fits = match self.column.kind {
            ColumnType::Int => i32::try_from(value).is_ok(),
            ColumnType::Date => i32::try_from(value).is_ok_and(days::is_in_calendar),
            _ => i64::try_from(value).is_ok(),
        };
        if fits {
            return Ok(());
        }
        let value = match self.column.kind {
            ColumnType::Date => "a day behind the year 9999".to_owned(),
            _ => value.to_string(),
        };
        let message = format!(
            "the sequence reaches {value}, which does not fit column `{}` of type {}",
            self.column.name,
            self.column.kind.name()
        );
        Err(self.document.error(wire.span(), message))
    }
}
