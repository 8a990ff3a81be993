use bakeoff_report::drive::html::render;
use bakeoff_stats::TableStatistics;
use bakeoff_stats::drive::{DriveRun, NodeRequests, SecondCounts};

use super::fixture;
use super::read::{COMPARISON, PASSES, SEARCH, STALL};
use crate::compare::html::open_elements;

#[test]
fn elements_are_closed_in_order_and_nothing_is_loaded_or_runs() {
    for summary in [&COMPARISON, &SEARCH, &STALL] {
        let page = render(summary);
        assert_eq!(open_elements(&page), Ok(Vec::new()));
        for forbidden in [
            "http://", "https://", "<script", "<link", "<img", "@import", "url(", "src=",
        ] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert!(!page.contains("NaN") && !page.contains("inf\""));
    }
}

#[test]
fn client_and_server_share_a_time_axis() {
    let page = render(&STALL);
    let start = page.find("second by second</title>").unwrap();
    let chart = &page[start..start + page[start..].find("</svg>").unwrap()];
    for panel in [
        "Response time: p99 strong, p50 light",
        "Operations a second: each, all dashed",
        "Server CPU, cores",
        "Memory, MiB: resident, cache dashed, limit red",
        "Server disk, MB/s",
        "Garbage collection pauses",
        "Garbage collections a second",
        "Allocated on the heap, MiB/s",
        "Requests to the device a second, all programs: reads, writes dashed",
        "Load average of the machine over a minute",
        "Cache hits, %: chunks strong, keys light, rows dashed",
        "Compactions waiting or running",
    ] {
        assert!(chart.contains(panel), "{panel}");
    }
    assert!(!chart.contains("Failed operations"), "none failed");
    assert_eq!(chart.matches("seconds from the start").count(), 1);
}

#[test]
fn figures_of_the_server_that_stayed_0_are_named_in_a_line_and_have_no_panel() {
    let zero = ">0 throughout: ";
    assert!(!render(&STALL).contains(zero));
    let mut summary = STALL.clone();
    for second in &mut summary.trials[0].seconds {
        second.server.gc_seconds = Some(0.4);
        second.server.pending_compactions = Some(0);
    }
    let page = render(&summary);
    assert_eq!(open_elements(&page), Ok(Vec::new()));
    let named = ">0 throughout: garbage collection pauses, compactions waiting or running.</text>";
    assert_eq!(
        page.matches(named).count(),
        1,
        "on a phone it has two lines"
    );
    assert_eq!(page.matches(zero).count(), 2);
    assert!(!page.contains(">Garbage collection pauses") && !page.contains(">Compactions waiting"));
    assert!(page.contains(">Garbage collections a second</text>"));
}

#[test]
fn loads_and_passes_have_the_time_in_which_the_slowest_worker_connected() {
    for summary in [&COMPARISON, &PASSES] {
        let page = render(summary);
        assert!(page.contains("Connected in</th>") && page.contains(">34.0 ms<"));
    }
    let mut summary = COMPARISON.clone();
    for trial in &mut summary.trials {
        trial.end.as_mut().unwrap().connect_seconds.clear();
    }
    assert!(!render(&summary).contains("Connected in</th>"));
}

#[test]
fn tables_are_told_before_the_loads_and_after_them() {
    let mut summary = COMPARISON.clone();
    let heading = "Tables by the server&#39;s own account";
    let page = render(&summary);
    assert!(page.contains(heading) && page.contains(">before the loads<"));
    assert!(!page.contains(">after them<"));
    let design = &mut summary.designs[0];
    let mut after = design.footprint.clone().unwrap();
    after.statistics = Some(TableStatistics {
        sstables: Some(7),
        reads: Some(123_456),
        read_micros: Some(61.5),
        ..TableStatistics::default()
    });
    design.footprint_after = Some(after);
    let page = render(&summary);
    let (_, row) = page.split_once(">after them<").unwrap();
    let row = row.split("</tr>").next().unwrap();
    for cell in [">7<", ">123,456<", ">61.5 µs<", ">–<"] {
        assert!(row.contains(cell), "{cell} in {row}");
    }
}

#[test]
fn designs_that_are_hardly_compressed_are_named() {
    let mut summary = COMPARISON.clone();
    let note = "compression gains next to nothing in";
    assert!(!render(&summary).contains(note));
    let footprint = summary.designs[0].footprint.as_mut().unwrap();
    footprint.compression_ratio = Some(0.9);
    let page = render(&summary);
    assert!(page.contains(&format!("{note} {} (to 90.0%)", fixture::DESIGNS[0])));
}

#[test]
fn designs_have_what_their_server_allocated_collected_and_asked_of_the_device() {
    let page = render(&COMPARISON);
    for heading in [
        "Collections/s",
        "Allocated/s",
        "Device reads/s",
        "Device writes/s",
        "Device queue",
        "Time of a device request",
    ] {
        assert!(page.contains(&format!("{heading}</th>")), "{heading}");
    }
    for figure in ["64.0 MiB", ">700<", ">40.0<", ">0.37<", ">500 µs<"] {
        assert!(page.contains(figure), "{figure}");
    }
    // Three of four keys were in their cache, and there is no row cache.
    assert!(page.contains("Key cache hits</th>") && page.contains(">75.0%<"));
    assert!(!page.contains("Row cache hits</th>"));
    // The page cache had at most 116 MiB of 1,822 and 1,311.
    assert!(page.contains("Fits into the page cache</th>"));
    assert!(page.contains(">6.4%<") && page.contains(">8.8%<"));
    // Where it is not known, no column says so.
    let mut summary = COMPARISON.clone();
    for design in &mut summary.designs {
        let figures = design.figures.as_mut().unwrap();
        figures.gc_per_second = None;
        figures.device_reads_per_second = None;
    }
    let page = render(&summary);
    assert!(!page.contains("Collections/s</th>") && !page.contains("Device reads/s</th>"));
    assert!(page.contains("Allocated/s</th>"));
}

#[test]
fn what_a_node_says_of_its_requests_has_a_table_and_lines() {
    let heading = "By the server&#39;s own measure";
    let page = render(&COMPARISON);
    let (_, table) = page.split_once(heading).unwrap();
    let table = table.split("</section>").next().unwrap();
    for cell in [">310<", ">320<", ">330<", ">340<", ">7.00 ms<", ">110 µs<"] {
        assert!(table.contains(cell), "{cell} in {table}");
    }
    // No time of a write is known of the coordinator.
    assert!(table.contains("Coordinator read p99</th>"));
    assert!(!table.contains("Coordinator write p99</th>"));
    let page = render(&STALL);
    for panel in [
        "Answered by one node a second: reads, writes dashed",
        "Coordinated by this node a second: reads, writes dashed",
        "Coordinator&#39;s p99, ms: read, write dashed",
    ] {
        assert_eq!(lines_of(&page, panel), ["plain", "plain"], "{panel}");
    }

    let mut summary = COMPARISON.clone();
    for design in &mut summary.designs {
        let figures = design.figures.as_mut().unwrap();
        figures.local_reads = NodeRequests::default();
        figures.local_writes = NodeRequests::default();
        figures.coordinator_reads = NodeRequests::default();
        figures.coordinator_writes = NodeRequests::default();
    }
    assert!(!render(&summary).contains(heading));
}

#[test]
fn what_compaction_reads_and_writes_has_lines_columns_and_a_sentence() {
    let with = "Server disk, MB/s: read, written dashed; of it compaction light";
    let page = render(&STALL);
    assert_eq!(lines_of(&page, with), ["plain"; 4]);
    assert!(page.contains("line light dashed"));
    let mut summary = COMPARISON.clone();
    let told = "compaction read 160 of 500 MB/s and wrote 80 of 90 MB/s in ";
    assert!(!render(&summary).contains("wrote to it after the warm-up"));
    let figures = summary.designs[0].figures.as_mut().unwrap();
    figures.disk_read_per_second = Some(500e6);
    figures.disk_written_per_second = Some(90e6);
    figures.compaction_read_per_second = Some(160e6);
    figures.compaction_written_per_second = Some(80e6);
    let page = render(&summary);
    assert!(page.contains(told) && page.contains("Of it compaction read/s</th>"));
    // Loads of an earlier version have none of it.
    let mut earlier = STALL.clone();
    for second in earlier.trials.iter_mut().flat_map(|t| &mut t.seconds) {
        second.server.compaction_read_bytes = None;
        second.server.compaction_written_bytes = None;
    }
    let page = render(&earlier);
    let without = "Server disk, MB/s: read, written dashed";
    assert_eq!(lines_of(&page, without), ["plain"; 2]);
}

/// The lines below a panel's heading, up to the next one's.
pub fn lines_of<'a>(page: &'a str, heading: &str) -> Vec<&'a str> {
    let (_, after) = page.split_once(&format!("{heading}</text>")).unwrap();
    let panel = after.split("class=\"name\"").next().unwrap();
    let lines = panel.split("<g class=\"").skip(1);
    lines.filter_map(|line| line.split('"').next()).collect()
}

#[test]
fn each_operation_has_a_line_for_its_rate_and_memory_is_drawn() {
    let page = render(&STALL);
    let rates = lines_of(&page, "Operations a second: each, all dashed");
    assert_eq!(rates, ["plain", "e0", "e1"]);
    let memory = lines_of(&page, "Memory, MiB: resident, cache dashed, limit red");
    assert_eq!(memory, ["plain", "plain", "plain"]);

    let mut summary = STALL.clone();
    for second in &mut summary.trials[0].seconds {
        second.operations.truncate(1);
        second.server.page_cache_bytes = None;
        second.server.memory_limit_bytes = None;
    }
    summary.header.operations.truncate(1);
    let page = render(&summary);
    assert_eq!(lines_of(&page, ">Operations a second"), ["e0"]);
    assert!(page.contains(">Memory, MiB: resident<"));
}

#[test]
fn points_of_several_seconds_and_a_coarse_p99_are_told() {
    let page = render(&STALL);
    assert!(page.contains("own p99 in whole milliseconds: below 0.5 ms it is not known"));
    assert!(!page.contains("each point is of several seconds"));
    let mut summary = STALL.clone();
    let seconds = summary.trials[0].seconds.clone();
    let long = seconds.iter().cycle().take(241).cloned();
    summary.trials[0].seconds = (0..)
        .zip(long)
        .map(|(second, counts)| SecondCounts { second, ..counts })
        .collect();
    for second in &mut summary.trials[0].seconds {
        (
            second.server.read_p99_micros,
            second.server.write_p99_micros,
        ) = (None, None);
        second.server.coordinator_read_p99_micros = None;
    }
    let page = render(&summary);
    assert!(page.contains("Of a load of more than 240 s each point is of several seconds"));
    assert!(!page.contains("own p99 in whole milliseconds"));
}

#[test]
fn the_warm_up_in_the_clients_cpu_time_is_told_at_its_column() {
    let page = render(&COMPARISON);
    assert!(page.contains("Client CPU/op with warm-up"));
    assert!(page.contains("without warm-up but for the client&#39;s CPU time"));
}

#[test]
fn charts_have_alternatives_with_the_figures() {
    let page = render(&SEARCH);
    let charts: Vec<&str> = page.split("<svg ").skip(1).collect();
    // Rates and two operations; two searches; two sizes of 14 time lines; two by percentile.
    assert_eq!(charts.len(), 3 + 2 + 2 * 14 + 2);
    for chart in charts {
        assert!(chart.starts_with("role=\"img\""));
        assert!(chart.contains("<title>") && chart.contains("<desc>"));
    }
    assert!(
        page.contains("648 ops/s: 11.9 ms, missed."),
        "a load of the search"
    );
    assert!(page.contains("class=\"limit\""));
}

#[test]
fn a_stall_shows_in_response_times_and_not_in_service_times() {
    let read = &STALL.designs[0].figures.as_ref().unwrap().operations[0];
    assert!(read.response.unwrap().max > 1.9 && read.service.unwrap().max < 0.01);
    let page = render(&STALL);
    assert!(page.contains("longest 2.0"), "in the chart by percentile");
    assert!(
        page.contains("1,000 operations waited in 2 seconds"),
        "in the notes"
    );
}

#[test]
fn text_from_outside_is_escaped() {
    let evil = "<script>alert('x')</script>\"&";
    let mut summary = SEARCH.clone();
    let header = &mut summary.header;
    for text in [
        &mut header.title,
        &mut header.command,
        &mut header.workload_text,
        &mut header.schedule,
        &mut header.machine.cpu,
    ] {
        *text = evil.to_owned();
    }
    let operation = &mut header.operations[0];
    for text in [
        &mut operation.name,
        &mut operation.action,
        &mut operation.consistency,
    ] {
        *text = evil.to_owned();
    }
    header.objective = Some(evil.to_owned());
    summary.warnings.push(evil.to_owned());
    summary.engines[0].version = evil.to_owned();
    for design in &mut summary.designs {
        design.info.id = format!("cassandra/{evil}");
        design.info.statements.push(evil.to_owned());
        design.failures.push(evil.to_owned());
        design.found[0].why = evil.to_owned();
        for probe in &mut design.probes {
            probe.measured[0].0 = evil.to_owned();
        }
        let figures = design.figures.as_mut().unwrap();
        figures.operations[0].name = evil.to_owned();
    }
    for trial in &mut summary.trials {
        trial.start.design = format!("cassandra/{evil}");
        trial.start.schedule = evil.to_owned();
        if let Some(probe) = &mut trial.probe {
            probe.missed = vec![evil.to_owned()];
        }
        trial.end.as_mut().unwrap().messages.push(evil.to_owned());
    }
    let page = render(&summary);
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
    assert_eq!(open_elements(&page), Ok(Vec::new()));
}

#[test]
fn unfinished_loads_have_a_page_at_every_record() {
    let load = fixture::stall().unwrap();
    let path = load.path().join("drive.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for end in (1..lines.len()).step_by(4) {
        std::fs::write(&path, lines[..end].concat()).unwrap();
        let page = render(&DriveRun::open(load.path()).unwrap().summary().unwrap());
        assert_eq!(open_elements(&page), Ok(Vec::new()), "{end}");
        assert!(!page.contains("NaN") && !page.contains("inf\""), "{end}");
    }
}
