//! Speed-ups of selective queries over full scans, by the share of the rows that they select.

use super::{DesignSummary, QuerySummary, Summary};
use crate::Estimate;
use crate::compare::DistinctValues;

/// Words of queries without a condition that need not read all rows all the same.
const NOT_OF_A_SCAN: [&str; 4] = ["where", "limit", "distinct", "join"];

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
            let has_index = !design.info.indexed_columns().is_empty();
            let queries = design.queries.iter().filter_map(|query| {
                let reads_some = query.rows_scanned.is_some_and(|rows| rows < all_rows);
                Some(SpeedUp {
                    by_index: has_index && reads_some,
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
        // Engines that count no rows read them all for a query without a condition.
        let counts_rows = design.queries.iter().any(|q| q.rows_scanned.is_some());
        let mut scans = Vec::new();
        for (info, query) in self.header.queries.iter().zip(&design.queries) {
            let reads_all = match query.rows_scanned {
                Some(rows) => rows >= all_rows as f64,
                None => !counts_rows,
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
    let mut words = sql.split(|c: char| !c.is_alphanumeric() && c != '_');
    !words.any(|word| {
        NOT_OF_A_SCAN
            .iter()
            .any(|not| word.eq_ignore_ascii_case(not))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Outcome, Record, Selected, Timing};
    use crate::{CpuSeconds, QueryInfo};

    const ROWS: u64 = 1_000;

    /// A run of two designs of one layout and one of another, with a scan and two selective queries.
    fn records(seconds: &[(&str, [f64; 3])], scanned: Option<u64>) -> Vec<Record> {
        let mut header = crate::compare::testing::header();
        let query = |name: &str, sql: &str| QueryInfo {
            name: name.to_owned(),
            sql: sql.to_owned(),
            tolerance: None,
        };
        header.queries = vec![
            query("scan", "SELECT count(v) FROM t"),
            query("tenth", "SELECT count(v) FROM t WHERE k = 1"),
            query("few", "SELECT count(v) FROM t WHERE k = 2"),
        ];
        let mut like = header.designs[0].clone();
        header.designs.clear();
        for (id, _) in seconds {
            like.id = (*id).to_owned();
            header.designs.push(like.clone());
        }
        let queries = header.queries.clone();
        let mut records = vec![
            Record::Started(Box::new(header)),
            Record::LoadingDone {
                rows: ROWS,
                left: None,
                is_all: true,
            },
            Record::Selected {
                queries: vec![
                    Selected {
                        query: "few".to_owned(),
                        rows: vec![1, 2, 400],
                    },
                    Selected {
                        query: "tenth".to_owned(),
                        rows: vec![100],
                    },
                ],
            },
        ];
        for (id, seconds) in seconds {
            for (query, seconds) in queries.iter().zip(seconds) {
                for round in 0..3 {
                    records.push(Record::Timed(Timing {
                        design: (*id).to_owned(),
                        query: query.name.clone(),
                        round,
                        seconds: *seconds,
                        rows_scanned: scanned,
                        cpu: CpuSeconds {
                            client: 0.1,
                            server: None,
                        },
                        outcome: Outcome::Right { rows: 1 },
                    }));
                }
            }
        }
        records
    }

    #[test]
    fn designs_are_compared_with_the_fastest_full_scan_of_their_layout() {
        let seconds = [
            ("a/x", [4.0, 2.0, 1.0]),
            ("a/x?sort=k", [8.0, 0.5, 0.01]),
            ("b", [1.0, 0.5, 2.0]),
        ];
        let summary = Summary::from_records(&records(&seconds, Some(ROWS))).unwrap();
        assert_eq!(summary.selected_share("few"), Some(0.002));
        assert_eq!(summary.selected_share("scan"), None);
        let all = summary.speed_ups();
        let factors = |n: usize| -> Vec<(&str, f64)> {
            let queries = all[n].queries.iter();
            queries.map(|q| (q.query, q.times)).collect()
        };
        assert_eq!(factors(0), [("few", 4.0), ("tenth", 2.0)]);
        assert_eq!(factors(1), [("few", 400.0), ("tenth", 8.0)]);
        assert_eq!(factors(2), [("few", 0.5), ("tenth", 2.0)]);
        assert_eq!(all[1].full_scan.design, "a/x");
        assert!((all[1].queries[0].expected() - 500.0).abs() < 1e-9);
    }

    #[test]
    fn indexes_tables_and_views_are_compared_with_the_scan_of_the_layout_without_them() {
        let settings = [
            "index=k",
            "index=k:2i",
            "table_by=k",
            "view=k",
            "index_table=k",
        ];
        let ids = settings.map(|setting| format!("cassandra/wide?{setting}"));
        let mut seconds = vec![("cassandra/wide", [4.0, 4.0, 4.0])];
        // Their own scans are slower, and a tenth of the rows takes half of the time that it should.
        seconds.extend(ids.iter().map(|id| (id.as_str(), [5.0, 0.8, 0.008])));
        let mut records = records(&seconds, Some(ROWS));
        for record in &mut records {
            if let Record::Timed(timing) = record
                && timing.design != "cassandra/wide"
            {
                timing.rows_scanned = match timing.query.as_str() {
                    "tenth" => Some(100),
                    "few" => Some(2),
                    _ => Some(ROWS),
                };
            }
        }
        let summary = Summary::from_records(&records).unwrap();
        let all = summary.speed_ups();
        assert_eq!(all.len(), 6);
        assert!(all[0].only_scans);
        assert_eq!(all[0].queries[1].times, 1.0);
        for of in &all[1..] {
            let id = &of.design.info.id;
            assert_eq!(of.full_scan.design, "cassandra/wide", "{id}");
            assert!(!of.only_scans, "{id}");
            let [few, tenth] = of.queries.as_slice() else {
                panic!("{id}: {:?}", of.queries);
            };
            assert!((few.times / few.expected() - 1.0).abs() < 1e-9, "{id}");
            assert!((tenth.times / tenth.expected() - 0.5).abs() < 1e-9, "{id}");
        }
    }

    #[test]
    fn an_index_that_finds_more_rows_than_is_advised_is_known() {
        let seconds = [
            ("cassandra/wide", [4.0, 4.0, 4.0]),
            ("cassandra/wide?index=k", [5.0, 0.8, 0.008]),
        ];
        let mut records = records(&seconds, Some(ROWS));
        for record in &mut records {
            if let Record::Timed(timing) = record
                && timing.design.ends_with("index=k")
            {
                timing.rows_scanned = match timing.query.as_str() {
                    "tenth" => Some(100),
                    "few" => Some(2),
                    _ => Some(ROWS),
                };
            }
        }
        let summary = Summary::from_records(&records).unwrap();
        let beyond = |n: usize| -> Vec<&str> {
            let all = summary.speed_ups();
            let queries = all[n].queries.iter().filter(|q| q.is_beyond_an_index());
            queries.map(|q| q.query).collect()
        };
        assert!(beyond(0).is_empty(), "it reads all rows");
        assert_eq!(beyond(1), ["tenth"]);
        assert_eq!(summary.beyond_an_index().count(), 0);
        let values = |column: &str, about| DistinctValues {
            column: column.to_owned(),
            about,
        };
        let columns = vec![values("k", 50_000), values("v", 50_001)];
        records.push(Record::Distinct { columns });
        let summary = Summary::from_records(&records).unwrap();
        let beyond: Vec<&str> = summary
            .beyond_an_index()
            .map(|v| v.column.as_str())
            .collect();
        assert_eq!(beyond, ["v"]);
    }

    #[test]
    fn an_id_names_the_columns_of_its_index() {
        let mut info = crate::compare::testing::header().designs[0].clone();
        for (id, columns) in [
            ("cassandra/wide", vec![]),
            ("cassandra/wide?table_by=k", vec![]),
            ("cassandra/wide?bucket=1d&index=k#twin", vec!["k"]),
            ("cassandra/narrow?index=k+v:2i&page=7", vec!["k", "v"]),
        ] {
            info.id = id.to_owned();
            assert_eq!(info.indexed_columns(), columns, "{id}");
        }
    }

    #[test]
    fn an_answer_from_metadata_is_no_full_scan() {
        let seconds = [("a/x", [4.0, 2.0, 1.0])];
        let mut records = records(&seconds, Some(10));
        let summary = Summary::from_records(&records).unwrap();
        assert!(summary.speed_ups().is_empty());
        // An engine that counts no rows is taken to read them.
        for record in &mut records {
            if let Record::Timed(timing) = record {
                timing.rows_scanned = None;
            }
        }
        let summary = Summary::from_records(&records).unwrap();
        assert_eq!(summary.speed_ups().len(), 1);
    }

    #[test]
    fn journals_without_counts_have_no_speed_ups() {
        let seconds = [("a/x", [4.0, 2.0, 1.0])];
        let mut records = records(&seconds, Some(ROWS));
        records.retain(|record| !matches!(record, Record::Selected { .. }));
        let summary = Summary::from_records(&records).unwrap();
        assert!(summary.selected.is_empty() && summary.speed_ups().is_empty());
    }

    #[test]
    fn a_query_that_may_end_early_is_no_full_scan() {
        for (sql, is) in [
            ("SELECT count(v) FROM t", true),
            ("SELECT k, max(v) FROM t GROUP BY k ORDER BY k", true),
            ("select v from t Where k = 1", false),
            ("SELECT v FROM t ORDER BY v\nLIMIT 3", false),
            ("SELECT DISTINCT ON (k) v FROM t", false),
            ("SELECT limit_of, whereabouts FROM t", true),
        ] {
            assert_eq!(is_scan(sql), is, "{sql}");
        }
    }
}
