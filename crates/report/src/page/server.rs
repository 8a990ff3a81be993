//! Renders what the server of each design did in the steps of a run, or in the settings of a sweep.

mod missing;
mod together;

use bakeoff_stats::{DesignInfo, During, EngineInfo, ServerWindow};

use super::section;
use crate::chart::{self, Size, parts_of_steps};
use crate::markup::Escaped;
pub use missing::missing;
use together::together;

const TITLE: &str = "What servers did";
const HINT: &str = "Steps of each design in which its server was sampled, laid end to end. Samples are taken at the \
                    beginning and the end and, of all steps but answers, about once a second in between, and nothing \
                    else is asked of the server meanwhile. An answer has no more than these two, so that its point is \
                    the mean over all of it. Samples take 2% of the time at most, so that not all short steps have \
                    some.";
/// Bytes of charts after which no further design is drawn by itself: room for eight designs over an hour below those
/// of all of them, and a page, which a browser loads again and again, stays below 2 MB.
const MOST_BYTES: usize = 1_400_000;
/// Most parts that the line below a chart names.
const MOST_PARTS: usize = 40;

/// Renders the section; it is empty where no server told anything.
pub fn server<'a>(
    designs: impl Iterator<Item = &'a DesignInfo>,
    engines: &[EngineInfo],
    windows: &[ServerWindow],
) -> String {
    let designs: Vec<(&DesignInfo, Vec<&ServerWindow>)> = designs
        .map(|info| {
            let own = windows.iter().filter(|w| w.design == info.id);
            (info, own.collect())
        })
        .collect();
    let (mut charts, mut left_out) = (together(&designs), 0);
    for (info, own) in &designs {
        if charts.len() >= MOST_BYTES {
            left_out += usize::from(!own.is_empty());
            continue;
        }
        let samples = own.iter().flat_map(|window| &window.samples);
        let missing = missing(info, engines, samples.map(|sample| &sample.server));
        charts += &of_design(info, own, &missing).unwrap_or_default();
    }
    if charts.is_empty() {
        return charts;
    }
    let left_out = match left_out {
        0 => String::new(),
        1 => " One design is not drawn, since the page would be too large.".to_owned(),
        n => format!(" {n} designs are not drawn, since the page would be too large."),
    };
    let hint = Escaped(HINT);
    section(
        TITLE,
        &format!("<p class=\"hint-text\">{hint}{left_out}</p>\n{charts}"),
    )
}

fn of_design(info: &DesignInfo, windows: &[&ServerWindow], missing: &[String]) -> Option<String> {
    let [wide, phone] = [Size::Wide, Size::Phone].map(|size| chart::steps(&info.id, windows, size));
    let mut caption = named_parts(windows);
    for sentence in missing {
        caption += " ";
        caption += sentence;
    }
    Some(format!(
        "<details><summary>{}</summary>\n<figure class=\"time-line\">\n<div class=\"wide\">{}</div>\n\
         <div class=\"phone\">{}</div><figcaption>{}</figcaption></figure>\n</details>\n",
        Escaped(&info.id),
        wide?,
        phone?,
        Escaped(&caption)
    ))
}

/// Says what was done from which second of the time axis on.
fn named_parts(windows: &[&ServerWindow]) -> String {
    let parts = parts_of_steps(windows);
    let named = parts.iter().take(MOST_PARTS);
    let named: Vec<String> = named
        .map(|part| format!("{:.0}: {}", part.from, named_step(part.first)))
        .collect();
    let more = match parts.len().saturating_sub(MOST_PARTS) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("From second {}{more}.", named.join("; "))
}

fn named_step(during: &During) -> String {
    match during {
        During::Load { .. } => "loading".to_owned(),
        During::Settle => "settling".to_owned(),
        During::Answer { .. } => "answers of the rounds".to_owned(),
        During::Setting {
            batch_rows,
            workers,
            round,
            ..
        } => {
            let round = match round {
                1 => String::new(),
                round => format!(", round {round}"),
            };
            format!("batches of {batch_rows}, {workers} workers{round}")
        }
    }
}

#[cfg(test)]
mod tests {
    use bakeoff_stats::{DatabaseSample, Role, SampleAt, ServerSample};

    use super::together::TOGETHER;
    use super::*;

    fn info(id: &str) -> DesignInfo {
        DesignInfo {
            id: id.to_owned(),
            engine: "cassandra".to_owned(),
            role: Role::Store,
            server: true,
            settings: Vec::new(),
            statements: Vec::new(),
            unit_rows: None,
            not_asked: Vec::new(),
            stored_by: None,
            table_of: None,
        }
    }

    fn engine(settings: Vec<(String, String)>) -> EngineInfo {
        EngineInfo {
            engine: "cassandra".to_owned(),
            version: "5.0".to_owned(),
            start_seconds: None,
            settings,
        }
    }

    fn window(design: &str, during: During) -> ServerWindow {
        let sample = |seconds, writes| SampleAt {
            seconds,
            server: ServerSample {
                coordinator_writes: Some(writes),
                ..ServerSample::default()
            },
        };
        ServerWindow {
            design: design.to_owned(),
            during,
            began_at_ns: 0,
            seconds: 4.0,
            samples: vec![sample(0.0, 0), sample(4.0, 400)],
        }
    }

    #[test]
    fn each_design_has_a_chart_with_what_was_done_when_and_what_is_missing() {
        let setting = |workers, round| During::Setting {
            batch_rows: 10,
            workers,
            round,
            rows: 1_000,
        };
        let windows = [
            window("a", setting(1, 1)),
            window("b", During::Load { slice: 0, rows: 9 }),
            window("a", setting(8, 2)),
        ];
        let infos = ["a", "b", "c"].map(info);
        let own = [engine(Vec::new())];
        let html = server(infos.iter(), &own, &windows);
        assert_eq!(html.matches("<details>").count(), 2, "{html}");
        let of_a = "From second 0: batches of 10, 1 workers; 4: batches of 10, 8 workers, round 2.";
        assert!(html.contains(of_a), "{html}");
        assert!(html.contains("From second 0: loading."), "{html}");
        assert!(html.contains("Coordinated by this node a second"), "{html}");
        assert!(!html.contains("Not available"), "{html}");

        let address = (EngineInfo::CLUSTER.to_owned(), "db1:9042".to_owned());
        let existing = [engine(vec![address])];
        let html = server(infos.iter(), &existing, &windows);
        assert!(html.contains("Not available over CQL: CPU"), "{html}");
        assert!(!html.contains("Not available: requests"), "{html}");
    }

    /// A step of 4 s in which a server used 2 cores.
    fn computing(design: &str) -> ServerWindow {
        let mut window = window(design, During::Load { slice: 0, rows: 9 });
        for (sample, cpu) in window.samples.iter_mut().zip([1.0, 9.0]) {
            sample.server.cpu_seconds = Some(cpu);
        }
        window
    }

    #[test]
    fn the_figures_of_several_designs_are_drawn_over_each_other() {
        let infos = ["<a>", "b", "c"].map(info);
        let windows = ["<a>", "b"].map(computing);
        let html = server(infos.iter(), &[engine(Vec::new())], &windows);
        let (together, each) = html.split_once("</details>").unwrap();
        let title = format!("<summary>Loading: 2 of 3 {TOGETHER}</summary>");
        assert!(together.contains(&title) && !each.contains(TOGETHER));
        let others = "whenever that was. Without figures of these steps: c.</figcaption>";
        assert!(together.contains(others), "{together}");
        assert!(together.contains("</span>&lt;a&gt;</li>"), "{together}");
        // The wide chart and that of a phone.
        assert_eq!(
            together.matches("Server CPU, cores in use</text>").count(),
            2
        );
        // Those of its CPU, and of the rows that the client loaded meanwhile.
        assert_eq!(together.matches("class=\"line\"").count(), 8);
        assert!(!together.contains("Not drawn"), "{together}");
        assert_eq!(each.matches("<details>").count(), 2);
        let one = server(infos.iter(), &[], &windows[..1]);
        assert!(!one.contains(TOGETHER), "{one}");
        let all = server(infos[..2].iter(), &[], &windows);
        assert!(all.contains(&format!("<summary>Loading: all {TOGETHER}</summary>")));
        assert!(!all.contains("Without figures"), "{all}");
    }

    #[test]
    fn steps_of_each_kind_are_drawn_over_each_other_and_answers_before_loading() {
        let infos = ["a", "b"].map(info);
        let answer = |design| ServerWindow {
            during: During::Answer {
                query: "q".to_owned(),
                round: 1,
            },
            ..computing(design)
        };
        let mut windows = vec![computing("a"), computing("b"), answer("a")];
        let together = |windows: &[ServerWindow]| -> Vec<String> {
            let html = server(infos.iter(), &[], windows);
            let details = html.split("</details>").map(str::to_owned);
            details.filter(|one| one.contains(TOGETHER)).collect()
        };
        let is_of = |chart: &str, caption: &str, seen: &str| {
            let lasted = "a for 4.00 s; b for 4.00 s.";
            for words in [caption, seen, lasted] {
                assert!(chart.contains(words), "{words}: {chart}");
            }
        };
        let loading = (
            "<figcaption>Loading alone, ",
            "Rows a second, by the client",
        );
        let charts = together(&windows);
        assert_eq!(charts.len(), 1);
        is_of(&charts[0], loading.0, loading.1);
        windows.push(answer("b"));
        let charts = together(&windows);
        assert_eq!(charts.len(), 2);
        is_of(
            &charts[0],
            "<figcaption>Answers alone, ",
            "Time of an answer, by the client",
        );
        is_of(&charts[1], loading.0, loading.1);
    }

    #[test]
    fn of_more_than_eight_designs_those_that_are_not_drawn_together_are_named() {
        let infos: Vec<DesignInfo> = (0..10).map(|n| info(&format!("d{n}"))).collect();
        let windows: Vec<ServerWindow> = infos.iter().map(|info| computing(&info.id)).collect();
        let html = server(infos.iter(), &[], &windows);
        let (together, each) = html.split_once("</details>").unwrap();
        let told = "Not drawn, since there is room for 8: d8 and d9.";
        assert!(together.contains(told), "{together}");
        assert_eq!(together.matches("</li>").count(), 8);
        assert_eq!(
            each.matches("<details>").count(),
            10,
            "by themselves all are"
        );
    }

    #[test]
    fn of_hundreds_of_designs_some_are_drawn_and_the_others_counted() {
        let infos: Vec<DesignInfo> = (0..1_000).map(|n| info(&n.to_string())).collect();
        let load = || During::Load { slice: 0, rows: 9 };
        let windows: Vec<ServerWindow> = { infos.iter() }
            .map(|info| window(&info.id, load()))
            .collect();
        let html = server(infos.iter(), &[engine(Vec::new())], &windows);
        assert!(html.len() < MOST_BYTES + (64 << 10), "{}", html.len());
        let drawn = html.matches("<details>").count();
        let told = format!("{} designs are not drawn, since the page", 1_000 - drawn);
        assert!(drawn > 50 && html.contains(&told), "{drawn} drawn");
    }

    #[test]
    fn views_that_may_not_be_read_are_named() {
        let address = (EngineInfo::CLUSTER.to_owned(), "db1:9042".to_owned());
        let existing = [engine(vec![address])];
        let sample = ServerSample {
            pending_compactions: Some(1),
            ..ServerSample::default()
        };
        let missing = |samples: &[ServerSample]| missing(&info("a"), &existing, samples.iter());
        let told = missing(&[sample]);
        assert_eq!(told.len(), 2);
        assert!(told[1].contains("SELECT on system_views"), "{told:?}");
        assert!(missing(&[]).is_empty());
    }

    /// Exporters of one kind tell a part of what both do.
    #[test]
    fn what_exporters_do_not_tell_is_named_with_the_one_that_does() {
        let address = (EngineInfo::CLUSTER.to_owned(), "db1:9042".to_owned());
        let existing = [engine(vec![address])];
        let jvm = ServerSample {
            cpu_seconds: Some(1.0),
            gc_count: Some(1),
            coordinator_reads: Some(1),
            ..ServerSample::default()
        };
        let machine = ServerSample {
            machine_cpu_seconds: Some(1.0),
            disk_read_bytes: Some(1),
            coordinator_reads: Some(1),
            ..ServerSample::default()
        };
        let of_jvm = "a JVM exporter in each node tells them";
        let of_machine = "a node exporter on each machine tells them";
        let told_apart = "exporters do not tell them apart";
        for (samples, expected) in [
            (vec![jvm.clone()], vec![of_machine]),
            (vec![machine.clone()], vec![of_jvm, told_apart]),
            (vec![jvm, machine], vec![told_apart]),
        ] {
            let told = missing(&info("a"), &existing, samples.iter());
            assert_eq!(told.len(), expected.len(), "{told:?}");
            for (sentence, words) in told.iter().zip(expected) {
                assert!(sentence.contains(words), "{sentence}");
            }
            let own = missing(&info("a"), &[engine(Vec::new())], samples.iter());
            assert!(own.is_empty(), "{own:?}");
        }
    }

    #[test]
    fn a_server_that_was_running_already_tells_its_work_and_not_what_it_uses() {
        let address = (EngineInfo::SERVER.to_owned(), "bench@db1:5432/m".to_owned());
        let existing = [engine(vec![address])];
        let counted = ServerSample {
            database: Some(DatabaseSample::default()),
            ..ServerSample::default()
        };
        let told = missing(&info("a"), &existing, [counted.clone()].iter());
        let expected =
            "Not available: CPU, memory and disk of a server that Bakeoff did not start.";
        assert_eq!(told, [expected]);
        let own = [engine(Vec::new())];
        assert!(missing(&info("a"), &own, [counted].iter()).is_empty());
    }

    #[test]
    fn without_a_sample_there_is_no_section() {
        let infos = [info("a")];
        assert_eq!(server(infos.iter(), &[], &[]), "");
    }
}
