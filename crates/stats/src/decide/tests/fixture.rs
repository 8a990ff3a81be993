//! Small inputs to change.

use crate::decide::{
    Answer, AnswerClass, Contender, DecisionInput, Figure, Minimise, Noise, Question, Rule, Status,
    Timed,
};

pub fn rule(minimise: Minimise) -> Rule {
    Rule {
        is_stated: true,
        minimise,
        has_weights: false,
        limits: Vec::new(),
        same_within: 0.05,
        baseline: None,
    }
}

/// Seven rounds at a million rows, and no resamples.
pub fn input(
    minimise: Minimise,
    questions: &[(&str, f64)],
    designs: Vec<Contender>,
) -> DecisionInput {
    DecisionInput {
        rule: rule(minimise),
        rows: 1_000_000,
        full_rows: 1_000_000,
        measured_rows: 100_000,
        copies: 3,
        questions: questions
            .iter()
            .map(|(name, weight)| Question {
                name: (*name).to_owned(),
                weight: *weight,
                asked_of: None,
            })
            .collect(),
        designs,
        price: None,
        rounds: 7,
        seconds_a_round: Some(2.0),
        noise: Noise {
            twins: Some(0.01),
            ..Noise::default()
        },
        known_rows: None,
        no_forecast: None,
        no_month: None,
        dropped_in_vain: Vec::new(),
        forecasts: None,
        not_measured: Vec::new(),
    }
}

/// A design with exact figures: bytes, rows a second and seconds of each question.
pub fn design(id: &str, bytes: f64, rate: f64, seconds: &[f64]) -> Contender {
    Contender {
        id: id.to_owned(),
        status: Status::Right,
        rows_lost: 0,
        keeps_rows_if: None,
        storage: Some(Figure::exact(bytes)),
        settled: None,
        load: Some(Figure::exact(rate)),
        month: None,
        is_month_least: false,
        troubles: Vec::new(),
        answers: seconds.iter().map(|s| answer(Figure::exact(*s))).collect(),
    }
}

pub fn answer(figure: Figure) -> Answer {
    Answer {
        class: AnswerClass::Scan,
        time: Timed::Seconds(figure),
        was_right: true,
        measured: None,
        quantiles: Vec::new(),
        basis: String::new(),
    }
}

/// Normal deviates from a fixed sequence (splitmix64, Box and Muller).
pub struct Noisy(pub u64);

impl Noisy {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, end: usize) -> usize {
        ((self.uniform() * end as f64) as usize).min(end - 1)
    }

    pub fn normal(&mut self) -> f64 {
        let (one, two) = (self.uniform().max(1e-300), self.uniform());
        (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * two).cos()
    }
}
