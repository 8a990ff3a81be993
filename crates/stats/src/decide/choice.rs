//! Choice of the best design, and the share of resamples in which it is the best one.

use super::contest::{Contest, Costs};
use super::objective::Objective;
use super::ratio::ratios;

/// Share of resamples in which two designs have to be the same for them to count as the same.
const SURE: f64 = 0.95;

/// Entrants with their costs by the objective of the decision.
pub struct Ballot<'a> {
    contest: &'a Contest<'a>,
    /// Costs in the order of the entrants.
    pub costs: Vec<Costs>,
    /// Number of resamples; 1 if all figures are exact.
    pub resamples: usize,
    /// Whether the error of every figure behind the choice is known.
    pub is_error_known: bool,
    /// Number of resamples in which each entrant was the best, in the order of the entrants.
    pub won: Vec<usize>,
    /// Best entrant of each resample.
    best: Vec<Best>,
}

/// The best entrant in a resample, or by the point estimates.
#[derive(Clone, Copy)]
struct Best {
    entrant: usize,
    /// Whether the entrant keeps the limits, as far as they are known.
    keeps_limits: bool,
}

impl<'a> Ballot<'a> {
    /// Ranks the entrants in each resample. Returns `None` if no design can be ranked.
    pub fn new(contest: &'a Contest<'a>) -> Option<Ballot<'a>> {
        let objective = contest.objective?;
        let costs: Vec<Costs> = contest
            .entrants
            .iter()
            .filter_map(|design| contest.costs(objective, *design))
            .collect();
        if costs.is_empty() || costs.len() != contest.entrants.len() {
            return None;
        }
        let resamples = costs.iter().map(|costs| costs.resamples.len()).max()?;
        let mut ballot = Ballot {
            contest,
            resamples: resamples.max(1),
            is_error_known: costs.iter().all(|costs| costs.is_error_known),
            won: vec![0; costs.len()],
            costs,
            best: Vec::new(),
        };
        ballot.best = ballot.each().map(|index| ballot.best(index)).collect();
        for best in &ballot.best {
            ballot.won[best.entrant] += 1;
        }
        Some(ballot)
    }

    /// Returns every resample; `None` stands for the point estimates, if there are no resamples.
    fn each(&self) -> impl Iterator<Item = Option<usize>> + use<> {
        let resamples = self.costs.iter().map(|costs| costs.resamples.len()).max();
        let resamples = resamples.unwrap_or(0);
        (0..resamples.max(1)).map(move |index| (resamples > 0).then_some(index))
    }

    /// Returns the cheapest entrant that keeps the limits or, if none does, the one that comes nearest.
    fn best(&self, resample: Option<usize>) -> Best {
        let mut best = Best {
            entrant: 0,
            keeps_limits: false,
        };
        let mut least = (f64::INFINITY, f64::INFINITY);
        // The first of equal entrants is taken, since they are in the order that decides ties.
        for entrant in 0..self.costs.len() {
            let excess = self.excess(entrant, resample);
            let (keeps_limits, cost) = (excess <= 1.0, self.costs[entrant].at(resample));
            let order = if keeps_limits {
                (0.0, cost)
            } else {
                (excess, cost)
            };
            if order < least {
                least = order;
                best = Best {
                    entrant,
                    keeps_limits,
                };
            }
        }
        best
    }

    /// Returns the largest multiple of any limit. Unknown figures count as keeping theirs.
    pub fn excess(&self, entrant: usize, resample: Option<usize>) -> f64 {
        let input = self.contest.input;
        let design = &input.designs[self.contest.entrants[entrant]];
        let excess = input
            .rule
            .limits
            .iter()
            .filter_map(|limit| limit.excess(design, resample));
        excess.fold(0.0, f64::max)
    }

    /// Returns the recommended entrant: the best one by the estimates or, among those that are surely the
    /// same, one that needs clearly less storage. If the objective is storage, time takes its place.
    pub fn leader(&self) -> usize {
        let best = self.best(None);
        if !self.is_error_known || !best.keeps_limits {
            return best.entrant;
        }
        let second = match self.contest.objective {
            Some(Objective::Storage) => Objective::Time,
            _ => Objective::Storage,
        };
        let cost = |entrant: usize| {
            let design = self.contest.entrants[entrant];
            self.contest.point(second, design)
        };
        let Some(cost_of_best) = cost(best.entrant) else {
            return best.entrant;
        };
        let clearly_less = cost_of_best / self.tolerance();
        (0..self.costs.len())
            .filter(|entrant| self.excess(*entrant, None) <= 1.0)
            .filter(|entrant| self.share_won(*entrant) >= SURE)
            .filter_map(|entrant| Some((entrant, cost(entrant)?)))
            .filter(|(_, cost)| *cost < clearly_less)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(best.entrant, |(entrant, _)| entrant)
    }

    /// Returns the share of resamples in which the entrant is the best one, or the same within the
    /// tolerance.
    pub fn share_won(&self, entrant: usize) -> f64 {
        let won = self
            .each()
            .zip(&self.best)
            .filter(|(resample, best)| {
                self.loss(entrant, *resample, best) < self.tolerance() - 1.0 + 1e-12
            })
            .count();
        won as f64 / self.resamples as f64
    }

    /// Returns the mean relative cost of the entrant above that of the best one, over all resamples. Those
    /// in which it alone breaks a limit are left out; they lower the share that it won.
    pub fn expected_loss(&self, entrant: usize) -> f64 {
        let losses = self
            .each()
            .zip(&self.best)
            .map(|(resample, best)| self.loss(entrant, resample, best))
            .filter(|loss| loss.is_finite());
        let (count, sum) = losses.fold((0usize, 0.0), |(n, sum), loss| (n + 1, sum + loss));
        sum / count.max(1) as f64
    }

    /// Returns the relative cost of the entrant above that of the best one in a resample. It is infinite if
    /// the entrant breaks a limit that the best one keeps. If no entrant keeps the limits, the excess takes
    /// the place of the cost.
    fn loss(&self, entrant: usize, resample: Option<usize>, best: &Best) -> f64 {
        let excess = self.excess(entrant, resample);
        let ratio = if !best.keeps_limits {
            excess / self.excess(best.entrant, resample)
        } else if excess <= 1.0 {
            self.costs[entrant].at(resample) / self.costs[best.entrant].at(resample)
        } else {
            f64::INFINITY
        };
        (ratio - 1.0).max(0.0)
    }

    /// The loss of the entrant by the estimates.
    pub fn regret(&self, entrant: usize) -> f64 {
        self.loss(entrant, None, &self.best(None))
    }

    fn tolerance(&self) -> f64 {
        1.0 + self.contest.input.rule.same_within
    }

    /// Returns the entrant that was the best most often, except for the leader. Among equals it is the one
    /// that breaks limits the least, then the cheapest.
    pub fn runner_up(&self, leader: usize) -> Option<usize> {
        let others = (0..self.costs.len()).filter(|entrant| *entrant != leader);
        let broken = |entrant: usize| {
            let excess = self.excess(entrant, None);
            if excess <= 1.0 { 0.0 } else { excess }
        };
        let point = |entrant: usize| self.costs[entrant].point;
        others.min_by(|a, b| {
            self.won[*b]
                .cmp(&self.won[*a])
                .then(broken(*a).total_cmp(&broken(*b)))
                .then(point(*a).total_cmp(&point(*b)))
        })
    }

    /// Returns the entrants whose cost is surely the same as the leader's, and which keep the limits.
    pub fn same_as(&self, leader: usize) -> Vec<usize> {
        let same = self.tolerance() + 1e-12;
        let is_same = |entrant: &usize| {
            let samples = ratios(&self.costs[*entrant], &self.costs[leader]);
            let within = samples.iter().filter(|r| **r <= same && **r >= 1.0 / same);
            within.count() as f64 >= SURE * samples.len() as f64
        };
        (0..self.costs.len())
            .filter(|entrant| *entrant != leader && self.is_error_known)
            .filter(|entrant| self.excess(*entrant, None) <= 1.0)
            .filter(is_same)
            .collect()
    }
}
