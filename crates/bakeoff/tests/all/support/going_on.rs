//! Runs that are killed while they load, and what they have recorded when they have gone on to their end.

use serde_json::{Value, json};

use super::processes::Going;
use super::{Bench, of_kind};

/// Starts a run into the folder `out`, and kills it when a slice is loaded into this design.
#[track_caller]
pub fn kill_while_loading(bench: &Bench, run: &[&str], design: &str) {
    let mut going = Going::start(&mut bench.command(run));
    going.wait_until("a slice was loaded", || {
        let records = bench.journal("out");
        of_kind(&records, "loaded").any(|record| record["design"] == design)
    });
    going.kill();
}

/// Checks that nothing failed, that so many answers have a time, and that all answers are right, those to several
/// clients included.
#[track_caller]
pub fn all_is_right(records: &[Value], timed: usize) {
    assert_eq!(of_kind(records, "failed").next(), None);
    assert_eq!(of_kind(records, "timed").count(), timed);
    let mut answers = of_kind(records, "timed").chain(of_kind(records, "answered"));
    let wrong = answers.find(|record| record["outcome"]["outcome"] != "right");
    assert_eq!(wrong, None);
    let mut asked = of_kind(records, "concurrent");
    assert_eq!(asked.find(|record| record["bad"] != json!([])), None);
}
