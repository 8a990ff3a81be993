//! Designs that are estimated to be far behind another one in everything, so that measuring them would tell nothing.

use std::collections::HashSet;

use serde::Serialize;

use super::{Pace, Seconds};

/// How many times as long a design has to take, in each question, to be left out. It is far more than estimates are
/// wrong by: see docs/propose.md for how far they were.
pub const TIMES_BEHIND: f64 = 5.0;
/// How many times as many bytes it has to take at least.
const TIMES_BYTES: f64 = 1.2;

/// A design that may be left out, or be the reason why others are.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimated<'a> {
    pub design: &'a str,
    /// What its kind costs; `None` if that is not known.
    pub pace: Option<&'a Pace>,
    /// Estimated time of each question; none if it cannot be estimated.
    pub questions: Vec<Seconds>,
    /// Whether it is measured whatever is estimated.
    pub is_kept: bool,
    /// Whether it can be measured on this machine.
    pub is_here: bool,
}

/// A design that is left out, since another one is estimated to be far ahead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Behind {
    /// Id of the design.
    pub design: String,
    /// Id of the other one.
    pub ahead: String,
    /// How many times as long it takes at least, in the question in which that is the least.
    pub times: f64,
}

/// Returns the designs that another one, which is measured, is estimated to beat in everything: in the time of each
/// question by [`TIMES_BEHIND`], in bytes, and in loading. The first design of each engine is never among them.
pub fn far_behind(designs: &[Estimated<'_>]) -> Vec<Behind> {
    let mut engines = HashSet::new();
    let mut behind = Vec::new();
    for design in designs {
        let is_first = engines.insert(engine(design.design));
        if is_first || design.is_kept {
            continue;
        }
        let others = designs.iter().filter(|other| other.is_here);
        let ahead = others.filter_map(|other| Some((other, times(design, other)?)));
        let most = ahead.max_by(|(_, one), (_, other)| one.total_cmp(other));
        behind.extend(most.map(|(other, times)| Behind {
            design: design.design.to_owned(),
            ahead: other.design.to_owned(),
            times,
        }));
    }
    behind
}

/// Returns how many times as long as another one a design takes at least in each question, if it is far behind in
/// everything.
fn times(design: &Estimated<'_>, other: &Estimated<'_>) -> Option<f64> {
    let (own, theirs) = (design.pace?, other.pace?);
    let is_larger = own.row_bytes >= theirs.row_bytes * TIMES_BYTES;
    let loads_slower = own.load_rate <= theirs.load_rate;
    if !is_larger || !loads_slower || design.questions.len() != other.questions.len() {
        return None;
    }
    let both = design.questions.iter().zip(&other.questions);
    let times = both.map(|(own, theirs)| own.least / theirs.most);
    let least = times.min_by(f64::total_cmp)?;
    (least >= TIMES_BEHIND).then_some(least)
}

/// Returns the engine of a design's id.
fn engine(design: &str) -> &str {
    design.split(['/', '?']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(kind: &str, row_bytes: f64, load_rate: f64) -> Pace {
        Pace {
            kind: kind.to_owned(),
            question: 1e-3,
            found_row: 1e-6,
            scanned_row: 1e-7,
            scanned_value: 1e-8,
            row_bytes,
            load_rate,
        }
    }

    fn estimated<'a>(design: &'a str, pace: &'a Pace, seconds: &[(f64, f64)]) -> Estimated<'a> {
        let questions = seconds.iter().map(|(least, most)| Seconds {
            least: *least,
            most: *most,
        });
        Estimated {
            design,
            pace: Some(pace),
            questions: questions.collect(),
            is_kept: false,
            is_here: true,
        }
    }

    fn left_out(designs: &[Estimated<'_>]) -> Vec<(String, String)> {
        let behind = far_behind(designs).into_iter();
        behind.map(|b| (b.design, b.ahead)).collect()
    }

    #[test]
    fn what_is_far_behind_in_everything_is_left_out_but_the_first_of_its_engine() {
        let (rows, columns) = (pace("rows", 30.0, 2e4), pace("columns", 10.0, 3e5));
        let slow = [(1.0, 4.0), (0.1, 0.1)];
        let fast = [(0.01, 0.1), (0.01, 0.02)];
        let mut designs = vec![
            estimated("rows/a", &rows, &slow),
            estimated("rows/b", &rows, &slow),
            estimated("columns", &columns, &fast),
        ];
        let both = [("rows/b".to_owned(), "columns".to_owned())];
        assert_eq!(left_out(&designs), both);
        assert_eq!(far_behind(&designs)[0].times, 5.0);
        // A question in which it may be nearly as fast, what is to be measured, and what is not here, keep it.
        designs[1].questions[1].least = 0.09;
        assert_eq!(left_out(&designs), []);
        designs[1].questions[1].least = 0.1;
        designs[1].is_kept = true;
        assert_eq!(left_out(&designs), []);
        designs[1].is_kept = false;
        designs[2].is_here = false;
        assert_eq!(left_out(&designs), []);
    }

    #[test]
    fn fewer_bytes_faster_loading_and_what_is_not_known_are_reasons_to_measure() {
        let columns = pace("columns", 10.0, 3e5);
        let first = pace("rows", 30.0, 2e4);
        let slow = [(1.0, 4.0)];
        for (bytes, rate, number) in [(30.0, 2e4, 1), (11.0, 2e4, 0), (30.0, 4e5, 0)] {
            let own = pace("rows", bytes, rate);
            let designs = [
                estimated("rows/a", &first, &slow),
                estimated("rows/b", &own, &slow),
                estimated("columns", &columns, &[(0.01, 0.1)]),
            ];
            assert_eq!(left_out(&designs).len(), number, "{bytes} {rate}");
            let mut unknown = designs.clone();
            unknown[1].pace = None;
            assert_eq!(left_out(&unknown), []);
            let mut without_questions = designs;
            for design in &mut without_questions {
                design.questions.clear();
            }
            assert_eq!(left_out(&without_questions), []);
        }
    }
}
