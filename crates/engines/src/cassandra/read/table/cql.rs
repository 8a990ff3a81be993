//! The CQL statements that read a table.

use super::CassandraTable;
use crate::cassandra::read::decode::Decoder;
use crate::cassandra::read::first_rows::{FirstRows, row_order};
use crate::cassandra::read::pushdown::Pushdown;
use crate::cassandra::read::split::OrderKey;

impl CassandraTable {
    /// Returns the `WHERE` clause, whose values are those of a request.
    fn condition(&self, pushdown: &Pushdown) -> String {
        let (columns, names) = (self.table.token_columns(), &self.table.names);
        let mut conditions: Vec<String> = match pushdown.partitions {
            Some(_) => columns
                .iter()
                .map(|c| format!("{} = ?", names.quoted(c)))
                .collect(),
            None => {
                let token = format!("token({})", names.quoted_list(&columns));
                vec![format!("{token} > ?"), format!("{token} <= ?")]
            }
        };
        let order = pushdown.conditions.iter();
        conditions.extend(order.map(|(c, op, _)| format!("{} {op} ?", names.quoted(c))));
        let indexed = pushdown.indexed.iter();
        conditions.extend(indexed.map(|(c, _)| format!("{} = ?", names.quoted(c))));
        conditions.join(" AND ")
    }

    /// Returns the statement that reads the rows that the pushed filters allow, up to a limit in CQL.
    pub(super) fn select(&self, decoder: &Decoder, pushdown: &Pushdown, limit: &str) -> String {
        let filtering = if pushdown.is_filtering() {
            " ALLOW FILTERING"
        } else {
            ""
        };
        format!(
            "SELECT {} FROM {}{limit}{filtering}",
            decoder.selection(),
            self.table_and_condition(pushdown)
        )
    }

    /// Returns what follows `FROM` in a statement that reads the rows that the pushed filters allow.
    pub(super) fn table_and_condition(&self, pushdown: &Pushdown) -> String {
        format!(
            "{} WHERE {}",
            self.table.quoted_name(),
            self.condition(pushdown)
        )
    }

    /// Returns the statement that reads the greatest or the least order key of a partition, as far as
    /// a query wants it.
    pub(super) fn end_statement(
        &self,
        order_key: &OrderKey,
        pushdown: &Pushdown,
        greatest: bool,
    ) -> String {
        let column = self.table.names.quoted(&order_key.column);
        let direction = if greatest { "DESC" } else { "ASC" };
        format!(
            "SELECT {column} FROM {} WHERE {} ORDER BY {column} {direction} LIMIT 1",
            self.table.quoted_name(),
            self.condition(pushdown)
        )
    }

    /// Returns the statement that reads only the first row of each partition, if the order of rows
    /// is known.
    pub(super) fn first_rows(
        &self,
        decoder: &Decoder,
        pushdown: &Pushdown,
        projection: &[usize],
    ) -> Option<FirstRows<String>> {
        Some(FirstRows {
            order: row_order(&self.table)?,
            projection: projection.to_vec(),
            statement: self.select(decoder, pushdown, " PER PARTITION LIMIT 1"),
        })
    }
}
