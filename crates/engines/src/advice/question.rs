//! What is known of a question: by which columns it finds rows, and what it makes of them.

use bakeoff_workload::Table;

/// A query of a workload, as rules see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub name: String,
    /// Conditions that all have to hold; none where a question has several tables, or the same one several times.
    pub filters: Vec<Filter>,
    /// Whether it has no condition at all, not even one that is not among these.
    pub is_of_all_rows: bool,
    /// Whether it aggregates rows.
    pub aggregates: bool,
    /// Whether it groups rows.
    pub groups: bool,
    /// Length of the intervals of the first order column that rows are grouped by, in its units.
    pub group_width: Option<i64>,
    /// Whether the first rows may be enough for it: it has a limit, or wants different values.
    pub may_end_early: bool,
    /// Whether it wants the least, the highest or the number of all rows, which may be known without reading them.
    pub is_of_statistics: bool,
    /// Whether it wants the newest rows: the highest values of the first order column.
    pub wants_newest: bool,
    /// Number of the table's columns that it names.
    pub columns: usize,
}

/// A condition of a question on one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Name of the column.
    pub column: String,
    pub kind: FilterKind,
    /// Share of the rows that have such a value, from 0 to 1, if rows were read.
    pub share: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterKind {
    /// Is one of so many values.
    Equals { values: u32 },
    /// Is in a range, of this length in units of the column if the workload says so.
    Range { width: Option<i64> },
    /// Is anything else, such as `LIKE`.
    Other,
}

impl Question {
    /// Returns whether it says which values each column of the partition key has.
    pub fn names_partition(&self, table: &Table) -> bool {
        let mut key = table.partition_key.iter();
        key.all(|column| self.equals(column).is_some())
    }

    /// Returns the condition that a column is one of some values.
    pub fn equals(&self, column: &str) -> Option<&Filter> {
        let mut filters = self.filters.iter();
        filters.find(|f| f.column == column && matches!(f.kind, FilterKind::Equals { .. }))
    }

    /// Returns whether it restricts a column to a range.
    pub fn has_range(&self, column: &str) -> bool {
        let mut filters = self.filters.iter();
        filters.any(|f| f.column == column && matches!(f.kind, FilterKind::Range { .. }))
    }

    /// Returns the length of the range that it restricts a column to, if the workload says it.
    pub fn range_width(&self, column: &str) -> Option<i64> {
        let widths = self.filters.iter().filter(|f| f.column == column);
        let mut widths = widths.filter_map(|f| match f.kind {
            FilterKind::Range { width } => width,
            _ => None,
        });
        widths.next()
    }
}
