use bakeoff_report::{growth, html, terminal};
use bakeoff_stats::{Cost, Demand, Grows, Needed, Needs, Prices, Record, Space, Summary};

use super::fixture;

fn scaled() -> Summary {
    fixture::scaled().unwrap()
}

/// A run in which the tables of all designs are large enough to forecast from.
fn scaled_enough() -> Summary {
    let mut records = fixture::scaled_records();
    if let Some(Record::Started(header)) = records.first_mut() {
        for design in &mut header.designs {
            design.unit_rows = None;
        }
    }
    Summary::from_records(&records).unwrap()
}

#[test]
fn forecasts_of_all_designs() {
    insta::assert_snapshot!(growth::render(&scaled(), 4_160_000, 3));
}

/// The run with the bytes that its tables took at most.
fn with_highest_bytes() -> Summary {
    let with_space = |record: Record| {
        let space = match &record {
            Record::Footprint(footprint) => Some(Record::Space(Space {
                design: footprint.design.clone(),
                before_settling: None,
                highest: footprint.file_bytes.or(footprint.engine_bytes),
                looks: 3,
                is_whole: true,
                needs: Needs::default(),
            })),
            _ => None,
        };
        [record].into_iter().chain(space)
    };
    let records: Vec<Record> = { fixture::scaled_records().into_iter() }
        .flat_map(with_space)
        .collect();
    Summary::from_records(&records).unwrap()
}

#[test]
fn yardsticks_are_not_bought() {
    let summary = with_highest_bytes();
    let text = growth::render(&summary, 4_160_000, 3);
    assert!(
        text.contains("To buy, 90%") && text.contains("yardstick"),
        "{text}"
    );
    let json = growth::json(&summary, 4_160_000, 3).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for design in json["designs"].as_array().unwrap() {
        let is_bought = design["storage"]["purchase"].is_object();
        assert_eq!(is_bought, design["design"] != "memory", "{design}");
    }
}

#[test]
fn bytes_beyond_the_range_of_the_tables_say_so() {
    let text = growth::render(&scaled(), 999_999_999_999_999, 3);
    let told = "Beyond their range: 999,999,999,999,999 rows are further from the 120,000";
    assert!(text.contains(told), "{text}");
    let json = growth::json(&scaled(), 999_999_999_999_999, 3).unwrap();
    assert!(json.contains(", beyond their range\""), "{json}");
    let within = growth::render(&scaled(), 4_160_000, 3);
    assert!(!within.contains("eyond their range"), "{within}");
    let one = growth::render(&scaled(), 1, 1);
    let told = "Forecast for 1 row in 1 copy, from 120,000 measured";
    assert!(one.starts_with(told), "{one}");
}

#[test]
fn forecasts_checked_by_the_largest_tables() {
    insta::assert_snapshot!(growth::validate(&scaled()).render());
}

#[test]
fn both_checks_of_a_run_say_what_they_count_and_are_shown_together() {
    let sentence = growth::score(&scaled()).unwrap();
    let told = "Checked in this run, each larger table predicted from all smaller ones: of ";
    assert!(sentence.starts_with(told), "{sentence}");
    let validation = growth::validate(&scaled());
    let text = validation.render();
    assert!(text.starts_with("Only the largest tables, "), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains(&sentence), "{text}");
    let json: serde_json::Value = serde_json::from_str(&validation.json().unwrap()).unwrap();
    assert_eq!(json["all_larger_tables"], sentence);
}

#[test]
fn no_line_is_wider_than_a_hundred_columns() {
    let summary = scaled();
    for text in [
        growth::render(&summary, 4_160_000, 3),
        growth::render(&summary, 99_000_000, 1),
        growth::validate(&summary).render(),
    ] {
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn the_decision_is_made_at_full_scale() {
    insta::assert_snapshot!(
        terminal::render(&scaled_enough(), 100, false)
            .split_once("Verdict")
            .unwrap()
            .1
    );
}

#[test]
fn the_page_has_times_with_intervals_and_what_they_rest_on() {
    let page = html::render(&scaled());
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    let section = page.split("At full scale</h2>").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    assert!(section.contains("5 scales, held-out error "));
    assert!(section.contains("no forecast: 120,000 rows are too few to forecast 4,160,000 from"));
    assert!(section.contains("4,160,000 rows, forecast from tables of up to 120,000."));
    // One table: one sentence.
    let page = html::render(&fixture::summary().unwrap());
    assert!(page.contains("There is no forecast of times, since one table of 120,000 rows"));
}

#[test]
fn many_forecasts_fold_away_by_query() {
    let mut summary = scaled();
    let designs = &mut summary.forecast.as_mut().unwrap().designs;
    let more: Vec<_> = designs.iter().cloned().cycle().take(40).collect();
    designs.extend(more);
    let page = html::render(&summary);
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("<summary>month, with all designs</summary>"));
}

#[test]
fn names_from_outside_are_escaped() {
    let evil = "<script>alert('x')</script>";
    let mut summary = scaled();
    summary.header.queries[0].name = evil.to_owned();
    for design in &mut summary.forecast.as_mut().unwrap().designs {
        design.design += evil;
        if let Some(time) = design.times.first_mut() {
            time.query = evil.to_owned();
        }
    }
    for design in &mut summary.designs {
        design.queries[0].query = evil.to_owned();
    }
    let page = html::render(&summary);
    assert!(!page.contains("<script"));
    assert_eq!(super::html::open_elements(&page), Ok(Vec::new()));
}

#[test]
fn the_figure_at_the_head_of_the_page_says_that_it_is_a_forecast() {
    let page = html::render(&scaled_enough());
    assert!(page.contains("forecast of tone_by_actor, the slowest, over 4,160,000 rows with"));
    let page = html::render(&fixture::summary().unwrap());
    assert!(page.contains("median of tone_by_actor, the slowest, over 120,000 rows with"));
}

#[test]
fn smaller_tables_with_fewer_series_are_told_where_times_are_forecast() {
    let told = |from: u64| {
        let mut summary = scaled_enough();
        summary.header.scale.grows = Some(Grows::RowsFrom { rows: from });
        let text = terminal::render(&summary, 10_000, false);
        text.contains("have not all series that the sample grows to")
    };
    assert!(told(100_000));
    assert!(!told(1), "all tables have them");
}

#[test]
fn the_json_has_figures_and_reasons() {
    let text = growth::json(&scaled(), 4_160_000, 3).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&value["rows"], &value["copies"]),
        (&4_160_000.into(), &3.into())
    );
    let designs = value["designs"].as_array().unwrap();
    let design = |id: &str| designs.iter().find(|d| d["design"] == id).unwrap();
    let zstd = &design("parquet?codec=zstd")["times"][0];
    assert!(zstd["seconds"].as_f64().unwrap() > 0.0);
    assert!(zstd["interval"][0].as_f64() < zstd["seconds"].as_f64());
    let blob = &design("cassandra/blob")["times"][0];
    assert!(blob["seconds"].is_null());
    assert!(
        blob["basis"]
            .as_str()
            .unwrap()
            .contains("too few to forecast")
    );
    assert!(design("memory")["storage"]["bytes"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_check_has_the_figures_that_a_gate_needs() {
    let text = growth::validate(&scaled()).json().unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (part, figures) in [
        ("time", &["median", "p90", "covered"][..]),
        ("bytes", &["median", "max"]),
        ("proportional", &["median", "p90"]),
        ("recommended", &["time_max"]),
    ] {
        for figure in figures {
            assert!(value[part][figure].is_f64(), "{part}.{figure}");
        }
    }
    let median = |part: &str| value[part]["median"].as_f64().unwrap();
    assert!(median("time") < 0.1 && median("bytes") < 0.02);
    assert!(median("proportional") > 3.0 * median("time"));
}

#[test]
fn a_run_without_smaller_tables_or_figures_has_nothing_to_check() {
    for records in [fixture::records(), fixture::records()[..1].to_vec()] {
        let summary = Summary::from_records(&records).unwrap();
        let check = growth::validate(&summary);
        assert!(check.render().starts_with("Nothing to check"));
        let json: serde_json::Value = serde_json::from_str(&check.json().unwrap()).unwrap();
        assert!(json["time"]["median"].is_null());
        let text = growth::render(&summary, 4_160_000, 3);
        assert!(
            text.starts_with("Forecast for 4,160,000 rows in 3 copies"),
            "{text}"
        );
    }
}

#[test]
fn unfinished_runs_have_a_page_at_every_record() {
    let records = fixture::scaled_records();
    for end in (1..records.len()).step_by(311) {
        let summary = Summary::from_records(&records[..end]).unwrap();
        let page = html::render(&summary) + &growth::render(&summary, 4_160_000, 3);
        assert!(!page.contains("NaN") && !page.contains("inf"), "{end}");
    }
}

#[test]
fn several_users_get_what_the_cores_can_do() {
    let summary = fixture::summary().unwrap();
    let text = growth::render_users(&summary.under_load(50, 4, summary.rows));
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with("50 users on 4 cores get about "),
        "{first}"
    );
    assert!(
        first.ends_with(" answers a second (estimated), from parquet?codec=snappy."),
        "{first}"
    );
    assert!(text.contains("With 120,000 rows. Every query"), "{text}");
    assert!(text.contains("without an interval"));
    assert!(!text.contains("cassandra/compact"), "it failed");
    assert!(text.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn several_users_are_forecast_where_their_answers_are() {
    let found = scaled().under_load(50, 4, 4_160_000);
    let unknown: Vec<&str> = found.unknown.iter().map(|d| d.design.as_str()).collect();
    assert_eq!(unknown, ["cassandra/blob"]);
    let text = growth::render_users(&found);
    assert!(text.contains("With 4,160,000 rows."), "{text}");
    let headline = text.split("\n\n").next().unwrap().replace('\n', " ");
    let rest =
        "the best of those with a figure; it is not known whether cassandra/blob would get more.";
    assert!(headline.ends_with(rest), "{text}");
    let told = "cassandra/blob: not known, since scan has no forecast at 4,160,000 rows.";
    assert!(text.contains(told), "{text}");
    let json = growth::users_json(&found).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["rows"], 4_160_000);
    assert_eq!(json["unknown"][0]["design"], "cassandra/blob");
}

/// What the machines of the run are for at full scale, where one design has no forecast.
fn demand(summary: &Summary) -> Demand {
    Demand {
        questions: Some(1.0),
        ..Demand::of_scale(summary, 4)
    }
}

#[test]
fn the_least_number_of_machines_wins_nothing() {
    let summary = scaled();
    let demand = demand(&summary);
    let is_least = |(_, needed): &&(String, Needed)| needed.known().is_some_and(|m| m.is_least);
    let machines = summary.machines(&demand);
    let least: Vec<&String> = machines.iter().filter(is_least).map(|(id, _)| id).collect();
    assert_eq!(least, ["cassandra/blob"]);
    let text = growth::render_machines(&summary, &demand);
    assert!(!text.starts_with("cassandra/blob"), "{text}");
    assert!(text.contains("needs the fewest machines"), "{text}");
    assert!(
        text.contains("\n≥: some question has no forecast"),
        "{text}"
    );
    let table = text.split("\n\n").nth(2).unwrap();
    let last = table.lines().last().unwrap();
    assert!(last.contains("cassandra/blob"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn a_month_that_costs_at_least_so_much_is_not_the_cheapest() {
    let summary = scaled();
    let demand = Demand {
        nodes: Some(3),
        ..demand(&summary)
    };
    let prices = Prices {
        title: "ours".to_owned(),
        currency: "EUR".to_owned(),
        machine_cores: 4,
        machine_month: 100.0,
        storage_gib_month: 0.1,
    };
    let text = growth::render_cost(&summary, &Cost::new(&summary, prices, demand));
    assert!(text.starts_with("parquet?codec=zstd costs least"), "{text}");
    let line = |design: &str| text.lines().find(|line| line.starts_with(design)).unwrap();
    let blob = line(" cassandra/blob");
    assert_eq!(blob.matches('≥').count(), 2, "{text}");
    assert!(blob.ends_with("not known"), "{text}");
    assert!(line(" parquet?codec=zstd").ends_with("enough"), "{text}");
    assert!(text.contains("On 3"), "{text}");
}

#[test]
fn several_users_are_refused_where_no_cpu_time_is_known() {
    let mut summary = fixture::summary().unwrap();
    summary.designs.truncate(1);
    for query in &mut summary.designs[0].queries {
        query.cpu.as_mut().unwrap().server = None;
    }
    let text = growth::render_users(&summary.under_load(50, 4, summary.rows));
    let expected = format!(
        "What several users get is not known of any design.\n\n{}: not known, since the CPU time of {} is not \
         known.\n",
        summary.designs[0].info.id, summary.header.queries[0].name
    );
    assert_eq!(text, expected);
    assert_eq!(growth::validate(&summary).users, None);
}

#[test]
fn bytes_in_proportion_to_the_rows_are_outside_of_no_interval() {
    let summary = fixture::summary().unwrap();
    let mut other = summary.clone();
    other.rows *= 2;
    let (validation, _) = growth::validate_at(&summary, &other).unwrap();
    assert!(!validation.sizes.is_empty());
    for check in &validation.sizes {
        assert_eq!(
            (check.interval, check.is_covered),
            (None, None),
            "{check:?}"
        );
    }
    let text = validation.render();
    assert!(!text.contains("outside") && !text.contains("inf"), "{text}");
}
