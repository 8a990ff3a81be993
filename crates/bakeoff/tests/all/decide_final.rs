//! The final of `bakeoff decide`, after a race that had too few rows.

use crate::decide::{FILE, answers, bench, measured, words};
use crate::support::of_kind;

/// A decision about a table that has 200 times the rows of its file.
const DECIDE: [&str; 6] = [
    "decide",
    FILE,
    "--questions",
    "q.sql",
    "--grow",
    "200 times the series",
];

#[test]
fn the_best_designs_are_measured_with_all_rows_where_the_race_had_too_few() {
    let bench = bench();
    // How many rows fit depends on the machine, and on what else it does: in one of these budgets the race has too few, and
    // the final measures all of them to its end.
    let mut said = String::new();
    let mut decided = None;
    for budget in ["5s", "10s", "20s", "30s", "45s", "70s", "100s"] {
        let out = format!("out-{budget}");
        let options = ["--budget", budget, "--out", out.as_str()];
        let asked = [&DECIDE[..], &options, &["--adopt", "mine"]].concat();
        let ended = bench.without_servers(&asked);
        if ended.code == Some(0) && words(&ended).contains("then at all 120,000.") {
            let again = bench.without_servers(&asked).expect(0);
            decided = Some((ended, again, out, budget));
            break;
        }
        said += &format!(
            "{budget}: {:?}\n{}\n{}\n",
            ended.code, ended.stdout, ended.stderr
        );
        let _ = std::fs::remove_dir_all(bench.path("mine"));
    }
    let (ended, again, out, budget) = decided.expect(&said);
    for decision in [&ended, &again] {
        assert!(answers(decision), "{}", decision.stdout);
        assert!(!decision.stdout.contains("for now"), "{}", decision.stdout);
        let words = words(decision);
        assert!(words.contains("Compared at up to "), "{words}");
        assert!(words.contains("then at all 120,000."), "{words}");
        let pages = [
            format!("{out}/final/report.html"),
            format!("{out}/run/report.html"),
        ];
        let places = pages.map(|page| decision.stdout.find(&page).unwrap());
        assert!(places[0] < places[1], "{}", decision.stdout);
    }
    ended.says("note: the final: ");
    again.says("mine has them already");
    let script = std::fs::read_to_string(bench.path("mine/load.sh")).unwrap();
    assert!(!script.contains("To take for now"), "{script}");
    // The second command measured nothing.
    for run in ["run", "final"] {
        let records = bench.journal(&format!("{out}/{run}"));
        assert_eq!(of_kind(&records, "resumed").count(), 0, "{run}");
        assert_eq!(of_kind(&records, "finished").count(), 1, "{run}");
        assert!(!again.stderr.contains("the final: "), "{}", again.stderr);
    }
    // Their pages lead to each other, also once one of them is written again.
    let lead_to_each_other = || {
        for (run, other) in [("run", "final"), ("final", "run")] {
            let page = bench.path(&format!("{out}/{run}/report.html"));
            let page = std::fs::read_to_string(page).unwrap();
            let link = format!("<a href=\"../{other}/report.html\">");
            assert!(page.contains(&link), "{run}");
        }
    };
    lead_to_each_other();
    let race = format!("{out}/run");
    bench.bakeoff(&["report", race.as_str()]).expect(0);
    lead_to_each_other();
    let finalists = measured(&bench.journal(&format!("{out}/final")));
    assert!((2..=4).contains(&finalists.len()), "{finalists:?}");
    // One that broke off is all that is left to measure.
    std::fs::remove_dir_all(bench.path(&format!("{out}/final"))).unwrap();
    let options = ["--budget", budget, "--out", out.as_str(), "--dry-run"];
    let planned = bench.without_servers(&[&DECIDE[..], &options].concat());
    let planned = planned.expect(0);
    planned
        .says("would go on")
        .says("  final   ")
        .says(" once more, at 120,000 rows, within ");
    assert!(!planned.stdout.contains("  race "), "{}", planned.stdout);
    // Without the note a command was stopped before it had planned the final.
    let note = bench.path(&format!("{out}/final.txt"));
    std::fs::remove_file(&note).unwrap();
    let planned = bench.without_servers(&[&DECIDE[..], &options].concat());
    planned.expect(0).says("would go on").says("  final   ");
    assert!(!note.exists());
    // One that says that there is none is the end of the decision.
    std::fs::write(&note, "none\n").unwrap();
    let planned = bench.without_servers(&[&DECIDE[..], &options].concat());
    planned
        .expect(0)
        .says("has ended: without --dry-run it is printed again");
}
