//! Draws parameters and puts them into SQL.

mod distinct;
mod window;

use std::ops::Range;

use arrow::record_batch::RecordBatch;
use xxhash_rust::xxh3::xxh3_64;

use crate::check::placeholders;
use crate::source::visit_rows;
use crate::{
    ColumnType, Error, Parameter, ParameterValues, Query, Result, RowBatch, RowSource, Stream,
    Table, Workload, literal,
};

/// Names of placeholders, with the literals drawn for them.
pub type Drawn = Vec<(String, String)>;

/// Largest number of rows that are drawn for a value that is not null.
const TRIES: u32 = 100;
const BATCH_ROWS: usize = 1024;

impl Query {
    /// Returns the SQL for a design, by its id or the beginning of it: that for its layout, or
    /// otherwise for its engine, or otherwise for all.
    pub fn sql_for(&self, design: &str) -> &str {
        let layout = design.split(['?', '#']).next().unwrap_or_default();
        let engine = layout.split('/').next().unwrap_or_default();
        let own = self
            .engine_sql
            .get(layout)
            .or_else(|| self.engine_sql.get(engine));
        own.unwrap_or(&self.sql)
    }

    /// Returns the SQL for a design, found as by [`Query::sql_for`], with these parameters in it.
    pub fn bind(&self, design: &str, values: &[(String, String)]) -> String {
        let sql = self.sql_for(design);
        let mut bound = String::with_capacity(sql.len());
        let mut copied = 0;
        for (range, name) in placeholders(sql) {
            if let Some((_, literal)) = values.iter().find(|(parameter, _)| parameter == name) {
                bound.push_str(&sql[copied..range.start]);
                bound.push_str(literal);
                copied = range.end;
            }
        }
        bound.push_str(&sql[copied..]);
        bound
    }
}

impl Workload {
    /// Draws the parameters of a query in one round, as a pure function of seed, query, parameter
    /// and round. `rows` is the number of rows of the source that are loaded.
    ///
    /// # Errors
    /// Those of [`Workload::draw_all`].
    pub fn draw(
        &self,
        query: &Query,
        round: u64,
        rows: u64,
        source: &dyn RowSource,
    ) -> Result<Drawn> {
        let mut rounds = self.draw_all(query, round..round + 1, rows, source)?;
        Ok(rounds.pop().unwrap_or_default())
    }

    /// Draws as [`Workload::draw`] for many rounds, reading a file only once for each parameter.
    ///
    /// # Errors
    /// The source cannot be read, ends before `rows`, or has almost only nulls in a column that a
    /// parameter is drawn from.
    pub fn draw_all(
        &self,
        query: &Query,
        rounds: Range<u64>,
        rows: u64,
        source: &dyn RowSource,
    ) -> Result<Vec<Drawn>> {
        let mut drawn: Vec<Drawn> = rounds.clone().map(|_| Vec::new()).collect();
        for parameter in &query.parameters {
            let mut streams: Vec<Stream> = rounds
                .clone()
                .map(|round| self.stream(query, &parameter.name, round))
                .collect();
            let loaded = Loaded {
                table: &self.table,
                rows,
                source,
            };
            let literals = loaded.literals(parameter, &mut streams)?;
            for (round, literals) in drawn.iter_mut().zip(literals) {
                round.extend(parameter.placeholders().into_iter().zip(literals));
            }
        }
        Ok(drawn)
    }

    fn stream(&self, query: &Query, parameter: &str, round: u64) -> Stream {
        let hash = |name: &str| xxh3_64(name.as_bytes());
        Stream::new(&[self.seed, hash(&query.name), hash(parameter), round])
    }
}

/// The rows that parameters are drawn from: the first ones of a source.
struct Loaded<'a> {
    table: &'a Table,
    rows: u64,
    source: &'a dyn RowSource,
}

/// A column that a parameter is drawn from.
struct Drawable<'a> {
    name: &'a str,
    index: usize,
    kind: ColumnType,
}

impl Loaded<'_> {
    /// Draws the literals of a parameter for each stream.
    fn literals(&self, parameter: &Parameter, streams: &mut [Stream]) -> Result<Vec<Vec<String>>> {
        let single = match &parameter.values {
            ParameterValues::Uniform { from, to } => { streams.iter_mut() }
                .map(|stream| uniform(stream, *from, *to))
                .collect(),
            ParameterValues::UniformReal { from, to } => { streams.iter_mut() }
                .map(|stream| literal::double(stream.between(*from, *to)))
                .collect(),
            ParameterValues::Choice(choice) => { streams.iter_mut() }
                .map(|stream| choice[stream.below(choice.len() as u64) as usize].clone())
                .collect(),
            ParameterValues::Column(column) => self.of_column(&self.drawable(column)?, streams)?,
            ParameterValues::Distinct { column, count } => {
                self.distinct(&self.drawable(column)?, *count as usize, streams)?
            }
            ParameterValues::Window {
                column,
                milliseconds,
            } => return self.windows(&self.drawable(column)?, *milliseconds, streams),
        };
        Ok(single.into_iter().map(|literal| vec![literal]).collect())
    }

    fn no_value(&self, column: &str, why: &str) -> Error {
        let rows = self.rows;
        Error::Usage(format!(
            "cannot draw a value of column `{column}` from {rows} rows: {why}"
        ))
    }

    fn drawable<'c>(&self, name: &'c str) -> Result<Drawable<'c>> {
        if self.rows == 0 {
            return Err(self.no_value(name, "there are none"));
        }
        let index = self
            .table
            .column_index(name)
            .ok_or_else(|| self.no_value(name, "the table has no such column"))?;
        let kind = self.table.columns[index].kind;
        Ok(Drawable { name, index, kind })
    }

    /// Reads these rows, in order.
    fn batches(&self, rows: Range<u64>) -> Result<impl Iterator<Item = Result<RecordBatch>>> {
        let batches = self.source.read(rows.start, BATCH_ROWS)?;
        let within = move |batch: Result<RowBatch>| {
            let RowBatch {
                first_row,
                rows: batch,
            } = match batch {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error)),
            };
            let left = rows.end.checked_sub(first_row).filter(|left| *left > 0)?;
            let length = (batch.num_rows() as u64).min(left) as usize;
            Some(Ok(batch.slice(0, length)))
        };
        Ok(batches.map_while(within))
    }

    /// Draws one literal per stream, each from a row that the stream draws. Streams that
    /// encountered a null draw again.
    fn of_column(&self, column: &Drawable<'_>, streams: &mut [Stream]) -> Result<Vec<String>> {
        let mut literals: Vec<Option<String>> = vec![None; streams.len()];
        for _ in 0..TRIES {
            let mut wanted: Vec<(u64, usize)> = (0..streams.len())
                .filter(|stream| literals[*stream].is_none())
                .map(|stream| (streams[stream].below(self.rows), stream))
                .collect();
            if wanted.is_empty() {
                break;
            }
            wanted.sort_unstable();
            visit_rows(self.source, &wanted, |stream, batch, row| {
                literals[*stream] = literal::of_cell(column.kind, batch.column(column.index), row);
            })?;
        }
        let literals: Option<Vec<String>> = literals.into_iter().collect();
        literals.ok_or_else(|| self.no_value(column.name, "almost all of them are null there"))
    }
}

fn uniform(stream: &mut Stream, from: i64, to: i64) -> String {
    let values = to.abs_diff(from).saturating_add(1);
    from.wrapping_add_unsigned(stream.below(values)).to_string()
}
