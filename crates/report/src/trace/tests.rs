use bakeoff_stats::trace::{
    Asked, Attempt, Beside, ClientTimes, ClusterSeen, NodeView, PageTimes, Peer, RecordedTrace,
    TraceEvent, Traced,
};

use super::*;

const PLAIN: Shown = Shown {
    color: false,
    width: 100,
};
const FIRST: &str = "127.0.0.1";

fn recorded(total_micros: Option<u64>, parsed_at: u64) -> RecordedTrace {
    let event = |elapsed_micros, activity: &str| TraceEvent {
        elapsed_micros,
        node: FIRST.to_owned(),
        thread: "Native-Transport-Requests-1".to_owned(),
        activity: activity.to_owned(),
    };
    RecordedTrace {
        id: "7".to_owned(),
        coordinator: FIRST.to_owned(),
        total_micros,
        events: vec![
            event(75, "Parsing SELECT v FROM ks.t WHERE k = 1"),
            event(parsed_at, "Preparing statement"),
            event(parsed_at + 50, "reading data locally"),
            event(parsed_at + 300, "Merged data from memtables and 2 sstables"),
            event(parsed_at + 400, "Read 3 live rows and 1 tombstone cells"),
        ],
    }
}

fn node(address: &str) -> Attempt {
    Attempt {
        address: address.to_owned(),
        connect_micros: 310,
        error: None,
        is_connected: true,
        view: Some(NodeView {
            host_id: format!("id of {address}"),
            release: "5.0.9".to_owned(),
            schema: Some("s".to_owned()),
            peers: Vec::new(),
            answer_micros: 1_200,
        }),
    }
}

fn traced(recorded: RecordedTrace, attempts: Vec<Attempt>) -> Traced {
    let asked = Asked {
        cql: "SELECT v FROM ks.t WHERE k = 1".to_owned(),
        keyspace: None,
        consistency: "LOCAL_ONE".to_owned(),
        page_rows: 5000,
        of: None,
    };
    let page = |request_micros| PageTimes {
        request_micros,
        queue_micros: Some(30),
        decode_micros: 12,
        rows: 3,
    };
    let client = ClientTimes {
        connect_micros: 41_000,
        plan_micros: None,
        compute_micros: None,
        prepare_micros: 1_100,
        times_micros: vec![1_500, 1_900, 1_600],
        shown_time: 2,
        pages: vec![page(700), page(1_300)],
        shown_page: 1,
        has_more_pages: false,
    };
    Traced::new(asked, client, ClusterSeen { attempts }, recorded)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn a_trace_of_a_cluster_that_is_well_says_so_first() {
    let traced = traced(recorded(Some(1_000), 233), vec![node("127.0.0.1:9042")]);
    let text = render(&traced, None, PLAIN);
    let lines = lines(&text);
    assert_eq!(
        lines[..10],
        [
            "The only node is reachable, one schema, Cassandra 5.0.9",
            "Nodes     127.0.0.1:9042 connected in 310 µs, answered in 1.20 ms",
            "",
            "Total     1.00 ms at LOCAL_ONE, coordinated by 127.0.0.1",
            "Asked     1 node: 127.0.0.1 (data)",
            "Read      2 SSTables, 3 rows, 1 tombstone on 127.0.0.1",
            "Slowest   367 µs (36.70%) after \"Read 3 live rows and 1 tombstone cells\" on 127.0.0.1",
            "Client    connecting 41.0 ms, preparing 1.10 ms, request 1.30 ms, decoding 12.0 µs; 3 rows, of page",
            "          2 of 2, the slowest",
            "Request   1.30 ms: queue before sending 30.0 µs, coordinator 1.00 ms, wire 270 µs",
        ]
    );
    assert_eq!(
        lines[10],
        "Times     3 times, 1.50 ms to 1.90 ms, median 1.60 ms; shown is the one of 1.60 ms, number 3"
    );
    assert!(
        lines[12].ends_with("thread                       activity"),
        "{text}"
    );
    assert!(lines[13].starts_with("        75  "), "{text}");
    assert_eq!(lines.len(), 18, "{text}");
}

#[test]
fn a_request_of_a_question_says_which_one_it_is() {
    let mut traced = traced(recorded(Some(1_000), 233), vec![node("127.0.0.1:9042")]);
    traced.client.plan_micros = Some(3_100);
    traced.of = Some("mean: request 5 of 16 with the same statement".to_owned());
    let text = render(&traced, None, PLAIN);
    let line = "\nQuestion  mean: request 5 of 16 with the same statement\n";
    assert!(text.contains(line), "{text}");
    let planning = "connecting 41.0 ms, planning 3.10 ms in DataFusion, preparing 1.10 ms";
    assert!(text.contains(planning), "{text}");
    traced.client.compute_micros = Some(420);
    let text = render(&traced, None, PLAIN);
    let computing = "planning 3.10 ms and computing 420 µs in DataFusion, preparing 1.10 ms";
    let in_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(in_one_line.contains(computing), "{text}");
}

#[test]
fn the_time_of_a_request_is_split_as_far_as_it_is_known() {
    let line = |total: Option<u64>, queue: Option<u64>| {
        let mut traced = traced(recorded(total, 233), vec![node("127.0.0.1:9042")]);
        for page in &mut traced.client.pages {
            page.queue_micros = queue;
        }
        let text = render(&traced, None, PLAIN);
        let json = json(&traced, None).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let line = text
            .lines()
            .find(|line| line.starts_with("Request"))
            .unwrap();
        (line.to_owned(), json["wire_micros"].as_u64())
    };
    let (text, wire) = line(Some(1_000), None);
    assert_eq!(text, "Request   1.30 ms: coordinator 1.00 ms, wire 300 µs");
    assert_eq!(wire, Some(300));
    let (text, wire) = line(Some(2_000), Some(30));
    assert!(text.contains("nothing is left for the wire"), "{text}");
    assert_eq!(wire, Some(0));
    let (text, wire) = line(None, Some(30));
    assert!(
        text.contains("queue before sending 30.0 µs, the rest is not"),
        "{text}"
    );
    assert_eq!(wire, None);
}

#[test]
fn bars_follow_one_another_to_the_end() {
    let traced = traced(recorded(Some(1_000), 500), vec![node("127.0.0.1:9042")]);
    let text = render(&traced, None, PLAIN);
    let bars: Vec<(usize, usize)> = text
        .lines()
        .filter(|line| line.contains("Native-Transport"))
        .map(|line| {
            let bar: Vec<char> = line.chars().skip(12).take(24).collect();
            let start = bar.iter().take_while(|c| **c == ' ').count();
            (start, bar.iter().filter(|c| **c == '█').count())
        })
        .collect();
    // Of 75 to 500 to 550 to 800 to 900 to 1,000 microseconds, in 24 parts.
    assert_eq!(bars, [(1, 11), (12, 1), (13, 6), (19, 2), (21, 3)]);
}

#[test]
fn a_fourth_address_is_the_first_that_is_said() {
    let mut first = node("127.0.0.1:9042");
    let peer = |address: &str| Peer {
        address: address.to_owned(),
        host_id: Some(format!("id of {address}")),
        has_tokens: true,
    };
    if let Some(view) = &mut first.view {
        view.peers = vec![peer("127.0.0.2:9042"), peer("127.0.0.4:9042")];
    }
    let gone = Attempt {
        address: "127.0.0.4:9042".to_owned(),
        connect_micros: 10_000_000,
        error: Some("no answer within 10s".to_owned()),
        is_connected: false,
        view: None,
    };
    let traced = traced(
        recorded(Some(1_000), 233),
        vec![first, node("127.0.0.2:9042"), gone],
    );
    let text = render(
        &traced,
        None,
        Shown {
            width: 1000,
            ..PLAIN
        },
    );
    assert_eq!(
        lines(&text)[0],
        "! 127.0.0.4:9042 is no node of the ring: 127.0.0.1:9042 still names it as a peer, and 127.0.0.2:9042 does \
         not. Nobody answers there (no answer within 10s): a client that believes it waits 10.0 s at each connect. \
         If `nodetool status` of several nodes says that the node is gone, and it is gone for good, remove it with \
         `nodetool removenode`, or with `nodetool assassinate` if that fails"
    );
    assert!(
        lines(&text)[1].contains("127.0.0.4:9042 failed after 10.0 s"),
        "{text}"
    );
}

#[test]
fn nobody_is_told_to_remove_a_node_that_answers() {
    let mut first = node("127.0.0.1:9042");
    let mut fourth = node("127.0.0.4:9042");
    if let (Some(first), Some(fourth)) = (&mut first.view, &mut fourth.view) {
        let peer = |address: &str, host_id: &str| Peer {
            address: address.to_owned(),
            host_id: Some(host_id.to_owned()),
            has_tokens: true,
        };
        first.peers = vec![peer("127.0.0.4:9042", &fourth.host_id)];
        fourth.peers = Vec::new();
    }
    let attempts = vec![first, node("127.0.0.2:9042"), fourth];
    let traced = traced(recorded(Some(1_000), 233), attempts);
    let wide = Shown {
        width: 1000,
        ..PLAIN
    };
    let text = render(&traced, None, wide);
    assert!(text.starts_with("! 127.0.0.4:9042 is no node of"), "{text}");
    assert!(text.contains("remove nothing"), "{text}");
    assert!(!text.contains("removenode"), "{text}");
}

#[test]
fn a_trace_without_an_end_or_events_is_told_as_such() {
    let open = traced(recorded(None, 233), Vec::new());
    let text = render(&open, None, PLAIN);
    assert!(
        text.contains("Total     at least 633 µs at LOCAL_ONE, coordinated by 127.0.0.1: the"),
        "{text}"
    );
    let mut nothing = recorded(Some(500), 233);
    nothing.events.clear();
    let text = render(&traced(nothing, Vec::new()), None, PLAIN);
    assert!(text.ends_with("No event was recorded."), "{text}");
    assert!(text.contains("no node is named"), "{text}");
}

#[test]
fn the_step_that_an_earlier_trace_did_not_have_is_named() {
    let slow = traced(recorded(Some(27_000), 26_221), Vec::new());
    let healthy = traced(recorded(Some(1_000), 233), Vec::new());
    let beside = Beside::new(&slow, &healthy);
    let text = render(&slow, Some(&beside), PLAIN);
    assert!(
        text.contains("Beside    in all 27.0 ms here, 1.00 ms there: 27× as long"),
        "{text}"
    );
    assert!(
        text.contains(
            "26.1 ms here, 158 µs there after \"Parsing SELECT v FROM ks.t WHERE k = 1\""
        ),
        "{text}"
    );
    assert!(text.contains("█"), "{text}");
}

#[test]
fn many_events_are_cut_to_the_longest_ones() {
    let mut many = recorded(Some(1_000_000), 233);
    let last = many.events[4].clone();
    many.events.extend((0..500).map(|at| TraceEvent {
        elapsed_micros: 1_000 + at,
        ..last.clone()
    }));
    let text = render(&traced(many, Vec::new()), None, PLAIN);
    assert!(
        text.ends_with("405 events that took less are left out; --json has all"),
        "{text}"
    );
    assert_eq!(
        text.lines()
            .filter(|line| line.contains("Native-Transport"))
            .count(),
        100
    );
}

#[test]
fn words_of_a_server_make_no_line_of_their_own() {
    let mut forged = recorded(Some(1_000), 233);
    forged.coordinator = "127.0.0.1\nforged".to_owned();
    for event in &mut forged.events {
        event.node.push_str("\nforged");
        event.thread.push_str("\nforged");
        event.activity.push_str("\nforged");
    }
    let text = render(&traced(forged, Vec::new()), None, PLAIN);
    let begins = text.lines().filter(|line| line.starts_with("forged"));
    assert_eq!(begins.count(), 0, "{text}");
}

#[test]
fn json_has_the_records_the_summary_and_the_findings() {
    let traced = traced(recorded(Some(1_000), 233), vec![node("127.0.0.1:9042")]);
    let text = json(&traced, None).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["summary"]["total_micros"], 1_000);
    assert_eq!(value["recorded"]["events"].as_array().unwrap().len(), 5);
    assert_eq!(value["findings"], serde_json::json!([]));
    assert!(value.get("beside").is_none());
    // What is printed may be kept as well.
    assert_eq!(Traced::from_json(&text), Ok(traced));
}

#[test]
fn a_late_answer_is_named_with_what_its_node_counts() {
    let mut late = recorded(Some(160_000), 233);
    let last = late.events[4].clone();
    let event = |elapsed_micros, activity: &str| TraceEvent {
        elapsed_micros,
        activity: activity.to_owned(),
        ..last.clone()
    };
    let sent = "Sending READ_REQ message to /127.0.0.2:7000 message size 163 bytes";
    let answered = "READ_RSP message received from /127.0.0.2:7000";
    late.events
        .extend([event(700, sent), event(150_700, answered)]);
    let words = |recorded: &RecordedTrace| {
        let text = render(&traced(recorded.clone(), Vec::new()), None, PLAIN);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = words(&late);
    let silent = "Look at 127.0.0.2: its answer came after 150 ms, and it has recorded nothing itself; what is missing";
    assert!(text.contains(silent), "{text}");

    late.events.push(TraceEvent {
        node: "127.0.0.2".to_owned(),
        ..event(1_200, "Enqueuing response to /127.0.0.1:7000")
    });
    let text = words(&late);
    let counted = "came after 150 ms, and it counts 1.20 ms itself; what is missing is a pause of one of the two nodes";
    assert!(text.contains(counted), "{text}");
}
