//! What rows beyond a sample of the user's are.

/// How a data file, which is a sample of a larger table, is continued: how large it gets along each axis. Along both, all
/// series go on in time, the further ones, too.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScaleSample {
    pub series: Option<SampleSize>,
    pub time: Option<SampleSize>,
}

impl ScaleSample {
    /// Returns a growth along one axis.
    pub fn along(axis: SampleAxis, to: SampleSize) -> ScaleSample {
        let (series, time) = match axis {
            SampleAxis::Series => (Some(to), None),
            SampleAxis::Time => (None, Some(to)),
        };
        ScaleSample { series, time }
    }
}

/// Axis along which a sample grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleAxis {
    /// The series of the sample go on in time.
    Time,
    /// There are further series at the times of the sample.
    Series,
}

/// Size of the table that a sample grows to along an axis alone, with the rows of the sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleSize {
    Rows(u64),
    /// This many times as many rows as the sample has.
    Times(f64),
    /// This length of time from the first row on, in milliseconds.
    Milliseconds(u64),
    /// This many series.
    Series(u64),
}
