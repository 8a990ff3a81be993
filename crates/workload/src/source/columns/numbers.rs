//! Draws numbers from distributions.

use rand::distr::Distribution;
use rand_distr::StandardNormal;

use super::draw::{Draw, Numbers, Texts};
use super::sequence::append_number;
use crate::ColumnType;

/// Uniform whole numbers, both bounds included.
pub struct UniformInteger {
    pub from: i64,
    pub to: i64,
}

impl Numbers<i64> for UniformInteger {
    fn draw(&self, mut draw: Draw) -> i64 {
        let values = self.to.abs_diff(self.from).saturating_add(1);
        self.from.wrapping_add_unsigned(draw.stream.below(values))
    }
}

/// Uniform real numbers, without the upper bound.
pub struct UniformReal {
    pub from: f64,
    pub to: f64,
}

impl Numbers<f64> for UniformReal {
    fn draw(&self, mut draw: Draw) -> f64 {
        self.from + draw.stream.unit() * (self.to - self.from)
    }
}

/// Normally distributed real numbers.
pub struct Normal {
    pub mean: f64,
    pub deviation: f64,
}

impl Numbers<f64> for Normal {
    fn draw(&self, mut draw: Draw) -> f64 {
        let normal: f64 = StandardNormal.sample(&mut draw.stream);
        self.mean + normal * self.deviation
    }
}

/// Normally distributed numbers, rounded, and moved to the nearest number that the column can hold.
pub struct NormalInteger {
    pub normal: Normal,
    pub kind: ColumnType,
}

impl Numbers<i64> for NormalInteger {
    fn draw(&self, draw: Draw) -> i64 {
        let number = self.normal.draw(draw).round();
        match self.kind {
            ColumnType::Int => i64::from(number as i32),
            _ => number as i64,
        }
    }
}

/// Zipf-distributed numbers, with 0 most often.
pub struct Zipf {
    /// Distribution; absent for impossible parameters, which the checks exclude.
    law: Option<rand_distr::Zipf<f64>>,
    prefix: String,
}

impl Zipf {
    pub fn new(items: u64, exponent: f64, prefix: String) -> Self {
        Zipf {
            law: rand_distr::Zipf::new(items as f64, exponent).ok(),
            prefix,
        }
    }

    fn number(&self, mut draw: Draw) -> u64 {
        let rank = self.law.map_or(1.0, |law| law.sample(&mut draw.stream));
        (rank as u64).saturating_sub(1)
    }
}

impl Numbers<i64> for Zipf {
    fn draw(&self, draw: Draw) -> i64 {
        self.number(draw) as i64
    }
}

impl Texts for Zipf {
    fn append(&self, draw: Draw, out: &mut String) {
        out.push_str(&self.prefix);
        append_number(self.number(draw), out);
    }

    fn most_bytes(&self) -> u64 {
        self.prefix.len() as u64 + 20
    }
}
