//! Generates lists of numbers in a blob.

use super::draw::{Draw, Numbers};
use super::numbers::{Normal, UniformReal};
use crate::RealLaw;

/// Bytes of a double.
const DOUBLE_BYTES: u64 = 8;

/// A fixed number of doubles, big-endian and one after the other.
pub struct Doubles {
    items: u32,
    law: Box<dyn Numbers<f64>>,
}

impl Doubles {
    pub fn new(items: u32, law: RealLaw) -> Self {
        let law: Box<dyn Numbers<f64>> = match law {
            RealLaw::Uniform { from, to } => Box::new(UniformReal { from, to }),
            RealLaw::Normal { mean, deviation } => Box::new(Normal { mean, deviation }),
        };
        Doubles { items, law }
    }

    /// Appends the numbers of a cell, each of which has a stream of its own.
    pub fn append(&self, draw: &Draw, out: &mut Vec<u8>) {
        for item in 0..self.items {
            let number = self.law.draw(Draw {
                row: draw.row,
                second: draw.second,
                stream: draw.stream.and(u64::from(item)),
            });
            out.extend_from_slice(&number.to_be_bytes());
        }
    }

    /// Returns the number of bytes of each cell.
    pub fn bytes(&self) -> u64 {
        u64::from(self.items) * DOUBLE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    fn numbers(law: RealLaw, row: u64) -> Vec<f64> {
        let (mut out, list) = (Vec::new(), Doubles::new(100, law));
        let stream = Stream::new(&[1, row]);
        let draw = Draw {
            row,
            second: false,
            stream,
        };
        list.append(&draw, &mut out);
        assert_eq!(out.len() as u64, list.bytes());
        let (eights, rest) = out.as_chunks::<8>();
        assert!(rest.is_empty());
        eights
            .iter()
            .map(|eight| f64::from_be_bytes(*eight))
            .collect()
    }

    #[test]
    fn each_item_is_drawn_by_itself_from_the_distribution() {
        let law = RealLaw::Normal {
            mean: 50.0,
            deviation: 5.0,
        };
        let all: Vec<f64> = (0..200).flat_map(|row| numbers(law, row)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / all.len() as f64;
        // Ten standard errors of 20,000 draws.
        assert!((mean - 50.0).abs() < 0.36, "{mean}");
        assert!((variance.sqrt() - 5.0).abs() < 0.26, "{variance}");
        let mut sorted = all.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        assert_eq!(sorted.len(), all.len());
    }

    #[test]
    fn uniform_items_are_within_their_bounds() {
        let law = RealLaw::Uniform {
            from: -1.0,
            to: 3.0,
        };
        let all: Vec<f64> = (0..100).flat_map(|row| numbers(law, row)).collect();
        assert!(all.iter().all(|n| (-1.0..3.0).contains(n)));
        assert!(all.iter().any(|n| *n < -0.9) && all.iter().any(|n| *n > 2.9));
    }
}
