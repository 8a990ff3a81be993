//! The rule by which a report chooses one design, written before anything is measured.

use crate::DesignId;

/// Rule that chooses the best design, with the limits that it has to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Decide {
    /// Whether the workload file has `[decide]`; otherwise this is the default rule, by which the shortest
    /// times decide, with equal weights of all queries.
    pub is_stated: bool,
    pub minimise: Minimise,
    /// Share of each query among all questions, in the order of the queries. The shares add up to 1, and a
    /// query that does not count has 0.
    pub weights: Vec<f64>,
    /// Whether the workload file has weights; otherwise all queries count equally.
    pub has_weights: bool,
    pub limits: Vec<Limit>,
    /// The relative difference up to which two designs are the same to the reader: 0.05 is 5%.
    pub same_within: f64,
    /// The design that is in use today.
    pub baseline: Option<DesignId>,
}

/// The objective of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minimise {
    /// The cost of a month, which needs prices.
    Month,
    /// The bytes to buy.
    Storage,
    /// The geometric mean of the times of all queries by their weights.
    Time,
    /// The time that loading takes.
    Load,
}

/// A bound that the chosen design has to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The limit as it is written in the file.
    pub text: String,
    pub of: LimitOf,
    /// Bound in seconds, bytes or rows per second.
    pub bound: f64,
}

/// The figure that a limit is about.
#[derive(Debug, Clone, PartialEq)]
pub enum LimitOf {
    /// Largest number of bytes to buy.
    Storage,
    /// Smallest number of rows loaded per second.
    Load,
    /// Longest time of a query in seconds: the median of the rounds or, with a quantile (0.99 for `p99`), that of
    /// the answers to several clients.
    Query { name: String, quantile: Option<f64> },
}

/// The axes along which a table grows until it has its full scale: how many times larger each is
/// there than with the rows that a run loads by default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// More partition keys: hosts, sensors, customers.
    pub series: f64,
    /// A longer time with the same partition keys.
    pub time: f64,
}

impl Growth {
    /// How far the product of the factors may be from the growth of the rows: some generators leave
    /// rows out at random.
    pub(crate) const TOLERANCE: f64 = 0.05;
}

impl Decide {
    /// Relative difference up to which designs are the same by default.
    pub const SAME_WITHIN: f64 = 0.05;

    /// Returns the default rule for this number of queries.
    pub fn unless_stated(queries: usize) -> Decide {
        Decide {
            is_stated: false,
            minimise: Minimise::Time,
            weights: alike(queries),
            has_weights: false,
            limits: Vec::new(),
            same_within: Decide::SAME_WITHIN,
            baseline: None,
        }
    }
}

/// Returns equal weights that add up to 1.
pub(crate) fn alike(queries: usize) -> Vec<f64> {
    vec![1.0 / queries.max(1) as f64; queries]
}

impl Minimise {
    /// All objectives with their names in workload files.
    pub const ALL: [(&'static str, Minimise); 4] = [
        ("month", Minimise::Month),
        ("storage", Minimise::Storage),
        ("time", Minimise::Time),
        ("load", Minimise::Load),
    ];

    /// Returns the name of the objective in workload files.
    pub fn name(self) -> &'static str {
        match self {
            Minimise::Month => "month",
            Minimise::Storage => "storage",
            Minimise::Time => "time",
            Minimise::Load => "load",
        }
    }
}

impl LimitOf {
    /// Returns whether larger figures break the limit.
    pub fn is_at_most(&self) -> bool {
        !matches!(self, LimitOf::Load)
    }
}
