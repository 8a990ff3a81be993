//! Tests price lists: the shipped one, and every mistake with its position.

use std::path::Path;

use bakeoff_workload::PriceList;

const GOOD: &str = "\
title = \"Ours\"
currency = \"EUR\"
[machine]
month = 100
cores = 4
[storage]
gib_month = 0.05
";

fn error(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    PriceList::parse(&text, Path::new("p.toml"))
        .unwrap_err()
        .to_string()
}

#[test]
fn the_shipped_list_has_the_published_prices() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../prices/study-2018.toml");
    let prices = PriceList::read(&path).unwrap();
    assert_eq!(
        (prices.currency.as_str(), prices.machine_month),
        ("USD", 616.85)
    );
    let disks = prices.storage_gib_month * 4096.0;
    assert!((disks - 491.52).abs() < 1e-9);
    // Three nodes, as published.
    assert!((3.0 * (prices.machine_month + disks) - 3325.11).abs() < 1e-9);
}

#[test]
fn mistakes_have_line_and_column() {
    assert_eq!(
        error("month = 100", "month = -1"),
        "p.toml:4:9: `month` is -1, but a price has to be 0 or more"
    );
    assert_eq!(
        error("cores = 4", "cores = 0"),
        "p.toml:5:9: `cores` is 0, but has to be from 1 to 4294967295"
    );
    assert_eq!(
        error("gib_month =", "gib_moth ="),
        "p.toml:7:1: unknown key `gib_moth`; did you mean `gib_month`?"
    );
    assert_eq!(
        error("\"EUR\"", "\"\""),
        "p.toml:2:12: `currency` has to be 1 to 8 characters: currency = \"USD\""
    );
    let missing = error("currency = \"EUR\"\n", "");
    assert!(
        missing.contains("the key `currency` is missing"),
        "{missing}"
    );
    assert!(error("0.05", "nan").contains("p.toml:7:13: "));
}
