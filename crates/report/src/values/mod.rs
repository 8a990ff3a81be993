//! Measured values of a run, a load or a sweep, one by one, as other tools take them: each with its design, what
//! it is of, its round and its unit.

mod drive;
mod figure;
pub mod prometheus;
mod run;
mod server;
mod sweep;

pub use drive::of_drive;
pub use figure::Figure;
pub use run::of_run;
pub use sweep::of_sweep;

/// All values of one folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// Name of the run folder.
    pub run: String,
    /// Command that measured them: `run`, `drive` or `sweep`.
    pub kind: &'static str,
    pub workload: String,
    pub bakeoff_version: String,
    /// Start in RFC 3339 and UTC.
    pub started_at: String,
    pub finished: bool,
    /// Values in the order of the designs.
    pub values: Vec<Measured>,
}

/// One measured value.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub figure: Figure,
    pub design: String,
    /// Query, operation, question, setting or step that it is of; `None` if it is of the design as a whole.
    pub query: Option<String>,
    /// Design that answered questions beside the load that it is of; `None` if the driven design did, or none were
    /// asked.
    pub answered_by: Option<String>,
    /// Round, counted from 1; `None` for what was measured once, or over all rounds.
    pub round: Option<u32>,
    /// Value in the unit of the figure.
    pub value: f64,
}

/// Names a setting of a sweep.
fn named_setting(batch_rows: u64, workers: u32) -> String {
    format!("batch={batch_rows} workers={workers}")
}

/// Values of one design while they are collected.
struct Collected<'a> {
    design: &'a str,
    /// Design that answered questions beside the loads of the values that follow, in place of the driven one.
    answered_by: Option<&'a str>,
    values: Vec<Measured>,
}

impl<'a> Collected<'a> {
    fn of(design: &'a str) -> Collected<'a> {
        Collected {
            design,
            answered_by: None,
            values: Vec::new(),
        }
    }

    /// Adds a value of the design as a whole, if it is known.
    fn add(&mut self, figure: Figure, round: Option<u32>, value: Option<f64>) {
        self.put(figure, None, round, value);
    }

    /// Adds a value of a query, an operation, a question or a setting, if it is known.
    fn add_of(&mut self, figure: Figure, query: &str, round: Option<u32>, value: Option<f64>) {
        self.put(figure, Some(query), round, value);
    }

    fn put(&mut self, figure: Figure, query: Option<&str>, round: Option<u32>, value: Option<f64>) {
        let known = value.filter(|value| value.is_finite());
        self.values.extend(known.map(|value| Measured {
            figure,
            design: self.design.to_owned(),
            query: query.map(str::to_owned),
            answered_by: self.answered_by.map(str::to_owned),
            round,
            value,
        }));
    }
}
