//! Holds a figure that answers a question at the head of a page.

/// A question, answered by one figure.
pub struct Answer {
    pub question: String,
    pub figure: String,
    /// Rows, design and kind of figure, such as `median of max, over 5,000 rows with parquet`.
    pub basis: String,
}
