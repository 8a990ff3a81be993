//! Designs that are estimated to be far behind another one of their engine in everything, so that measuring them would
//! tell nothing.

use std::collections::HashSet;

use serde::Serialize;

use super::{MOST_PROPOSALS, Pace, Seconds};

/// How many times as long a design has to take, in each question, to be left out.
pub const TIMES_BEHIND: f64 = 5.0;
/// How many times as many bytes it has to take at least: settings such as a compressor change them by less.
pub const TIMES_BYTES: f64 = 2.0;

/// A design that may be left out, or be the reason why others are.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimated<'a> {
    pub design: &'a str,
    /// What its kind costs; `None` if that is not known.
    pub pace: Option<&'a Pace>,
    /// Estimated time of each question; none if the design is asked none, or nothing is known of it.
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

/// Returns the designs that another one of the same engine is estimated to beat in everything: in the time of each question
/// by [`TIMES_BEHIND`], in bytes by [`TIMES_BYTES`], and in loading. The other one is measured: it can be on this
/// machine, and is among the first [`MOST_PROPOSALS`]. The first design of each engine that can be is never left out.
pub fn far_behind(designs: &[Estimated<'_>]) -> Vec<Behind> {
    let mut engines = HashSet::new();
    let mut behind = Vec::new();
    for design in designs {
        let own = engine(design.design);
        let is_first = design.is_here && engines.insert(own);
        if is_first || design.is_kept {
            continue;
        }
        let others = designs.iter().take(MOST_PROPOSALS);
        let others = others.filter(|other| other.is_here && engine(other.design) == own);
        let ahead = others.filter_map(|other| Some((other, times(design, other)?)));
        // Of equal ones the first.
        let most = ahead.min_by(|(_, one), (_, other)| other.total_cmp(one));
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
            question: Seconds::default(),
            found_row: Seconds::default(),
            scanned_row: Seconds::default(),
            value: Seconds::default(),
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
        let (rows, columns) = (pace("x/rows", 30.0, 2e4), pace("x/columns", 10.0, 3e5));
        let slow = [(1.0, 4.0), (0.1, 0.1)];
        let fast = [(0.01, 0.1), (0.01, 0.02)];
        let mut designs = vec![
            estimated("x/rows", &rows, &slow),
            estimated("x/rows?n=2", &rows, &slow),
            estimated("x/columns", &columns, &fast),
        ];
        let one = [("x/rows?n=2".to_owned(), "x/columns".to_owned())];
        assert_eq!(left_out(&designs), one);
        assert_eq!(far_behind(&designs)[0].times, 5.0);
        // A question in which it may be nearly as fast, or that is not known, what is to be measured in any case, and
        // what is not here or of another engine, keep it.
        designs[1].questions[1].least = 0.09;
        assert_eq!(left_out(&designs), []);
        designs[1].questions[1].least = 0.1;
        designs[2].questions[1] = Seconds::UNKNOWN;
        assert_eq!(left_out(&designs), []);
        designs[2].questions[1] = Seconds {
            least: 0.01,
            most: 0.02,
        };
        designs[1].is_kept = true;
        assert_eq!(left_out(&designs), []);
        designs[1].is_kept = false;
        designs[2].is_here = false;
        assert_eq!(left_out(&designs), []);
        designs[2].is_here = true;
        designs[2].design = "y/columns";
        assert_eq!(left_out(&designs), []);
        designs[2].design = "x/columns";
        // One that is not here is the first of none.
        designs[0].is_here = false;
        assert_eq!(
            left_out(&designs),
            [("x/rows".to_owned(), "x/columns".to_owned())]
        );
    }

    #[test]
    fn what_is_beyond_the_most_designs_is_ahead_of_none() {
        let (rows, columns) = (pace("x/rows", 30.0, 2e4), pace("x/columns", 10.0, 3e5));
        let slow = estimated("x/rows", &rows, &[(1.0, 4.0)]);
        let mut designs = vec![slow; MOST_PROPOSALS - 1];
        designs.push(estimated("x/columns", &columns, &[(0.01, 0.1)]));
        assert_eq!(left_out(&designs).len(), MOST_PROPOSALS - 2);
        designs.insert(0, designs[0].clone());
        assert_eq!(left_out(&designs), []);
    }

    #[test]
    fn fewer_bytes_faster_loading_and_what_is_not_known_are_reasons_to_measure() {
        let columns = pace("x/columns", 10.0, 3e5);
        let first = pace("x/rows", 30.0, 2e4);
        let slow = [(1.0, 4.0)];
        for (bytes, rate, number) in [(30.0, 2e4, 1), (19.0, 2e4, 0), (30.0, 4e5, 0)] {
            let own = pace("x/rows", bytes, rate);
            let designs = [
                estimated("x/rows", &first, &slow),
                estimated("x/rows?n=2", &own, &slow),
                estimated("x/columns", &columns, &[(0.01, 0.1)]),
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
