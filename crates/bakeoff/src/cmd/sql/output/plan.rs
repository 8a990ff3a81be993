//! Writes the plans of EXPLAIN as text.

use anyhow::Result;
use arrow::array::{Array, AsArray, RecordBatch};

use super::{Rows, Sink};
use crate::terminal::clean;

pub struct Plans {
    to: Box<dyn Sink>,
    is_first: bool,
}

impl Plans {
    pub fn new(to: Box<dyn Sink>) -> Self {
        Plans { to, is_first: true }
    }
}

impl Rows for Plans {
    /// Writes plans: the first column is the kind of plan, the second one its lines.
    fn write(&mut self, rows: &RecordBatch) -> Result<usize> {
        let text = |column: usize| rows.column(column).as_string_opt::<i32>();
        let (Some(kinds), Some(plans)) = (text(0), text(1)) else {
            return Ok(rows.num_rows());
        };
        for row in (0..rows.num_rows()).filter(|row| plans.is_valid(*row)) {
            let space = if self.is_first { "" } else { "\n" };
            self.is_first = false;
            writeln!(self.to, "{space}{}", kinds.value(row).replace('_', " "))?;
            // A plan is for people, and has names and values of the query in it.
            for line in clean(plans.value(row)).lines() {
                writeln!(self.to, "  {line}")?;
            }
        }
        Ok(rows.num_rows())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<String>> {
        self.to.complete()?;
        Ok(Vec::new())
    }
}
