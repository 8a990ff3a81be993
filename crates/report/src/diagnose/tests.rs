use bakeoff_stats::diagnose::{NotChecked, Observed, Unit};

use super::*;

fn check(rule: &'static str, outcome: Outcome) -> Check {
    Check {
        rule,
        about: "shop.orders".to_owned(),
        outcome,
    }
}

fn finding(urgency: Urgency, designs: &[&str]) -> Outcome {
    Outcome::Finding(Finding {
        urgency,
        says: "there is a huge partition".to_owned(),
        evidence: vec![Observed::of(
            "10.0.0.1:9042",
            "largest partition",
            300.0 * (1 << 20) as f64,
            Unit::Bytes,
        )],
        threshold: "a partition above 100 MiB",
        source: "somebody",
        meaning: "reads of it take long".to_owned(),
        designs: designs.iter().map(|id| (*id).to_owned()).collect(),
    })
}

fn not_checked() -> Outcome {
    Outcome::NotChecked(NotChecked {
        reason: "no node shows it".to_owned(),
        brings: Some("--nodetool 'ssh {host} nodetool'"),
    })
}

fn some() -> Diagnosis {
    let designs = ["cassandra/wide", "cassandra/wide?bucket=1d"];
    Diagnosis {
        checks: vec![
            check("partition-size", finding(Urgency::Now, &designs)),
            check(
                "chunk-length",
                finding(Urgency::Now, &["cassandra/wide?chunk=4KiB"]),
            ),
            check("heap", finding(Urgency::Soon, &[])),
            check("tombstones", Outcome::Healthy),
            check("sstable-count", not_checked()),
            check("compression-ratio", not_checked()),
        ],
    }
}

#[test]
fn the_first_line_answers() {
    let text = render(&some(), 0, 100);
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        "2 things to do now, 1 soon; 2 of 6 checks could not be made"
    );
    let healthy = Diagnosis {
        checks: vec![check("tombstones", Outcome::Healthy)],
    };
    assert_eq!(render(&healthy, 0, 100), "nothing found in 1 check");
    let unknown = Diagnosis {
        checks: vec![check("tombstones", not_checked())],
    };
    assert_eq!(
        headline(&unknown),
        "nothing found in 0 checks; 1 of 1 checks could not be made"
    );
    let later = Diagnosis {
        checks: vec![check("heap", finding(Urgency::Sometime, &[]))],
    };
    assert_eq!(headline(&later), "1 thing to do sometime");
}

#[test]
fn a_finding_has_its_figures_threshold_source_and_command() {
    let text = render(&some(), 0, 100);
    for line in [
        "  shop.orders: there is a huge partition (partition-size)",
        "    seen      10.0.0.1:9042 largest partition: 300 MiB",
        "    threshold a partition above 100 MiB; by: somebody",
        "    means     reads of it take long",
        "    designs   that would show it: cassandra/wide, cassandra/wide?bucket=1d",
        "    measure   bakeoff run mine.toml --designs 'cassandra/wide,cassandra/wide?bucket=1d'",
        "    measure   bakeoff drive mine.toml --designs 'cassandra/wide?chunk=4KiB' --in-flight 32 --rounds 7",
    ] {
        assert!(
            text.lines().any(|l| l == line),
            "`{line}` is not in\n{text}"
        );
    }
    let order = ["\nNow\n", "\nSoon\n", "\nCould not be checked\n"];
    let places: Vec<usize> = order
        .iter()
        .map(|title| text.find(title).unwrap())
        .collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn checks_that_lack_the_same_are_one_line() {
    let text = render(&some(), 3, 200);
    let line = "  sstable-count, compression-ratio of shop.orders: no node shows it; what brings it: \
                --nodetool 'ssh {host} nodetool'";
    assert!(text.contains(line), "{text}");
    let left_out = "3 smaller tables were not looked at: name them instead of --cluster";
    assert!(text.ends_with(left_out), "{text}");
}

#[test]
fn tables_that_lack_the_same_checks_are_counted() {
    let of = |table: &str, rule| Check {
        about: table.to_owned(),
        ..check(rule, not_checked())
    };
    let mut checks = Vec::new();
    for table in ["a.a", "a.b", "a.c", "a.d"] {
        checks.push(of(table, "sstable-count"));
        checks.push(of(table, "compression-ratio"));
    }
    checks.push(of("a.e", "sstable-count"));
    let text = render(&Diagnosis { checks }, 0, 200);
    let lines: Vec<&str> = text.lines().skip(3).collect();
    let [all, one] = lines[..] else {
        panic!("{text}");
    };
    assert!(
        all.starts_with("  sstable-count, compression-ratio of 4 tables: "),
        "{all}"
    );
    assert!(one.starts_with("  sstable-count of a.e: "), "{one}");
}

#[test]
fn json_has_every_check_with_its_outcome() {
    let json = json(&some(), 3).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["checks"].as_array().unwrap().len(), 6);
    let first = &json["checks"][0];
    assert_eq!(first["rule"], "partition-size");
    assert_eq!(first["outcome"], "finding");
    assert_eq!(first["urgency"], "now");
    assert_eq!(first["evidence"][0]["node"], "10.0.0.1:9042");
    assert!(
        first["command"]
            .as_str()
            .unwrap()
            .starts_with("bakeoff run ")
    );
    assert_eq!(json["checks"][3]["outcome"], "healthy");
    let not = &json["checks"][4];
    assert_eq!(not["outcome"], "not_checked");
    assert_eq!(not["reason"], "no node shows it");
    assert_eq!(json["tables_left_out"], 3);
}
