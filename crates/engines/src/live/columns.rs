//! Which columns of a table a sample has.

use std::collections::HashSet;

use bakeoff_workload::ColumnType;

use super::held::{Holding, Stored};
use crate::tables::TableError;

/// The most columns of a sample; few engines take more.
const MOST_COLUMNS: usize = 500;

/// What becomes of the values of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They are held, with what the reader should know of that, or an empty text.
    Held(Holding, &'static str),
    /// No column of a workload has such values, for this reason, which is the end of a sentence.
    LeftOut(&'static str),
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Described {
    pub name: String,
    /// Its type, as its server calls it.
    pub stored_as: String,
    pub is_key: bool,
    pub fate: Fate,
}

/// Holds days by which rows are ordered as times, since the time of the rows of a workload is a timestamp.
pub fn hold_days_as_times(columns: &mut [Described], order: &[String]) {
    let remark = "held as the midnight (UTC) that it begins with";
    for column in columns {
        let has_days = matches!(column.fate, Fate::Held(Holding::As(ColumnType::Date), _));
        if has_days && order.contains(&column.name) {
            column.fate = Fate::Held(Holding::As(ColumnType::Timestamp), remark);
        }
    }
}

/// The columns of a sample.
#[derive(Debug)]
pub struct Plan {
    pub held: Vec<Stored>,
    /// The others, with the reasons.
    pub left_out: Vec<String>,
}

impl Plan {
    /// Decides which columns of a table a sample has. Those of the key come first.
    ///
    /// # Errors
    /// A column of the key, or every column, is none that a workload can have.
    pub fn new(table: &str, columns: &[Described]) -> Result<Plan, TableError> {
        let mut plan = Plan {
            held: Vec::new(),
            left_out: Vec::new(),
        };
        let mut names = HashSet::new();
        let mut beyond = 0;
        for column in columns {
            let is_new = !names.contains(&column.name.to_lowercase());
            let reason = match column.fate {
                Fate::LeftOut(reason) => Some(reason),
                Fate::Held(..) if !is_new => Some(
                    "it has the name of another column, since workloads have names in lower case",
                ),
                Fate::Held(..) => None,
            };
            match (reason, column.fate) {
                (Some(reason), _) if column.is_key => {
                    return Err(TableError::Asked(format!(
                        "{table}: `{}` is in the key, and its type is {}: {reason}; copy the rows to a table with \
                         another key, or to a file",
                        column.name, column.stored_as
                    )));
                }
                (Some(reason), _) => {
                    plan.left_out.push(format!(
                        "`{}` ({}): {reason}",
                        column.name, column.stored_as
                    ));
                }
                (None, Fate::Held(holding, remark)) if plan.held.len() < MOST_COLUMNS => {
                    names.insert(column.name.to_lowercase());
                    plan.held.push(Stored {
                        name: column.name.clone(),
                        stored_as: column.stored_as.clone(),
                        holding,
                        remark,
                    });
                }
                (None, _) => beyond += 1,
            }
        }
        if plan.held.is_empty() {
            return Err(TableError::Asked(format!(
                "{table} has no column that a workload can have: {}",
                plan.left_out.join("; ")
            )));
        }
        if beyond > 0 {
            plan.left_out.push(format!(
                "{beyond} of all {} columns, the last ones, since few engines take more than {MOST_COLUMNS}",
                columns.len()
            ));
        }
        Ok(plan)
    }
}
