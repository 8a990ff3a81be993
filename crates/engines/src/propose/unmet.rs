//! Questions whose condition none of the rows that were read fulfils, such as those with a value that is spelt another
//! way in the rows. Their answers may be empty in every round, which is better known before anything is measured.

use bakeoff_stats::thousands;
use bakeoff_workload::{Query, RowSource, Workload};
use datafusion::prelude::SessionContext;

use super::questions::SETS;
use crate::advice::Question;
use crate::selected;

/// Returns a note for each such question. `questions` are those of the workload, and the session has the first `rows`
/// rows of the source.
///
/// Where these are not all rows, only a value that none of them has is told: a range may begin behind them.
pub async fn notes(
    workload: &Workload,
    questions: &[Question],
    session: &SessionContext,
    source: &dyn RowSource,
    rows: u64,
) -> Vec<String> {
    if questions.iter().all(|question| question.is_of_all_rows) {
        return Vec::new();
    }
    let counted = source.count_rows(rows.saturating_add(1));
    let are_all = counted.is_ok_and(|counted| counted == Some(rows));
    let mut notes = Vec::new();
    for (query, question) in workload.queries.iter().zip(questions) {
        let mut shares = question.filters.iter().filter_map(|filter| filter.share);
        let is_unmet = shares.any(|share| share == 0.0)
            || are_all && selects_nothing(workload, query, session, source, rows).await;
        if is_unmet {
            notes.push(note(query, rows, are_all));
        }
    }
    notes
}

fn note(query: &Query, rows: u64, are_all: bool) -> String {
    let rows = thousands(rows);
    let (of, so) = if are_all {
        (format!("the {rows} rows"), "so that its times say little")
    } else {
        let so = "and if none of the others does, its times say little";
        (format!("the first {rows} rows"), so)
    };
    let drawn = if query.parameters.is_empty() {
        String::new()
    } else {
        format!(" with any of {SETS} sets of drawn values")
    };
    let begin = begin_of_note(&query.name);
    format!("{begin}{of} fulfils its condition{drawn}, {so}: check its values")
}

/// Returns what a note of a question begins with.
fn begin_of_note(query: &str) -> String {
    format!("query {query}: none of ")
}

/// Returns whether a note says that no row fulfils the condition of this question.
pub fn is_unmet(query: &str, note: &str) -> bool {
    note.starts_with(&begin_of_note(query))
}

/// Returns whether no row fulfils the condition of a query, as far as that can be counted alone.
async fn selects_nothing(
    workload: &Workload,
    query: &Query,
    session: &SessionContext,
    source: &dyn RowSource,
    rows: u64,
) -> bool {
    let sets = if query.parameters.is_empty() { 1 } else { SETS };
    let Ok(drawn) = workload.draw_all(query, 0..sets, rows, source) else {
        return false;
    };
    let asked: Vec<String> = drawn.iter().map(|set| query.bind("", set)).collect();
    let counts = selected::count(session, &workload.table.name, &asked).await;
    counts.is_ok_and(|counts| !counts.is_empty() && counts.iter().all(|count| *count == Some(0)))
}

#[cfg(test)]
mod tests {
    use bakeoff_workload::source;

    use super::*;
    use crate::Context;
    use crate::propose::{Request, propose};

    const WORKLOAD: &str = r#"
title = "t"
[table]
name = "readings"
columns = { room = "text", time = "timestamp", value = "double" }
partition_key = ["room"]
order_key = ["time"]
[data]
file = "readings.csv"
[[queries]]
name = "all"
sql = "SELECT max(value) AS high FROM readings"
[[queries]]
name = "fern"
sql = "SELECT max(value) AS high FROM readings WHERE room = 'fern'"
[[queries]]
name = "attic"
sql = "SELECT time, value FROM readings WHERE room = 'attic'"
[[queries]]
name = "earlier"
sql = "SELECT time, value FROM readings WHERE time < '1999-01-01' ORDER BY time"
[[queries]]
name = "drawn"
sql = "SELECT time, value FROM readings WHERE room = ${room} AND value < 0"
parameters = { room = { column = "room" } }
[scale]
rows = 40
full_rows = 40
"#;

    /// What is told of a workload of whose rows so many are read at most.
    async fn told(workload: &Workload, rows: u64) -> Vec<String> {
        let source = source::open(workload, None).unwrap();
        let request = Request {
            workload,
            source: Some(source.as_ref()),
            rows,
            calibration: None,
            memory_bytes: 8 << 30,
            context: &Context::of_test("/run"),
        };
        propose(&request).await.unwrap().notes
    }

    #[tokio::test]
    async fn questions_that_no_row_fulfils_are_told_before_anything_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let mut lines = "room,time,value\n".to_owned();
        for row in 0..40 {
            let room = ["fern", "palm"][row % 2];
            lines += &format!("{room},2026-05-01T00:{row:02}:00Z,{row}.5\n");
        }
        std::fs::write(folder.path().join("readings.csv"), lines).unwrap();
        let workload = Workload::parse(WORKLOAD, &folder.path().join("w.toml")).unwrap();
        let so = "so that its times say little: check its values";
        let expected = [
            format!("query attic: none of the 40 rows fulfils its condition, {so}"),
            format!("query earlier: none of the 40 rows fulfils its condition, {so}"),
            format!(
                "query drawn: none of the 40 rows fulfils its condition with any of 3 sets of drawn values, {so}"
            ),
        ];
        assert_eq!(told(&workload, 1_000).await, expected);
        assert!(is_unmet("attic", &expected[0]) && !is_unmet("earlier", &expected[0]));
        // Others may be in a range that these are not in.
        let expected = "query attic: none of the first 10 rows fulfils its condition, and if none of the others does, \
                        its times say little: check its values";
        assert_eq!(told(&workload, 10).await, [expected]);
    }
}
