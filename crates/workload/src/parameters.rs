//! Drawing parameters and putting them into SQL.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::check::placeholders;
use crate::source::visit_rows;
use crate::{Error, ParameterValues, Query, Result, RowSource, Stream, Workload, literal};

/// Parameter names with the SQL literals drawn for them.
pub type Drawn = Vec<(String, String)>;

/// Rows that are looked at for a value that is not null.
const TRIES: u32 = 100;

impl Query {
    /// The SQL for an engine, named as in design ids.
    pub fn sql_for(&self, engine: &str) -> &str {
        self.engine_sql.get(engine).unwrap_or(&self.sql)
    }

    /// The SQL for an engine, with these parameters in it.
    pub fn bind(&self, engine: &str, values: &[(String, String)]) -> String {
        let sql = self.sql_for(engine);
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
    /// The parameters of a query in one round: a pure function of seed, query, parameter and
    /// round. `rows` is how many rows of the source are loaded.
    ///
    /// # Errors
    /// As for [`Workload::draw_all`].
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

    /// [`Workload::draw`] for many rounds, reading a file once however many there are.
    ///
    /// # Errors
    /// If the source cannot be read, ends before `rows`, or has almost only nulls in a column
    /// that a parameter is drawn from.
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
            let literals = match &parameter.values {
                ParameterValues::Uniform { from, to } => streams
                    .iter_mut()
                    .map(|stream| uniform(stream, *from, *to))
                    .collect(),
                ParameterValues::Choice(choice) => streams
                    .iter_mut()
                    .map(|stream| choice[stream.below(choice.len() as u64) as usize].clone())
                    .collect(),
                ParameterValues::Column(column) => {
                    self.draw_from_column(column, &mut streams, rows, source)?
                }
            };
            for (round, literal) in drawn.iter_mut().zip(literals) {
                round.push((parameter.name.clone(), literal));
            }
        }
        Ok(drawn)
    }

    fn stream(&self, query: &Query, parameter: &str, round: u64) -> Stream {
        let hash = |name: &str| xxh3_64(name.as_bytes());
        Stream::new(&[self.seed, hash(&query.name), hash(parameter), round])
    }

    /// One literal per stream, each from a row drawn by it. Streams that met a null draw again.
    fn draw_from_column(
        &self,
        column: &str,
        streams: &mut [Stream],
        rows: u64,
        source: &dyn RowSource,
    ) -> Result<Vec<String>> {
        let no_value = |why: &str| {
            Error::Usage(format!(
                "cannot draw a value of column `{column}` from {rows} rows: {why}"
            ))
        };
        if rows == 0 {
            return Err(no_value("there are none"));
        }
        let (index, column_type) = self
            .table
            .columns
            .iter()
            .enumerate()
            .find(|(_, c)| c.name == column)
            .map(|(index, c)| (index, c.kind))
            .ok_or_else(|| no_value("the table has no such column"))?;

        let mut literals: Vec<Option<String>> = vec![None; streams.len()];
        for _ in 0..TRIES {
            let mut wanted: Vec<(u64, usize)> = (0..streams.len())
                .filter(|stream| literals[*stream].is_none())
                .map(|stream| (streams[stream].below(rows), stream))
                .collect();
            if wanted.is_empty() {
                break;
            }
            wanted.sort_unstable();
            visit_rows(source, &wanted, |stream, batch, row| {
                literals[*stream] = literal::of_cell(column_type, batch.column(index), row);
            })?;
        }
        let literals: Option<Vec<String>> = literals.into_iter().collect();
        literals.ok_or_else(|| no_value("almost all of them are null there"))
    }
}

fn uniform(stream: &mut Stream, from: i64, to: i64) -> String {
    let values = to.abs_diff(from).saturating_add(1);
    from.wrapping_add_unsigned(stream.below(values)).to_string()
}
