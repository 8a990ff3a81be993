//! The run of the fixture as one of an hour on three nodes, with all samples of its servers.

use bakeoff_stats::*;

use super::fixture;

/// Designs whose servers are sampled.
const SAMPLED: [&str; 5] = [
    "cassandra/narrow",
    "cassandra/narrow?compressor=Deflate",
    "cassandra/wide",
    "cassandra/wide?compressor=Deflate",
    "cassandra/blob",
];
/// Samples of each design: together about as many as are taken in an hour.
const SAMPLES: u64 = 460;
/// Samples of each step, and the seconds between two of them.
const OF_A_STEP: u64 = 10;
const EVERY: f64 = 3_600.0 / (SAMPLES * SAMPLED.len() as u64) as f64;
const QUERIES: [&str; 5] = ["scan", "tone_by_actor", "month", "usa", "albania"];

/// Returns the records of the fixture's run, and of the servers that were sampled while it went on.
pub fn records() -> Vec<Record> {
    let mut records = fixture::records();
    for design in SAMPLED {
        let steps = 0..SAMPLES / OF_A_STEP;
        records.extend(steps.map(|step| Record::Server(window(design, step))));
    }
    records
}

/// Makes a step of a design: slices that are loaded, settling, and the answers of the rounds.
fn window(design: &str, step: u64) -> ServerWindow {
    let during = match step {
        0..=19 => During::Load {
            slice: step,
            rows: 10_000 + 50 * step,
        },
        20 => During::Settle,
        _ => During::Answer {
            query: QUERIES[(step % 5) as usize].to_owned(),
            round: 1 + (step as u32 - 21) / 5,
        },
    };
    let samples = (0..OF_A_STEP).map(|at| SampleAt {
        seconds: at as f64 * EVERY,
        server: sample(step * OF_A_STEP + at),
    });
    ServerWindow {
        design: design.to_owned(),
        during,
        began_at_ns: 1_790_000_000_000_000_000 + step * 15_000_000_000,
        seconds: OF_A_STEP as f64 * EVERY,
        samples: samples.collect(),
    }
}

/// Makes a sample of three nodes that tell everything. Each differs from the one before by something else.
pub fn sample(number: u64) -> ServerSample {
    let uneven = number * 7_919 % 1_000;
    let counted = |a_sample: u64| Some(number * a_sample + a_sample * uneven / 1_000);
    let micros = |least: u64| Some((least + uneven * 1_000) as f64);
    let cache = |hits: u64| CacheCounts {
        hits: number * hits + uneven / 20,
        requests: number * 1_000 + uneven,
    };
    ServerSample {
        cpu_seconds: Some(number as f64 * 2.5 + uneven as f64 / 700.0),
        resident_bytes: Some((2 << 30) + (uneven << 20)),
        memory_limit_bytes: Some(4 << 30),
        limited_bytes: Some((3 << 30) + (uneven << 18)),
        page_cache_bytes: Some((1 << 30) + (uneven << 17)),
        disk_read_bytes: counted(40_000_000),
        disk_written_bytes: counted(30_000_000),
        compaction_read_bytes: counted(9_000_000),
        compaction_written_bytes: counted(8_000_000),
        gc_count: counted(3),
        gc_seconds: Some(number as f64 * 0.04 + uneven as f64 / 90_000.0),
        allocated_bytes: counted(600_000_000),
        device_reads: counted(4_000),
        device_writes: counted(900),
        load_average: Some(1.0 + uneven as f64 / 400.0),
        nodes: Some(3),
        pending_compactions: Some(uneven / 60),
        chunk_cache: Some(cache(700)),
        key_cache: Some(cache(400)),
        row_cache: Some(cache(90)),
        read_p99_micros: micros(2_000),
        write_p99_micros: micros(1_000),
        local_reads: counted(5_000),
        local_writes: counted(7_000),
        coordinator_reads: counted(4_900),
        coordinator_writes: counted(6_900),
        coordinator_read_p99_micros: micros(4_000),
        coordinator_write_p99_micros: micros(3_000),
        sent_to_nodes_bytes: counted(50_000_000),
        // Only exporters tell the others, and nothing of the page cache and compactions.
        ..ServerSample::default()
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_report::html;

    use super::*;

    /// Most bytes of a page, which a browser loads again every few seconds.
    const LARGEST: usize = 2_000_000;

    fn lines_of(page: &str) -> impl Iterator<Item = &str> {
        let paths = page.split(" d=\"").skip(1);
        paths.map(|path| path.split('"').next().unwrap())
    }

    fn points(path: &str) -> usize {
        path.matches(['M', 'L']).count()
    }

    #[test]
    fn the_page_of_an_hour_on_three_nodes_is_below_two_megabytes() {
        let records = records();
        let windows = records.iter().filter_map(|record| match record {
            Record::Server(window) => Some(window.samples.len()),
            _ => None,
        });
        assert_eq!(windows.sum::<usize>(), 2_300);
        let page = html::render(&Summary::from_records(&records).unwrap());
        assert!(page.len() < LARGEST, "{} bytes", page.len());
        assert!(!page.contains("not drawn, since the page"));
        assert!(page.contains("Messages between all 3 nodes, MiB/s"));
        // Several designs over each other, while they answered and while they were loaded, leave room for each.
        let together = page.split("<details>");
        let together = together.filter(|one| one.contains("designs on one time axis</summary>"));
        let together: Vec<&str> = together.collect();
        assert_eq!(together.len(), 2);
        for chart in together {
            assert!(chart.contains("Garbage collection pauses, ms/s"));
            assert!(chart.contains("Requests to tables that nodes coordinated a second"));
            assert!(chart.len() < LARGEST / 8, "{} bytes", chart.len());
        }
        // A chart has no more points than its width shows, and a gap between its parts.
        let most = lines_of(&page).map(points).max().unwrap();
        assert!((200..=240).contains(&most), "{most}");
    }

    #[test]
    fn of_seven_designs_over_an_hour_each_has_a_chart_of_its_own_below_those_of_all() {
        let mut records = fixture::records();
        let others = ["parquet?codec=zstd", "parquet?codec=snappy"];
        // Together they have about as many samples as the five.
        for design in SAMPLED.into_iter().chain(others) {
            records.extend((0..33).map(|step| Record::Server(window(design, step))));
        }
        let page = html::render(&Summary::from_records(&records).unwrap());
        assert!(page.len() < LARGEST, "{} bytes", page.len());
        assert!(page.contains("<summary>Loading: 7 of "));
        assert!(!page.contains("not drawn, since the page"));
    }
}
