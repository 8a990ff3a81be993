//! Reports of an insert sweep.

pub mod fixture;
mod per_node;

use bakeoff_report::sweep::{html, json, terminal};
use bakeoff_stats::sweep::{
    AtRest, OVER_ANY, SharedSweep, SweepHeader, SweepPart, SweepRecord, SweepSummary,
};
use bakeoff_stats::{During, Footprint, SampleAt, ServerSample, ServerWindow};
use fixture::{SERIES, cell, header, records, several_rounds, summary};

#[test]
fn the_terminal_shows_each_setting_and_the_best() {
    let shown = terminal::render(&summary(), 100, false);
    for words in [
        "each for 3 s after a warm-up of 1 s",
        "★ █ 121 k",
        // A rate whose rows are not there is not what others are shaded by.
        "★ █ 9.50 k",
        "✗ 1.24 k failed",
        "✗ wrong count",
        "✗ none",
        "9,900,000 rows were acknowledged, 100 are there",
        "not all of 256 workers could connect",
        "✗ rows ran out",
        "✗ waited 12%",
        "too few for a p99",
    ] {
        assert!(shown.contains(words), "`{words}` is not in: {shown}");
    }
    let words = words(&shown);
    for sentence in [
        "8 workers were about enough (one observation of each): 256 insert 0.91×",
        "1 round cannot show a difference between designs: repeat the sweep with --rounds 7.",
        "Each setting was measured once.",
        "cassandra/series 9.50 k once 0.079× ?",
    ] {
        assert!(words.contains(sentence), "`{sentence}` is not in: {words}");
    }
    // The other best setting is in the middle of its grid.
    let edge = "These are the largest batches that were tried: more may be faster.";
    assert_eq!(words.matches(edge).count(), 1, "{words}");
    assert_eq!(words.matches("that were tried").count(), 1, "{words}");
    let widest = shown.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{shown}");
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One design whose batches hold rows of one partition and, at 60% of the rate, of any.
/// A sweep of the second of two processes, or the joined one of both.
fn of_two_processes(is_joined: bool) -> SweepSummary {
    let known = header();
    let part = |shard| SweepPart {
        shard,
        command: format!("bakeoff sweep w.toml --shard {}/2", shard + 1),
        machine: known.machine.clone(),
        threads: 2,
        workers: vec![900],
    };
    let header = SweepHeader {
        shared: Some(SharedSweep {
            shard: (1, 2),
            start_at_ms: 0,
            pause_seconds: 10.0,
            cluster: None,
            keyspace: None,
            consistency: None,
            parts: if is_joined {
                [0, 1].map(part).into()
            } else {
                Vec::new()
            },
        }),
        ..known.clone()
    };
    SweepSummary::new(&header, &records())
}

#[test]
fn whose_workers_and_rates_are_shown_is_said_where_several_processes_swept() {
    let of_one = words(&terminal::render(&of_two_processes(false), 100, false));
    let own = "This is shard 2 of 2: its workers and rates are its own; `bakeoff merge` joins the shards.";
    assert!(of_one.contains(own), "{of_one}");
    let joined = words(&terminal::render(&of_two_processes(true), 100, false));
    for sentence in [
        "Numbers of workers are those of all 2 processes",
        "2 processes, a processor with 2 cores",
    ] {
        assert!(joined.contains(sentence), "{joined}");
    }
    assert!(!joined.contains("bakeoff merge"), "{joined}");
    let page = html::render(&of_two_processes(true));
    for shown in ["process 1", "process 2", "--shard 2/2", "<dd>900</dd>"] {
        assert!(page.contains(shown), "{shown}");
    }
    let alone = words(&terminal::render(&summary(), 100, false));
    assert!(!alone.contains("processes"), "{alone}");
}

fn both_kinds_of_batches() -> SweepSummary {
    let any = format!("{SERIES}{OVER_ANY}");
    let designs = [(SERIES, 10_000.0), (any.as_str(), 6_000.0)];
    let records: Vec<SweepRecord> = { designs.iter() }
        .map(|(design, rate)| SweepRecord::Cell(cell(design, 100, 8, *rate)))
        .collect();
    let known = header();
    let mut infos = vec![known.designs[1].clone(); 2];
    infos[1].id = any;
    let header = SweepHeader {
        designs: infos,
        ..known
    };
    SweepSummary::new(&header, &records)
}

#[test]
fn what_rows_of_any_partitions_in_a_batch_cost_is_said() {
    let words = words(&terminal::render(&both_kinds_of_batches(), 100, false));
    let cost = "cassandra/series: with rows of any partitions in a batch the most rows a second are 6.00 k, with \
                rows of one partition 10.0 k: 0.60×.";
    assert!(words.contains(cost), "{words}");
    let without = self::words(&terminal::render(&summary(), 100, false));
    assert!(!without.contains("any partitions"), "{without}");
}

#[test]
fn rounds_say_what_is_shown_of_designs_and_workers() {
    let summary = several_rounds(7);
    let words = words(&terminal::render(&summary, 100, false));
    for sentence in [
        "each for 3 s in each of 7 rounds after a warm-up",
        "Each design with its best setting, timescale/hypertable?chunk=12h is the best: slower: \
         cassandra/series 0.074×",
        "from 8 workers: 121 k rows/s (121–121 k over 7 rounds)",
        "With such batches 8 workers are about enough: 256 insert 0.91×",
        // 4 settings of each design, and 6 pairs of workers of each.
        "corrected for all 28 pairs of settings",
    ] {
        assert!(words.contains(sentence), "`{sentence}` is not in: {words}");
    }
    assert!(!words.contains("--rounds"), "{words}");
    let page = html::render(&summary);
    assert!(
        page.contains("0.074×") && page.contains("<dd>7</dd>"),
        "{page}"
    );

    let four = several_rounds(4);
    let words = self::words(&terminal::render(&four, 100, false));
    for sentence in [
        "4 rounds cannot show a difference between designs: repeat the sweep with --rounds 7.",
        "Each setting was measured 4 times.",
        "8 workers were about enough (4 rounds, not settled)",
        "cassandra/series 9.02 k 9.00–9.04 k 0.074× ?",
    ] {
        assert!(words.contains(sentence), "`{sentence}` is not in: {words}");
    }
}

#[test]
fn html_has_a_heat_map_for_each_design_and_escapes_what_came_from_outside() {
    let page = html::render(&summary());
    assert_eq!(page.matches("class=\"best\"").count(), 2);
    // Settings without a rate, or with a wrong one, are not shaded.
    assert_eq!(page.matches("class=\"heat\"").count(), 12 + 10);
    assert_eq!(page.matches("class=\"empty\"").count(), 2);
    assert!(page.contains("CPU metrics &lt;of&gt; hosts"));
    assert!(!page.contains("<of>") && !page.contains("<whole>"));
    assert!(page.contains("100 of 9,900,000 acknowledged"));
    assert!(page.contains("1,234 timed out, 1 rejected"));
}

#[test]
fn json_has_every_record() {
    let text = json::render(&summary(), &records()).unwrap();
    let parsed: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(parsed["records"].as_array().unwrap().len(), records().len());
    let designs = parsed["summary"]["designs"].as_array().unwrap();
    let series = designs.iter().find(|d| d["info"]["id"] == SERIES);
    // Neither what failed nor what is not there.
    assert_eq!(series.unwrap()["best"], serde_json::json!([1, 2]));
}

#[test]
fn a_page_of_a_sweep_that_goes_on_loads_itself_and_says_how_far_it_came() {
    let unfinished = SweepSummary {
        finished: false,
        ..summary()
    };
    let page = html::render_so_far(&unfinished);
    assert!(page.contains("<meta http-equiv=\"refresh\" content=\"5\">"));
    let measured: usize = unfinished.settings().map(|s| s.rounds.len()).sum();
    let line = format!("Measured so far: {measured} of up to ");
    assert!(page.contains(&line), "{line}");
    let note = "The sweep is not finished";
    assert!(!page.contains(note));
    let stays = html::render(&unfinished);
    assert!(!stays.contains("http-equiv") && stays.contains(note));
    let begun = SweepSummary::new(&header(), &[SweepRecord::Started(Box::new(header()))]);
    assert!(html::render_so_far(&begun).contains("Measured so far: 0 of up to "));
}

#[test]
fn the_page_draws_what_the_server_did_in_each_setting() {
    let design = header().designs[0].id.clone();
    let sample = |seconds, writes| SampleAt {
        seconds,
        server: ServerSample {
            coordinator_writes: Some(writes),
            nodes: Some(3),
            ..ServerSample::default()
        },
    };
    let window = |workers| {
        SweepRecord::Server(ServerWindow {
            design: design.clone(),
            during: During::Setting {
                batch_rows: 100,
                workers,
                round: 1,
                rows: 3_000,
            },
            began_at_ns: 0,
            seconds: 3.0,
            samples: vec![sample(0.0, 10), sample(1.0, 20), sample(3.0, 40)],
        })
    };
    let windows = [window(1), window(8)];
    let all: Vec<SweepRecord> = windows.into_iter().chain(records()).collect();
    let page = html::render(&SweepSummary::new(&header(), &all));
    let (_, section) = page.split_once("<h2>What servers did</h2>").unwrap();
    let section = section.split("</section>").next().unwrap();
    for words in [
        "From second 0: batches of 100, 1 workers; 3: batches of 100, 8 workers.",
        "Rows a second, by the client",
        "Coordinated by all 3 nodes a second: reads, writes dashed",
    ] {
        assert!(section.contains(words), "`{words}` is not in: {section}");
    }
    assert!(!html::render(&summary()).contains("What servers did"));
}

#[test]
fn tables_at_rest_have_their_bytes_where_they_were_asked_for() {
    let at_rest = SweepRecord::AtRest(AtRest {
        batch_rows: 100,
        workers: 8,
        round: 1,
        rows: 10_000,
        how: "flushed, then compacted by nodetool".to_owned(),
        footprint: Footprint {
            design: SERIES.to_owned(),
            engine_bytes: Some(420_000),
            file_bytes: None,
            compression_ratio: Some(0.25),
            compression_metadata_bytes: Some(64),
            statistics: None,
            files: None,
            note: Some("in 1 <SSTable>".to_owned()),
        },
    });
    let all: Vec<SweepRecord> = [at_rest].into_iter().chain(records()).collect();
    let summary_at_rest = SweepSummary::new(&header(), &all);
    let page = html::render(&summary_at_rest);
    let (_, section) = page.split_once("<h2>Tables at rest</h2>").unwrap();
    let section = section.split("</section>").next().unwrap();
    for words in [
        "series</th>",
        "10,000",
        "42.0 B",
        "25.0%",
        "flushed, then compacted by nodetool; in 1 &lt;SSTable&gt;",
    ] {
        assert!(section.contains(words), "`{words}` is not in: {section}");
    }
    let text = json::render(&summary_at_rest, &all).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["summary"]["at_rest"][0]["rows"], 10_000);
    assert!(!html::render(&summary()).contains("Tables at rest"));
}
