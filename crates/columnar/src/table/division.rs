//! Dividing fresh rows that overlap no chunk so that the chunks that they become overlap none either:
//! rows that lie in different gaps between chunks do not come together.

use super::overlap::{KeySpan, fresh_spans};
use super::selection::Part;
use crate::Result;
use crate::definition::Definition;

/// The numbers of rows of a part.
type Run = Vec<usize>;

/// Divides a part that has fresh rows only into parts that meet neither `others` nor each other.
pub fn divided(definition: &Definition, part: Part, others: &[KeySpan]) -> Result<Vec<Part>> {
    let spans = fresh_spans(definition, &part.fresh)?;
    let division = Division {
        spans: &spans,
        others,
    };
    let all: Run = (0..spans.len()).collect();
    if division.is_free(&division.span(&all)) {
        return Ok(vec![part]);
    }
    // Late rows of all partition keys are neighbours by order key, rows of new partition keys are by
    // key: the division into fewer parts is the one that fits.
    let by_key = division.by_key(&all);
    let by_order = division.by_order(all);
    let runs = if by_order.len() < by_key.len() {
        by_order
    } else {
        by_key
    };
    let as_part = |mut run: Run| {
        run.sort_unstable();
        Part {
            place: part.place,
            chunks: Vec::new(),
            fresh: run.into_iter().map(|row| part.fresh[row].clone()).collect(),
        }
    };
    Ok(runs.into_iter().map(as_part).collect())
}

/// The rows that are divided, and what they must not meet.
struct Division<'a> {
    /// The span of each row. The rows are in order of their keys.
    spans: &'a [KeySpan],
    others: &'a [KeySpan],
}

impl Division<'_> {
    /// Returns the span of all of these rows.
    fn span(&self, rows: &[usize]) -> Option<KeySpan> {
        let spans = rows.iter().map(|row| self.spans[*row].clone());
        spans.reduce(|a, b| a.and(&b))
    }

    /// Returns whether a span meets none of the others.
    fn is_free(&self, span: &Option<KeySpan>) -> bool {
        let Some(span) = span else { return true };
        !self.others.iter().any(|other| other.meets(span))
    }

    /// Divides rows by key.
    fn by_key(&self, rows: &[usize]) -> Vec<Run> {
        self.runs(rows.iter().map(|row| vec![*row]))
    }

    /// Divides rows by order key. Rows with the same value of it stay together where that is possible.
    fn by_order(&self, mut rows: Run) -> Vec<Run> {
        rows.sort_by_key(|row| self.spans[*row].low);
        let same = rows.chunk_by(|a, b| self.spans[*a].low == self.spans[*b].low);
        self.runs(same.map(<[usize]>::to_vec))
    }

    /// Puts as many neighbouring units together as meet none of the others.
    fn runs(&self, units: impl Iterator<Item = Run>) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut current: Option<KeySpan> = None;
        for unit in units {
            let span = self.span(&unit);
            // Rows of one moment may lie on both sides of a chunk: they are divided by key.
            if !self.is_free(&span) && unit.len() > 1 {
                runs.extend(self.by_key(&unit));
                current = None;
                continue;
            }
            let both = current.as_ref().zip(span.as_ref()).map(|(a, b)| a.and(b));
            match runs.last_mut() {
                Some(run) if both.is_some() && self.is_free(&both) => {
                    run.extend(unit);
                    current = both;
                }
                _ => {
                    runs.push(unit);
                    current = span;
                }
            }
        }
        runs
    }
}
