//! Logs with a record a line, of which some are changed.

use bakeoff_testing::hostile::{Corpus, Random, tree};
use serde_json::Value;

/// The records of a corpus.
pub struct Lines(Vec<Vec<Value>>);

impl Lines {
    /// Reads the logs of a corpus whose lines all are JSON.
    pub fn of(corpus: &Corpus) -> Lines {
        let log = |bytes: &[u8]| {
            let lines = std::str::from_utf8(bytes).ok()?.lines();
            lines.map(|line| serde_json::from_str(line).ok()).collect()
        };
        let logs: Vec<Vec<Value>> = corpus.iter().filter_map(log).collect();
        assert!(!logs.is_empty(), "no log whose lines are JSON");
        Lines(logs)
    }

    /// Makes a log in which a few records have other values, or are somewhere else or left out.
    pub fn changed(&self, random: &mut Random) -> Vec<u8> {
        let mut log = self.0[random.usize(..self.0.len())].clone();
        for _ in 0..random.usize(1..=3) {
            if log.is_empty() {
                break;
            }
            let number = random.usize(..log.len());
            match random.u8(..10) {
                0 => drop(log.remove(number)),
                1 => {
                    let copy = log[number].clone();
                    log.insert(random.usize(..=log.len()), copy);
                }
                2 => log.swap(number, 0),
                3 => log.truncate(number),
                _ => {
                    let others = [log[random.usize(..log.len())].clone()];
                    tree::change(&mut log[number], &others, random);
                }
            }
        }
        let lines = log.iter().map(|record| format!("{record}\n"));
        lines.collect::<String>().into_bytes()
    }
}
