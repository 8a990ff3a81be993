//! The workload that measures designs with the rows of a copy: its table, reads by key and of parts of a partition, and
//! a mix of reads and updates.

use bakeoff_workload::{ColumnType, Table};
use toml::Value;

/// Rows that a read of a partition returns at most.
const ROWS: u32 = 100;

/// What a workload is written of.
pub struct Written<'a> {
    /// Name of the table that was copied, as `KEYSPACE.TABLE`.
    pub copied: &'a str,
    pub table: &'a Table,
    pub rows: u64,
    /// Whether the greatest order key comes first.
    pub is_descending: bool,
    /// SQL literals of the key of some rows, in the order of the key; at least of one row.
    pub keys: &'a [Vec<String>],
    /// Columns outside of the key whose values are looked up.
    pub looked_up: &'a [String],
    /// Name of the file with the rows, in the folder of the workload.
    pub file: &'a str,
    /// Ids of the designs.
    pub designs: &'a [String],
}

/// A query with the columns that its parameters, of the same names, are drawn from.
struct Query {
    name: String,
    sql: String,
    parameters: Vec<String>,
}

impl Written<'_> {
    /// Returns the text of the workload.
    pub fn text(&self) -> String {
        let mut text = format!(
            "# Designs of {} that may be better than the present one, which is the first of them.\n\
             title = {}\n\ndesigns = [\n",
            self.copied,
            quoted(&format!("A copy of rows of {}", self.copied))
        );
        for design in self.designs {
            text.push_str(&format!("  {},\n", quoted(design)));
        }
        text.push_str("]\n\n[table]\n");
        let table = self.table;
        text.push_str(&format!("name = {}\n", quoted(&table.name)));
        text.push_str(&format!("partition_key = {}\n", list(&table.partition_key)));
        if !table.order_key.is_empty() {
            text.push_str(&format!("order_key = {}\n", list(&table.order_key)));
        }
        text.push_str("\n[table.columns]\n");
        for column in &table.columns {
            text.push_str(&format!(
                "{} = {}\n",
                column.name,
                quoted(column.kind.name())
            ));
        }
        text.push_str(&format!("\n[data]\nfile = {}\n", quoted(self.file)));
        for query in self.queries() {
            text.push_str(&query.text());
        }
        text.push_str(&self.mix());
        let rows = self.rows;
        text.push_str(&format!("\n[scale]\nrows = {rows}\nfull_rows = {rows}\n"));
        if self.designs.iter().any(|id| id.contains("caching=rows")) {
            text.push_str("\n[server.cassandra]\nrow_cache_size = \"64MiB\"\n");
        }
        text
    }

    fn queries(&self) -> Vec<Query> {
        let mut queries = vec![self.row()];
        if let Some(first) = self.table.order_key.first() {
            queries.push(self.first_rows());
            queries.extend(self.range(first));
        }
        queries.extend(self.looked_up.iter().map(|column| self.look_up(column)));
        queries
    }

    /// Reads a row by its whole key.
    fn row(&self) -> Query {
        let key: Vec<&str> = self.table.key().collect();
        let (condition, parameters) = match &key[..] {
            [column] => by_parameter(column),
            key => (equal(key, self.keys.last()), Vec::new()),
        };
        let (columns, table) = (self.columns(), name(&self.table.name));
        Query {
            name: "row".to_owned(),
            sql: format!("SELECT {columns} FROM {table} WHERE {condition}"),
            parameters,
        }
    }

    /// Reads the first rows of a partition in the order in which they are stored.
    fn first_rows(&self) -> Query {
        let (condition, parameters) = self.partition();
        let direction = if self.is_descending { " DESC" } else { "" };
        let order: Vec<String> = { self.table.order_key.iter() }
            .map(|column| format!("{}{direction}", name(column)))
            .collect();
        Query {
            name: "first_rows".to_owned(),
            sql: format!(
                "SELECT {} FROM {} WHERE {condition} ORDER BY {} LIMIT {ROWS}",
                self.columns(),
                name(&self.table.name),
                order.join(", ")
            ),
            parameters,
        }
    }

    /// Counts the rows of a partition from a row on; `None` if values of the column are in no order in SQL.
    fn range(&self, column: &str) -> Option<Query> {
        let kind = self.table.column(column)?.kind;
        if matches!(kind, ColumnType::Boolean | ColumnType::Blob) {
            return None;
        }
        let (condition, mut parameters) = self.partition();
        let from = if parameters.is_empty() {
            let place = self.table.partition_key.len();
            self.keys.first()?.get(place)?.clone()
        } else {
            parameters.push(column.to_owned());
            format!("${{{column}}}")
        };
        Some(Query {
            name: "range".to_owned(),
            sql: format!(
                "SELECT count(*) AS n FROM {} WHERE {condition} AND {} >= {from}",
                name(&self.table.name),
                name(column)
            ),
            parameters,
        })
    }

    fn look_up(&self, column: &str) -> Query {
        let (condition, parameters) = by_parameter(column);
        let table = name(&self.table.name);
        Query {
            name: format!("by_{column}"),
            sql: format!("SELECT count(*) AS n FROM {table} WHERE {condition}"),
            parameters,
        }
    }

    /// Returns the condition for a partition with its parameters. Only a key of one column has one: values of several
    /// parameters are of different rows.
    fn partition(&self) -> (String, Vec<String>) {
        match &self.table.partition_key[..] {
            [column] => by_parameter(column),
            columns => {
                let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
                (equal(&columns, self.keys.first()), Vec::new())
            }
        }
    }

    fn columns(&self) -> String {
        let columns = self.table.columns.iter();
        let columns: Vec<String> = columns.map(|column| name(&column.name)).collect();
        columns.join(", ")
    }

    /// Returns reads of rows and ranges, and updates where there is a column outside of the key.
    fn mix(&self) -> String {
        let table = self.table;
        let has_values = table
            .columns
            .iter()
            .any(|column| !table.is_key(&column.name));
        let operations: &[(&str, u32)] = match (!table.order_key.is_empty(), has_values) {
            (true, true) => &[("read-row", 40), ("read-range", 20), ("update", 40)],
            (true, false) => &[("read-row", 60), ("read-range", 40)],
            (false, true) => &[("read-row", 60), ("update", 40)],
            (false, false) => &[("read-row", 100)],
        };
        let mut text = "\n[mix]\n".to_owned();
        for (action, weight) in operations {
            text.push_str(&format!(
                "\n[[mix.operations]]\naction = \"{action}\"\nkeys = \"uniform\"\nweight = {weight}\n"
            ));
            if *action == "read-range" {
                text.push_str(&format!("rows = {ROWS}\n"));
            }
        }
        text
    }
}

impl Query {
    fn text(&self) -> String {
        let mut text = format!(
            "\n[[queries]]\nname = {}\nsql = {}\n",
            quoted(&self.name),
            quoted(&self.sql)
        );
        if !self.parameters.is_empty() {
            let drawn = { self.parameters.iter() }
                .map(|column| format!("{column} = {{ column = {} }}", quoted(column)));
            let drawn: Vec<String> = drawn.collect();
            text.push_str(&format!("parameters = {{ {} }}\n", drawn.join(", ")));
        }
        text
    }
}

/// Returns a condition by a parameter that has the column's name, and that parameter.
fn by_parameter(column: &str) -> (String, Vec<String>) {
    let condition = format!("{} = ${{{column}}}", name(column));
    (condition, vec![column.to_owned()])
}

/// Returns a condition for the first values of a key.
fn equal(columns: &[&str], key: Option<&Vec<String>>) -> String {
    let values = key.into_iter().flatten();
    let both = columns.iter().zip(values);
    let conditions: Vec<String> = both
        .map(|(column, value)| format!("{} = {value}", name(column)))
        .collect();
    conditions.join(" AND ")
}

/// Returns a name as SQL has it whatever words it reserves.
fn name(column: &str) -> String {
    format!("\"{column}\"")
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("[{}]", names.join(", "))
}

/// Returns a text as TOML writes it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests;
