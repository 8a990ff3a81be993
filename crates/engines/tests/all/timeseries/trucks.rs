//! Queries about trucks.

use std::collections::BTreeMap;

use super::support::{Cell, DAY, MINUTE, Row, Small, TEN_MINUTES, floor};

/// For each truck and ten minutes the mean of a metric, if there is any.
fn buckets<'a>(
    rows: impl Iterator<Item = &'a Row>,
    metric: usize,
) -> BTreeMap<&'a str, BTreeMap<i64, Option<f64>>> {
    let mut sums: BTreeMap<&str, BTreeMap<i64, (f64, f64)>> = BTreeMap::new();
    for row in rows {
        let buckets = sums.entry(row[1].text()).or_default();
        let (sum, count) = buckets
            .entry(floor(row[0].time(), TEN_MINUTES))
            .or_default();
        if let Some(number) = row[metric].number() {
            *sum += number;
            *count += 1.0;
        }
    }
    let mean = |(time, (sum, count)): (i64, (f64, f64))| (time, (count > 0.0).then(|| sum / count));
    let means = |(truck, buckets): (_, BTreeMap<i64, (f64, f64)>)| {
        (truck, buckets.into_iter().map(mean).collect())
    };
    sums.into_iter().map(means).collect()
}

/// The days on which each drive of a truck began, and its minutes if it ended.
fn drives(buckets: &BTreeMap<i64, Option<f64>>) -> Vec<(i64, Option<f64>)> {
    let driving: Vec<(i64, Option<bool>)> = buckets
        .iter()
        .map(|(time, mean)| (*time, mean.map(|mean| mean > 5.0)))
        .collect();
    let changes: Vec<(i64, bool)> = driving
        .windows(2)
        .filter_map(|pair| Some((pair[1].0, pair[0].1?, pair[1].1?)))
        .filter(|(_, before, after)| before != after)
        .map(|(time, _, after)| (time, after))
        .collect();
    let drive = |(i, (start, driving)): (usize, &(i64, bool))| {
        let stop = changes.get(i + 1).map(|(stop, _)| *stop);
        let minutes = stop.map(|stop| (stop - start) as f64 / MINUTE as f64);
        driving.then(|| (floor(*start, DAY), minutes))
    };
    changes.iter().enumerate().filter_map(drive).collect()
}

#[tokio::test]
async fn readings_of_trucks() {
    let small = Small::new("timeseries_readings.toml", &["trucks=12", "days=2"]).await;
    let (velocity, driver) = (small.place("velocity"), small.place("driver"));
    let drivers: BTreeMap<&str, Cell> = { small.rows.iter() }
        .filter(|row| row[driver] != Cell::Null)
        .map(|row| (row[1].text(), row[driver].clone()))
        .collect();
    for (name, least) in [("long_driving_sessions", 22), ("long_daily_sessions", 60)] {
        small
            .answers(name, |asked| {
                let buckets = buckets(asked.rows("fleet", "fleet"), velocity);
                let drove = |buckets: &BTreeMap<i64, Option<f64>>| {
                    buckets
                        .values()
                        .filter(|mean| mean.is_some_and(|mean| mean > 1.0))
                        .count()
                };
                let long = buckets.iter().filter(|(_, buckets)| drove(buckets) > least);
                long.map(|(truck, _)| vec![Cell::Text((*truck).to_owned()), drivers[truck].clone()])
                    .collect()
            })
            .await;
    }
    small
        .answers("avg_daily_driving_session", |_| {
            let mut days: BTreeMap<(&str, i64), Vec<Option<f64>>> = BTreeMap::new();
            for (truck, buckets) in buckets(small.rows.iter(), velocity) {
                for (day, minutes) in drives(&buckets) {
                    days.entry((truck, day)).or_default().push(minutes);
                }
            }
            let row = |((truck, day), minutes): ((&str, i64), Vec<Option<f64>>)| {
                let ended: Vec<f64> = minutes.into_iter().flatten().collect();
                let mean = ended.iter().sum::<f64>() / ended.len() as f64;
                let mean = if ended.is_empty() {
                    Cell::Null
                } else {
                    Cell::Number(mean)
                };
                vec![Cell::Text(truck.to_owned()), Cell::Time(day), mean]
            };
            days.into_iter().map(row).collect()
        })
        .await;
}

#[tokio::test]
async fn diagnostics_of_trucks() {
    let small = Small::new("timeseries_diagnostics.toml", &["trucks=12", "days=2"]).await;
    let (status, model) = (small.place("status"), small.place("model"));
    small
        .answers("breakdown_frequency", |_| {
            let mut trucks: BTreeMap<&str, BTreeMap<i64, (u32, u32)>> = BTreeMap::new();
            let mut models = BTreeMap::new();
            for row in &small.rows {
                let buckets = trucks.entry(row[1].text()).or_default();
                let (zeros, readings) = buckets
                    .entry(floor(row[0].time(), TEN_MINUTES))
                    .or_default();
                *zeros += u32::from(row[status].number() == Some(0.0));
                *readings += 1;
                if row[model] != Cell::Null {
                    models.insert(row[1].text(), row[model].text());
                }
            }
            let mut breakdowns: BTreeMap<&str, f64> = BTreeMap::new();
            for (truck, buckets) in trucks {
                let broken: Vec<bool> =
                    buckets.values().map(|(zeros, n)| 2 * zeros >= *n).collect();
                let times = broken.windows(2).filter(|pair| !pair[0] && pair[1]).count();
                *breakdowns.entry(models[truck]).or_default() += times as f64;
            }
            breakdowns.retain(|_, times| *times > 0.0);
            let row = |(model, times): (&str, f64)| {
                vec![Cell::Text(model.to_owned()), Cell::Number(times)]
            };
            breakdowns.into_iter().map(row).collect()
        })
        .await;
}
