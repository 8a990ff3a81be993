//! The decision for one design: how certain it is, what is given up, and what would change it.
//!
//! A [`DecisionInput`] holds all figures of the designs at the scale of interest, and [`Decision::of`] is a
//! pure function of it. This module knows no engine, no journal and no fit; the callers that measure or
//! forecast make the input.
//!
//! Uncertainty is represented by resamples. All figures of an input have their resamples in the same order,
//! so that the decision can be repeated in each resample. The confidence is the share of resamples in which
//! the recommended design is the best one, or the same within the rule's tolerance.

mod certainty;
mod changes;
mod choice;
mod contest;
mod crossing;
mod decision;
mod domination;
mod figure;
mod flip;
mod front;
mod input;
mod keeping;
mod limit;
mod more;
mod objective;
mod ratio;
mod standing;
mod why;

pub use certainty::{Certainty, Doubt};
pub use decision::{Decision, Recommendation, RunnerUp};
pub use domination::{Dominated, Gap, NearlyDominated, Scales, gaps_in};
pub use figure::{Curve, Figure, Span, interval};
pub use flip::{Flip, nearest_on_both_sides};
pub use front::{Advantage, Choice};
pub use input::{
    Answer, AnswerClass, AskedOf, Contender, DecisionInput, ForecastsHeld, KnownRows, Minimise,
    Noise, Question, Rule, Settled, Status, StoragePrice, Timed,
};
pub use limit::{Limit, LimitOf, LimitState};
pub use more::{MoreRounds, Settling, TEN_MINUTES, is_settled, regret};
pub use objective::{Fallback, Objective};
pub use ratio::{Comparison, FEWEST_ROUNDS, Ratio};
pub use standing::{Cell, DesignStanding, QuestionStanding};
pub use why::{LostRows, WhyLeftOut, WhyOut};

#[cfg(test)]
mod tests;
