//! What the tables of a run show of the growth of its figures, whichever tables it has.

use super::axes::{Factors, StarBytes, StarPair, Tables};
use super::pair::{Check, Common, Pair};
use super::purchase::Purchase;
use super::scales::Scales;
use super::storage::Bytes;
use super::{DesignForecast, Forecast, StorageForecast, TimeForecast, twins};
use crate::DesignInfo;
use crate::compare::ladder::ForecastNeeds;
use crate::compare::{DesignSummary, QueryInfo, Summary};

/// Size that is forecast: a number of rows, and how many times as many series and as long a time they are.
#[derive(Clone, Copy)]
pub struct Target {
    pub rows: u64,
    pub to: Factors,
}

/// Growth that the tables of a run show, for any number of rows.
pub struct Growth<'a> {
    summary: &'a Summary,
    designs: Vec<Grown<'a>>,
    /// Standard deviation of the logarithm between tables of one design.
    tables: f64,
}

/// Tables of a design, fitted.
struct Grown<'a> {
    design: &'a str,
    shown: Shown,
}

/// Growth that the tables of a design show, by what they differ in. Pairs are in the header's order, `None` where
/// the design has no right answer.
enum Shown {
    /// Rows alone.
    Rows {
        bytes: Option<Bytes>,
        pairs: Vec<Option<Pair>>,
    },
    /// Series and time.
    Axes {
        bytes: Option<StarBytes>,
        pairs: Vec<Option<StarPair>>,
    },
}

impl Shown {
    fn of(summary: &Summary, design: &DesignSummary) -> Shown {
        let (rows, queries) = (summary.rows, &summary.header.queries);
        let tables = summary.axes.as_ref().zip(Tables::of(summary, design));
        if let Some((axes, tables)) = tables {
            let there = summary.rows_there();
            let pair = |(index, query): (usize, &QueryInfo)| {
                let window = axes.windows.get(&query.name).copied();
                StarPair::of((&tables, there), design, rows, index, window)
            };
            return Shown::Axes {
                bytes: StarBytes::of(&tables, design, rows),
                pairs: queries.iter().enumerate().map(pair).collect(),
            };
        }
        let scales = Scales::of(summary, design);
        let needs = needs(summary, design);
        let pair = |query| Pair::of(&scales, design, (rows, needs), query);
        Shown::Rows {
            bytes: Bytes::of(&scales, design, rows),
            pairs: (0..queries.len()).map(pair).collect(),
        }
    }

    /// Returns the checks of a query.
    fn checks(&self, query: usize) -> Vec<&Check> {
        match self {
            Shown::Rows { pairs, .. } => {
                let pair = pairs.get(query).and_then(Option::as_ref);
                pair.and_then(|pair| pair.check.as_ref())
                    .into_iter()
                    .collect()
            }
            Shown::Axes { pairs, .. } => {
                let pair = pairs.get(query).and_then(Option::as_ref);
                pair.map(|pair| pair.checks().collect()).unwrap_or_default()
            }
        }
    }

    /// Returns the errors of the checks of bytes for each unit of the logarithm of rows.
    fn errors_of_bytes(&self) -> Vec<f64> {
        match self {
            Shown::Rows { bytes, .. } => {
                let error = bytes.as_ref().and_then(Bytes::error_by_distance);
                error.into_iter().collect()
            }
            Shown::Axes { bytes, .. } => { bytes.iter() }.flat_map(StarBytes::errors).collect(),
        }
    }

    fn storage(&self, target: Target, copies: u32, error: Option<f64>) -> Option<StorageForecast> {
        match self {
            Shown::Rows { bytes, .. } => bytes.as_ref().map(|bytes| StorageForecast {
                held_out: bytes.held_out(error.unwrap_or(0.0)),
                trials: bytes.trials(error.unwrap_or(0.0)),
                ..bytes.at(target.rows, copies, error)
            }),
            Shown::Axes { bytes, .. } => {
                let bytes = bytes.as_ref()?;
                Some(bytes.at(target.to, copies, error))
            }
        }
    }
}

impl<'a> Growth<'a> {
    pub fn of(summary: &'a Summary) -> Growth<'a> {
        let designs = summary.designs.iter().filter(|design| !design.has_failed());
        let grown = designs.map(|design| Grown {
            design: &design.info.id,
            shown: Shown::of(summary, design),
        });
        Growth {
            designs: grown.collect(),
            tables: twins::deviation(summary),
            summary,
        }
    }

    pub fn forecast(&self, target: Target, copies: u32) -> Forecast {
        let error = self.error_of_bytes();
        let designs = self.designs.iter().map(|grown| DesignForecast {
            design: grown.design.to_owned(),
            storage: self.storage(grown, target, copies, error),
            times: self.times(grown, target),
        });
        Forecast {
            rows: target.rows,
            copies,
            measured_rows: self.summary.rows,
            designs: designs.collect(),
        }
    }

    /// Forecasts the bytes at rest of a design, and from them those to buy.
    fn storage(
        &self,
        grown: &Grown<'_>,
        target: Target,
        copies: u32,
        error: Option<f64>,
    ) -> Option<StorageForecast> {
        let at_rest = grown.shown.storage(target, copies, error)?;
        let design = self.summary.design(grown.design)?;
        let purchase = Purchase::of(design, &at_rest, copies);
        Some(StorageForecast {
            purchase,
            ..at_rest
        })
    }

    fn times(&self, grown: &Grown<'_>, target: Target) -> Vec<TimeForecast> {
        let queries = 0..self.summary.header.queries.len();
        let time = |query: usize| match &grown.shown {
            Shown::Rows { pairs, .. } => {
                let pair = pairs.get(query)?.as_ref()?;
                Some(self.of_rows(grown, query, pair, target.rows))
            }
            Shown::Axes { pairs, .. } => {
                let pair = pairs.get(query)?.as_ref()?;
                Some(self.of_axes(grown, query, pair, target.to))
            }
        };
        queries.filter_map(time).collect()
    }

    fn of_rows(&self, grown: &Grown<'_>, query: usize, pair: &Pair, rows: u64) -> TimeForecast {
        let header = &self.summary.header;
        TimeForecast {
            query: header.queries[query].name.clone(),
            measured: pair.measured,
            scales: pair.scales(),
            along: Vec::new(),
            from_rows: pair.least_rows(),
            to_rows: pair.most_rows(),
            held_out: pair.held_out(&self.common_without(grown, query)),
            trials: pair.trials(&self.common_without(grown, query)),
            forecast: pair.at(rows, &header.scale, &self.common()),
        }
    }

    fn of_axes(
        &self,
        grown: &Grown<'_>,
        query: usize,
        pair: &StarPair,
        to: Factors,
    ) -> TimeForecast {
        let (least, most) = pair.range(to);
        let rows = self.summary.rows as f64;
        let along = pair.scales();
        TimeForecast {
            query: self.summary.header.queries[query].name.clone(),
            measured: pair.measured,
            scales: along.iter().map(|(_, scales)| *scales).min().unwrap_or(1),
            along,
            from_rows: (rows * least).round() as u64,
            to_rows: (rows * most).round() as u64,
            held_out: pair.held_out(&self.common_without(grown, query)),
            trials: Vec::new(),
            forecast: pair.at(to, &self.common()),
        }
    }

    fn common(&self) -> Common {
        self.common_of(|_, _| true)
    }

    /// Errors of the others, so that no prediction is judged by itself.
    fn common_without(&self, grown: &Grown<'_>, query: usize) -> Common {
        self.common_of(|other, its| other.design != grown.design || its != query)
    }

    fn common_of(&self, takes: impl Fn(&Grown<'_>, usize) -> bool) -> Common {
        let queries = self.summary.header.queries.len();
        let pairs = { self.designs.iter() }
            .flat_map(|grown| (0..queries).map(move |query| (grown, query)))
            .filter(|(grown, query)| takes(grown, *query));
        let checks = pairs.flat_map(|(grown, query)| grown.shown.checks(query));
        let excess = checks.map(|check| check.excess(self.tables));
        Common {
            tables: self.tables,
            prediction: mean(excess).unwrap_or(0.0).max(0.0).sqrt(),
        }
    }

    fn error_of_bytes(&self) -> Option<f64> {
        let errors = { self.designs.iter() }.flat_map(|grown| grown.shown.errors_of_bytes());
        mean(errors.map(|error| error * error)).map(f64::sqrt)
    }
}

/// Returns what a run needs for forecasts of a design.
fn needs(summary: &Summary, design: &DesignSummary) -> ForecastNeeds {
    let header = &summary.header;
    let stores = header.designs.iter().filter(|info| !info.is_yardstick());
    let fewest = stores.map(DesignInfo::rows_to_forecast);
    ForecastNeeds {
        full_rows: summary.full_rows(),
        fewest_of_run: fewest.max().unwrap_or(0),
        fewest: design.info.rows_to_forecast(),
        least: header.scale.grows_from(),
        there: summary.rows_there(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    (count > 0.0).then(|| values.iter().sum::<f64>() / count)
}
