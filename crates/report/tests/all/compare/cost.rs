use bakeoff_report::{html, json, terminal};
use bakeoff_stats::per_node::Wanted;
use bakeoff_stats::{Prices, Summary};

use super::concurrent::{turns, with};
use super::fixture;

fn priced() -> Summary {
    fixture::summary().unwrap().priced(Prices {
        title: "Prices of <ours>".to_owned(),
        currency: "EUR".to_owned(),
        machine_cores: 8,
        machine_month: 616.85,
        storage_gib_month: 0.12,
    })
}

#[test]
fn the_terminal_has_designs_and_for_each_query_the_cheapest_and_the_dearest() {
    for width in [60, 80, 120] {
        let text = terminal::render(&priced(), width, false);
        assert!(
            text.lines().all(|line| line.chars().count() <= width),
            "{width}: {text}"
        );
    }
    let text = terminal::render(&priced(), 140, false);
    let section = text.split("Cost (forecast)").nth(1).unwrap();
    let words: Vec<&str> = section.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("616.85 EUR a month for a machine of 8 cores"));
    assert!(words.contains("Estimated for 3 copies of 4,160,000 rows and without rates"));
    assert!(section.contains("Machines"));
    assert!(section.contains("1 M inserts, EUR"));
    let scan = section
        .lines()
        .find(|line| line.starts_with(" scan"))
        .unwrap();
    let at = |design| scan.find(design).unwrap_or_else(|| panic!("{scan}"));
    assert!(at("parquet?codec=snappy") < at("cassandra/narrow?compressor=Deflate"));
    // A yardstick is no choice.
    assert!(!section.contains("memory  "));
}

#[test]
fn the_page_and_the_json_have_them_too_and_without_prices_nothing() {
    let page = html::render(&priced());
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("Prices of &lt;ours&gt;"));
    let of = |summary: &Summary| {
        let json = json::render(summary, &fixture::records()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        value["summary"]["cost"].clone()
    };
    let cost = of(&priced());
    assert_eq!(cost["designs"][0]["machines"]["machines"]["count"], 3);
    let summary = fixture::summary().unwrap();
    assert!(of(&summary).is_null());
    assert!(!html::render(&summary).contains("Cost (forecast)"));
    assert!(!terminal::render(&summary, 100, false).contains("Cost (forecast)"));
}

#[test]
fn answers_of_several_clients_are_divided_by_nodes() {
    let summary = Summary::from_records(&with(turns())).unwrap();
    assert!(!terminal::render(&summary, 140, false).contains("Nodes and money"));
    let wanted = Wanted {
        prices: None,
        need: Some(1_000.0),
    };
    let summary = summary.per_node(&wanted, &[]);
    let text = terminal::render(&summary, 140, false);
    let section = text.split("Nodes and money").nth(1).unwrap();
    // Four clients by 0.1 s for an answer, and by twice as much.
    let words: Vec<&str> = section.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("1 k answers/s take the fewest nodes with cassandra/blob"));
    let nodes = |design: &str| {
        let rates = &summary.per_node.as_ref().unwrap().rates;
        let rate = rates.iter().find(|rate| rate.design == design).unwrap();
        rate.needed.unwrap().nodes
    };
    assert_eq!([nodes("cassandra/blob"), nodes("cassandra/wide")], [26, 51]);
    let page = html::render(&summary);
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("Nodes for 1 k/s"));
}
