//! What servers did while a run loaded, settled and asked designs, on the page.

use bakeoff_report::html;
use bakeoff_stats::{During, Record, SampleAt, ServerSample, ServerWindow, Summary};

use super::fixture;

fn window(during: During, seconds: f64, cpu: f64) -> Record {
    let sample = |seconds, cpu| SampleAt {
        seconds,
        server: ServerSample {
            cpu_seconds: Some(cpu),
            ..ServerSample::default()
        },
    };
    Record::Server(ServerWindow {
        design: "cassandra/wide".to_owned(),
        during,
        began_at_ns: 0,
        seconds,
        samples: vec![sample(0.0, cpu), sample(seconds, cpu + 1.0)],
    })
}

/// The fixture's run, with these records behind those of its loading.
fn summary(windows: impl IntoIterator<Item = Record>) -> Summary {
    let mut records = fixture::records();
    records.extend(windows);
    Summary::from_records(&records).unwrap()
}

#[test]
fn a_design_has_what_its_server_did_below_what_the_client_saw() {
    let load = |slice| During::Load { slice, rows: 1_000 };
    let answer = During::Answer {
        query: "q".to_owned(),
        round: 0,
    };
    let page = html::render(&summary([
        window(load(0), 2.0, 0.0),
        window(load(1), 3.0, 7.0),
        window(During::Settle, 4.0, 9.0),
        window(answer, 1.5, 20.0),
    ]));
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    let (_, section) = page.split_once("<h2>What servers did</h2>").unwrap();
    let section = section.split("</section>").next().unwrap();
    let parts = "From second 0: loading; 5: settling; 9: answers of the rounds.";
    assert!(section.contains(parts), "{section}");
    let at = |words: &str| {
        section
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {section}"))
    };
    assert!(at("Rows a second, by the client") < at("Time of an answer, by the client"));
    assert!(at("Time of an answer, by the client") < at("Server CPU, cores in use"));
    assert!(!section.contains("Server disk"));
    assert!(section.contains("seconds of sampled steps, end to end"));
}

#[test]
fn a_run_without_samples_has_no_such_section_and_what_is_loaded_anew_begins_anew() {
    let without = html::render(&fixture::summary().unwrap());
    assert!(!without.contains("What servers did"));
    let anew = Record::Created {
        design: "cassandra/wide".to_owned(),
    };
    let load = During::Load { slice: 0, rows: 9 };
    let again = summary([window(load, 2.0, 0.0), anew]);
    assert!(again.server.is_empty());
}

#[test]
fn the_servers_of_several_designs_are_drawn_over_each_other() {
    let of_another = |record| match record {
        Record::Server(window) => Record::Server(ServerWindow {
            design: "cassandra/blob".to_owned(),
            ..window
        }),
        other => other,
    };
    let load = || During::Load {
        slice: 0,
        rows: 1_000,
    };
    let one = window(load(), 2.0, 0.0);
    let page = html::render(&summary([one, of_another(window(load(), 5.0, 3.0))]));
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    let (_, together) = page
        .split_once("designs on one time axis</summary>")
        .unwrap();
    let (together, _) = together.split_once("</details>").unwrap();
    for words in [
        "cassandra/wide</li>",
        "cassandra/blob</li>",
        "Rows a second, by the client",
        "Server CPU, cores in use",
        "seconds of a design's sampled steps, end to end",
    ] {
        assert!(together.contains(words), "{words}: {together}");
    }
    assert!(
        !html::render(&summary([window(load(), 2.0, 0.0)])).contains("designs on one time axis")
    );
}
