//! The types of answers. A database without booleans or times returns numbers and texts instead, which become
//! what they are in the workload, where each value is exactly that.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Int64Type, Schema, TimeUnit};
use arrow::record_batch::RecordBatch;
use bakeoff_workload::{DesignId, Parameter, Query, Workload};
use datafusion::datasource::empty::EmptyTable;

use crate::EngineError;
use crate::adbc::Conversion;
use crate::nulls::with_nulls;
use crate::sql::{Session, message, session_with};

/// The character in place of each parameter, which no SQL has.
const PARAMETER: char = '\0';

/// The types that answers of a workload's queries have.
pub struct AnswerTypes {
    queries: Vec<QueryTypes>,
    /// The types of the table's columns, for other questions.
    columns: BTreeMap<String, DataType>,
}

/// A query of a design, and the types of its answers.
struct QueryTypes {
    /// The texts before, between and after its parameters.
    pieces: Vec<String>,
    types: Vec<DataType>,
}

impl AnswerTypes {
    /// Plans the queries of a workload.
    ///
    /// # Errors
    /// There is no session for planning.
    pub async fn of(workload: &Workload, id: &DesignId) -> Result<AnswerTypes, EngineError> {
        let schema = workload.table.schema();
        let columns = schema.fields().iter();
        let columns = columns.map(|field| (field.name().clone(), field.data_type().clone()));
        let columns = columns.collect();
        let table = Arc::new(EmptyTable::new(Arc::clone(&schema)));
        let session = session_with(1, &workload.table.name, table)
            .map_err(|error| EngineError(message(&error)))?;
        let session = Session::from(session);
        let mut queries = Vec::new();
        for query in &workload.queries {
            let sql = with_nulls(query, &query.sql);
            // Queries were planned before; of one that cannot be, the answers stay as they are.
            if let Ok(types) = session.types(&sql).await {
                let pieces = pieces(query, &id.to_string());
                queries.push(QueryTypes { pieces, types });
            }
        }
        Ok(AnswerTypes { queries, columns })
    }

    /// Returns what gives the answers to a question their types.
    pub fn conversion(&self, sql: &str) -> Conversion {
        let mut queries = self.queries.iter();
        let asked = queries.find(|query| query.is_asked_by(sql));
        let types = asked.map(|query| query.types.clone());
        let columns = self.columns.clone();
        Arc::new(move |rows: RecordBatch| {
            let types = types
                .as_ref()
                .filter(|types| types.len() == rows.num_columns());
            let wanted = |place: usize, name: &str| match types {
                Some(types) => types.get(place),
                None => columns.get(name),
            };
            converted(rows, wanted).map_err(|error| error.to_string())
        })
    }
}

/// Divides a query for a design where its parameters are.
fn pieces(query: &Query, design: &str) -> Vec<String> {
    let names = query.parameters.iter().flat_map(Parameter::placeholders);
    let marked = names.fold(query.sql_for(design).to_owned(), |sql, name| {
        sql.replace(&format!("${{{name}}}"), &PARAMETER.to_string())
    });
    marked.split(PARAMETER).map(str::to_owned).collect()
}

impl QueryTypes {
    /// Returns whether a text is this query with values in it.
    fn is_asked_by(&self, sql: &str) -> bool {
        let Some((first, others)) = self.pieces.split_first() else {
            return false;
        };
        let Some((last, between)) = others.split_last() else {
            return sql == first;
        };
        let rest = sql.strip_prefix(first.as_str());
        let Some(mut rest) = rest.and_then(|rest| rest.strip_suffix(last.as_str())) else {
            return false;
        };
        between
            .iter()
            .all(|piece| match rest.split_once(piece.as_str()) {
                Some((_, behind)) => {
                    rest = behind;
                    true
                }
                None => false,
            })
    }
}

/// Converts the columns for which a type is wanted that they do not have.
fn converted<'a>(
    rows: RecordBatch,
    wanted: impl Fn(usize, &str) -> Option<&'a DataType>,
) -> Result<RecordBatch, arrow::error::ArrowError> {
    let schema = rows.schema();
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    let mut changes = false;
    for (place, (field, column)) in schema.fields().iter().zip(rows.columns()).enumerate() {
        let wanted = wanted(place, field.name());
        match wanted.and_then(|wanted| exactly(column, wanted)) {
            Some(column) => {
                let kind = column.data_type().clone();
                fields.push(Field::new(field.name(), kind, field.is_nullable()));
                columns.push(column);
                changes = true;
            }
            None => {
                fields.push(field.as_ref().clone());
                columns.push(Arc::clone(column));
            }
        }
    }
    if !changes {
        return Ok(rows);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// Converts a column if that is possible and loses nothing.
fn exactly(column: &ArrayRef, wanted: &DataType) -> Option<ArrayRef> {
    let is = column.data_type();
    let is_text = matches!(
        is,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    );
    match wanted {
        DataType::Boolean if is.is_integer() => flags(column),
        DataType::Timestamp(unit, None) if is_text => {
            // A coarser unit than a microsecond would cut off what a text may have.
            let unit = match unit {
                TimeUnit::Nanosecond => TimeUnit::Nanosecond,
                _ => TimeUnit::Microsecond,
            };
            whole_cast(column, &DataType::Timestamp(unit, None))
        }
        DataType::Date32 if is_text => whole_cast(column, wanted),
        number if is_text && (number.is_integer() || number.is_floating()) => {
            whole_cast(column, wanted)
        }
        _ => None,
    }
}

fn flags(column: &ArrayRef) -> Option<ArrayRef> {
    let numbers = whole_cast(column, &DataType::Int64)?;
    let numbers = numbers.as_primitive::<Int64Type>();
    let are_flags = numbers.iter().flatten().all(|n| n == 0 || n == 1);
    let flags = || -> BooleanArray { numbers.iter().map(|n| n.map(|n| n == 1)).collect() };
    are_flags.then(|| Arc::new(flags()) as ArrayRef)
}

/// Casts a column of which every value can be.
fn whole_cast(column: &ArrayRef, kind: &DataType) -> Option<ArrayRef> {
    // What cannot be cast becomes null.
    let cast = cast(column, kind).ok()?;
    (cast.null_count() == column.null_count()).then_some(cast)
}

#[cfg(test)]
mod tests;
