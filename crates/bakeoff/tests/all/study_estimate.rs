//! How long a study takes at the authors' size, by what its steps took before.

use crate::study::{STUDY, bench};

#[test]
fn a_dry_run_estimates_the_authors_size_by_an_earlier_run_of_the_step() {
    let rounds = "options = [\"--rounds\", \"5\", \"--scales\", \"1\", \"--no-twins\"]\n";
    let full = STUDY.replace(rounds, &format!("{rounds}at_full = [\"--rows\", \"4M\"]\n"));
    let bench = bench(&full);
    let dry = ["study", "s.toml", "--full", "--dry-run"];
    let unknown = "as long as loading and rounds take";
    bench.bakeoff(&dry).expect(0).says(unknown);
    let earlier = ["run", "w.toml", "--rounds", "5", "--out", "runs/s/1-files"];
    bench.bakeoff(&earlier).expect(0);
    let told = bench.bakeoff(&dry).expect(0);
    told.says(", an estimate by runs/s/1-files with 4 rows: ");
    assert!(!told.stdout.contains(unknown), "{}", told.stdout);
}
