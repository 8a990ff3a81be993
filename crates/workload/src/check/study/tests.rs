use super::*;
use crate::{StudyFigure, StudyPassTime};

const STUDY: &str = r#"
title = "A study"
question = "Which one?"
method = ["As it was done."]

[publication]
author = "A. Nobody"
year = 2016
title = "Which one"
url = "https://example.org/which"

[[steps]]
name = "designs"
what = "all designs"
command = "run"
workload = "formats"
share = 60
at_budget = ["--budget", "${budget}"]

[[steps]]
name = "load"
what = "a load"
command = "drive"
workload = "compression"
share = 40

[[claims]]
text = "One is ten times the other."
published = "10×"
step = "designs"
figure = "scan"
of = "cassandra/narrow"
to = "cassandra/compact"
at_least = 5
at_most = 20.0

[[claims]]
text = "The filter is faster than the scan."
step = "designs"
figure = "scan"
of = "cassandra/wide"
to_figure = "month"
at_least = 1.0

[[claims]]
text = "Reads are fast."
step = "load"
figure = "read.p99"
of = "cassandra/wide"
at_most = 0.013

[[claims]]
text = "It costs less."
why = "Prices are not measured."
"#;

fn parse(text: &str) -> Result<Study> {
    Study::parse(text, Path::new("studies/s9.toml"))
}

#[test]
fn a_study_has_steps_and_what_decides_its_statements() {
    let study = parse(STUDY).unwrap();
    assert_eq!((study.name.as_str(), study.steps.len()), ("s9", 2));
    assert_eq!(study.publication.year, 2016);
    let first = study.claims[0].comparison.as_ref().unwrap();
    assert_eq!((first.at_least, first.at_most), (Some(5.0), Some(20.0)));
    let (figure, design) = first.to.as_ref().unwrap();
    assert_eq!(*figure, StudyFigure::Query("scan".to_owned()));
    assert_eq!(design.to_string(), "cassandra/compact");
    // A second figure of the same design.
    let second = study.claims[1].comparison.as_ref().unwrap();
    let (figure, design) = second.to.as_ref().unwrap();
    assert_eq!(*figure, StudyFigure::Query("month".to_owned()));
    assert_eq!(*design, second.of_design);
    let third = study.claims[2].comparison.as_ref().unwrap();
    assert!(third.to.is_none() && third.at_least.is_none());
    assert!(matches!(third.of, StudyFigure::Response { .. }));
    assert!(study.claims[3].comparison.is_none());
}

#[test]
fn times_of_passes_are_figures_of_loads() {
    for (name, expected) in [
        ("read.real", StudyPassTime::Real),
        ("read.user", StudyPassTime::User),
        ("read.system", StudyPassTime::System),
        ("read.cpu", StudyPassTime::ClientCpu),
        ("read.server-cpu", StudyPassTime::ServerCpu),
    ] {
        let text = STUDY.replacen("read.p99", name, 1);
        let claim = parse(&text).unwrap().claims.remove(2);
        let StudyFigure::Pass { operation, time } = claim.comparison.unwrap().of else {
            panic!("{name} is something else");
        };
        assert_eq!((operation.as_str(), time), ("read", expected));
    }
}

#[test]
fn bytes_from_the_disk_are_figures_of_loads_with_compaction_and_without() {
    for (name, figure) in [
        ("disk-read-per-byte", StudyFigure::DiskReadPerByte),
        (
            "disk-read-per-byte-without-compaction",
            StudyFigure::DiskReadPerByteOfReads,
        ),
    ] {
        let text = STUDY.replace("figure = \"read.p99\"", &format!("figure = \"{name}\""));
        let study = parse(&text).unwrap();
        let comparison = study.claims[2].comparison.as_ref().unwrap();
        assert_eq!(comparison.of, figure);
    }
}

#[test]
fn answers_that_came_are_a_figure_of_a_query() {
    let text = STUDY.replacen("figure = \"scan\"", "figure = \"scan.answered\"", 1);
    let claim = parse(&text).unwrap().claims.remove(0);
    let comparison = claim.comparison.unwrap();
    assert_eq!(comparison.of, StudyFigure::Answered("scan".to_owned()));
}

#[track_caller]
fn refused(what: &str, instead: &str, words: &str) {
    assert!(STUDY.contains(what), "{what}");
    let error = parse(&STUDY.replacen(what, instead, 1))
        .unwrap_err()
        .to_string();
    assert!(error.contains(words), "{instead}: {error}");
    assert!(error.starts_with("studies/s9.toml:"), "{error}");
}

#[test]
fn what_cannot_be_carried_out_or_decided_is_refused_where_it_is_written() {
    refused(
        "command = \"run\"",
        "command = \"rum\"",
        "did you mean `run`",
    );
    refused("share = 60", "share = 61", "101% of the budget");
    refused("share = 60", "share = 0", "from 1 to 100");
    refused(
        "name = \"load\"",
        "name = \"designs\"",
        "two steps are called",
    );
    refused(
        "name = \"load\"",
        "name = \"../load\"",
        "part of a folder's name",
    );
    refused("${budget}", "${budget/0}", "no part of the budget");
    refused("at_budget", "at_full", "in `at_budget` only");
    refused("\"--budget\"", "\"--out=x\"", "chosen by the study");
    refused("year = 2016", "year = 16", "one of a publication");
    refused("https://", "ftp://", "begin with https://");
    refused("step = \"load\"", "step = \"laod\"", "did you mean `load`");
    refused(
        "figure = \"read.p99\"",
        "figure = \"read.p98\"",
        "measures no figure",
    );
    refused(
        "figure = \"read.p99\"",
        "figure = \".p99\"",
        "measures no figure",
    );
    refused(
        "to_figure = \"month\"",
        "to_figure = \"storage\"",
        "of one kind",
    );
    refused(
        "of = \"cassandra/wide\"\nto_figure",
        "of = \"?\"\nto_figure",
        "not a design id",
    );
    refused("at_least = 5\n", "at_least = 21\n", "above `at_most`");
    refused("at_most = 0.013", "at_most = 0.0", "has to be above 0");
    refused("at_most = 0.013", "", "says when this statement holds");
    refused("figure = \"read.p99\"\n", "", "needs all of");
    refused(
        "why = \"Prices",
        "published = \"Prices",
        "nothing decides this statement",
    );
    refused("question", "questoin", "did you mean `question`");
}

#[test]
fn a_workload_without_the_query_is_refused() {
    let study = parse(STUDY).unwrap();
    let sensor = "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"scam\"\n\
                  sql = \"SELECT value FROM sensor\"\n";
    let workload = Workload::parse(sensor, Path::new("formats.toml")).unwrap();
    let wrong = study.check_step(&study.steps[0], &workload).unwrap_err();
    assert!(
        wrong.contains("no query `scan`; did you mean `scam`?"),
        "{wrong}"
    );
    let right = sensor.replace("scam", "scan").replace(
        "[[queries]]",
        "[[queries]]\nname = \"month\"\n\
                 sql = \"SELECT time FROM sensor\"\n[[queries]]",
    );
    let workload = Workload::parse(&right, Path::new("formats.toml")).unwrap();
    assert_eq!(study.check_step(&study.steps[0], &workload), Ok(()));
    let wrong = study.check_step(&study.steps[1], &workload).unwrap_err();
    assert!(wrong.contains("has no [mix]"), "{wrong}");
}
