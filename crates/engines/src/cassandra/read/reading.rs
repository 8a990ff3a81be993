//! How rows are read from a table, as far as the settings of a design choose it.

use bakeoff_workload::{Consistency, DesignId};

use super::java::JavaFunctions;
use crate::EngineError;
use crate::settings::Settings;

/// Number of rows of a page; in measurements, more than 5,000 brought no gain.
pub const PAGE_ROWS: i32 = 5_000;
/// The most rows of a page that a design may ask for.
const MOST_PAGE_ROWS: i32 = 100_000;

/// How rows are read from a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// Number of rows of a page.
    pub page_rows: i32,
    /// How Cassandra computes aggregates; `None` where their rows are fetched.
    pub aggregate: Option<ServerAggregate>,
    /// Consistency level of reads; `None` means that of the run.
    pub consistency: Option<Consistency>,
}

/// How Cassandra computes the aggregates of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerAggregate {
    /// By a statement for each partition that is asked for, or one for the whole table.
    Whole,
    /// By statements for ranges of a partition's order key, or for token ranges, at the same time.
    Ranges,
    /// By the statements of `Whole`, with user-defined aggregates in Java.
    Java,
    /// As `Java`, but an average collects all values in a list first.
    JavaList,
}

/// Words of the setting `aggregate`.
const AGGREGATES: [&str; 5] = ["client", "server", "ranges", "java", "java-list"];

impl ServerAggregate {
    /// Reads a word of [`AGGREGATES`]; `None` where rows are fetched.
    fn from_word(word: &str) -> Option<ServerAggregate> {
        match word {
            "server" => Some(ServerAggregate::Whole),
            "ranges" => Some(ServerAggregate::Ranges),
            "java" => Some(ServerAggregate::Java),
            "java-list" => Some(ServerAggregate::JavaList),
            _ => None,
        }
    }

    /// Returns the user-defined aggregates that it needs in a keyspace, if it needs any.
    pub fn java(self, keyspace: &str) -> Option<JavaFunctions> {
        let functions = |averages_lists| {
            Some(JavaFunctions {
                keyspace: keyspace.to_owned(),
                averages_lists,
            })
        };
        match self {
            ServerAggregate::Whole | ServerAggregate::Ranges => None,
            ServerAggregate::Java => functions(false),
            ServerAggregate::JavaList => functions(true),
        }
    }
}

/// Words of the setting `consistency`, as `bakeoff list` shows them.
macro_rules! consistency_setting {
    () => {
        "consistency=one|quorum|all|local_one|local_quorum"
    };
}
pub(crate) use consistency_setting;

/// Takes the consistency level at which a design reads, if it has one of its own.
///
/// # Errors
/// Fails for a word that is none of those levels.
pub fn take_consistency(settings: &mut Settings<'_>) -> Result<Option<Consistency>, EngineError> {
    let words = ["one", "quorum", "all", "local_one", "local_quorum"];
    let asked = settings.word("consistency", &words)?;
    Ok(asked.map(|word| match word {
        "one" => Consistency::One,
        "quorum" => Consistency::Quorum,
        "all" => Consistency::All,
        "local_one" => Consistency::LocalOne,
        _ => Consistency::LocalQuorum,
    }))
}

/// Returns whether a design makes functions in its keyspace, as far as its id says.
pub fn makes_functions(id: &DesignId) -> bool {
    let asked = id.settings.get("aggregate");
    let aggregate = asked.and_then(|word| ServerAggregate::from_word(&word.to_ascii_lowercase()));
    matches!(
        aggregate,
        Some(ServerAggregate::Java | ServerAggregate::JavaList)
    )
}

impl Default for Reading {
    fn default() -> Self {
        Reading {
            page_rows: PAGE_ROWS,
            aggregate: None,
            consistency: None,
        }
    }
}

impl Reading {
    /// Takes the settings `page`, `aggregate` and `consistency` of a design.
    ///
    /// # Errors
    /// Fails for a value that makes no sense.
    pub fn take(settings: &mut Settings<'_>) -> Result<Reading, EngineError> {
        let page = settings.parsed::<i32>("page", "a number of rows such as page=5000")?;
        let page_rows = page.unwrap_or(PAGE_ROWS);
        if !(1..=MOST_PAGE_ROWS).contains(&page_rows) {
            return Err(settings.error(format!(
                "page={page_rows} is not a number of rows from 1 to {MOST_PAGE_ROWS}"
            )));
        }
        let aggregate = settings.word("aggregate", &AGGREGATES)?;
        let aggregate = aggregate.and_then(ServerAggregate::from_word);
        Ok(Reading {
            page_rows,
            aggregate,
            consistency: take_consistency(settings)?,
        })
    }

    /// Returns the effective settings for reports.
    pub fn settings(&self) -> Vec<(String, String)> {
        let page = ("page".to_owned(), format!("{} rows", self.page_rows));
        let by = match self.aggregate {
            None => return vec![page],
            Some(ServerAggregate::Whole) => {
                "by Cassandra where CQL can, with a statement for each partition or for the whole table"
            }
            Some(ServerAggregate::Ranges) => {
                "by Cassandra where CQL can, with statements for ranges of the order key or of tokens at the same time"
            }
            Some(ServerAggregate::Java) => {
                "of numbers by user-defined aggregates in Java where CQL can, with a statement for each partition or for the whole table"
            }
            Some(ServerAggregate::JavaList) => {
                "of numbers by user-defined aggregates in Java where CQL can, averages from a list of all values, with a statement for each partition or for the whole table"
            }
        };
        vec![page, ("aggregates".to_owned(), by.to_owned())]
    }
}
