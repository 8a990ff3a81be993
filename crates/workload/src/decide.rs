//! The rule by which a report chooses one design, written before anything is measured.

use crate::DesignId;

/// Which design is the best one, and what it has to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Decide {
    /// Whether the workload file has `[decide]`. Without it this is the default rule: the shortest
    /// answers, all queries alike.
    pub is_stated: bool,
    pub minimise: Minimise,
    /// The share that each query has of all questions, in the order of the queries. They add up to
    /// 1, and a query that does not count has 0.
    pub weights: Vec<f64>,
    /// Whether the workload file has weights. Without them all queries count alike.
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
    /// Seconds, bytes or rows a second.
    pub bound: f64,
}

/// The figure that a limit is about.
#[derive(Debug, Clone, PartialEq)]
pub enum LimitOf {
    /// Bytes to buy, at most.
    Storage,
    /// Rows a second that are loaded, at least.
    Load,
    /// Seconds of a query, at most: of this quantile (0.99 for `p99`), else of the median.
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
    pub const SAME_WITHIN: f64 = 0.05;

    /// The rule of a workload that states none and has this number of queries.
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

/// Equal weights that add up to 1.
pub(crate) fn alike(queries: usize) -> Vec<f64> {
    vec![1.0 / queries.max(1) as f64; queries]
}

impl Minimise {
    /// Every objective by the name that it has in workload files.
    pub const ALL: [(&'static str, Minimise); 4] = [
        ("month", Minimise::Month),
        ("storage", Minimise::Storage),
        ("time", Minimise::Time),
        ("load", Minimise::Load),
    ];

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
    /// Whether larger figures break the limit.
    pub fn is_at_most(&self) -> bool {
        !matches!(self, LimitOf::Load)
    }
}
