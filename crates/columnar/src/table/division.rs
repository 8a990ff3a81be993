//! Fresh rows that overlap no chunk, divided so that the chunks that they become overlap none
//! either: those that lie in different gaps between chunks do not come together.

use super::overlap::{Reach, of_fresh};
use super::selection::Part;
use crate::Result;
use crate::definition::Definition;

/// Rows of a part, by number.
type Run = Vec<usize>;

/// Parts of a part that is fresh rows alone. None of them reaches over any of the others that are
/// given, or over another of them.
pub fn divided(definition: &Definition, part: Part, others: &[Reach]) -> Result<Vec<Part>> {
    let reaches = of_fresh(definition, &part.fresh)?;
    let division = Division {
        reaches: &reaches,
        others,
    };
    let all: Run = (0..reaches.len()).collect();
    if division.is_free(&division.reach(&all)) {
        return Ok(vec![part]);
    }
    // Late rows of all partition keys lie beside each other by order key, new ones by key.
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

struct Division<'a> {
    /// Of each row. The rows are in order of their keys.
    reaches: &'a [Reach],
    others: &'a [Reach],
}

impl Division<'_> {
    fn reach(&self, rows: &[usize]) -> Option<Reach> {
        let reaches = rows.iter().map(|row| self.reaches[*row].clone());
        reaches.reduce(|a, b| a.and(&b))
    }

    fn is_free(&self, reach: &Option<Reach>) -> bool {
        let Some(reach) = reach else { return true };
        !self.others.iter().any(|other| other.meets(reach))
    }

    fn by_key(&self, rows: &[usize]) -> Vec<Run> {
        self.runs(rows.iter().map(|row| vec![*row]))
    }

    /// Rows with the same value of the order key stay together, unless they cannot.
    fn by_order(&self, mut rows: Run) -> Vec<Run> {
        rows.sort_by_key(|row| self.reaches[*row].low);
        let same = rows.chunk_by(|a, b| self.reaches[*a].low == self.reaches[*b].low);
        self.runs(same.map(<[usize]>::to_vec))
    }

    /// As many neighbours together as are free of the others.
    fn runs(&self, units: impl Iterator<Item = Run>) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        let mut current: Option<Reach> = None;
        for unit in units {
            let reach = self.reach(&unit);
            if !self.is_free(&reach) && unit.len() > 1 {
                runs.extend(self.by_key(&unit));
                current = None;
                continue;
            }
            let both = current.as_ref().zip(reach.as_ref()).map(|(a, b)| a.and(b));
            match runs.last_mut() {
                Some(run) if both.is_some() && self.is_free(&both) => {
                    run.extend(unit);
                    current = both;
                }
                _ => {
                    runs.push(unit);
                    current = reach;
                }
            }
        }
        runs
    }
}
