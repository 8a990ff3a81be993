//! Queries whose parameters were not drawn yet.

use bakeoff_workload::{Parameter, Query};

/// Replaces each parameter by NULL, padded so that every other token keeps its position.
pub fn with_nulls(query: &Query, sql: &str) -> String {
    let names = query.parameters.iter().flat_map(Parameter::placeholders);
    names.fold(sql.to_owned(), |sql, name| {
        let mark = format!("${{{name}}}");
        sql.replace(&mark, &format!("{:width$}", "NULL", width = mark.len()))
    })
}
