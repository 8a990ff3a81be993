//! Counts how often the two designs of a pair that differ in name only are called different.
//!
//! `cargo run -p bakeoff-stats --example twins -- RUN...`, where each RUN is the folder of a run whose designs
//! are pairs: each second one is the design before it with a setting written out that is the default.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use bakeoff_stats::{Difference, PairedComparison, Run, Summary};

/// The largest share of pairs and questions that may be called different.
const CALLED_DIFFERENT: f64 = 0.08;

/// What was found in the pairs of all runs.
#[derive(Default)]
struct Count {
    pairs: usize,
    compared: usize,
    different: usize,
    same: usize,
}

fn main() -> ExitCode {
    match count() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cannot count the pairs that are called different: {error}");
            ExitCode::FAILURE
        }
    }
}

fn count() -> Result<bool, Box<dyn Error>> {
    let mut count = Count::default();
    for dir in std::env::args().skip(1) {
        let summary = Run::open(Path::new(&dir))?.summary()?;
        for pair in summary.designs.chunks_exact(2) {
            count.add(&summary, &pair[0].info.id, &pair[1].info.id);
        }
    }
    let Count {
        pairs,
        compared,
        different,
        same,
    } = count;
    let unsettled = compared - different - same;
    println!(
        "{pairs} pairs, {compared} comparisons: {different} called different, {same} the same, \
         {unsettled} not settled"
    );
    Ok(compared > 0 && different as f64 <= CALLED_DIFFERENT * compared as f64)
}

impl Count {
    fn add(&mut self, summary: &Summary, one: &str, other: &str) {
        self.pairs += 1;
        for query in PairedComparison::of_two(summary, one, other).queries {
            // The best one is compared with itself.
            let Some(second) = query
                .designs
                .iter()
                .find(|design| Some(&design.design) != query.best.as_ref())
            else {
                continue;
            };
            self.compared += 1;
            match second.difference {
                Difference::Slower | Difference::Faster => {
                    self.different += 1;
                    let (name, ratio) = (&query.query, second.ratio);
                    println!(
                        "{name}: {} takes {ratio:.2} times as long as its twin",
                        second.design
                    );
                }
                Difference::Same => self.same += 1,
                Difference::Best | Difference::NotSettled => {}
            }
        }
    }
}
