//! Columnar tables as DataFusion tables, compared with DataFusion's own.
mod groups;
mod keys;
mod orders;
mod plans;
mod questions;
mod reads;
mod rows;
mod shares;
mod support;
mod zeros;

use bakeoff_testing::times;
use questions::random_question;
use rows::Random;
use support::{Both, ask, assert_same, values};

/// The number of queries of each random table.
const QUESTIONS: usize = 40;

/// Reads a setting, such as those of `SQL_TABLES=1000 SQL_SEED=7 cargo test -p bakeoff-columnar
/// sql::`.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_those_of_a_plain_table() {
    let first = setting("SQL_SEED", 1);
    for seed in first..first + setting("SQL_TABLES", times(2, 8)) {
        let mut random = Random(seed);
        let both = Both::random(&mut random).await;
        let columnar = both.columnar(random.between(1, 4) as usize);
        let plain = both.plain();
        for _ in 0..QUESTIONS {
            let question = random_question(&mut random);
            let found = values(&ask(&columnar, &question.sql).await, question.in_order);
            let expected = values(&ask(&plain, &question.sql).await, question.in_order);
            if question.any_rows {
                assert_eq!(found.len(), expected.len(), "seed {seed}: {}", question.sql);
                continue;
            }
            assert_same(&found, &expected, || {
                format!("seed {seed}: {}", question.sql)
            });
        }
    }
}
