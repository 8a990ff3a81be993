use bakeoff_report::{html, terminal};
use bakeoff_stats::{READ_LEVEL, Record, Summary};

use super::html::open_elements;
use super::{fixture, paged};

/// Levels at which the designs of [`paged`] are read here: those of one copy take 0.8 and 3.7 of the default's
/// time, the others 1.4 and 0.81.
const LEVELS: [(&str, &str); 4] = [
    ("page=50000", "ONE"),
    ("page=100", "LOCAL_ONE"),
    ("page=1000", "QUORUM"),
    ("page=80000", "QUORUM"),
];

/// Gives designs a level, and the first one an id that chooses it.
fn with_levels(mut records: Vec<Record>) -> Summary {
    let Some(Record::Started(header)) = records.first_mut() else {
        panic!("no header");
    };
    for (setting, level) in LEVELS {
        let mut designs = header.designs.iter_mut();
        let design = designs.find(|design| design.id.ends_with(setting)).unwrap();
        let level = (READ_LEVEL.to_owned(), level.to_owned());
        design.settings.push(level);
    }
    let mut summary = Summary::from_records(&records).unwrap();
    // A design without figures is named by the level alone.
    let narrow = summary
        .designs
        .iter_mut()
        .find(|d| d.info.id == "cassandra/narrow");
    narrow.unwrap().info.id = "cassandra/narrow?consistency=one".to_owned();
    summary
}

/// The section of the page; `None` if it has none.
fn section(summary: &Summary) -> Option<String> {
    let page = html::render(summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page.split("<h2>Fastest by consistency level</h2>").nth(1)?;
    section.split("</section>").next().map(str::to_owned)
}

#[test]
fn the_fastest_design_of_each_level_is_named_for_each_question() {
    let section = section(&with_levels(paged::records())).unwrap();
    let rows: Vec<&str> = section.split("<tr>").skip(2).collect();
    let [one, above] = rows[..] else {
        panic!("{section}");
    };
    assert!(one.contains(">LOCAL_ONE, ONE</th>"), "{one}");
    assert!(above.contains(">above ONE (QUORUM)</th>"), "{above}");
    assert_eq!(
        one.matches(">cassandra/blob?page=50000 at ONE, ").count(),
        5
    );
    assert_eq!(above.matches(">cassandra/blob?page=80000, ").count(), 5);
    assert!(!section.contains("not settled</td>"), "{section}");
}

#[test]
fn what_the_rounds_do_not_show_is_not_settled() {
    let mut records = paged::records();
    records.retain(|record| !matches!(record, Record::Timed(timing) if timing.round > 2));
    let section = section(&with_levels(records)).unwrap();
    assert_eq!(
        section.matches(", not settled</td>").count(),
        10,
        "{section}"
    );
}

#[test]
fn designs_that_take_as_long_are_named_with_the_fastest() {
    let pages = [
        ("50000", 0.8, 1.0),
        ("100", 0.8, 1.0),
        ("1000", 1.4, 1.0),
        ("80000", 0.8, 1.0),
    ];
    let section = section(&with_levels(paged::records_of(&pages))).unwrap();
    assert_eq!(
        section.matches("; the same within 5%: ").count(),
        5,
        "{section}"
    );
}

#[test]
fn the_terminal_has_the_table_of_a_few_questions() {
    let mut summary = with_levels(paged::records());
    let text = terminal::render(&summary, 100, false);
    assert!(
        !text.contains("Fastest by consistency level"),
        "five are too wide"
    );
    summary.header.queries.truncate(2);
    for design in &mut summary.designs {
        design.queries.truncate(2);
    }
    let text = terminal::render(&summary, 100, false);
    let (_, table) = text.split_once("\nFastest by consistency level\n").unwrap();
    let table = table.split("\n\n").next().unwrap();
    for part in ["scan", "above ONE", "page=50000", "page=80000"] {
        assert!(table.contains(part), "{table}");
    }
    assert!(
        table.lines().all(|line| line.chars().count() <= 100),
        "{table}"
    );
}

#[test]
fn a_run_at_one_level_has_no_section() {
    assert_eq!(section(&fixture::summary().unwrap()), None);
    assert_eq!(section(&paged::summary().unwrap()), None);
}
