//! Error of a prediction, as it is shown.

use crate::decide::words::percent;
use crate::units;

/// Shows a logarithm as what it is too much or too little by: `8%`, `4.5×`.
pub fn ratio(error: f64) -> String {
    match error.exp() {
        times if times < 2.0 => percent(times - 1.0),
        times => units::factor(times),
    }
}
