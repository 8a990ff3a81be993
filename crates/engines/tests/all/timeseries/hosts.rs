//! Queries about hosts.

use std::collections::BTreeMap;

use super::support::{Asked, Cell, HOUR, MINUTE, Row, Small, floor};

impl Asked<'_> {
    fn metrics(&self, row: &Row, count: usize) -> Vec<f64> {
        let first = self.small.place("usage_user");
        row[first..first + count]
            .iter()
            .map(|c| c.number().unwrap())
            .collect()
    }

    /// The greatest of the first metrics by periods.
    fn greatest(&self, period: i64, count: usize) -> Vec<Row> {
        let mut periods: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
        for row in self.rows("hosts", "hostname") {
            let metrics = self.metrics(row, count);
            let greatest = periods.entry(floor(row[0].time(), period));
            let greatest = greatest.or_insert_with(|| metrics.clone());
            greatest
                .iter_mut()
                .zip(metrics)
                .for_each(|(g, m)| *g = g.max(m));
        }
        let row = |(time, greatest): (i64, Vec<f64>)| {
            let numbers = greatest.into_iter().map(Cell::Number);
            [Cell::Time(time)].into_iter().chain(numbers).collect()
        };
        periods.into_iter().map(row).collect()
    }

    fn means(&self, count: usize) -> Vec<Row> {
        let mut groups: BTreeMap<(i64, &str), (Vec<f64>, f64)> = BTreeMap::new();
        for row in self.rows("hosts", "hostname") {
            let group = groups.entry((floor(row[0].time(), HOUR), row[1].text()));
            let (sums, rows) = group.or_insert_with(|| (vec![0.0; count], 0.0));
            let metrics = self.metrics(row, count);
            sums.iter_mut().zip(metrics).for_each(|(sum, m)| *sum += m);
            *rows += 1.0;
        }
        let row = |((time, host), (sums, rows)): ((i64, &str), (Vec<f64>, f64))| {
            let means = sums.into_iter().map(|sum| Cell::Number(sum / rows));
            let key = [Cell::Time(time), Cell::Text(host.to_owned())];
            key.into_iter().chain(means).collect()
        };
        groups.into_iter().map(row).collect()
    }

    fn busy(&self) -> Vec<Row> {
        let is_busy = |row: &&Row| self.metrics(row, 1)[0] > 90.0;
        self.rows("hosts", "hostname")
            .filter(is_busy)
            .cloned()
            .collect()
    }
}

#[tokio::test]
async fn hosts() {
    let small = Small::new("timeseries.toml", &["hosts=12"]).await;
    small
        .answers("single_groupby_1_1_12", |asked| asked.greatest(MINUTE, 1))
        .await;
    small
        .answers("single_groupby_5_8_1", |asked| asked.greatest(MINUTE, 5))
        .await;
    small
        .answers("cpu_max_all_1", |asked| asked.greatest(HOUR, 10))
        .await;
    small
        .answers("cpu_max_all_32_24", |asked| asked.greatest(HOUR, 10))
        .await;
    small
        .answers("double_groupby_1", |asked| asked.means(1))
        .await;
    small
        .answers("double_groupby_all", |asked| asked.means(10))
        .await;
    small
        .answers("groupby_orderby_limit", |asked| {
            let end = asked.time("hour.end");
            let mut minutes: BTreeMap<i64, f64> = BTreeMap::new();
            for row in small.rows.iter().filter(|row| row[0].time() < end) {
                let greatest = minutes.entry(floor(row[0].time(), MINUTE)).or_default();
                *greatest = greatest.max(asked.metrics(row, 1)[0]);
            }
            let newest = minutes.into_iter().rev().take(5);
            newest
                .map(|(time, most)| vec![Cell::Time(time), Cell::Number(most)])
                .collect()
        })
        .await;
}

#[tokio::test]
async fn whole_rows_of_hosts() {
    let mut small = Small::new("timeseries.toml", &["hosts=12"]).await;
    // Sorted as here, where a query has no order.
    for query in &mut small.workload.queries {
        if ["high_cpu_1", "high_cpu_all", "lastpoint"].contains(&query.name.as_str()) {
            query.sql = format!(
                "SELECT * FROM ({}) AS rows ORDER BY time, hostname",
                query.sql
            );
        }
    }
    let in_order = |mut rows: Vec<Row>| {
        rows.sort_by_key(|row| (row[0].time(), row[1].text().to_owned()));
        rows
    };
    small
        .answers("high_cpu_1", |asked| in_order(asked.busy()))
        .await;
    small
        .answers("high_cpu_all", |asked| in_order(asked.busy()))
        .await;
    small
        .answers("lastpoint", |_| {
            let newest: BTreeMap<&str, &Row> =
                small.rows.iter().map(|r| (r[1].text(), r)).collect();
            in_order(newest.into_values().cloned().collect())
        })
        .await;
}
