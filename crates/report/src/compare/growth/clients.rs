//! Check of the figures of several users by those of as many clients: a part of what `bakeoff forecast
//! --validate` prints.

use bakeoff_stats::{MeasuredLoad, NotChecked, Summary, UnderLoad};
use serde::Serialize;

use super::COLUMNS;
use super::error::ratio;
use crate::decide::words::percent;
use crate::text::layout::{left, right, set_width, table};
use crate::text::style::{Style, wrap};
use crate::units;

/// Errors up to which a prediction counts as near, relative to what was measured.
const NEAR: [f64; 2] = [0.15, 0.25];

/// Predictions of several users beside what as many clients measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Clients {
    pub clients: u32,
    /// Share of the designs whose answers a second, and mean time, are within 15% of those measured.
    pub within_15: Option<f64>,
    /// Share of the designs for which they are within 25%.
    pub within_25: Option<f64>,
    pub designs: Vec<ClientsCheck>,
    /// Designs that clients asked and that cannot be checked.
    pub left_out: Vec<LeftOut>,
}

/// Prediction for one design.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClientsCheck {
    pub design: String,
    pub predicted: MeasuredLoad,
    pub measured: MeasuredLoad,
    /// Logarithm of the predicted answers a second by the measured ones, without its sign. That of the mean
    /// times is the same, since clients wait for nothing but answers.
    pub error: f64,
}

/// Design that cannot be checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeftOut {
    pub design: String,
    pub why: String,
}

impl Clients {
    /// Predicts and compares. Returns `None` for a run whose designs were asked by no clients.
    pub fn of(summary: &Summary) -> Option<Clients> {
        let found = summary.check_users();
        let asked = summary
            .designs
            .iter()
            .find_map(|design| design.concurrent.as_ref())?;
        let designs: Vec<ClientsCheck> = found.checked.iter().map(ClientsCheck::of).collect();
        let left_out: Vec<LeftOut> = found.left_out.iter().map(LeftOut::of).collect();
        let is_any = !designs.is_empty() || !left_out.is_empty();
        let [within_15, within_25] = NEAR.map(|share| share_within(&designs, share));
        is_any.then_some(Clients {
            clients: asked.clients,
            within_15,
            within_25,
            designs,
            left_out,
        })
    }

    /// Renders the share of near predictions, each prediction, and what could not be checked.
    pub fn render(&self) -> String {
        let mut parts = vec![wrap(&self.headline(), COLUMNS, "", "")];
        if !self.designs.is_empty() {
            parts.push(self.table());
        }
        let left_out = self.left_out.iter().map(|out| {
            wrap(
                &format!("{}: not checked, since {}.", out.design, out.why),
                COLUMNS,
                "",
                "  ",
            )
        });
        let left_out: Vec<String> = left_out.collect();
        if !left_out.is_empty() {
            parts.push(left_out.join("\n"));
        }
        parts.join("\n\n")
    }

    fn headline(&self) -> String {
        let clients = units::plural(u64::from(self.clients), "client", "clients");
        let near = |share: f64| self.designs.iter().filter(|d| d.is_within(share)).count();
        let [near, nearer] = [near(NEAR[1]), near(NEAR[0])];
        match self.designs.len() as u64 {
            0 => format!("What {clients} measured cannot be compared with predictions."),
            all => format!(
                "{clients}, predicted from single answers: {nearer} of {} within {}, {near} within {}. Answers a \
                 second and their mean time have the same error.",
                units::plural(all, "design", "designs"),
                percent(NEAR[0]),
                percent(NEAR[1])
            ),
        }
    }

    fn table(&self) -> String {
        let mut table = table(Style { color: false });
        set_width(&mut table, COLUMNS);
        table.set_header([
            left("Design"),
            right("Answers/s predicted"),
            right("Measured"),
            right("Mean predicted"),
            right("Measured"),
            right("Error"),
        ]);
        for check in &self.designs {
            table.add_row([
                left(&check.design),
                right(units::rate(check.predicted.per_second)),
                right(units::rate(check.measured.per_second)),
                right(units::duration(check.predicted.mean)),
                right(units::duration(check.measured.mean)),
                right(ratio(check.error)),
            ]);
        }
        table.trim_fmt()
    }
}

impl ClientsCheck {
    fn of((predicted, measured): &(UnderLoad, MeasuredLoad)) -> ClientsCheck {
        ClientsCheck {
            design: predicted.design.clone(),
            error: (predicted.per_second / measured.per_second).ln().abs(),
            predicted: MeasuredLoad {
                per_second: predicted.per_second,
                mean: predicted.mean,
            },
            measured: *measured,
        }
    }

    fn is_within(&self, share: f64) -> bool {
        self.error <= share.ln_1p()
    }
}

impl LeftOut {
    fn of(found: &NotChecked) -> LeftOut {
        LeftOut {
            design: found.design.clone(),
            why: found.why.to_string(),
        }
    }
}

fn share_within(checks: &[ClientsCheck], share: f64) -> Option<f64> {
    let near = checks.iter().filter(|check| check.is_within(share)).count();
    (!checks.is_empty()).then(|| near as f64 / checks.len() as f64)
}
