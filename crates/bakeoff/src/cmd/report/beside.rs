//! The page of a run of a decision leads to that of the other one: that of the race to the final that followed it, and
//! that of the final to the race, which compared all designs.

use std::path::Path;

use bakeoff_report::recommendation::is_of_decide;
use bakeoff_report::units::plural;
use bakeoff_report::{PageLink, html};
use bakeoff_stats::{Run, Summary};

use super::PAGE;

/// Name of the folder of the race in that of a decision, or of its run without one.
pub const RUN: &str = "run";
/// Name of the folder of the final in it.
pub const FINAL: &str = "final";

/// Renders the page of the run in a folder, which stays.
pub fn render(dir: &Path, summary: &Summary) -> String {
    match link(dir, summary) {
        Some(other) => html::render_beside(summary, &other),
        None => html::render(summary),
    }
}

/// Returns the line that leads to the page of the other run, if both are of one decision and the other one has ended.
fn link(dir: &Path, summary: &Summary) -> Option<PageLink> {
    if !is_of_decide(summary) {
        return None;
    }
    // The folder may be called `.`, and may be a link that is called as it was made.
    let dir = match dir.file_name() {
        Some(_) => std::path::absolute(dir).ok()?,
        None => dir.canonicalize().ok()?,
    };
    let (name, is_to_final) = match dir.file_name()?.to_str()? {
        RUN => (FINAL, true),
        FINAL => (RUN, false),
        _ => return None,
    };
    let other = Run::open(&dir.parent()?.join(name)).ok()?.summary().ok()?;
    if !other.finished || !is_of_decide(&other) {
        return None;
    }
    let [before, title] = if is_to_final {
        to_final(&other)
    } else {
        to_race(&other)
    };
    Some(PageLink {
        before,
        title,
        url: format!("../{name}/{PAGE}"),
    })
}

/// Says what a final measured, and what leads to its page.
fn to_final(last: &Summary) -> [String; 2] {
    let best = match stores(last) {
        1 => "the best one".to_owned(),
        several => format!("the best {several}"),
    };
    let decision = last.decision.as_ref();
    if decision.is_some_and(|decision| decision.recommendation.is_some()) {
        let rows = plural(last.rows, "row", "rows");
        let measured = format!("A final measured {best} of these designs once more, at {rows}: ");
        [measured, "its report has the answer".to_owned()]
    } else {
        let measured = format!("A final of {best} of these designs has no answer: ");
        [measured, "its report says why".to_owned()]
    }
}

/// Says what a race compared, which leads to its page.
fn to_race(race: &Summary) -> [String; 2] {
    let designs = match stores(race) {
        1 => "The design".to_owned(),
        all => format!("All {all} designs"),
    };
    let rows = plural(race.rows, "row", "rows");
    [
        "The race before this final: ".to_owned(),
        format!("{designs}, at up to {rows}"),
    ]
}

/// Returns how many designs with rows were compared.
fn stores(summary: &Summary) -> usize {
    let designs = summary.designs.iter();
    designs.filter(|design| !design.info.is_yardstick()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a folder with the run of an earlier version, as if it were of this command.
    fn run_of(command: &str, dir: &Path) {
        let fixture = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/runs/comparison/journal.jsonl"
        );
        let records = std::fs::read_to_string(fixture).unwrap();
        let (own, other) = ("bakeoff run readings.toml", format!("bakeoff {command}"));
        assert!(records.contains(own));
        std::fs::create_dir_all(dir).unwrap();
        let journal = dir.join("journal.jsonl");
        std::fs::write(journal, records.replacen(own, &other, 1)).unwrap();
    }

    fn link_of(dir: &Path) -> Option<PageLink> {
        link(dir, &Run::open(dir).unwrap().summary().unwrap())
    }

    #[test]
    fn the_pages_of_a_race_and_its_final_lead_to_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let [race, last] = [RUN, FINAL].map(|name| folder.path().join(name));
        run_of("decide readings.toml", &race);
        assert_eq!(link_of(&race), None, "no final was measured");
        run_of("decide readings.toml", &last);
        let to_last = link_of(&race).unwrap();
        assert_eq!(
            to_last.before,
            "A final measured the best 7 of these designs once more, at 20,000 rows: "
        );
        assert_eq!(to_last.url, "../final/report.html");
        let to_race = link_of(&last).unwrap();
        assert_eq!(to_race.title, "All 7 designs, at up to 20,000 rows");
        assert_eq!(to_race.url, "../run/report.html");
        let page = render(&last, &Run::open(&last).unwrap().summary().unwrap());
        assert!(page.contains("<a href=\"../run/report.html\">All 7 designs, "));
    }

    #[test]
    fn a_final_without_an_answer_says_so() {
        let folder = tempfile::tempdir().unwrap();
        run_of("decide readings.toml", folder.path());
        let mut summary = Run::open(folder.path()).unwrap().summary().unwrap();
        summary.decision = None;
        let words = to_final(&summary).concat();
        assert_eq!(
            words,
            "A final of the best 7 of these designs has no answer: its report says why"
        );
    }

    #[test]
    fn runs_that_only_have_these_names_are_left_apart() {
        let folder = tempfile::tempdir().unwrap();
        let [race, last] = [RUN, FINAL].map(|name| folder.path().join(name));
        run_of("decide readings.toml", &race);
        run_of("run readings.toml", &last);
        assert_eq!((link_of(&race), link_of(&last)), (None, None));
    }
}
