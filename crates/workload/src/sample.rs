//! What rows beyond a sample of the user's are.

/// How a data file, which is a sample of a larger table, is continued.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaleSample {
    pub along: SampleAxis,
    pub to: SampleSize,
}

/// Axis along which a sample grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleAxis {
    /// The series of the sample go on in time.
    Time,
    /// There are further series at the times of the sample.
    Series,
}

/// Size of the table that a sample grows to, with the rows of the sample.
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
