//! A study with a statement for each finding.

use bakeoff_stats::study::{Claim, Comparison, Figure, FigureOf, Measured, StepResult, Study};

use crate::{compare, drive, sweep};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub const SOURCE: &str = "https://example.org/which";

pub fn study() -> Study {
    let scan = |design: &str| of(Figure::Query("scan".to_owned()), design);
    let rate = |design: &str| of(Figure::Throughput, design);
    let [small, large] = drive::fixture::DESIGNS;
    Study {
        name: "s9".to_owned(),
        title: "Which one is faster".to_owned(),
        author: "A. Nobody".to_owned(),
        year: 2016,
        publication: "Which one is faster".to_owned(),
        url: SOURCE.to_owned(),
        question: "Which one is faster?".to_owned(),
        method: vec!["As it was done.".to_owned(), "As it is done.".to_owned()],
        claims: vec![
            // 1.92 s against 0.412 s.
            decided(
                "designs",
                scan("cassandra/narrow"),
                Some(scan("cassandra/blob")),
                [Some(2.0), Some(12.0)],
            ),
            Claim {
                why: Some("It was so in 2016.".to_owned()),
                ..decided(
                    "designs",
                    of(Figure::Storage, "cassandra/narrow"),
                    Some(of(Figure::Storage, "cassandra/wide")),
                    [Some(2.0), None],
                )
            },
            decided(
                "designs",
                of(Figure::Storage, "cassandra/narrow"),
                None,
                [None, Some(300.0)],
            ),
            // Three rounds.
            decided("load", rate(small), Some(rate(large)), [Some(1.0), None]),
            decided(
                "inserts",
                of(Figure::Inserts, sweep::fixture::TIMESCALE),
                Some(of(Figure::Inserts, sweep::fixture::SERIES)),
                [Some(10.0), Some(20.0)],
            ),
            decided(
                "designs",
                scan("cassandra/compact"),
                Some(scan("cassandra/narrow")),
                [Some(1.0), None],
            ),
            Claim {
                text: "It costs less.".to_owned(),
                published: None,
                why: Some("nothing costs anything here".to_owned()),
                comparison: None,
            },
        ],
    }
}

fn of(figure: Figure, design: &str) -> FigureOf {
    FigureOf {
        figure,
        design: design.to_owned(),
    }
}

fn decided(step: &str, of: FigureOf, to: Option<FigureOf>, bounds: [Option<f64>; 2]) -> Claim {
    let [at_least, at_most] = bounds;
    Claim {
        text: "One is 4.1 times the other.".to_owned(),
        published: Some("4.1×".to_owned()),
        why: None,
        comparison: Some(Comparison {
            step: step.to_owned(),
            of,
            to,
            at_least,
            at_most,
        }),
    }
}

/// The steps' results; the last one has none.
pub fn results() -> Result<Vec<StepResult>> {
    let run = Measured::Run(Box::new(compare::fixture::summary()?));
    let load = Measured::Load(Box::new(drive::fixture::comparison()?.summary));
    let sweep = Measured::Sweep(Box::new(sweep::fixture::several_rounds(7)));
    let step = |name: &str, what: &str, measured| StepResult {
        name: name.to_owned(),
        what: what.to_owned(),
        command: format!("bakeoff run formats --out runs/s9/{name}"),
        measured: Some(measured),
        failed: None,
    };
    Ok(vec![
        step("designs", "all designs", run),
        step("load", "a load", load),
        step("inserts", "inserts", sweep),
        StepResult {
            measured: None,
            failed: Some("no server".to_owned()),
            ..step(
                "later",
                "what comes later",
                Measured::Run(Box::new(compare::fixture::summary()?)),
            )
        },
    ])
}
