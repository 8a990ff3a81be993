//! The decision: one design, how sure that is, what is given up, and what would change it.
//!
//! A [`DecisionInput`] has everything that was found out about the designs at the scale of interest;
//! [`Decision::of`] is a pure function of it. No engine, no journal and no fit is known here, so whoever
//! measures or forecasts fills the input.
//!
//! Uncertainty comes as resamples: all figures of an input share the order of their resamples, so that the
//! decision can be repeated in each of them. The share of resamples in which the recommended design is the
//! best one, or the same within the rule's tolerance, is the confidence.

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

pub use decision::{Certainty, Decision, Doubt, Recommendation, RunnerUp};
pub use domination::{Dominated, Scales};
pub use figure::{Curve, Figure, Span, interval};
pub use flip::Flip;
pub use front::{Advantage, Choice};
pub use input::{
    Answer, AnswerClass, Contender, DecisionInput, KnownRows, Minimise, Noise, Question, Rule,
    Status, StoragePrice, Timed,
};
pub use limit::{Limit, LimitOf, LimitState};
pub use more::{MoreRounds, Settling, is_settled, regret};
pub use objective::{Fallback, Objective};
pub use ratio::{Comparison, Ratio};
pub use standing::{Cell, DesignStanding, QuestionStanding};
pub use why::{LostRows, WhyLeftOut, WhyOut};

#[cfg(test)]
mod tests;
