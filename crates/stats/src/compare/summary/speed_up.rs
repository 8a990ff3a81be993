//! Speed-ups of selective queries over full scans, by the share of the rows that they select.

use super::{DesignSummary, QuerySummary, Summary};
use crate::Estimate;
use crate::compare::DistinctValues;

/// Words of queries without a condition that need not read all rows all the same.
const NOT_OF_A_SCAN: [&str; 4] = ["where", "limit", "distinct", "join"];

/// Words with which a query goes on after its condition.
const AFTER_A_CONDITION: [&str; 3] = ["group", "order", "limit"];

/// Speed-ups of a design's selective queries, those of the smallest share first.
#[derive(Debug, Clone)]
pub struct SpeedUps<'a> {
    pub design: &'a DesignSummary,
    pub full_scan: FullScan<'a>,
    pub queries: Vec<SpeedUp<'a>>,
    /// Set if the design is known to have read all rows for each of these queries, as without an index.
    pub only_scans: bool,
}

/// The shortest time in which a design has read all rows for a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FullScan<'a> {
    pub design: &'a str,
    pub query: &'a str,
    pub seconds: f64,
}

/// Speed-up of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedUp<'a> {
    pub query: &'a str,
    /// Share of the table's rows that satisfy its WHERE clause: more than 0, at most 1.
    pub share: f64,
    /// Seconds of the full scan divided by those of the query.
    pub times: f64,
    /// Set if an index of the design is known to have found the rows, so that not all were read.
    pub by_index: bool,
}

/// Different values of a column above which a table for each question is advised instead of an index, by the same
/// study.
const VALUES_OF_AN_INDEX: u64 = 50_000;

impl SpeedUp<'_> {
    /// Share of the rows above which a table for each question is advised instead of an index: that of the study of
    /// formats by E. Chan, 2016.
    pub const INDEX_AT_MOST: f64 = 0.01;

    /// Returns the speed-up that reading only the selected rows would bring.
    pub fn expected(&self) -> f64 {
        1.0 / self.share
    }

    /// Returns whether an index found more rows than one is advised for.
    pub fn is_beyond_an_index(&self) -> bool {
        self.by_index && self.share > Self::INDEX_AT_MOST
    }
}

impl Summary {
    /// Returns the share of the table's rows that a query selects, median over its parameters; `None` if
    /// they were not counted, or if there are none.
    pub fn selected_share(&self, query: &str) -> Option<f64> {
        let counted = self.selected.iter().find(|s| s.query == query)?;
        let rows: Vec<f64> = counted.rows.iter().map(|&rows| rows as f64).collect();
        let share = Estimate::from_samples(&rows)?.median / self.rows as f64;
        (share > 0.0 && share <= 1.0).then_some(share)
    }

    /// Returns the columns with an index that have more different values than an index is advised for, each with
    /// about how many.
    pub fn beyond_an_index(&self) -> impl Iterator<Item = &DistinctValues> {
        self.distinct
            .iter()
            .filter(|values| values.about > VALUES_OF_AN_INDEX)
    }

    /// Returns the speed-ups of all designs whose layout has a full scan, and which have answered queries
    /// with known shares.
    pub fn speed_ups(&self) -> Vec<SpeedUps<'_>> {
        let mut all = Vec::new();
        for design in self.designs.iter().filter(|d| !d.is_out_of_race()) {
            let Some(full_scan) = self.full_scan(layout(&design.info.id)) else {
                continue;
            };
            let all_rows = self.rows.saturating_sub(self.rows_lost_by(&design.info.id)) as f64;
            let indexed = design.info.indexed_columns();
            let queries = design.queries.iter().filter_map(|query| {
                let reads_some = query.rows_scanned.is_some_and(|rows| rows < all_rows);
                Some(SpeedUp {
                    by_index: reads_some && self.asks_by(&query.query, &indexed),
                    ..self.speed_up(query, full_scan.seconds)?
                })
            });
            let mut queries: Vec<SpeedUp<'_>> = queries.collect();
            queries.sort_by(|a, b| a.share.total_cmp(&b.share));
            let mut with_share = { design.queries.iter() }
                .filter(|query| self.selected_share(&query.query).is_some());
            let only_scans =
                with_share.all(|query| query.rows_scanned.is_some_and(|rows| rows >= all_rows));
            if !queries.is_empty() {
                all.push(SpeedUps {
                    design,
                    full_scan,
                    queries,
                    only_scans,
                });
            }
        }
        all
    }

    /// Returns whether the condition of a query names one of these columns. Rows of others are found by the partition
    /// key.
    fn asks_by(&self, query: &str, columns: &[&str]) -> bool {
        let info = self.header.queries.iter().find(|info| info.name == query);
        info.is_some_and(|info| names_in_condition(&info.sql, columns))
    }

    fn speed_up<'a>(&self, query: &'a QuerySummary, full_scan: f64) -> Option<SpeedUp<'a>> {
        let share = self.selected_share(&query.query)?;
        let times = full_scan / query.median().filter(|&seconds| seconds > 0.0)?;
        times.is_finite().then_some(SpeedUp {
            query: &query.query,
            share,
            times,
            by_index: false,
        })
    }

    /// Returns the fastest full scan by any design of a layout, whatever its settings: what a reader would use
    /// who does without an index, another order or partitions.
    fn full_scan(&self, of_layout: &str) -> Option<FullScan<'_>> {
        let designs = self.designs.iter().filter(|d| !d.is_out_of_race());
        let scans = designs
            .filter(|design| layout(&design.info.id) == of_layout)
            .flat_map(|design| self.full_scans(design));
        scans.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    pub(super) fn full_scans<'a>(&'a self, design: &'a DesignSummary) -> Vec<FullScan<'a>> {
        let all_rows = self.rows.saturating_sub(self.rows_lost_by(&design.info.id));
        // Engines that count no rows read them all for a query without a condition, unless its plan says otherwise.
        let counts_rows = design.queries.iter().any(|q| q.rows_scanned.is_some());
        let mut scans = Vec::new();
        for (info, query) in self.header.queries.iter().zip(&design.queries) {
            let reads_all = match query.rows_scanned {
                Some(rows) => rows >= all_rows as f64,
                None => !counts_rows && !query.from_metadata,
            };
            let seconds = query.median().filter(|&seconds| seconds > 0.0);
            if let Some(seconds) = seconds
                && reads_all
                && is_scan(&info.sql)
            {
                scans.push(FullScan {
                    design: &design.info.id,
                    query: &query.query,
                    seconds,
                });
            }
        }
        scans
    }
}

/// Returns the part of a design's id that names its engine and layout.
fn layout(id: &str) -> &str {
    id.split(['?', '#']).next().unwrap_or(id)
}

fn is_scan(sql: &str) -> bool {
    !words(sql).any(|word| is_any(word, &NOT_OF_A_SCAN))
}

/// Returns whether the text between the first WHERE and what may follow it names one of these columns.
fn names_in_condition(sql: &str, columns: &[&str]) -> bool {
    let from_where = words(sql).skip_while(|word| !is_any(word, &["where"]));
    let mut condition = from_where.take_while(|word| !is_any(word, &AFTER_A_CONDITION));
    condition.any(|word| is_any(word, columns))
}

fn words(sql: &str) -> impl Iterator<Item = &str> {
    sql.split(|c: char| !c.is_alphanumeric() && c != '_')
}

fn is_any(word: &str, of: &[&str]) -> bool {
    of.iter().any(|one| word.eq_ignore_ascii_case(one))
}

#[cfg(test)]
mod tests;
