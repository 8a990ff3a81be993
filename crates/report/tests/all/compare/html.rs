use bakeoff_report::html::{render, render_so_far};
use bakeoff_stats::{CpuSeconds, Record, Summary};

use super::fixture;

fn page() -> String {
    render(&fixture::summary().unwrap())
}

/// The elements that are open at the end, or the first wrong end tag.
pub fn open_elements(html: &str) -> Result<Vec<&str>, String> {
    const VOID: [&str; 4] = ["meta", "br", "wbr", "!doctype"];
    let mut open = Vec::new();
    for tag in html
        .split('<')
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap_or(""))
    {
        let name = tag.split_whitespace().next().unwrap_or("");
        match name.strip_prefix('/') {
            Some(end) if open.pop() != Some(end) => return Err(format!("</{end}>")),
            Some(_) => {}
            None if tag.ends_with('/') || VOID.contains(&name) => {}
            None => open.push(name),
        }
    }
    Ok(open)
}

#[test]
fn elements_are_closed_in_order() {
    assert_eq!(open_elements(&page()), Ok(Vec::new()));
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    let page = page();
    for forbidden in [
        "http://", "https://", "<script", "<link", "<img", "@import", "url(", "src=",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn every_failure_and_note_is_told() {
    let (page, summary) = (page(), fixture::summary().unwrap());
    let failures: Vec<_> = summary.designs.iter().flat_map(|d| &d.failures).collect();
    assert_eq!(failures.len(), 2);
    assert!(failures.iter().all(|f| page.contains(&f.reason)));
    assert!(summary.warnings.iter().all(|w| page.contains(w)));
    assert!(page.contains("19 rows share their key"));
}

#[test]
fn what_an_engine_is_asked_instead_is_shown() {
    let mut summary = fixture::summary().unwrap();
    let text = "SELECT (array_agg(a ORDER BY b DESC))[1] FROM t WHERE c < 1".to_owned();
    let query = &mut summary.header.queries[0];
    query.engine_sql.insert("postgres".to_owned(), text);
    let page = render(&summary);
    let shown = "<p>Asked of postgres:</p>\n<pre>SELECT (array_agg(a ORDER BY b DESC))[1] FROM t WHERE c &lt; 1</pre>";
    assert!(page.contains(shown));
    assert_eq!(open_elements(&page), Ok(Vec::new()));
}

#[test]
fn compression_that_gains_nothing_is_told_with_the_memory_that_it_takes_at_full_scale() {
    let mut summary = fixture::summary().unwrap();
    // 1 MiB for 120,000 rows, of 4,160,000 with three copies.
    let memory = "<dt>memory for compression metadata at full scale</dt><dd>104 MiB on all nodes, for 3 copies";
    let page = render(&summary);
    assert!(page.contains(memory) && !page.contains("compression gains next to nothing"));
    let stored = summary
        .designs
        .iter_mut()
        .find(|d| d.info.id == "cassandra/narrow");
    let footprint = stored.unwrap().footprint.as_mut().unwrap();
    footprint.compression_ratio = Some(0.953);
    let note = "compression gains next to nothing in cassandra/narrow (to 95.3%)";
    assert!(render(&summary).contains(note));
}

#[test]
fn what_a_server_tells_of_tables_has_a_table() {
    let heading = "Tables by the server&#39;s own account";
    let mut summary = fixture::summary().unwrap();
    let page = render(&summary);
    let (_, table) = page.split_once(heading).unwrap();
    let table = table.split("</section>").next().unwrap();
    let (_, narrow) = table.split_once(">cassandra/<wbr>narrow<").unwrap();
    let narrow = narrow.split("</tr>").next().unwrap();
    // No read has a time.
    let cells = [
        ">at rest<",
        ">2<",
        ">3.00 MiB<",
        ">120,000<",
        ">18.0 µs<",
        ">–<",
    ];
    for cell in cells {
        assert!(narrow.contains(cell), "{cell} in {narrow}");
    }
    assert!(!table.contains("parquet"), "it has no server");
    for footprint in { summary.designs.iter_mut() }.filter_map(|d| d.footprint.as_mut()) {
        footprint.statistics = None;
    }
    assert!(!render(&summary).contains(heading));
}

#[test]
fn storage_is_shown_against_the_geometric_mean_of_the_queries() {
    let (page, summary) = (page(), fixture::summary().unwrap());
    let (_, chart) = page.split_once("<h2>Storage against speed</h2>").unwrap();
    let (_, named) = chart.split_once("Speed is the geometric mean of ").unwrap();
    let (named, _) = named.split_once(". ").unwrap();
    let names: Vec<&str> = named.split(", ").collect();
    assert!(names.len() > 1, "{names:?}");
    assert!(chart.contains(&format!(
        "second, {} queries, their geometric mean →",
        names.len()
    )));
    let narrow = summary.design("cassandra/narrow").unwrap();
    let seconds = |name: &&str| narrow.query(name).unwrap().time.unwrap().median;
    let product: f64 = names.iter().map(seconds).product();
    let mean = product.powf(1.0 / names.len() as f64);
    let rate = bakeoff_report::units::rate(summary.rows as f64 / mean);
    let (_, narrow) = chart.split_once("cassandra/narrow: ").unwrap();
    let (narrow, _) = narrow.split_once(" rows/s.").unwrap();
    assert!(narrow.ends_with(&format!(", {rate}")), "{narrow}: {rate}");
}

#[test]
fn storage_is_not_shown_against_what_a_design_answers_from_metadata() {
    let named = |records: &[Record]| -> Vec<String> {
        let page = render(&Summary::from_records(records).unwrap());
        let (_, chart) = page.split_once("<h2>Storage against speed</h2>").unwrap();
        let (_, named) = chart.split_once("Speed is the geometric mean of ").unwrap();
        let (named, _) = named.split_once(". ").unwrap();
        named.split(", ").map(str::to_owned).collect()
    };
    // A query that reads no table has no count of rows, and one whose rows are all skipped has a count of none.
    for counted in [None, Some(0)] {
        let mut records = fixture::records();
        let before = named(&records);
        for record in &mut records {
            if let Record::Timed(timing) = record
                && timing.design == "cassandra/narrow"
                && timing.query == before[0]
            {
                timing.rows_scanned = counted;
            }
        }
        assert_eq!(named(&records), before[1..], "{counted:?}");
    }
}

#[test]
fn cpu_time_tells_what_is_scanned_with_it_and_what_waits() {
    let (page, summary) = (page(), fixture::summary().unwrap());
    let (_, section) = page.split_once("<h2>Time and CPU</h2>").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    // Client and server use 1.4 cores, and an engine without a server 1.8.
    assert!(
        section.contains("<small>1.4 of 2 cores</small>"),
        "{section}"
    );
    assert!(section.contains("<small>1.8 of 2 cores, CPU-bound</small>"));
    assert!(!section.contains("waits</small>"));
    let narrow = summary.design("cassandra/narrow").unwrap();
    let query = narrow.queries.iter().find(|q| q.time.is_some()).unwrap();
    let cpu = query.cpu.unwrap();
    let (client, server) = (cpu.client, cpu.server.unwrap());
    let rate = bakeoff_report::units::rate(query.rows_scanned.unwrap() / (client + server));
    assert!(
        section.contains(&format!("<small>{rate} rows/core-s</small>")),
        "{rate}"
    );
}

#[test]
fn of_cpu_time_that_the_clock_hardly_saw_nothing_is_concluded() {
    // One tick of 10 ms for each answer, and none of the server.
    let ticks = |cpu: CpuSeconds| CpuSeconds {
        client: 0.01,
        server: cpu.server.map(|_| 0.0),
        in_ticks: false,
    };
    let mut records = fixture::records();
    for record in &mut records {
        match record {
            Record::Timed(timing) => timing.cpu = ticks(timing.cpu),
            Record::Loaded(slice) => slice.cpu = ticks(slice.cpu),
            _ => {}
        }
    }
    let page = render(&Summary::from_records(&records).unwrap());
    let (_, section) = page.split_once("<h2>Time and CPU</h2>").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    assert!(section.contains("<small>client 100%</small>"), "{section}");
    for figure in [" of 2 cores", " rows/core-s<"] {
        assert!(!section.contains(figure), "{section}");
    }
}

#[test]
fn cpu_time_that_the_cores_cannot_have_spent_is_not_known() {
    let mut records = fixture::records();
    for record in &mut records {
        if let Record::Timed(timing) = record
            && timing.design == "parquet?codec=snappy"
        {
            timing.cpu.client = 5.6 * timing.seconds;
        }
    }
    let page = render(&Summary::from_records(&records).unwrap());
    let (_, section) = page.split_once("<h2>Time and CPU</h2>").unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    // A cell for each query of that design, and figures for all others.
    assert_eq!(section.matches(">not known<").count(), 5, "{section}");
    assert!(section.contains("<small>1.8 of 2 cores, CPU-bound</small>"));
}

#[test]
fn what_is_not_settled_is_marked_everywhere_and_twins_are_told() {
    let page = page();
    let map = page.split_once("class=\"heat-map\"").unwrap().1;
    let map = map.split_once("</table>").unwrap().0;
    assert!(map.contains("<b>best ?</b>") && map.contains("1.04× ?"));
    assert!(page.contains("<small>1.04× ?</small>"));
    assert!(page.contains("<small>653× (532–778)</small>"));
    assert!(
        page.contains(
            "Twins differed by up to 3.1%. Smallest difference that one question shows: "
        )
    );
}

#[test]
fn without_twins_the_floor_is_unknown() {
    let mut records = fixture::records();
    let is_twin = |design: &str| design.ends_with("#twin");
    records.retain(|record| match record {
        Record::Instances { .. } | Record::Axes(_) => false,
        Record::Created { design } | Record::Settled { design, .. } => !is_twin(design),
        Record::Loaded(slice) => !is_twin(&slice.design),
        Record::Footprint(footprint) => !is_twin(&footprint.design),
        Record::Answered(answered) => !is_twin(&answered.design),
        Record::Timed(timing) => !is_twin(&timing.design),
        _ => true,
    });
    let summary = Summary::from_records(&records).unwrap();
    assert_eq!(summary.comparison.twins, None);
    assert!(render(&summary).contains("Floor unknown: no twin"));
}

#[test]
fn three_rounds_promise_no_95_percent() {
    let mut records = fixture::records();
    records.retain(|record| !matches!(record, Record::Timed(timing) if timing.round > 2));
    let summary = Summary::from_records(&records).unwrap();
    let page = render(&summary);
    assert!(page.contains("Under each time: its 75% interval"));
    assert!(page.contains("3 rounds cannot show a difference, at least 5 are needed"));
    assert!(!page.contains("ms · best<") && page.contains("ms · best ?"));
}

#[test]
fn charts_have_alternatives_with_the_figures() {
    let page = page();
    let charts: Vec<&str> = page.split("<svg ").skip(1).collect();
    // Two sizes of the scatter, five queries, storage, loading.
    assert_eq!(charts.len(), 9);
    for chart in charts {
        assert!(chart.starts_with("role=\"img\""));
        assert!(chart.contains("<title>") && chart.contains("<desc>"));
    }
    assert!(page.contains("parquet?codec=zstd: 3.14 ms · 1.04× ?."));
    assert!(page.contains("cassandra/wide?compressor=Deflate: wrong."));
}

#[test]
fn every_setting_version_statement_and_published_figure_is_there() {
    let page = page();
    let expected = [
        "cassandra 5.0.4",
        "DataFusion 55.2.0",
        "DeflateCompressor",
        "PRIMARY KEY (monthyear, globaleventid)",
        "Intel Xeon Platinum 8481C",
        "2,091 rows/s",
        "--budget 3m",
        "seed = 1979",
        "412 MiB",
    ];
    for text in expected {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn text_from_outside_is_escaped() {
    let evil = "<script>alert('x')</script>\"&";
    let mut summary = fixture::summary().unwrap();
    let header = &mut summary.header;
    for text in [
        &mut header.title,
        &mut header.command,
        &mut header.workload_text,
        &mut header.data,
        &mut header.machine.cpu,
        &mut header.published[0].figure,
        &mut header.published_notes[0],
        &mut header.queries[0].sql,
    ] {
        *text = evil.to_owned();
    }
    rename_query(&mut summary, evil);
    summary.warnings.push(evil.to_owned());
    summary.engines[0].version = evil.to_owned();
    for design in &mut summary.designs {
        design.info.id = format!("cassandra/{evil}");
        design.info.engine = evil.to_owned();
        design.info.statements.push(evil.to_owned());
        design
            .failures
            .iter_mut()
            .for_each(|f| f.reason = evil.to_owned());
    }
    let page = render(&summary);
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
    assert_eq!(open_elements(&page), Ok(Vec::new()));
}

fn rename_query(summary: &mut Summary, name: &str) {
    let old = std::mem::replace(&mut summary.header.queries[0].name, name.to_owned());
    summary
        .designs
        .iter_mut()
        .for_each(|d| d.queries[0].query = name.to_owned());
    let forecast = summary.forecast.as_mut().unwrap();
    for time in forecast.designs.iter_mut().flat_map(|d| &mut d.times) {
        if time.query == old {
            time.query = name.to_owned();
        }
    }
}

#[test]
fn unfinished_runs_have_a_page_at_every_record() {
    let records = fixture::records();
    for end in (1..records.len()).step_by(7) {
        let page = render(&Summary::from_records(&records[..end]).unwrap());
        assert_eq!(open_elements(&page), Ok(Vec::new()), "{end}");
        assert!(!page.contains("NaN") && !page.contains("inf"), "{end}");
    }
}

#[test]
fn a_page_of_a_run_that_goes_on_loads_itself_and_says_how_far_it_came() {
    let unfinished = Summary {
        finished: false,
        ..fixture::summary().unwrap()
    };
    let page = render_so_far(&unfinished);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("<meta http-equiv=\"refresh\" content=\"5\">"));
    let rounds = format!("{} of {} rounds;", unfinished.rounds, unfinished.rounds);
    assert!(
        page.contains("Measured so far: ") && page.contains(&rounds),
        "{rounds}"
    );
    let stays = render(&unfinished);
    assert!(!stays.contains("http-equiv") && !stays.contains("so far:"));
    assert!(stays.contains("has not finished") && !page.contains("has not finished"));
}

#[test]
fn a_run_that_has_only_begun_has_a_page() {
    let header = fixture::summary().unwrap().header;
    let begun = Summary::from_records(&[Record::Started(Box::new(header))]).unwrap();
    let page = render_so_far(&begun);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    assert!(page.contains("Measured so far: no rows yet;"));
}
