use bakeoff_report::decide::html::section;
use bakeoff_report::decide::terminal::render_whole;
use bakeoff_stats::decide::{Decision, Flip};

use super::fixture;

/// A decision that five numbers of rows would change, the nearest three to the same design.
fn many_changes() -> Decision {
    let mut decision = Decision::of(&fixture::events());
    let designs = ["near", "near", "near", "far", "farther"];
    let flips = designs.iter().zip([6e6, 7e6, 8e6, 9e6, 1e7]);
    let flips = flips.map(|(design, at)| Flip::Rows {
        now: 4.16e6,
        at,
        design: (*design).to_owned(),
    });
    decision.flips = flips.collect();
    decision
}

#[test]
fn a_file_names_three_changes_to_different_designs_and_counts_the_others() {
    let text = render_whole(&many_changes(), None, 100);
    let words: Vec<&str> = text.split_whitespace().collect();
    let told = "Flips to near above 6.00 M rows; far above 9.00 M rows; farther above 10.0 M rows; and 2 more: see \
                the report";
    assert!(words.join(" ").contains(told), "{text}");
}

#[test]
fn a_page_has_all_changes_and_folds_them_behind_the_first_three() {
    let html = section(&many_changes());
    let (_, list) = html.split_once("<h3>What would change it</h3>").unwrap();
    let (list, _) = list.split_once("</details>").unwrap();
    let (shown, folded) = list.split_once("<details>").unwrap();
    assert_eq!(shown.matches("<li>").count(), 3);
    assert!(folded.contains("<summary>2 more</summary>"), "{folded}");
    assert_eq!(folded.matches("<li>near above ").count(), 2);
}
