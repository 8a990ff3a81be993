//! Growth of a server's counters from one sample to the next one that knows them.
//!
//! A single server that was restarted counts from zero. The counters of several nodes are added up, and their sum may
//! grow although one of them began anew. So what it grew by is not known where a node was restarted, has joined or has
//! left meanwhile.

use crate::ServerSample;

/// Growth of a counter between two samples that know it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerGrowth {
    /// Place of the earlier sample among all.
    pub from: usize,
    /// Place of the later sample.
    pub to: usize,
    /// By how much the counter grew; `None` if that is not known.
    pub amount: Option<f64>,
}

/// Returns by how much a counter grew from each sample that knows it to the next one that does. Samples have to be in
/// the order of their moments.
pub fn server_growth(
    samples: &[&ServerSample],
    counter: impl Fn(&ServerSample) -> Option<f64>,
) -> Vec<ServerGrowth> {
    let known = samples.iter().enumerate();
    let known = known.filter_map(|(place, sample)| Some((place, counter(sample)?)));
    let known: Vec<(usize, f64)> = known.collect();
    // A sample may lack the generations, while those around it show that a node was restarted.
    let earlier = nearest_generations(samples.iter().copied());
    let mut later = nearest_generations(samples.iter().rev().copied());
    later.reverse();
    let between = |pair: &[(usize, f64)]| {
        let ((from, before), (to, now)) = (pair[0], pair[1]);
        let generations = earlier[from].zip(later[to]);
        let is_restarted = generations.is_some_and(|(before, now)| before != now);
        let nodes = (samples[from].nodes, samples[to].nodes);
        ServerGrowth {
            from,
            to,
            amount: amount(nodes, before, now).filter(|_| !is_restarted),
        }
    };
    known.windows(2).map(between).collect()
}

/// Returns by how much a counter grew between two samples; `None` if one of them does not know it, or its growth is not
/// known.
pub fn server_growth_between(
    before: &ServerSample,
    now: &ServerSample,
    counter: impl Fn(&ServerSample) -> Option<f64>,
) -> Option<f64> {
    server_growth(&[before, now], counter).first()?.amount
}

/// Returns for each sample the generations of the nearest one up to it that knows them.
fn nearest_generations<'a>(samples: impl Iterator<Item = &'a ServerSample>) -> Vec<Option<u64>> {
    let mut last = None;
    let nearest = samples.map(|sample| {
        last = sample.generations.or(last);
        last
    });
    nearest.collect()
}

/// Returns by how much a counter of one server, or of so many nodes together, grew.
fn amount(nodes: (Option<u32>, Option<u32>), before: f64, now: f64) -> Option<f64> {
    match nodes {
        (before, now) if before != now => None,
        _ if now >= before => Some(now - before),
        (None, None) => Some(now),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(sample: &ServerSample) -> Option<f64> {
        sample.cpu_seconds
    }

    fn of_one(cpu: Option<f64>) -> ServerSample {
        ServerSample {
            cpu_seconds: cpu,
            ..ServerSample::default()
        }
    }

    fn of_nodes(nodes: u32, generations: Option<u64>, cpu: f64) -> ServerSample {
        ServerSample {
            nodes: Some(nodes),
            generations,
            ..of_one(Some(cpu))
        }
    }

    fn amounts(samples: &[ServerSample]) -> Vec<Option<f64>> {
        let samples: Vec<&ServerSample> = samples.iter().collect();
        let grown = server_growth(&samples, cpu);
        grown.iter().map(|grown| grown.amount).collect()
    }

    #[test]
    fn samples_that_do_not_know_a_counter_are_skipped() {
        let samples = [Some(1.0), None, Some(4.0), None].map(of_one);
        let samples: Vec<&ServerSample> = samples.iter().collect();
        let expected = ServerGrowth {
            from: 0,
            to: 2,
            amount: Some(3.0),
        };
        assert_eq!(server_growth(&samples, cpu), [expected]);
        assert_eq!(server_growth(&samples[..2], cpu), []);
        assert_eq!(server_growth(&[], cpu), []);
    }

    #[test]
    fn a_single_server_that_was_restarted_counts_from_zero() {
        let samples = [50.0, 51.5, 3.0, 4.0].map(|cpu| of_one(Some(cpu)));
        assert_eq!(amounts(&samples), [Some(1.5), Some(3.0), Some(1.0)]);
        assert_eq!(
            server_growth_between(&samples[1], &samples[2], cpu),
            Some(3.0)
        );
    }

    #[test]
    fn the_sum_over_nodes_hides_no_restart() {
        // The two other nodes grow by more than the restarted one had counted.
        let samples = [
            of_nodes(3, Some(30), 100.0),
            of_nodes(3, Some(30), 110.0),
            of_nodes(3, Some(37), 125.0),
            of_nodes(3, Some(37), 131.0),
        ];
        assert_eq!(amounts(&samples), [Some(10.0), None, Some(6.0)]);
        // Of an earlier version only a sum that falls tells of it.
        let falls = [of_nodes(3, None, 100.0), of_nodes(3, None, 70.0)];
        assert_eq!(amounts(&falls), [None]);
    }

    #[test]
    fn a_restart_that_one_sample_does_not_tell_of_is_known_by_those_around_it() {
        let samples = [
            of_nodes(3, Some(30), 100.0),
            of_nodes(3, None, 104.0),
            of_nodes(3, None, 109.0),
            of_nodes(3, Some(37), 113.0),
            of_nodes(3, None, 117.0),
        ];
        assert_eq!(amounts(&samples), [None, None, None, Some(4.0)]);
        let steady = [
            of_nodes(3, Some(30), 100.0),
            of_nodes(3, None, 104.0),
            of_nodes(3, Some(30), 109.0),
        ];
        assert_eq!(amounts(&steady), [Some(4.0), Some(5.0)]);
    }

    #[test]
    fn nodes_that_join_or_leave_leave_the_growth_unknown() {
        let samples = [
            of_one(Some(20.0)),
            of_nodes(2, None, 45.0),
            of_nodes(3, None, 66.0),
            of_nodes(2, None, 67.0),
            of_nodes(2, None, 69.0),
        ];
        assert_eq!(amounts(&samples), [None, None, None, Some(2.0)]);
    }
}
