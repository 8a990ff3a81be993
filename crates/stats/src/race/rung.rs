//! Rungs: smaller tables of all designs, which are compared before anything is loaded in full.

use super::ALL_LOOKS;
use super::drop::{Kept, dropped};
use super::tables::input;
use crate::compare::{Dropped, Header, Record, SummaryError};
use crate::decide::{Dominated, Scales};

/// Rounds that the tables of a rung are asked.
pub const RUNG_ROUNDS: u32 = 8;
/// Number of the first round of a rung. The rounds of the designs' own tables are others, since they are
/// asked at another time.
pub const RUNG_ROUND: u32 = 1 << 23;
/// Fewest rows of a rung: below, only fixed costs are seen.
const FEWEST_ROWS: u64 = 1_000;
/// Shares of the rows that the two rungs have, the best ones first.
const SHARES: [[u64; 2]; 2] = [[64, 16], [16, 4]];

/// Returns the rows of the rungs of a race over this many rows, the fewer first. There are none where
/// the smaller one would have less than 1,000 rows: loading all is quick then.
pub fn rungs(rows: u64) -> Vec<u64> {
    let fitting = SHARES.iter().find(|shares| rows / shares[0] >= FEWEST_ROWS);
    fitting.map_or_else(Vec::new, |shares| shares.map(|share| rows / share).to_vec())
}

/// Returns the designs that may be dropped after two rungs of this many rows were asked. Fewer or more
/// rungs drop none.
///
/// # Errors
/// The records are not those of a run.
pub fn drops(records: &[Record], rungs: &[u64]) -> Result<Vec<Dropped>, SummaryError> {
    let [Record::Started(header), ..] = records else {
        return Err(SummaryError::NoHeader);
    };
    let [fewer, more] = rungs else {
        return Ok(Vec::new());
    };
    let (fewer, more) = (input(records, *fewer)?, input(records, *more)?);
    let scales = fewer.as_ref().zip(more.as_ref());
    let found = scales.map_or_else(Vec::new, |(fewer, more)| {
        let full_rows = header.scale.full_rows;
        let scales = Scales::Below {
            scales: [fewer, more],
            full_rows,
        };
        let found = Dominated::find(&scales, ALL_LOOKS);
        dropped(found, more, &kept(header))
    });
    Ok(found
        .into_iter()
        .map(|dropped| Dropped {
            at_rung: true,
            rounds: None,
            ..dropped
        })
        .collect())
}

fn kept(header: &Header) -> Kept {
    let decide = header.decide.as_ref();
    Kept {
        ids: decide
            .and_then(|decide| decide.rule.baseline.clone())
            .into_iter()
            .collect(),
        has_control: false,
    }
}
