use bakeoff_report::drive::slower_disk::SlowerDisk;
use bakeoff_stats::EngineInfo;
use bakeoff_stats::drive::{DriveSummary, NoDiskForecast};

use super::read::{COMPARISON, RATE};

/// Two designs: 528 operations a second that read 2,550 bytes each, and 318 that read 33,000.
fn free() -> DriveSummary {
    COMPARISON.clone()
}

/// The same load on a disk that gives 5 MB/s, with the second design at half of its rate.
fn bounded() -> DriveSummary {
    let mut summary = free();
    summary.engines = vec![EngineInfo {
        engine: "cassandra".to_owned(),
        version: "5.0.9".to_owned(),
        start_seconds: Some(12.0),
        settings: vec![("disk read limit".to_owned(), "5 MB/s".to_owned())],
    }];
    let figures = summary.designs[1].figures.as_mut().unwrap();
    figures.ops_per_second *= 0.5;
    summary
}

#[test]
fn a_slower_disk_bounds_the_design_that_reads_most() {
    let found = SlowerDisk::of(&free(), 5e6).unwrap();
    let bounded: Vec<bool> = { found.designs.iter() }
        .map(|design| design.forecast.is_bounded)
        .collect();
    assert_eq!(bounded, [false, true]);
    let at_most = found.designs[1].forecast.at_most;
    assert!((150.0..153.0).contains(&at_most), "{at_most}");
    let text = found.render();
    assert!(text.starts_with("A disk that gives 5 MB/s bounds 1 of 2 designs.\n"));
    assert!(
        text.contains("At 5 MB/s") && !text.contains("Measured there"),
        "{text}"
    );
}

#[test]
fn the_forecast_is_compared_with_a_bounded_load() {
    let checked = SlowerDisk::checked(&free(), &bounded()).unwrap();
    assert_eq!(
        (checked.bytes_per_second, checked.within_20),
        (5e6, Some(1.0))
    );
    let text = checked.render();
    let headline = "Predicted for a disk that gives 5 MB/s, against a load with one: 2 of 2 designs within \
                    20%.";
    assert!(text.starts_with(headline), "{text}");
    assert!(text.contains("Measured there"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&checked.json().unwrap()).unwrap();
    let design = &json["designs"][1];
    assert_eq!(design["is_bounded"], true);
    assert!(design["bounded"]["error"].as_f64().unwrap() < 0.2);
    for line in checked.render().lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn a_forecast_that_is_far_off_is_not_near() {
    let mut far = bounded();
    far.designs[0].figures.as_mut().unwrap().ops_per_second *= 0.7;
    let checked = SlowerDisk::checked(&free(), &far).unwrap();
    assert_eq!(checked.within_20, Some(0.5));
}

#[test]
fn loads_that_were_not_bounded_or_at_a_rate_are_refused() {
    let refused = SlowerDisk::checked(&free(), &free());
    assert_eq!(refused, Err(NoDiskForecast::NotBounded));
    let refused = SlowerDisk::of(&RATE, 5e6);
    assert_eq!(refused, Err(NoDiskForecast::NotAsFastAsItGoes));
}
