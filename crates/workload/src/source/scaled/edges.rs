//! Ends of runs of codes, which move by a row from copy to copy, so that copies of columns of few values differ.

use super::sample::Sample;
use super::spread::hashes;
use crate::{Stream, Table};

/// Where the columns of few values, taken together, change.
pub struct Edges {
    /// Hash of the values of these columns at each place.
    codes: Vec<u64>,
}

impl Edges {
    /// Finds the ends of runs of these columns; `None` if there are no such columns.
    pub fn find(sample: &Sample, table: &Table, columns: &[usize]) -> Option<Edges> {
        let mut codes = vec![Stream::new(&[]); sample.places.len()];
        for index in columns {
            let cells = hashes(sample.rows.column(*index), table.columns[*index].kind);
            for (code, cell) in codes.iter_mut().zip(cells) {
                *code = match cell {
                    Some(cell) => code.and(1).and(cell),
                    None => code.and(0),
                };
            }
        }
        (!columns.is_empty()).then(|| Edges {
            codes: codes.iter_mut().map(Stream::next_u64).collect(),
        })
    }

    /// Returns the place of the row whose codes a copy has in place of those at `place`, in a series of these rows:
    /// the same one, or its neighbour in another run. All columns of codes have them from there. No run vanishes:
    /// only those of at least three rows get shorter, by one row at each end.
    pub fn moved(&self, place: u32, (start, rows): (u32, u32), draws: &Stream) -> u32 {
        let at = |place: Option<u32>| {
            let place = place.filter(|place| (start..start + rows).contains(place))?;
            self.codes.get(place as usize)
        };
        let after = |by: u32| at(place.checked_add(by));
        let before = |by: u32| at(place.checked_sub(by));
        // The end before a place moves by -1, 0 or 1.
        let step = |place: u32| draws.and(u64::from(place)).below(3);
        let here = at(Some(place));
        let begins = before(1).is_some_and(|code| Some(code) != here);
        let ends = after(1).is_some_and(|code| Some(code) != here);
        if begins && after(1) == here && after(2) == here && step(place) == 2 {
            place - 1
        } else if ends && before(1) == here && before(2) == here && step(place + 1) == 0 {
            place + 1
        } else {
            place
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_get_longer_and_shorter_and_none_vanishes() {
        let runs = [4, 1, 7, 2, 3, 5, 1, 1, 6, 4];
        let codes = runs.iter().enumerate();
        let codes: Vec<u64> = { codes }
            .flat_map(|(code, rows)| vec![code as u64; *rows])
            .collect();
        let edges = Edges {
            codes: codes.clone(),
        };
        let length = codes.len() as u32;
        let mut changed = 0;
        for copy in 0..50 {
            let draws = Stream::new(&[copy]);
            let moved = (0..length).map(|place| edges.moved(place, (0, length), &draws));
            let mut moved: Vec<u64> = moved.map(|place| codes[place as usize]).collect();
            changed += usize::from(moved != codes);
            moved.dedup();
            assert_eq!(moved, (0..runs.len() as u64).collect::<Vec<_>>());
        }
        assert!(changed > 40, "{changed}");
    }

    #[test]
    fn runs_of_other_series_are_not_looked_at() {
        let edges = Edges {
            codes: vec![1, 1, 1, 1, 2, 2, 2, 2],
        };
        for copy in 0..50 {
            let draws = Stream::new(&[copy]);
            for place in 0..8 {
                let series = (place / 4 * 4, 4);
                assert_eq!(edges.moved(place, series, &draws), place);
            }
        }
    }
}
