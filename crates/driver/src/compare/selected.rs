//! How many rows each query selects and how many columns it reads, and how many values columns with an index have,
//! counted before anything is timed.

use std::collections::BTreeSet;
use std::time::Duration;

use bakeoff_stats::{ColumnsRead, DistinctValues, Record, Selected};

use super::context::{Context, RunError};
use super::questions::Questions;
use crate::Oracle;
use crate::call::within;

/// Rounds whose parameters are counted: enough for a median, and one pass over the rows for all of them.
const ROUNDS: u32 = 7;
/// The longest that the values of columns with an index are counted.
const COUNTED_WITHIN: Duration = Duration::from_secs(30);

/// Counts the rows that satisfy the condition of each query, unless the journal has it. They only explain
/// times, so that a run goes on without those that cannot be counted.
pub async fn count_selected(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    oracle: &dyn Oracle,
) -> Result<(), RunError> {
    if run.log.state().selected_known {
        return Ok(());
    }
    run.observer.phase("counting the rows that queries select");
    let (mut names, mut asked) = (Vec::new(), Vec::new());
    for query in &run.workload.queries {
        for sql in questions.of_first_rounds(query, ROUNDS).unwrap_or_default() {
            names.push(query.name.as_str());
            asked.push(sql);
        }
    }
    let counts = oracle.count_selected(&asked).await.unwrap_or_default();
    let mut queries: Vec<Selected> = Vec::new();
    for (query, rows) in names.into_iter().zip(counts) {
        let Some(rows) = rows else {
            continue;
        };
        match queries.last_mut() {
            Some(last) if last.query == query => last.rows.push(rows),
            _ => queries.push(Selected {
                query: query.to_owned(),
                rows: vec![rows],
            }),
        }
    }
    for note in notes(&queries, &run.settings.known_unmet) {
        run.observer.note(&note);
    }
    if !queries.is_empty() {
        run.log.record(Record::Selected { queries })?;
    }
    Ok(())
}

/// Returns a note for each query that selects no row in any of the rounds that were counted, unless that is known.
fn notes(queries: &[Selected], known: &BTreeSet<String>) -> Vec<String> {
    let queries = queries.iter();
    let queries = queries.filter(|selected| !known.contains(&selected.query));
    let unmet = queries.filter(|selected| selected.rows.iter().all(|rows| *rows == 0));
    let note = |selected: &Selected| {
        let drawn = match selected.rows.len() {
            1 => String::new(),
            rounds => format!(" with the values of the first {rounds} rounds"),
        };
        format!(
            "query {}: no row that is loaded fulfils its condition{drawn}, so that its times say little",
            selected.query
        )
    };
    unmet.map(note).collect()
}

/// Counts the columns that each query reads, unless the journal has them. They only explain times, too.
pub async fn count_columns_read(
    run: &mut Context<'_>,
    questions: &mut Questions<'_>,
    oracle: &dyn Oracle,
) -> Result<(), RunError> {
    if run.log.state().columns_read_known {
        return Ok(());
    }
    let (mut names, mut asked) = (Vec::new(), Vec::new());
    for query in &run.workload.queries {
        // Its parameters do not change the columns.
        let first = questions.of_first_rounds(query, 1).unwrap_or_default();
        if let Some(sql) = first.into_iter().next() {
            names.push(query.name.as_str());
            asked.push(sql);
        }
    }
    let counts = oracle.columns_read(&asked).await.unwrap_or_default();
    let known = names.into_iter().zip(counts);
    let queries: Vec<ColumnsRead> = known
        .filter_map(|(query, columns)| {
            Some(ColumnsRead {
                query: query.to_owned(),
                columns: columns?,
            })
        })
        .collect();
    if !queries.is_empty() {
        run.log.record(Record::ColumnsRead { queries })?;
    }
    Ok(())
}

/// Counts the different values of the columns of which a design has an index, unless the journal has them. They only
/// explain times, too.
pub async fn count_distinct(run: &mut Context<'_>, oracle: &dyn Oracle) -> Result<(), RunError> {
    let table = &run.workload.table;
    let designs = run.designs.iter().map(|design| design.info());
    let named = designs.flat_map(|info| info.indexed_columns());
    // Some designs only say that they have an index, as in index=on.
    let indexed: BTreeSet<&str> = named.filter(|name| table.column(name).is_some()).collect();
    if run.log.state().distinct_known || indexed.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = indexed.into_iter().map(str::to_owned).collect();
    run.observer
        .phase("counting the values of columns with an index");
    let counts = within(
        run.explaining(COUNTED_WITHIN),
        oracle.distinct_values(&names),
    )
    .await;
    let counts = counts.unwrap_or_default();
    let known = names.into_iter().zip(counts);
    let columns: Vec<DistinctValues> = known
        .filter_map(|(column, about)| {
            Some(DistinctValues {
                column,
                about: about?,
            })
        })
        .collect();
    if !columns.is_empty() {
        run.log.record(Record::Distinct { columns })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_selects_a_row_in_some_round_is_not_told() {
        let selected = |query: &str, rows: &[u64]| Selected {
            query: query.to_owned(),
            rows: rows.to_vec(),
        };
        let queries = [
            selected("some", &[0, 1, 0]),
            selected("none", &[0, 0, 0]),
            selected("attic", &[0]),
        ];
        let expected = [
            "query none: no row that is loaded fulfils its condition with the values of the first 3 rounds, so that \
             its times say little",
            "query attic: no row that is loaded fulfils its condition, so that its times say little",
        ];
        assert_eq!(notes(&queries, &BTreeSet::new()), expected);
        let known = BTreeSet::from(["none".to_owned()]);
        assert_eq!(notes(&queries, &known), expected[1..]);
    }
}
