//! Checks numbers, choices and lengths.

use std::ops::{Range, RangeInclusive};

use toml::{Spanned, Value as Toml};

use super::super::number;
use super::{Checked, MOST_BYTES};
use crate::{ColumnGenerator, ColumnType, Result, Value, source, uuids, wire};

/// Exponent of `zipf` by default.
const USUAL_EXPONENT: f64 = 0.99;

impl Checked<'_> {
    /// Checks a uniform distribution, which has two bounds.
    pub fn uniform(&self, written: &Spanned<Vec<Toml>>) -> Result<ColumnGenerator> {
        let is_real = self.column.kind.is_floating();
        match written.get_ref()[..] {
            [Toml::Integer(from), Toml::Integer(to)] if !is_real && from <= to => {
                self.fits(from, written.span())?;
                self.fits(to, written.span())?;
                Ok(ColumnGenerator::UniformInteger { from, to })
            }
            _ if is_real => {
                let (from, to) = self.uniform_reals(written)?;
                for bound in [from, to] {
                    self.fits_float(bound, written.span())?;
                }
                Ok(ColumnGenerator::UniformReal { from, to })
            }
            _ => Err(self.not_a_range(written.span(), "uniform", "whole numbers")),
        }
    }

    /// Checks the bounds of a uniform distribution of real numbers.
    pub fn uniform_reals(&self, written: &Spanned<Vec<Toml>>) -> Result<(f64, f64)> {
        let bounds = match &written.get_ref()[..] {
            [from, to] => real(from).zip(real(to)),
            _ => None,
        };
        bounds
            .filter(|(from, to)| from < to)
            .ok_or_else(|| self.not_a_range(written.span(), "uniform", "numbers"))
    }

    /// Checks the mean and the deviation of a normal distribution.
    pub fn normal(&self, wire: &wire::Normal) -> Result<(f64, f64)> {
        let mean = self.finite(&wire.mean, "mean")?;
        self.fits_float(mean, wire.mean.span())?;
        Ok((mean, self.positive(&wire.deviation, "deviation")?))
    }

    fn not_a_range(&self, span: Range<usize>, key: &str, what: &str) -> crate::Error {
        let message = format!("`{key}` has two {what}, the least and the greatest: {key} = [1, 9]");
        self.document.error(span, message)
    }

    /// Checks a Zipf distribution.
    pub fn zipf(&self, wire: &wire::Zipf, prefix: String) -> Result<ColumnGenerator> {
        let items = number::at_least(self.document, Some(&wire.items), "items", 1)?.unwrap_or(1);
        self.fits(items as i64 - 1, wire.items.span())?;
        let exponent = wire.exponent.as_ref();
        Ok(ColumnGenerator::Zipf {
            items,
            exponent: exponent.map_or(Ok(USUAL_EXPONENT), |e| self.positive(e, "exponent"))?,
            prefix,
        })
    }

    /// Checks a list of values.
    pub fn choice(&self, written: &Spanned<Vec<Spanned<Toml>>>) -> Result<ColumnGenerator> {
        if written.get_ref().is_empty() {
            return Err(self
                .document
                .error(written.span(), "`choice` has no values"));
        }
        let value = |value: &Spanned<Toml>| {
            constant(self.column.kind, value.get_ref()).ok_or_else(|| {
                let message = format!(
                    "`{}` is not a value of column `{}`, which is {}",
                    value.get_ref(),
                    self.column.name,
                    self.column.kind.name()
                );
                self.document.error(value.span(), message)
            })
        };
        let values = written.get_ref().iter().map(value);
        Ok(ColumnGenerator::Choice(values.collect::<Result<_>>()?))
    }

    /// Checks random bytes.
    pub fn bytes(&self, wire: &wire::Bytes) -> Result<ColumnGenerator> {
        let compressibility = wire.compressibility.as_ref().map_or(0.0, |c| *c.get_ref());
        if let (Some(written), false) = (
            &wire.compressibility,
            (0.0..=1.0).contains(&compressibility),
        ) {
            let message = format!(
                "`compressibility` is {written}, but is the share of each value that repeats, from \
                 0 to 1"
            );
            return Err(self.document.error(written.span(), message));
        }
        Ok(ColumnGenerator::Bytes {
            length: self.range(&wire.length, "length", MOST_BYTES)?,
            compressibility,
        })
    }

    /// Checks the bounds of a length or number.
    pub fn range(
        &self,
        written: &Spanned<Vec<i64>>,
        key: &str,
        most: u32,
    ) -> Result<RangeInclusive<u32>> {
        let [from, to] = written.get_ref()[..] else {
            return Err(self.not_a_range(written.span(), key, "whole numbers"));
        };
        if from > to {
            let message = format!("`{key}` ends before it begins; did you mean [{to}, {from}]?");
            return Err(self.document.error(written.span(), message));
        }
        match (u32::try_from(from), u32::try_from(to)) {
            (Ok(from), Ok(to)) if to <= most => Ok(from..=to),
            _ => {
                let message = format!("`{key}` has to be from 0 to {most}");
                Err(self.document.error(written.span(), message))
            }
        }
    }

    /// Checks that a whole number fits the column.
    fn fits(&self, number: i64, span: Range<usize>) -> Result<()> {
        match self.column.kind {
            ColumnType::Int if i32::try_from(number).is_err() => {
                let message = format!(
                    "{number} does not fit column `{}`, which is int (32 bits); make it bigint",
                    self.column.name
                );
                Err(self.document.error(span, message))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a number is not too large for a column of floats of 32 bits.
    fn fits_float(&self, number: f64, span: Range<usize>) -> Result<()> {
        if self.column.kind == ColumnType::Float && number.abs() > f64::from(f32::MAX) {
            let message = format!(
                "{number:e} does not fit column `{}`, which is float (up to 3.4e38); make it double",
                self.column.name
            );
            return Err(self.document.error(span, message));
        }
        Ok(())
    }

    /// Returns a number, unless it is infinite or NaN.
    pub fn finite(&self, written: &Spanned<f64>, key: &str) -> Result<f64> {
        if written.get_ref().is_finite() {
            Ok(*written.get_ref())
        } else {
            let message = format!("`{key}` is {written}, but has to be a number");
            Err(self.document.error(written.span(), message))
        }
    }

    /// Returns a number, unless it is 0, negative, infinite or NaN.
    pub fn positive(&self, written: &Spanned<f64>, key: &str) -> Result<f64> {
        number::positive(self.document, *written.get_ref(), written.span(), key)
    }
}

fn real(value: &Toml) -> Option<f64> {
    let number = match value {
        Toml::Integer(number) => *number as f64,
        Toml::Float(number) => *number,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// Returns a value of the file as one of a column of this type.
fn constant(kind: ColumnType, value: &Toml) -> Option<Value> {
    Some(match (kind, value) {
        (ColumnType::Boolean, Toml::Boolean(value)) => Value::Boolean(*value),
        (ColumnType::Int, Toml::Integer(number)) => Value::Int(i32::try_from(*number).ok()?),
        (ColumnType::Bigint, Toml::Integer(number)) => Value::Bigint(*number),
        (ColumnType::Float, number) => {
            let float = Some(real(number)? as f32);
            Value::Float(float.filter(|float| float.is_finite())?)
        }
        (ColumnType::Double, number) => Value::Double(real(number)?),
        (ColumnType::Text, Toml::String(text)) => Value::Text(text.clone()),
        (ColumnType::Uuid, Toml::String(text)) => Value::Uuid(uuids::parsed(text)?),
        (ColumnType::Timestamp, time) => Value::Timestamp(moment(time)?),
        _ => return None,
    })
}

/// Returns the milliseconds of a time since the epoch, in UTC if it has no zone.
pub fn moment(value: &Toml) -> Option<i64> {
    match value {
        Toml::String(text) => source::milliseconds(text),
        Toml::Datetime(time) => source::milliseconds(&time.to_string()),
        _ => None,
    }
}
