use bakeoff_report::drive::disk_for_reads::DiskForRate;
use bakeoff_stats::drive::{DriveSummary, NoDiskForecast};

use super::read::{COMPARISON, PASSES};

/// Two designs, half of whose operations are reads: of 5,100 bytes from the disk each, and of 66,000.
fn load() -> DriveSummary {
    let mut summary = COMPARISON.clone();
    let compression = "{'class': 'LZ4Compressor', 'chunk_length_in_kb': 64}".to_owned();
    let setting = ("compression".to_owned(), compression);
    summary.designs[1].info.settings.push(setting);
    summary
}

#[test]
fn a_rate_of_reads_needs_what_each_read_from_the_disk() {
    let found = DiskForRate::of(&load(), 10_000.0).unwrap();
    let text = found.render();
    assert!(
        text.starts_with("10.0 k reads a second need about ") && text.contains("by design"),
        "{text}"
    );
    assert!(text.contains("Estimates, without an interval"), "{text}");
    // Of the first design no chunks are known.
    assert!(text.contains('–') && text.contains("625 MiB/s"), "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let json: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
    assert_eq!(json["reads_per_second"], 10_000.0);
    let design = &json["designs"][1];
    let each = design["read_per_read"].as_f64().unwrap();
    assert!((60_000.0..72_000.0).contains(&each), "{each}");
    let needed = design["bytes_per_second"].as_f64().unwrap();
    assert!((needed / each - 10_000.0).abs() < 1e-3, "{needed}");
    assert_eq!(design["chunks_per_second"], 655_360_000.0);
}

#[test]
fn passes_show_nothing_about_a_rate_of_reads() {
    assert!(DiskForRate::of(&PASSES, 1.0).is_err());
    let mut writes = load();
    for operation in &mut writes.header.operations {
        operation.writes = true;
    }
    assert_eq!(DiskForRate::of(&writes, 1.0), Err(NoDiskForecast::NoReads));
}
