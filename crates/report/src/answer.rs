//! The figure that answers a question at the head of a page.

/// A question, answered by one figure.
pub struct Answer {
    pub question: String,
    pub figure: String,
    /// What the figure is for.
    pub basis: String,
}
