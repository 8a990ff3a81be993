//! Check of the forecasts of a run by its own largest tables: what `bakeoff forecast --validate` prints.

use bakeoff_stats::decide::Span;
use bakeoff_stats::quantile::place;
use bakeoff_stats::{DesignForecast, HeldOut, Summary, TimeForecast};
use comfy_table::Cell;
use serde::Serialize;

use super::COLUMNS;
use super::clients::Clients;
use super::error::ratio;
use super::score;
use crate::decide::words::{self, percent};
use crate::text::layout::{left, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Errors of all predictions. Each is the logarithm of predicted by measured without its sign; `None`
/// where nothing could be predicted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Validation {
    pub time: Errors,
    /// Sentence about the times of all larger tables, not only of the largest; `None` if another run was forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_larger_tables: Option<String>,
    pub bytes: Sizes,
    /// Times in proportion to the rows.
    pub proportional: Errors,
    pub recommended: Longest,
    /// Size of the run that was forecast; `None` if it is the run's own largest tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Several users; `None` if no clients asked, or if another run was forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<Clients>,
    pub times: Vec<Check>,
    pub sizes: Vec<Check>,
    /// Times that were measured and not forecast.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedCheck>,
}

/// Size of another run that was forecast.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct At {
    pub rows: u64,
    /// Growth along both axes; `None` if the run grows by its rows.
    #[serde(flatten)]
    pub grown: Option<Grown>,
}

/// How many times as many series and as long a time another run has.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Grown {
    pub series: f64,
    pub time: f64,
}

/// Time that was measured and not forecast.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusedCheck {
    pub design: String,
    pub query: String,
    pub why: String,
}

/// Errors of times.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Errors {
    pub median: Option<f64>,
    pub p90: Option<f64>,
    /// Share of the intervals that hold what was measured; `None` where there are no intervals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered: Option<f64>,
}

/// Errors of bytes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sizes {
    pub median: Option<f64>,
    pub max: Option<f64>,
}

/// Errors of the recommended design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Longest {
    pub time_max: Option<f64>,
}

/// Prediction of a design's largest table from its smaller ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    pub design: String,
    /// `None` for bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    pub predicted: f64,
    /// 90% interval; `None` for bytes in proportion to the rows.
    pub interval: Option<(f64, f64)>,
    pub measured: f64,
    pub error: f64,
    /// Whether the interval, if there is one, holds what was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_covered: Option<bool>,
    /// Error of the formula in proportion to the rows.
    pub proportional_error: f64,
}

/// Returns the predictions of the largest tables of a run from the smaller ones, and of its clients from
/// single answers, with their errors.
pub fn validate(summary: &Summary) -> Validation {
    Validation {
        users: Clients::of(summary),
        all_larger_tables: score(summary),
        ..Validation::of(summary, times(summary), sizes(summary))
    }
}

impl Validation {
    /// Sums up errors of predictions.
    pub(super) fn of(summary: &Summary, times: Vec<Check>, sizes: Vec<Check>) -> Validation {
        let recommended = summary.decision.as_ref().and_then(|d| d.recommended());
        let is_recommended = |check: &&Check| recommended.is_some_and(|d| d.id == check.design);
        let recommended = times.iter().filter(is_recommended);
        Validation {
            recommended: Longest {
                time_max: quantile(recommended.map(|check| check.error), 1.0),
            },
            time: Errors {
                covered: share_covered(&times),
                ..Errors::of(times.iter().map(|check| check.error))
            },
            bytes: Sizes {
                median: quantile(sizes.iter().map(|check| check.error), 0.5),
                max: quantile(sizes.iter().map(|check| check.error), 1.0),
            },
            proportional: Errors::of(times.iter().map(|check| check.proportional_error)),
            all_larger_tables: None,
            at: None,
            users: None,
            refused: Vec::new(),
            times,
            sizes,
        }
    }
}

fn times(summary: &Summary) -> Vec<Check> {
    let designs = summary.forecast.iter().flat_map(|f| &f.designs);
    let times = designs.flat_map(|design| design.times.iter().map(move |time| (design, time)));
    let check = |(design, time): (&DesignForecast, &TimeForecast)| {
        let held_out = time.held_out.as_ref()?;
        Some(Check::of(&design.design, Some(&time.query), held_out))
    };
    times.filter_map(check).collect()
}

fn sizes(summary: &Summary) -> Vec<Check> {
    let designs = summary.forecast.iter().flat_map(|f| &f.designs);
    let check = |design: &DesignForecast| {
        let held_out = design.storage.as_ref()?.held_out.as_ref()?;
        Some(Check::of(&design.design, None, held_out))
    };
    designs.filter_map(check).collect()
}

impl Validation {
    /// Renders the errors as text, all together and then each.
    pub fn render(&self) -> String {
        let mut parts = vec![wrap(&self.headline(), COLUMNS, "", "")];
        let all_larger = self.all_larger_tables.as_ref();
        parts.extend(all_larger.map(|text| wrap(text, COLUMNS, "", "")));
        if !self.times.is_empty() {
            parts.push(checks("Time", &self.times, &words::seconds_with_interval));
        }
        if !self.sizes.is_empty() {
            parts.push(checks("Storage", &self.sizes, &words::bytes));
        }
        if !self.refused.is_empty() {
            let refused = self.refused.iter().map(|refused| {
                let RefusedCheck { design, query, why } = refused;
                wrap(
                    &format!("{query}, {design}: no forecast, since {why}."),
                    COLUMNS,
                    "",
                    "  ",
                )
            });
            parts.push(refused.collect::<Vec<_>>().join("\n"));
        }
        parts.extend(self.users.as_ref().map(Clients::render));
        parts.join("\n\n") + "\n"
    }

    /// Renders everything as JSON.
    ///
    /// # Errors
    /// None that errors of a run can cause.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// Returns what was predicted.
    fn what(&self) -> String {
        match self.at {
            Some(At {
                grown: Some(Grown { series, time }),
                ..
            }) => format!(
                "Forecast of {} the series and {} the time, against a run of them",
                units::factor(series),
                units::factor(time)
            ),
            Some(At { rows, .. }) => format!(
                "Forecast of {} rows, against a run of them",
                units::plural(rows, "row", "rows")
            ),
            None => "Only the largest tables, predicted from the smaller ones".to_owned(),
        }
    }

    fn headline(&self) -> String {
        let (Some(median), Some(p90), Some(covered), Some(proportional)) = (
            self.time.median,
            self.time.p90,
            self.time.covered,
            self.proportional.median,
        ) else {
            return match self.at {
                Some(_) => "Nothing to check: no time that was measured is forecast.".to_owned(),
                None => {
                    "Nothing to check: no design has times in 4 tables of different sizes, as runs \
                         with more rows have (`bakeoff forecast RUN` says how many)."
                        .to_owned()
                }
            };
        };
        let bytes = match (self.bytes.median, self.bytes.max) {
            (Some(median), Some(max)) => format!(
                " Bytes: median error {}, at most {}.",
                ratio(median),
                ratio(max)
            ),
            _ => String::new(),
        };
        format!(
            "{}: median error {}, 90th percentile {}; {} of {} within their 90% intervals. In proportion to the rows the median error is \
             {}.{bytes}",
            self.what(),
            ratio(median),
            ratio(p90),
            percent(covered),
            units::plural(self.times.len() as u64, "time", "times"),
            ratio(proportional),
        )
    }
}

impl Errors {
    fn of(errors: impl Iterator<Item = f64> + Clone) -> Errors {
        Errors {
            median: quantile(errors.clone(), 0.5),
            p90: quantile(errors, 0.9),
            covered: None,
        }
    }
}

impl Check {
    pub(super) fn of(design: &str, query: Option<&str>, held_out: &HeldOut) -> Check {
        Check {
            design: design.to_owned(),
            query: query.map(str::to_owned),
            predicted: held_out.predicted,
            interval: Some(held_out.interval),
            measured: held_out.measured,
            error: held_out.error(),
            is_covered: Some(held_out.is_covered()),
            proportional_error: held_out.proportional_error(),
        }
    }
}

fn share_covered(checks: &[Check]) -> Option<f64> {
    let covered = checks
        .iter()
        .filter(|check| check.is_covered == Some(true))
        .count();
    (!checks.is_empty()).then(|| covered as f64 / checks.len() as f64)
}

/// Returns the value that this share of the values does not exceed.
fn quantile(values: impl Iterator<Item = f64>, share: f64) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    Some(values[place(values.len(), share)?])
}

fn checks(what: &str, checks: &[Check], show: &dyn Fn(Span) -> String) -> String {
    let mut table = table(Style { color: false });
    set_width(&mut table, COLUMNS);
    table.set_header([
        left(what),
        right("Predicted, 90%"),
        right("Measured"),
        right("Error"),
        right("In proportion"),
    ]);
    for check in checks {
        table.add_row(row(check, show));
    }
    table.trim_fmt()
}

fn row(check: &Check, show: &dyn Fn(Span) -> String) -> [Cell; 5] {
    let outside = match check.is_covered {
        Some(false) => " (outside)",
        Some(true) | None => "",
    };
    let query = check.query.as_ref();
    let name = query.map_or_else(String::new, |query| format!("{query}, "));
    let shown = |point: f64, interval| right(show(Span { point, interval }));
    [
        left(&(name + &check.design)),
        shown(check.predicted, check.interval),
        shown(check.measured, None),
        right(ratio(check.error) + outside),
        right(ratio(check.proportional_error)),
    ]
}
