//! What a run shows of the rules that proposed its designs.

use std::time::Duration;

use bakeoff_report::recommendation::{self, HowTo, LongerBudget};
use bakeoff_report::terminal;
use bakeoff_stats::{Record, Summary};

use super::fixture;

const BUDGET: LongerBudget = LongerBudget::InProportionTo(Duration::from_secs(600));

#[test]
fn rules_beside_designs_are_judged_by_the_times_of_these_designs() {
    let mut records = fixture::records();
    for record in &mut records {
        if let Record::Started(header) = record {
            let of_design = |info: &bakeoff_stats::DesignInfo| {
                let id = &info.id;
                format!("  \"{id}\", # some-rule, other-rule: why it is here\n")
            };
            let designs: String = header.designs.iter().map(of_design).collect();
            header.workload_text = format!("designs = [\n{designs}]\n");
        }
    }
    let summary = Summary::from_records(&records).unwrap();
    let text = terminal::render_rules(&summary, 100, false);
    assert!(text.starts_with("Rules that proposed designs\n"), "{text}");
    assert!(text.contains("some-rule, other-rule: "), "{text}");
    assert!(text.contains(" against "), "{text}");
    // The page has them in any case, and the end of a decision in short.
    let page = bakeoff_report::html::render(&summary);
    for part in [
        "<h2>Rules that proposed designs</h2>",
        "<li>some-rule, other-rule: ",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let end = recommendation::render(&summary, BUDGET, &HowTo::default(), 10_000);
    let about = end.lines().find(|line| line.starts_with("Rules: "));
    assert!(about.is_some_and(|line| line.ends_with('.')), "{end}");
    let is_short = |line: &str| line.chars().count() <= 100;
    assert!(text.lines().all(is_short), "{text}");
}

#[test]
fn without_rules_it_is_said_what_writes_them() {
    let summary = fixture::summary().unwrap();
    let text = terminal::render_rules(&summary, 300, false);
    assert!(text.contains("propose WORKLOAD --out FILE"), "{text}");
    let page = bakeoff_report::html::render(&summary);
    assert!(!page.contains("Rules that proposed designs"));
    let end = recommendation::render(&summary, BUDGET, &HowTo::default(), 10_000);
    assert!(!end.contains("Rules: "), "{end}");
}
