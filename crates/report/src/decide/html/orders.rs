//! Computes the orders that a reader may choose for the designs of a heat map, each by weights of the
//! questions or by a figure. Pages have no scripts, so every order is computed beforehand.

use bakeoff_stats::decide::{Cell, Decision, DesignStanding, Objective};

/// Most orders by a single question; those that are asked most often come first. The style sheet has rules
/// for this number and the general orders.
const MOST_BY_QUESTION: usize = 16;
/// Share of all questions that a question has in its own order.
const HALF: f64 = 0.5;

/// An order of the designs with its figures.
pub struct Order {
    pub label: String,
    /// Multiples of the best design by design; `None` where the figure is not known or the design is
    /// excluded.
    pub ratios: Vec<Option<f64>>,
    /// Ranks by design, from 0 on.
    pub places: Vec<usize>,
}

/// Returns all orders, that of the rule first.
pub fn all(decision: &Decision) -> Vec<Order> {
    let counted: Vec<usize> = counted(decision);
    let mut orders = Vec::new();
    if !counted.is_empty() {
        let label = if decision.rule.has_weights {
            "questions as the workload weighs them"
        } else {
            "all questions alike"
        };
        orders.push(Order::by(label, decision, |design| {
            ratio(design, Objective::Time)
        }));
        if decision.rule.has_weights {
            let alike =
                |design: &DesignStanding| mean(design, &counted, |_| 1.0 / counted.len() as f64);
            orders.push(Order::by("all questions alike", decision, alike));
        }
    }
    for (label, objective) in [
        ("storage", Objective::Storage),
        ("loading", Objective::Load),
        ("cost of a month", Objective::Month),
    ] {
        let order = Order::by(label, decision, |design| ratio(design, objective));
        orders.extend(Some(order).filter(Order::is_known));
    }
    if counted.len() > 1 {
        let others = (1.0 - HALF) / (counted.len() - 1) as f64;
        for question in counted.iter().take(MOST_BY_QUESTION) {
            let share = |other: usize| if other == *question { HALF } else { others };
            let label = format!(
                "half of the questions are {}",
                decision.questions[*question].name
            );
            orders.push(Order::by(&label, decision, |design| {
                mean(design, &counted, share)
            }));
        }
    }
    orders
}

/// Returns the questions that count, those that are asked most often first.
fn counted(decision: &Decision) -> Vec<usize> {
    let shares = |question: &usize| decision.questions[*question].share;
    let mut counted: Vec<usize> = (0..decision.questions.len())
        .filter(|q| shares(q) > 0.0)
        .collect();
    counted.sort_by(|a, b| shares(b).total_cmp(&shares(a)));
    counted
}

impl Order {
    fn by(
        label: &str,
        decision: &Decision,
        value: impl Fn(&DesignStanding) -> Option<f64>,
    ) -> Order {
        let values: Vec<Option<f64>> = decision
            .designs
            .iter()
            .map(|design| value(design).filter(|_| design.out.is_none()))
            .collect();
        let best = values.iter().flatten().copied().min_by(f64::total_cmp);
        let ratios: Vec<Option<f64>> = values.iter().map(|value| Some((*value)? / best?)).collect();
        let mut designs: Vec<usize> = (0..ratios.len()).collect();
        // Designs without a figure come last; the sort is stable and keeps their order.
        let key = |design: usize| ratios[design].unwrap_or(f64::INFINITY);
        designs.sort_by(|a, b| key(*a).total_cmp(&key(*b)));
        let mut places = vec![0; designs.len()];
        for (place, design) in designs.into_iter().enumerate() {
            places[design] = place;
        }
        Order {
            label: label.to_owned(),
            ratios,
            places,
        }
    }

    fn is_known(&self) -> bool {
        self.ratios.iter().any(Option::is_some)
    }
}

fn ratio(design: &DesignStanding, objective: Objective) -> Option<f64> {
    let ratio = design
        .ratios
        .iter()
        .find(|ratio| ratio.objective == objective);
    ratio.map(|ratio| ratio.times)
}

/// Returns the weighted geometric mean of a design's multiples of the fastest times.
fn mean(design: &DesignStanding, questions: &[usize], share: impl Fn(usize) -> f64) -> Option<f64> {
    let mut sum = 0.0;
    for question in questions {
        match &design.cells[*question] {
            Cell::Time {
                times_best: Some(times),
                ..
            } => sum += share(*question) * times.ln(),
            _ => return None,
        }
    }
    Some(sum.exp())
}
