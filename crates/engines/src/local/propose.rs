//! Rules of experts on columnar tables in a directory: pure functions from what is known of a workload.

use bakeoff_workload::DesignId;

use crate::advice::{Advice, Facts, Finds, FoundBy, Rank, Stated};
use crate::settings::COLUMNS;

const COLUMNAR: Stated = Stated {
    rule: "columnar",
    source: "The study of 2016: columns scan 100 times faster than rows",
};

/// Proposes chunks of columns with their settings.
pub fn advise(facts: &Facts) -> Vec<Advice> {
    if facts.is_written_in_cql {
        return Vec::new();
    }
    let plain = "local/columnar";
    let mut advice = vec![
        COLUMNAR.measure(Rank::First, plain, "columns in files, without a server"),
        COLUMNAR.measure(
            Rank::Likely,
            format!("{plain}?profile=compact"),
            "smaller chunks in bytes, at the cost of CPU time",
        ),
    ];
    if let Some(name) = facts.question(|q| q.names_partition(&facts.table)) {
        let says = format!("{name} reads one partition key, and less beside it in short chunks");
        let design = format!("{plain}?rows=4096");
        advice.push(COLUMNAR.measure(Rank::Further, design, says));
    }
    advice
}

/// Returns by what a design finds rows: chunks have those of one partition key, in their order.
pub fn finds(id: &DesignId) -> Option<Finds> {
    (!id.settings.contains_key(COLUMNS)).then(|| Finds {
        surely: vec![FoundBy::Key],
        perhaps: vec![FoundBy::Order],
        has_statistics: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::testing::{designs, equals, facts, question};

    #[test]
    fn short_chunks_are_for_questions_about_one_partition_key() {
        let mut facts = facts();
        let both = ["local/columnar", "local/columnar?profile=compact"];
        assert_eq!(designs(&advise(&facts)), both);
        facts.questions = vec![question("one", vec![equals("series", None)])];
        let advice = advise(&facts);
        assert_eq!(designs(&advice)[2..], ["local/columnar?rows=4096"]);
        facts.is_written_in_cql = true;
        assert_eq!(advise(&facts), []);
    }
}
