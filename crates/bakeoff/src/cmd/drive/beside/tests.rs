use std::path::Path;

use clap::Parser;

use super::super::{Drive, Load};
use super::*;

const WORKLOAD: &str = r#"title = "t"
designs = ["dry"]

[table]
name = "readings"
columns = { room = "text", value = "double" }
partition_key = ["room"]

[data]
generator = "columns"
[data.columns]
room = { sequence = { every = 1 }, prefix = "r" }
value = { normal = { mean = 20.0, deviation = 5.0 } }

[scale]
rows = 9

[[queries]]
name = "room"
sql = "SELECT sum(value) AS total FROM readings WHERE room = ${room}"
parameters = { room = { column = "room" } }

[mix]
[[mix.operations]]
action = "ACTION"
weight = 100
"#;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    drive: Drive,
}

fn options(arguments: &[&str]) -> Drive {
    let line = ["drive", "w.toml"].iter().chain(arguments);
    Line::try_parse_from(line).unwrap().drive
}

fn workload(action: &str) -> Workload {
    let text = WORKLOAD.replace("ACTION", action);
    Workload::parse(&text, Path::new("w.toml")).unwrap()
}

async fn read(arguments: &[&str], driven: &[&str]) -> Result<Option<Asked>> {
    let driven: Vec<DesignId> = driven.iter().map(|id| id.parse().unwrap()).collect();
    let options = options(arguments);
    options.beside.read(&workload("read-row"), &driven).await
}

#[tokio::test]
async fn questions_are_those_of_the_command_line_and_then_those_of_the_workload() {
    let workload = workload("read-row");
    let mix = workload.mix.clone().unwrap();
    let sql = "SELECT count(*) AS n, max(value) AS top FROM readings";
    let arguments = ["--beside", sql, "--beside-query", "room"];
    let asked = read(&arguments, &["cassandra/wide"])
        .await
        .unwrap()
        .unwrap();
    let source = bakeoff_workload::source::open(&workload, None).unwrap();
    let plan = asked
        .plan(&workload, &mix, (source.as_ref(), 9), 4)
        .unwrap();
    assert!(plan.rows_stay && plan.answering.is_empty());
    let [first, second] = plan.questions.as_slice() else {
        panic!("{:?}", plan.questions);
    };
    assert_eq!(first.query.sql, sql);
    assert!(first.values.is_empty() && first.has_one_answer);
    assert_eq!(second.values.len(), 4, "parameters of each round");
    let described = asked.described(&mix, Vec::new());
    let names: Vec<&str> = described
        .questions
        .iter()
        .map(|q| q.name.as_str())
        .collect();
    assert_eq!(names, ["question 1", "room"]);
    assert!(described.compared);
}

#[tokio::test]
async fn rows_stay_where_nothing_writes_or_another_design_answers() {
    let question = ["--beside", "SELECT count(*) AS n FROM readings"];
    let stay =
        |asked: &Asked, action: &str| asked.rows_stay(workload(action).mix.as_ref().unwrap());
    let asked = read(&question, &["cassandra/wide"]).await.unwrap().unwrap();
    assert!(stay(&asked, "read-row") && !stay(&asked, "update"));
    let arguments = [&question[..], &["--beside-design", "parquet"]].concat();
    let asked = read(&arguments, &["dry"]).await.unwrap().unwrap();
    assert!(stay(&asked, "update"));
}

/// The workload with designs that patterns match.
fn with_designs() -> Workload {
    let designs =
        r#"designs = ["dry", "cassandra/wide", "parquet?codec=zstd", "parquet", "local/columnar"]"#;
    let text = WORKLOAD.replace("ACTION", "update");
    let text = text.replace(r#"designs = ["dry"]"#, designs);
    Workload::parse(&text, Path::new("w.toml")).unwrap()
}

async fn answering(designs: &[&str], driven: &str) -> Result<Vec<String>> {
    let mut arguments = vec!["--beside", "SELECT count(*) AS n FROM readings"];
    for design in designs {
        arguments.extend(["--beside-design", *design]);
    }
    let driven: DesignId = driven.parse().unwrap();
    let options = options(&arguments);
    let asked = options.beside.read(&with_designs(), &[driven]).await?;
    let designs = asked.unwrap().designs;
    Ok(designs.iter().map(DesignId::to_string).collect())
}

#[tokio::test]
async fn designs_that_answer_are_named_one_by_one_in_a_list_or_by_patterns() {
    let parquet = ["parquet?codec=zstd", "parquet"];
    let both = answering(&parquet, "cassandra/wide").await.unwrap();
    assert_eq!(both, parquet);
    let listed = answering(&["parquet,local/columnar,parquet"], "dry").await;
    assert_eq!(listed.unwrap(), ["parquet", "local/columnar"]);
    let matching = answering(&["*column*", "parquet*"], "dry").await.unwrap();
    assert_eq!(
        matching,
        ["local/columnar", "parquet?codec=zstd", "parquet"]
    );
    // A pattern leaves out what is driven.
    let others = answering(&["parquet*"], "parquet").await.unwrap();
    assert_eq!(others, ["parquet?codec=zstd"]);
}

#[tokio::test]
async fn the_driven_design_may_answer_in_turn_with_others() {
    let count = ["--beside", "SELECT count(*) AS n FROM readings"];
    let named = |designs: &'static str| [&count[..], &["--beside-design", designs]].concat();
    let [reads, updates] = ["read-row", "update"].map(workload);
    let source = bakeoff_workload::source::open(&reads, None).unwrap();
    let both = read(&named("driven,parquet"), &["cassandra/wide"]).await;
    let both = both.unwrap().unwrap();
    for (workload, rows_stay) in [(&reads, true), (&updates, false)] {
        let mix = workload.mix.as_ref().unwrap();
        let plan = both.plan(workload, mix, (source.as_ref(), 9), 1).unwrap();
        assert_eq!(plan.answering, ["parquet"]);
        assert_eq!((plan.driven, plan.answerers()), (true, 2));
        assert_eq!(plan.rows_stay, rows_stay);
        let described = both.described(mix, Vec::new());
        assert_eq!((described.driven, described.compared), (true, rows_stay));
    }
    let heading = &both.lines()[0];
    assert!(heading.contains("Asked beside 2 of 3 loads"), "{heading}");
    let words = "answered in turn by parquet, the driven design itself:";
    assert!(heading.contains(words), "{heading}");
    // Alone it answers as if it were not named.
    let alone = read(&named("driven"), &["cassandra/wide"]).await;
    let alone = alone.unwrap().unwrap();
    assert!(alone.designs.is_empty() && !alone.with_driven);
    refused(
        &named("driven,parquet"),
        "dry",
        "--beside-design driven: dry answers no SQL: leave driven out",
    )
    .await;
    let many: Vec<String> = (1..=16).map(|n| format!("parquet?rows={n}")).collect();
    let many = format!("driven,{}", many.join(","));
    let error = answering(&[many.as_str()], "cassandra/wide").await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("17 designs would answer in turn"), "{error}");
}

#[tokio::test]
async fn patterns_that_name_nobody_who_can_answer_are_refused() {
    for (design, driven, words) in [
        ("duck*", "dry", "matches --beside-design duck*; it has dry"),
        (
            "cass*",
            "cassandra/wide",
            "all designs that match it are driven",
        ),
        (
            "parquet,parquet*",
            "parquet",
            "--beside-design parquet is driven itself",
        ),
        ("*", "cassandra/wide", "--beside-design dry answers no SQL"),
        ("[", "dry", "--beside-design ["),
    ] {
        let error = answering(&[design], driven).await.unwrap_err().to_string();
        assert!(error.contains(words), "{design}: {error}");
    }
    let many: Vec<String> = (1..=17).map(|n| format!("parquet?rows={n}")).collect();
    let error = answering(&[many.join(",").as_str()], "dry")
        .await
        .unwrap_err();
    let words = "17 designs would answer in turn: name no more than 16";
    assert!(error.to_string().contains(words), "{error}");
}

async fn refused(arguments: &[&str], driven: &str, words: &str) {
    let error = read(arguments, &[driven]).await.unwrap_err().to_string();
    assert!(error.contains(words), "{error}");
}

#[tokio::test]
async fn what_cannot_be_asked_or_answered_is_refused() {
    let count = ["--beside", "SELECT count(*) AS n FROM readings"];
    let with = |design: &'static str| [&count[..], &["--beside-design", design]].concat();
    refused(
        &["--beside", "SELECT colour FROM readings"],
        "cassandra/wide",
        "colour",
    )
    .await;
    refused(
        &["--beside", "DROP TABLE readings"],
        "cassandra/wide",
        "not a query",
    )
    .await;
    let long = format!(
        "SELECT count(*) AS n FROM readings WHERE value = 1{}",
        " OR value = 2".repeat(100_000)
    );
    let error = read(&["--beside", &long], &["cassandra/wide"]).await;
    let error = error.unwrap_err().to_string();
    let found = "OR val\": line 1, column 1: it has about 100001 operators";
    assert!(error.contains(found) && error.len() < 1_000, "{error}");
    let unknown = ["--beside-query", "month"];
    refused(&unknown, "cassandra/wide", "no such query; it has room").await;
    let twice = ["--beside-query", "room", "--beside-query", "room"];
    refused(&twice, "cassandra/wide", "room is given twice").await;
    refused(&count, "dry", "dry answers no SQL: name a design").await;
    refused(&count, "cassandra/as-written", "as-written answers no SQL").await;
    refused(
        &with("dry"),
        "cassandra/wide",
        "--beside-design dry answers no SQL",
    )
    .await;
    refused(
        &with("cassandra/wide"),
        "cassandra/wide",
        "is driven itself",
    )
    .await;
    refused(&with("nothing"), "cassandra/wide", "nothing").await;
    refused(
        &["--beside-design", "parquet"],
        "dry",
        "it is asked nothing",
    )
    .await;
}

#[tokio::test]
async fn without_questions_there_is_nothing_to_ask() {
    assert!(read(&[], &["dry"]).await.unwrap().is_none());
}

#[tokio::test]
async fn a_query_that_a_design_is_not_asked_is_refused() {
    let asked = read(&["--beside-query", "room"], &["cassandra/wide"]).await;
    let asked = asked.unwrap().unwrap();
    let info = |not_asked| DesignInfo {
        id: "parquet?columns=3".to_owned(),
        engine: "parquet".to_owned(),
        role: bakeoff_stats::Role::Store,
        server: false,
        settings: Vec::new(),
        statements: Vec::new(),
        unit_rows: None,
        not_asked,
        stored_by: None,
        table_of: None,
    };
    asked.check_asked(&[info(Vec::new())]).unwrap();
    let left = bakeoff_stats::NotAsked {
        query: "room".to_owned(),
        why: "needs the column room".to_owned(),
    };
    let error = asked.check_asked(&[info(vec![left])]).unwrap_err();
    let expected = "room is not asked of parquet?columns=3, since it needs the column room";
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn a_design_that_answers_is_loaded_and_not_driven() {
    let workload = workload("read-row");
    let question = ["--for", "10s", "--rounds", "1", "--beside", "SELECT 1"];
    let own = options(&question);
    let other = options(&[&question[..], &["--beside-design", "parquet"]].concat());
    let names = |options: &Drive| -> Vec<String> {
        let designs = options.designs(&workload).unwrap();
        designs.iter().map(DesignId::to_string).collect()
    };
    assert_eq!(names(&own), ["dry"]);
    assert_eq!(names(&other), ["dry", "parquet"]);
    let two_loads = Some(std::time::Duration::from_secs(20));
    for options in [own, other] {
        assert_eq!(options.time_of_loads(&workload).unwrap(), two_loads);
    }
    let three = options(
        &[
            &question[..],
            &["--beside-design", "parquet,local/columnar"],
        ]
        .concat(),
    );
    assert_eq!(names(&three), ["dry", "parquet", "local/columnar"]);
    let three_loads = Some(std::time::Duration::from_secs(30));
    let with_driven = [&question[..], &["--beside-design", "driven,parquet"]].concat();
    let with_driven = options(&with_driven);
    assert_eq!(names(&with_driven), ["dry", "parquet"]);
    for options in [three, with_driven] {
        assert_eq!(options.time_of_loads(&workload).unwrap(), three_loads);
    }
}

#[test]
fn designs_that_are_never_driven_are_loaded_only_if_they_are_named() {
    let workload = with_designs();
    let names = |arguments: &[&str]| -> Vec<String> {
        let designs = options(arguments).designs(&workload).unwrap();
        designs.iter().map(DesignId::to_string).collect()
    };
    assert_eq!(names(&[]), ["dry", "cassandra/wide"]);
    assert_eq!(names(&["--designs", "parquet"]), ["parquet"]);
    let two_loads = Some(std::time::Duration::from_secs(20));
    let time = options(&["--for", "10s"]).time_of_loads(&workload);
    assert_eq!(time.unwrap(), two_loads);
}

#[test]
fn questions_need_loads_that_can_be_compared() {
    let question = ["--beside", "SELECT 1"];
    for other in [
        ["--within", "p99<1s"],
        ["--passes", "all"],
        ["--start-at", "4000000000"],
    ] {
        let line = [&["drive", "w.toml"][..], &question, &other].concat();
        assert!(Line::try_parse_from(line).is_err(), "{other:?}");
    }
    assert_eq!(options(&question).rounds(), ROUNDS);
    assert_eq!(options(&[]).rounds(), 1);
    let three = [&question[..], &["--rounds", "3"]].concat();
    assert_eq!(options(&three).rounds(), 3);
    let sharded = options(&[&question[..], &["--shard", "1/2"]].concat());
    let load = Load::new(&sharded, workload("read-row").mix.as_ref().unwrap()).unwrap();
    let error = sharded.check_whole(&load).unwrap_err().to_string();
    assert!(error.contains("asked by one process"), "{error}");
}
