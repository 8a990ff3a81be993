//! What servers were asked around each load, in its page.

use bakeoff_report::drive::html::render;
use bakeoff_stats::drive::DriveSummary;
use bakeoff_stats::{MethodSamples, Profile};

use super::fixture::DESIGNS;
use super::read::COMPARISON;
use crate::compare::html::open_elements;

#[test]
fn read_repairs_and_the_methods_that_servers_ran_are_told() {
    let mut summary: DriveSummary = COMPARISON.clone();
    let page = render(&summary);
    assert!(!page.contains("read repairs") && !page.contains("Hottest methods"));
    let [first, second] = [0, 1].map(|place| DESIGNS[place].to_owned());
    let file = "profiles/3-first.folded".to_owned();
    summary.profiles.push(Profile {
        design: first.clone(),
        trial: Some(3),
        seconds: 20.0,
        samples: 8,
        methods: vec![MethodSamples {
            method: "org.example.Hot.run".to_owned(),
            ran: 6,
            within: 8,
        }],
        file,
    });
    summary.read_repairs.insert(first, 1234);
    summary.read_repairs.insert(second, 0);
    let page = render(&summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("org.example.Hot.run</th><td class=\"number\">75.0%</td>"));
    assert!(page.contains("Recording ran during the loads"));
    assert!(page.contains("profiles/3-first.folded"));
    assert!(page.contains("read repairs, over all loads: "));
    assert!(page.contains("1,234 reads of ") && page.contains("no read of "));
}
