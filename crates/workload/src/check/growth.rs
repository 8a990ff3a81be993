//! `[scale.grows]`: along which axes a table grows until it has its full scale.

use toml::Spanned;

use super::text::Text;
use crate::{Growth, Result, Scale, Table, wire};

/// Facts that the factors are checked against.
pub struct About<'a> {
    pub place: Text<'a>,
    pub table: &'a Table,
    pub scale: &'a Scale,
    /// How many times as many series and as long a time the command line makes the data, if it does.
    pub set: Option<(f64, f64)>,
}

impl About<'_> {
    pub fn check(&self, wire: Option<&Spanned<wire::Growth>>) -> Result<Option<Growth>> {
        let Some(written) = wire else {
            return Ok(None);
        };
        let axes = written.get_ref();
        if axes.series.is_none() && axes.time.is_none() {
            let message = "[scale.grows] names no axis; write series = 40 for more partition keys, \
                           time = 3 for a longer time, or both";
            return Err(self.place.error(written.span(), message));
        }
        let growth = Growth {
            series: self.factor(axes.series.as_ref(), "series")?,
            time: self.factor(axes.time.as_ref(), "time")?,
        };
        self.has_times(axes.time.as_ref())?;
        self.fits_rows(written, growth)?;
        // What the data have more of already, they need not grow by.
        let (series, time) = self.set.unwrap_or((1.0, 1.0));
        Ok(Some(Growth {
            series: growth.series / series,
            time: growth.time / time,
        }))
    }

    /// An axis that is not named does not grow.
    fn factor(&self, written: Option<&Spanned<f64>>, axis: &str) -> Result<f64> {
        let Some(written) = written else {
            return Ok(1.0);
        };
        let factor = *written.get_ref();
        if factor >= 1.0 && factor.is_finite() {
            return Ok(factor);
        }
        let message = format!(
            "`{axis}` is {factor}, but has to be at least 1: how many times larger it is at full \
             scale"
        );
        Err(self.place.error(written.span(), message))
    }

    fn has_times(&self, written: Option<&Spanned<f64>>) -> Result<()> {
        match written {
            Some(time) if self.table.time_column().is_none() => {
                let message = "the table has neither an order key that is a time or a whole number \
                               nor a column of type `timestamp`, so it cannot grow in `time`; name \
                               `series`";
                Err(self.place.error(time.span(), message))
            }
            _ => Ok(()),
        }
    }

    fn fits_rows(&self, written: &Spanned<wire::Growth>, growth: Growth) -> Result<()> {
        let (rows, full_rows) = (self.scale.default_rows, self.scale.full_rows);
        let of_rows = full_rows as f64 / rows as f64;
        let of_axes = growth.series * growth.time;
        if self.set.is_some() || (of_axes / of_rows - 1.0).abs() <= Growth::TOLERANCE {
            return Ok(());
        }
        let message = format!(
            "the axes grow {} × {} = {of_axes} times, but `full_rows`, {full_rows}, are {} times the \
             {rows} `rows`; correct either",
            growth.series,
            growth.time,
            shown(of_rows)
        );
        Err(self.place.error(written.span(), message))
    }
}

/// At most two digits after the point.
fn shown(factor: f64) -> f64 {
    (factor * 100.0).round() / 100.0
}
