use bakeoff_report::{html, terminal};
use bakeoff_stats::{Planned, QueryPlan, Record, Summary};

use super::fixture;
use super::html::open_elements;

/// The fixture's run, of whose first two designs a plan of the first query was asked for.
fn with_plans() -> Summary {
    let mut records = fixture::records();
    let Record::Started(header) = &records[0] else {
        panic!("no header");
    };
    let query = header.queries[0].name.clone();
    let ids = [0, 1].map(|place| header.designs[place].id.clone());
    let plans = [
        QueryPlan::told("DataFusion", "Aggregate\n  CassandraScan: cql=[SELECT <b>]"),
        QueryPlan::Unknown {
            reason: "the server is <gone>".to_owned(),
        },
    ];
    for (design, plan) in ids.into_iter().zip(plans) {
        records.push(Record::Planned(Planned {
            design,
            query: query.clone(),
            plan,
        }));
    }
    Summary::from_records(&records).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_page_has_the_plans_of_each_query_folded_away() {
    let page = html::render(&with_plans());
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page.split("<h2>Plans</h2>").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    assert_eq!(section.matches("<details>").count(), 1);
    let plan = "<pre>Aggregate\n  CassandraScan: cql=[SELECT &lt;b&gt;]</pre>";
    assert!(section.contains(plan), "{section}");
    assert!(section.contains(": plan of DataFusion</p>"), "{section}");
    let none = ": no plan: the server is &lt;gone&gt;</p>";
    assert!(section.contains(none), "{section}");
}

#[test]
fn plans_of_several_nodes_have_a_table_of_what_they_ask() {
    let heading = "<h2>Nodes and partitions asked</h2>";
    let mut summary = with_plans();
    assert!(
        !html::render(&summary).contains(heading),
        "it says nothing of nodes"
    );
    let text = "Union\n  CassandraScan: cql=[SELECT <b>], partitions=4, nodes=2 of 3\n  \
                CassandraScan: cql=[SELECT <b>], full scan, token ranges=9, nodes=3 of 3, by index of=b";
    summary.plans[0].plan = QueryPlan::told("DataFusion", text);
    let page = html::render(&summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let section = page.split(heading).nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    let cell = ">4 partitions, 2 of 3 nodes; index of all partitions, 3 of 3 nodes<";
    assert!(section.contains(cell), "{section}");
    // The other design has no plan.
    assert_eq!(section.matches("<th scope=\"row\"").count(), 1, "{section}");
}

#[test]
fn the_terminal_has_them_if_they_are_asked_for() {
    let summary = with_plans();
    let text = terminal::render_plans(&summary, 100, false);
    assert!(text.starts_with("Plans\n"), "{text}");
    let plan = ": plan of DataFusion\n  Aggregate\n    CassandraScan: cql=[SELECT <b>]\n";
    assert!(text.contains(plan), "{text}");
    assert!(text.contains(": no plan: the server is <gone>"), "{text}");
    assert!(!terminal::render(&summary, 100, false).contains("CassandraScan: cql="));
}

#[test]
fn a_terminal_gets_no_control_characters_of_a_journal() {
    let mut summary = with_plans();
    summary.plans[0].plan = QueryPlan::Known {
        by: "Data\u{1b}Fusion".to_owned(),
        text: "\u{1b}[2JScan".to_owned(),
        is_cut: false,
    };
    summary.plans[1].plan = QueryPlan::Unknown {
        reason: "gone\u{1b}]0;x\u{7}".to_owned(),
    };
    let text = terminal::render_plans(&summary, 100, false);
    assert!(text.contains(": plan of DataFusion\n  [2JScan\n"), "{text}");
    assert!(text.contains(": no plan: gone]0;x"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text}");
    assert!(!html::render(&summary).contains('\u{1b}'));
}

#[test]
fn a_run_without_plans_says_so() {
    let summary = fixture::summary().unwrap();
    assert!(!html::render(&summary).contains("<h2>Plans</h2>"));
    let text = terminal::render_plans(&summary, 100, false);
    assert!(text.contains("This run recorded no plans"), "{text}");
}

#[test]
fn the_latest_plan_counts_and_an_unknown_query_is_an_error() {
    let mut records = fixture::records();
    let Record::Started(header) = &records[0] else {
        panic!("no header");
    };
    let (design, query) = (header.designs[0].id.clone(), header.queries[0].name.clone());
    let planned = |query: &str, text: &str| {
        Record::Planned(Planned {
            design: design.clone(),
            query: query.to_owned(),
            plan: QueryPlan::told("DuckDB", text),
        })
    };
    records.push(planned(&query, "first"));
    records.push(planned(&query, "second"));
    let summary = Summary::from_records(&records).unwrap();
    let plans: Vec<&QueryPlan> = summary.plans.iter().map(|planned| &planned.plan).collect();
    assert_eq!(plans, [&QueryPlan::told("DuckDB", "second")]);
    records.push(planned("nobody asked", "third"));
    assert!(Summary::from_records(&records).is_err());
}
