use bakeoff_stats::decide::{Fallback, RunnerUp};

use super::*;
use crate::cmd::decide::fixture::{decide, decision, ended_in};

#[test]
fn the_race_has_all_of_a_budget_or_shares_it_with_the_final() {
    let decide = decide(&["readings", "--budget", "20m"]);
    let dir = Path::new("no such folder");
    let minutes = |by: By, is_too_short: bool| {
        let race = decide.budget_of_race(dir, by, is_too_short);
        (
            race.as_secs_f64() / 60.0,
            decide.budget_of_final(by).as_secs_f64() / 60.0,
        )
    };
    assert_eq!(minutes(By::Questions, false), (20.0, 10.0));
    assert_eq!(minutes(By::Questions, true), (10.0, 10.0));
    // A quarter is for the operations.
    assert_eq!(minutes(By::Both, true), (7.5, 7.5));
}

fn standing(id: &str, time: Option<f64>) -> DesignStanding {
    DesignStanding {
        id: id.to_owned(),
        out: None,
        is_recommended: false,
        is_on_front: false,
        won: None,
        storage: None,
        settled: None,
        load: None,
        month: None,
        is_month_least: false,
        time: time.map(|point| Span {
            point,
            interval: None,
        }),
        ratios: Vec::new(),
        cells: Vec::new(),
        limits: Vec::new(),
        quantiles: Vec::new(),
    }
}

#[test]
fn a_final_is_of_the_best_designs_where_there_is_no_forecast() {
    let mut decision = decision();
    assert_eq!(finalists(&decision).unwrap(), ["local/columnar"]);
    if let Some(taken) = &mut decision.recommendation {
        taken.runner_up = Some(RunnerUp {
            design: "duckdb/table".to_owned(),
            won: 0.1,
            times: 1.2,
        });
    }
    let both = ["local/columnar", "duckdb/table"];
    assert_eq!(finalists(&decision).unwrap(), both);
    // Further ones by what the rule minimises, if they have it.
    let standings = [
        ("a", Some(3.0)),
        ("b", None),
        ("c", Some(2.0)),
        ("d", Some(4.0)),
    ];
    decision.designs = { standings.iter() }
        .map(|(id, time)| standing(id, *time))
        .chain([standing("local/columnar", Some(1.0))])
        .collect();
    assert_eq!(finalists(&decision).unwrap()[2..], ["c", "a"]);
    decision.rule.minimise = Minimise::Storage;
    assert_eq!(finalists(&decision).unwrap(), both);
    // The first ones are those that load the most rows a second.
    decision.rule.minimise = Minimise::Load;
    for (standing, rate) in decision.designs.iter_mut().zip([9.0, 7.0, 8.0, 6.0]) {
        standing.load = Some(Span {
            point: rate,
            interval: None,
        });
    }
    assert_eq!(finalists(&decision).unwrap()[2..], ["a", "c"]);
    // Without prices, the time decides.
    decision.rule.minimise = Minimise::Month;
    decision.fallback = Some(Fallback {
        wanted: Minimise::Month,
        instead: Minimise::Time,
    });
    assert_eq!(finalists(&decision).unwrap()[2..], ["c", "a"]);
    decision.no_forecast = None;
    assert_eq!(finalists(&decision), None, "all rows are forecast");
    decision.no_forecast = Some("few".to_owned());
    decision.recommendation = None;
    assert_eq!(finalists(&decision), None);
}

/// Finals of all rows, which take 1,000 s for both designs and 500 s for one, or of those of a forecast, which takes
/// 75 s.
fn possible() -> Final {
    let one = |designs: &[&str], rows: u64, work: f64| {
        let times = designs.len() as f64;
        Possible {
            designs: designs.iter().map(|id| (*id).to_owned()).collect(),
            paces: Paces {
                load: times * 2e-5,
                round: times * 2e-6,
            },
            size: Size { rows, work },
        }
    };
    let both = ["local/columnar", "duckdb/table"];
    Final {
        possible: vec![
            one(&both, 10_000_000, 1.0),
            one(&both[..1], 10_000_000, 1.0),
            one(&both[..1], 1_000_000, 1.5),
        ],
        clients_follow: false,
    }
}

#[test]
fn a_final_takes_all_that_is_left_for_the_designs_and_rows_that_fit() {
    let planned = |seconds: u64| {
        let plan = possible().within(Duration::from_secs(seconds))?;
        assert_eq!(plan.budget.as_secs(), seconds);
        Some((plan.designs.len(), plan.rows))
    };
    assert_eq!(planned(1_001), Some((2, 10_000_000)));
    assert_eq!(planned(600), Some((1, 10_000_000)));
    assert_eq!(planned(80), Some((1, 1_000_000)));
    assert_eq!(planned(60), None);
    let least = possible().least().unwrap();
    assert_eq!(least.as_secs_f64().round(), 75.0);
    let few = possible().within(Duration::from_secs(80)).unwrap();
    assert_eq!(
        in_words(&few),
        "local/columnar once more, at 1,000,000 rows, within 1m 20s"
    );
}

#[test]
fn a_race_is_noted_to_have_no_final_where_none_fits() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    ended_in(&dir.join(RUN), "comparison");
    let run = SavedRun::open(&dir.join(RUN)).unwrap();
    let text = &run.header().workload_text;
    let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
    let decide = decide(&["readings", "--budget", "20m"]);
    decide.plan_final(dir, &workload, Duration::ZERO).unwrap();
    assert_eq!(Noted::read(dir).unwrap(), Some(Noted::NoFinal));
}

#[test]
fn a_final_that_cannot_begin_says_that_the_same_command_tries_it_again() {
    let told = |options: &[&str]| {
        let error = anyhow::anyhow!("no server answers");
        decide(&[&["readings"][..], options].concat()).ended_early(&error)
    };
    assert_eq!(
        told(&[]),
        "the final did not come to its end, so that the answer of the race stands; once that is mended, the same \
         command tries it again: no server answers"
    );
    let elsewhere = " the same command with another folder for --adopt tries it again: ";
    assert!(told(&["--adopt", "mine"]).contains(elsewhere));
}

#[test]
fn the_final_is_a_run_of_its_designs_and_rows_without_twins() {
    let decide = decide(&["readings", "--budget", "20m"]);
    let plan = FinalPlan {
        designs: vec!["local/columnar".to_owned(), "parquet?codec=zstd".to_owned()],
        rows: 7_324_550,
        budget: Duration::from_secs(360),
    };
    let run = decide.final_of(Path::new("out"), &plan).unwrap();
    let run = format!("{run:?}");
    for words in [
        "\"local/columnar\", \"parquet?codec=zstd\"",
        "rows: Some(Number(7324550))",
        "budget: Some(360s)",
        "no_twins: true",
        "race: false",
        "is_of_some: true",
        "out/final",
    ] {
        assert!(run.contains(words), "`{words}` is not in {run}");
    }
}
