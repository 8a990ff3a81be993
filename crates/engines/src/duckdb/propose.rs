//! Rules of experts on DuckDB: pure functions from what is known of a workload.

use crate::advice::{Advice, Facts, Finds, FoundBy, Rank, Stated};

const OWN_TABLE: Stated = Stated {
    rule: "own-table",
    source: "DuckDB's performance guide: its own tables answer repeated questions 1.1 to 5 times faster than Parquet",
};

/// Proposes a table of DuckDB, and its view of a file to compare it with.
pub fn advise(facts: &Facts) -> Vec<Advice> {
    if facts.is_written_in_cql {
        return Vec::new();
    }
    vec![
        OWN_TABLE.measure(
            Rank::Likely,
            "duckdb/table",
            "for questions that are asked again and again",
        ),
        OWN_TABLE.measure(
            Rank::Further,
            "duckdb/parquet?codec=zstd",
            "the file of parquet, which shows what a table of its own brings",
        ),
    ]
}

/// Returns by what designs find rows: by the highest and lowest values of row groups, if rows come in an order.
pub fn finds() -> Finds {
    Finds {
        surely: Vec::new(),
        perhaps: vec![FoundBy::Key, FoundBy::Order],
        has_statistics: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{designs, facts};

    #[test]
    fn a_table_is_compared_with_a_file() {
        let mut facts = facts();
        let both = ["duckdb/table", "duckdb/parquet?codec=zstd"];
        assert_eq!(designs(&advise(&facts)), both);
        facts.is_written_in_cql = true;
        assert_eq!(advise(&facts), []);
    }
}
