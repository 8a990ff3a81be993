//! Estimates what the questions take with each proposed design, by what a calibration measured on this machine.

use bakeoff_stats::propose::{Calibration, Pace, Proposal, Reading, Seconds};
use bakeoff_workload::DesignId;

use crate::advice::{Facts, Filter, FilterKind, Finds, Question};
use crate::registry::engine;

/// Adds to each design the time of each question that is estimated for it, where its kind was calibrated.
pub fn add(designs: &mut [Proposal], facts: &Facts, calibration: &Calibration) {
    for design in designs.iter_mut().filter(|d| d.answers_questions) {
        let finds = finds(&design.design);
        design.estimated = match (calibration.pace(&design.design), finds) {
            (Some(pace), Some(finds)) => {
                let questions = facts.questions.iter();
                questions.map(|q| seconds(pace, &finds, facts, q)).collect()
            }
            _ => Vec::new(),
        };
    }
}

fn finds(design: &str) -> Option<Finds> {
    let id: DesignId = design.parse().ok()?;
    engine(&id).ok()?.finds(&id)
}

/// Estimates a question with the rows of the whole table. What it costs to send rows to the client, or to look for several
/// keys, was not calibrated.
fn seconds(pace: &Pace, finds: &Finds, facts: &Facts, question: &Question) -> Seconds {
    let has_several = |filter: &Filter| match filter.kind {
        FilterKind::Equals { values } => values > 1,
        _ => false,
    };
    if !question.aggregates || question.filters.iter().any(has_several) {
        return Seconds::UNKNOWN;
    }
    pace.seconds(Reading {
        rows: facts.full_rows as f64,
        columns: question.columns,
        least: finds.least(facts, question),
        most: finds.most(facts, question),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{equals, facts, question};

    #[test]
    fn designs_of_a_calibrated_kind_get_a_time_for_each_question() {
        let exactly = |seconds: f64| Seconds {
            least: seconds,
            most: seconds,
        };
        let pace = Pace {
            kind: "postgres/plain".to_owned(),
            question: exactly(1e-3),
            found_row: exactly(1e-6),
            scanned_row: exactly(1e-7),
            value: exactly(0.0),
            row_bytes: 60.0,
            load_rate: 1e5,
        };
        let calibration = Calibration {
            paces: vec![pace],
            ..Calibration::default()
        };
        let mut facts = facts();
        facts
            .questions
            .push(question("one", vec![equals("series", Some(0.01))]));
        let mut several = equals("series", Some(0.01));
        several.kind = FilterKind::Equals { values: 2 };
        facts.questions.push(question("several", vec![several]));
        for question in &mut facts.questions {
            question.aggregates = true;
        }
        facts.questions.push(question("rows", Vec::new()));
        let proposal = |design: &str| Proposal {
            design: design.to_owned(),
            reasons: Vec::new(),
            ddl: Vec::new(),
            answers_questions: true,
            takes_operations: false,
            not_here: None,
            estimated: Vec::new(),
        };
        let mut designs = [
            proposal("postgres/plain?time-index=on"),
            proposal("timescale/hypertable"),
            proposal("postgres/plain"),
        ];
        designs[2].answers_questions = false;
        add(&mut designs, &facts, &calibration);
        // A million rows are read in 100 ms, and one in a hundred is found in 10 ms.
        let milliseconds = |seconds: &Seconds| (1e3 * seconds.most).round();
        let of_first: Vec<f64> = designs[0].estimated.iter().map(milliseconds).collect();
        assert_eq!(of_first, [101.0, 11.0, f64::INFINITY, f64::INFINITY]);
        assert_eq!(designs[1].estimated, []);
        assert_eq!(designs[2].estimated, []);
    }
}
