//! Draws the next operation of a mix.

use crate::{Mix, Stream};

/// Draws operations of a mix by their weights.
#[derive(Debug, Clone)]
pub struct OperationChooser {
    /// End of each operation's share of all 64-bit numbers.
    ends: Vec<u64>,
}

impl OperationChooser {
    /// Makes a chooser for the operations of a mix.
    pub fn new(mix: &Mix) -> Self {
        let whole: f64 = mix.operations.iter().map(|o| o.weight).sum();
        let ends = mix.operations.iter().scan(0.0, |sum, operation| {
            *sum += operation.weight;
            // 2^64; a cast from a float saturates.
            Some((*sum / whole * 18_446_744_073_709_551_616.0) as u64)
        });
        OperationChooser {
            ends: ends.collect(),
        }
    }

    /// Draws an index into [`Mix::operations`], with one number of the stream.
    #[inline]
    pub fn choose(&self, stream: &mut Stream) -> usize {
        let number = stream.next_u64();
        let ended = self.ends.iter().take_while(|end| **end <= number).count();
        ended.min(self.ends.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Keys, Operation};

    fn mix(weights: &[f64]) -> Mix {
        let operation = |weight: &f64| Operation {
            name: String::new(),
            weight: *weight,
            action: Action::ReadRow,
            keys: Keys::Uniform,
            consistency: None,
            ttl_seconds: None,
            batch: 1,
        };
        Mix {
            operations: weights.iter().map(operation).collect(),
            schema: Vec::new(),
            populate: Vec::new(),
            background: Vec::new(),
        }
    }

    #[test]
    fn operations_have_their_shares() {
        let chooser = OperationChooser::new(&mix(&[0.5, 0.45, 0.05]));
        let mut counts = [0u64; 3];
        for n in 0..100_000 {
            counts[chooser.choose(&mut Stream::new(&[3, n]))] += 1;
        }
        // Binomial: standard deviations 158, 157 and 69; five of them either way.
        assert!(counts[0].abs_diff(50_000) < 790, "{counts:?}");
        assert!(counts[1].abs_diff(45_000) < 790, "{counts:?}");
        assert!(counts[2].abs_diff(5_000) < 345, "{counts:?}");
    }

    #[test]
    fn one_operation_is_always_chosen() {
        let chooser = OperationChooser::new(&mix(&[1.0]));
        assert!((0..1000).all(|n| chooser.choose(&mut Stream::new(&[n])) == 0));
    }
}
