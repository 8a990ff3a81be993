//! What is done with a table while calls fail, and the rows that are there then.

use super::super::support::*;

/// What is done with a table.
#[derive(Debug, Clone)]
pub enum Step {
    Insert(Vec<Row>),
    Delete(Vec<(u8, i64)>),
    Ingest(Vec<Row>),
    Seal,
    DropBefore(i64),
    Sweep,
    Query,
    Reopen,
}

/// Returns steps in which everything happens that a table in a folder does. A row is inserted, replaced or
/// deleted in one place at a time, as only that happens as a whole.
pub fn steps() -> Vec<Step> {
    vec![
        Step::Insert(vec![row(1, 0), row(2, 0)]),
        Step::Ingest(grid(0..2, 98..102)),
        Step::Insert(vec![(1, 0, None, Some("replaced".to_owned()))]),
        Step::Delete(vec![(2, 0)]),
        Step::Seal,
        Step::Query,
        Step::Sweep,
        Step::Insert(vec![row(3, 250)]),
        Step::Insert(vec![row(3, 50)]),
        Step::DropBefore(100),
        Step::Reopen,
        Step::Insert(vec![row(3, 60)]),
        Step::Seal,
        Step::Sweep,
    ]
}

/// Returns more of them.
pub fn more_steps() -> Vec<Step> {
    let of_bucket = |bucket: i64| {
        let begin = 100 * bucket;
        [
            Step::Ingest(grid(0..3, begin + 50..begin + 120)),
            Step::Insert(grid(1..3, begin..begin + 10)),
            Step::Delete(vec![(1, begin + 1), (2, begin + 60)]),
            Step::Seal,
            Step::Insert(vec![row(9, begin + 70)]),
            Step::DropBefore(begin - 100),
            Step::Sweep,
            Step::Reopen,
        ]
    };
    let more = (0..3).flat_map(of_bucket);
    steps().into_iter().chain(more).collect()
}

pub fn apply(rows: &mut Plain, step: &Step) {
    match step {
        Step::Insert(new) | Step::Ingest(new) => {
            for (number, time, value, note) in new {
                let row = (value.map(f64::to_bits), note.clone());
                rows.insert((host(*number), *time), row);
            }
        }
        Step::Delete(gone) => {
            for (number, time) in gone {
                rows.remove(&(host(*number), *time));
            }
        }
        Step::DropBefore(end) => {
            rows.retain(|(_, time), _| (time.div_euclid(100) + 1) * 100 > *end);
        }
        Step::Seal | Step::Sweep | Step::Query | Step::Reopen => {}
    }
}
