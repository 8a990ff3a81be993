//! The cost of a month with its error: CPU time is taken to vary as the times do, and the storage as its forecast
//! does. Machines are whole ones, so that their number often is the same in all resamples.

use crate::compare::summary::{Cost, Demand, DesignCost, Needed, Summary};
use crate::decide::{Contender, Figure, Timed};

impl Summary {
    /// Fills in the cost of a month of each design that has one.
    pub(super) fn add_months(&self, designs: &mut [Contender]) {
        let Some(cost) = &self.cost else {
            return;
        };
        for contender in designs {
            contender.month = self.month(cost, contender);
            let priced = cost.design(&contender.id);
            contender.is_month_least = priced.is_some_and(DesignCost::is_least);
        }
    }

    /// Returns why no design has a cost of a month although there are prices.
    pub(super) fn why_no_month(&self) -> Option<String> {
        let designs = &self.cost.as_ref()?.designs;
        if designs.iter().any(|design| design.month.is_some()) {
            return None;
        }
        let why = designs.iter().find_map(|design| match &design.machines {
            Needed::Machines(_) => None,
            Needed::Unknown(why) | Needed::Never(why) => Some((&design.design, why)),
        });
        Some(match why {
            Some((design, why)) => format!("{design}: {why}"),
            None => "the storage of no design is known".to_owned(),
        })
    }

    fn month(&self, cost: &Cost, contender: &Contender) -> Option<Figure> {
        let priced = cost.design(&contender.id)?;
        let (point, storage_month) = (priced.month?, priced.storage_month?);
        let machines = priced.machines.known()?;
        let storage = contender.storage.as_ref()?;
        let is_estimate = !(machines.is_least || machines.is_bound) && storage.interval.is_some();
        let Some(work) = { self.work(&cost.demand, contender) }.filter(|_| is_estimate) else {
            return Some(Figure::once(point));
        };
        let busy = machines.busy_cores.unwrap_or(0.0);
        let month = |index: usize| {
            let factor = work.get(index % work.len().max(1)).unwrap_or(&1.0);
            let bytes = storage.at(Some(index));
            let cores = self.header.scale.cores;
            let machines = cost.demand.machines(busy * factor, bytes, cores);
            let storage_share = bytes / storage.point.max(f64::MIN_POSITIVE);
            machines * cost.prices.machine_month + storage_month * storage_share
        };
        let resamples = work.len().max(storage.resamples.len());
        Some(match resamples {
            0 => Figure::exact(point),
            resamples => Figure::resampled(point, (0..resamples).map(month).collect()),
        })
    }

    /// Returns the CPU time of each resample as a multiple of the estimate; empty if no rate asks for any. Returns
    /// `None` if the error of a time is not known.
    fn work(&self, demand: &Demand, contender: &Contender) -> Option<Vec<f64>> {
        if demand.questions.is_none() {
            return match demand.inserts {
                Some(_) => of_loading(contender.load.as_ref()?),
                None => Some(Vec::new()),
            };
        }
        let design = self.design(&contender.id)?;
        let mut parts: Vec<(f64, &Figure)> = Vec::new();
        for (index, (query, answer)) in design.queries.iter().zip(&contender.answers).enumerate() {
            let weight = self.weight(index);
            let seconds = match &answer.time {
                _ if weight <= 0.0 => continue,
                Timed::Seconds(seconds) => seconds,
                Timed::Failed(_) => continue,
                Timed::Unknown(_) => return None,
            };
            seconds.interval?;
            // CPU seconds for each second of the answer.
            let share = design.work_of(query)?.seconds() / answer.measured?;
            parts.push((weight * share, seconds));
        }
        let sum = |resample: Option<usize>| -> f64 {
            let of = |(share, seconds): &(f64, &Figure)| share * seconds.at(resample);
            parts.iter().map(of).sum()
        };
        let resamples = { parts.iter() }.map(|(_, seconds)| seconds.resamples.len());
        let (point, resamples) = (sum(None), resamples.max().unwrap_or(0));
        let factors = (0..resamples).map(|index| sum(Some(index)) / point);
        (point > 0.0).then(|| factors.collect())
    }
}

/// Returns the time of loading in each resample as a multiple of the estimate.
fn of_loading(rate: &Figure) -> Option<Vec<f64>> {
    rate.interval?;
    let resamples = rate.resamples.iter();
    Some(resamples.map(|resample| rate.point / resample).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::testing::{footprint, loaded, run, timed};
    use crate::compare::{Decide, Record};
    use crate::decide::{Certainty, Minimise, Rule};
    use crate::{Prices, Timing};

    fn prices() -> Prices {
        Prices {
            title: "ours".to_owned(),
            currency: "EUR".to_owned(),
            machine_cores: 8,
            machine_month: 100.0,
            storage_gib_month: 0.1,
        }
    }

    /// Seven rounds of two designs at full scale, of which the second takes this share of the CPU time, with this
    /// deviation between rounds. Least is the cost of a month, of 96 questions a second.
    fn priced(share: f64, spread: f64) -> Summary {
        let asked = |design: &str, share: f64, query: &str, round: u32| {
            let times = 1.0 + spread * f64::from(round % 4);
            let Record::Timed(mut timing) = timed(design, query, times) else {
                unreachable!()
            };
            timing.cpu.client = 0.4 * share * times + 1e-5;
            Record::Timed(Timing { round, ..timing })
        };
        let mut records = run([]);
        for (design, share) in [("a/x", 1.0), ("a/y", share)] {
            records.extend([loaded(design, 0, 1.0), footprint(design, 1 << 20)]);
            for round in 0..7 {
                records.extend(["scan", "key"].map(|query| asked(design, share, query, round)));
            }
        }
        let Record::Started(header) = &mut records[0] else {
            panic!("no header");
        };
        header.scale.full_rows = 100;
        header.scale.questions_per_second = Some(96.0);
        let rule = Rule {
            is_stated: true,
            minimise: Minimise::Month,
            has_weights: false,
            limits: Vec::new(),
            same_within: 0.05,
            baseline: None,
        };
        let weights = vec![0.5, 0.5];
        header.decide = Some(Decide { rule, weights });
        Summary::from_records(&records).unwrap().priced(prices())
    }

    fn month(summary: &Summary, design: usize) -> Figure {
        let input = summary.decision_input().unwrap();
        input.designs[design].month.clone().unwrap()
    }

    #[test]
    fn a_month_varies_with_the_cpu_time_and_has_whole_machines() {
        let summary = priced(0.5, 0.2);
        let month = month(&summary, 0);
        let (low, high) = month.interval.unwrap();
        assert!(low <= month.point && month.point <= high, "{low} {high}");
        assert!(high - low >= 100.0, "{low} {high}");
        let machines = |month: f64| (month / 100.0).fract();
        assert!({ month.resamples.iter() }.all(|resample| machines(*resample) < 0.1));
        let decision = summary.decision.unwrap();
        assert_eq!(decision.fallback, None);
        let recommendation = decision.recommendation.unwrap();
        assert_eq!(recommendation.design, "a/y");
        assert!(recommendation.resamples > 1, "the figures are not exact");
        assert_eq!(recommendation.certainty, Certainty::Settled);
    }

    #[test]
    fn without_cpu_times_the_reason_is_kept_and_time_decides() {
        let mut summary = priced(0.5, 0.1);
        for design in &mut summary.designs {
            design.info.server = true;
        }
        let decision = summary.priced(prices()).decision.unwrap();
        assert_eq!(decision.minimised(), Minimise::Time);
        let why = decision.no_month.unwrap();
        assert!(
            why.starts_with("a/x: the CPU time of scan is not known"),
            "{why}"
        );
    }
}
