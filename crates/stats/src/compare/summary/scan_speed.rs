//! Speeds of full scans by the number of columns that they read.

use super::{DesignSummary, QuerySummary, Summary};

/// Fewest different numbers of columns that show how speed depends on them.
const FEWEST_NUMBERS: usize = 3;

/// Speeds of a design's full scans, that of the fewest columns first and one for each number of columns.
#[derive(Debug, Clone)]
pub struct ScanSpeeds<'a> {
    pub design: &'a DesignSummary,
    /// Seconds that its fastest query takes for which it reads no row; 0 if there is none.
    pub latency: f64,
    pub scans: Vec<ScanSpeed<'a>>,
}

/// Speed of one full scan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScanSpeed<'a> {
    pub query: &'a str,
    /// Number of columns of the table that the query reads, at least 1.
    pub columns: u32,
    /// Rows of the table divided by the median time of the query, less the design's latency.
    pub rows_per_second: f64,
}

impl Summary {
    /// Returns the speeds of full scans of all designs that have some with different numbers of columns; nothing
    /// if fewer than three different numbers are known of any of them. Of several queries with the same number the
    /// fastest one counts.
    pub fn scan_speeds(&self) -> Vec<ScanSpeeds<'_>> {
        let designs = self.designs.iter().filter(|d| !d.is_out_of_race());
        let speeds = designs.map(|design| {
            let latency = latency_of(design);
            ScanSpeeds {
                design,
                latency,
                scans: self.speeds_of(design, latency),
            }
        });
        let speeds: Vec<ScanSpeeds<'_>> = speeds.filter(|of| of.scans.len() > 1).collect();
        let most = speeds.iter().map(|of| of.scans.len()).max();
        if most.is_none_or(|most| most < FEWEST_NUMBERS) {
            return Vec::new();
        }
        speeds
    }

    fn speeds_of<'a>(&'a self, design: &'a DesignSummary, latency: f64) -> Vec<ScanSpeed<'a>> {
        let scans = self.full_scans(design).into_iter();
        let mut speeds: Vec<ScanSpeed<'a>> = scans
            .filter_map(|scan| {
                let mut known = self.columns_read.iter();
                let read = known.find(|read| read.query == scan.query)?;
                let seconds = scan.seconds - latency;
                (read.columns > 0 && seconds > 0.0).then_some(ScanSpeed {
                    query: scan.query,
                    columns: read.columns,
                    rows_per_second: self.rows as f64 / seconds,
                })
            })
            .collect();
        speeds.sort_by(|a, b| {
            let by_speed = b.rows_per_second.total_cmp(&a.rows_per_second);
            a.columns.cmp(&b.columns).then(by_speed)
        });
        speeds.dedup_by_key(|speed| speed.columns);
        speeds
    }
}

/// Returns the median time of the fastest query for which a design reads no row, or 0 without one.
fn latency_of(design: &DesignSummary) -> f64 {
    let fastest = fastest_without_rows(design);
    fastest.and_then(QuerySummary::median).unwrap_or(0.0)
}

/// Returns the query with the shortest median time among those for which a design reads no row.
pub(super) fn fastest_without_rows(design: &DesignSummary) -> Option<&QuerySummary> {
    let without_rows = { design.queries.iter() }
        .filter(|query| query.rows_scanned == Some(0.0) || query.from_metadata);
    let timed = without_rows.filter_map(|query| Some((query, query.median()?)));
    let fastest = timed.min_by(|(_, a), (_, b)| a.total_cmp(b));
    fastest.map(|(query, _)| query)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{ColumnsRead, Outcome, Record, Timing};
    use crate::{CpuSeconds, QueryInfo};

    /// A run of 1,000 rows with a query for each number of columns, and the seconds of two designs.
    fn summary(columns: &[u32], seconds: [fn(u32) -> f64; 2]) -> Summary {
        summary_with(columns, seconds, u32::MAX)
    }

    /// The same run, in which no row is read for the query of so many columns.
    fn summary_with(columns: &[u32], seconds: [fn(u32) -> f64; 2], without_rows: u32) -> Summary {
        let mut header = crate::compare::testing::header();
        let name = |number: usize| format!("q{number}");
        let query = |number: usize| QueryInfo {
            name: name(number),
            sql: "SELECT count(v) FROM t".to_owned(),
            engine_sql: std::collections::BTreeMap::new(),
            tolerance: None,
        };
        header.queries = (0..columns.len()).map(query).collect();
        let mut like = header.designs[0].clone();
        header.designs.clear();
        for id in ["a/x", "b"] {
            like.id = id.to_owned();
            header.designs.push(like.clone());
        }
        let read = |(number, columns): (usize, &u32)| ColumnsRead {
            query: name(number),
            columns: *columns,
        };
        let mut records = vec![
            Record::Started(Box::new(header)),
            Record::LoadingDone {
                rows: 1_000,
                left: None,
                is_all: true,
            },
            Record::ColumnsRead {
                queries: columns.iter().enumerate().map(read).collect(),
            },
        ];
        for (id, seconds) in ["a/x", "b"].into_iter().zip(seconds) {
            for (number, columns) in columns.iter().enumerate() {
                records.push(Record::Timed(Timing {
                    design: id.to_owned(),
                    query: name(number),
                    round: 0,
                    seconds: seconds(*columns),
                    rows_scanned: Some(if *columns == without_rows { 0 } else { 1_000 }),
                    cpu: CpuSeconds {
                        client: 0.1,
                        server: None,
                        in_ticks: false,
                    },
                    outcome: Outcome::Right { rows: 1 },
                }));
            }
        }
        Summary::from_records(&records).unwrap()
    }

    #[test]
    fn scans_are_ordered_by_columns_and_the_fastest_of_each_number_counts() {
        let summary = summary(&[4, 1, 2, 2], [|columns| f64::from(columns), |_| 0.5]);
        let all = summary.scan_speeds();
        let speeds = |n: usize| -> Vec<(u32, f64)> {
            let scans = all[n].scans.iter();
            scans.map(|s| (s.columns, s.rows_per_second)).collect()
        };
        assert_eq!(speeds(0), [(1, 1000.0), (2, 500.0), (4, 250.0)]);
        assert_eq!(speeds(1), [(1, 2000.0), (2, 2000.0), (4, 2000.0)]);
        assert_eq!(all[0].design.info.id, "a/x");
    }

    #[test]
    fn the_time_of_a_query_without_rows_is_no_part_of_a_scan() {
        // The design reads no row of the query of ten columns.
        let seconds: fn(u32) -> f64 = |columns| match columns {
            10 => 0.5,
            columns => 0.5 + f64::from(columns),
        };
        let all = summary_with(&[1, 2, 4, 10], [seconds, |_| 0.4], 10);
        let all = all.scan_speeds();
        // What takes no longer than nothing has no speed, as with the second design.
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].latency, 0.5);
        let speeds = all[0].scans.iter().map(|s| s.rows_per_second);
        assert_eq!(speeds.collect::<Vec<f64>>(), [1000.0, 500.0, 250.0]);
    }

    #[test]
    fn two_numbers_of_columns_show_nothing() {
        for columns in [[1, 2, 2], [3, 3, 3], [0, 1, 2]] {
            assert!(
                summary(&columns, [|_| 1.0, |_| 2.0])
                    .scan_speeds()
                    .is_empty()
            );
        }
    }
}
