use bakeoff_stats::propose::{BadPractice, Misfit, Reason, SameTable};

use super::*;

const WIDTH: usize = 100;

fn reason(rule: &'static str, says: &str) -> Reason {
    Reason {
        rule,
        says: says.to_owned(),
        source: "the guide",
    }
}

fn design(id: &str, reasons: Vec<Reason>) -> Proposal {
    Proposal {
        design: id.to_owned(),
        reasons,
        ddl: vec!["CREATE TABLE t (a int)".to_owned()],
        answers_questions: true,
        takes_operations: false,
        not_here: None,
        estimated: Vec::new(),
    }
}

fn proposals() -> Proposals {
    let both = vec![
        reason("sorted-files", "one file"),
        reason("codec", "smaller ones"),
    ];
    Proposals {
        workload: "metrics".to_owned(),
        facts: vec!["key ((series), time); 3 columns".to_owned()],
        designs: vec![
            design("parquet?codec=zstd", both),
            design(
                "local/columnar",
                vec![reason("columnar", "columns in files")],
            ),
        ],
        bad_practices: vec![BadPractice {
            rule: "unselective-index",
            what: "index=status".to_owned(),
            why: "it finds 40% of the rows".to_owned(),
            instead: "a scan".to_owned(),
            source: "the documentation",
        }],
        ..Proposals::default()
    }
}

#[test]
fn the_first_line_answers() {
    assert_eq!(
        headline(&proposals()),
        "2 designs are worth measuring for metrics, by 3 rules; 1 practice is known to go wrong"
    );
    let none = Proposals {
        workload: "metrics".to_owned(),
        ..Proposals::default()
    };
    assert_eq!(headline(&none), "no rule proposes a design for metrics");
}

#[test]
fn each_design_has_its_rules_with_reasons_and_sources() {
    let mut proposals = proposals();
    proposals.designs[1].not_here = Some("no compiler".to_owned());
    let text = render(&proposals, false, WIDTH);
    let expected = "  parquet?codec=zstd\n    sorted-files: one file; by: the guide\n    \
                    codec: smaller ones; by: the guide\n  local/columnar\n    \
                    columnar: columns in files; by: the guide\n    not here: no compiler";
    assert!(text.contains(expected), "{text}");
    let bad =
        "  index=status\n    unselective-index: it finds 40% of the rows; instead: a scan; by: the";
    assert!(text.contains(bad), "{text}");
    assert!(!text.contains("CREATE TABLE"));
    assert!(render(&proposals, true, WIDTH).contains("\n    CREATE TABLE t (a int)\n"));
}

#[test]
fn what_is_left_out_is_said() {
    let mut proposals = proposals();
    proposals.beyond = vec!["parquet?codec=snappy".to_owned()];
    proposals.misfits = vec![Misfit {
        design: "local/columnar?rows=0".to_owned(),
        why: "a chunk has 1 row or more".to_owned(),
    }];
    let text = render(&proposals, false, WIDTH);
    assert!(
        text.contains("1 further design, parquet?codec=snappy"),
        "{text}"
    );
    assert!(
        text.contains("local/columnar?rows=0: a chunk has 1 row or more"),
        "{text}"
    );
}

#[test]
fn designs_that_would_be_the_same_table_are_named_with_the_one_that_is_measured() {
    let same = |design: &str, measured: &str| SameTable {
        design: format!("timescale/hypertable?chunk={design}"),
        measured: format!("timescale/hypertable?chunk={measured}"),
    };
    let mut proposals = proposals();
    proposals.same = vec![same("7d", "1d"), same("30d", "1d")];
    let both = "timescale/hypertable?chunk=7d, timescale/hypertable?chunk=30d: all rows lie within one such length, \
                so that their tables would hardly differ from that of timescale/hypertable?chunk=1d";
    assert_eq!(same_in_words(&proposals), [both]);
    proposals.same.pop();
    let one = same_in_words(&proposals).remove(0);
    assert!(
        one.ends_with(
            " so that its table would hardly differ from that of timescale/hypertable?chunk=1d"
        ),
        "{one}"
    );
    let text = render(&proposals, false, 1_000);
    assert!(
        text.contains(&format!("\nNot measured apart: {one}")),
        "{text}"
    );
}

#[test]
fn commands_measure_questions_and_the_mix() {
    let mut proposals = proposals();
    let run = "bakeoff run w.toml --race --budget 15m";
    assert_eq!(commands(&proposals, "w.toml"), [run]);
    proposals.designs[1].takes_operations = true;
    let drive = "bakeoff drive w.toml --designs 'local/columnar' --rate 1k --for 60s --rounds 5";
    assert_eq!(commands(&proposals, "w.toml"), [run, drive]);
    proposals.designs[0].takes_operations = true;
    for design in &mut proposals.designs {
        design.answers_questions = false;
    }
    let all = "bakeoff drive w.toml --rate 1k --for 60s --rounds 5";
    assert_eq!(commands(&proposals, "w.toml"), [all]);
    for design in &mut proposals.designs {
        design.not_here = Some("no compiler".to_owned());
    }
    assert!(commands(&proposals, "w.toml").is_empty());
}

#[test]
fn a_comment_names_all_rules_and_json_has_everything() {
    let proposals = proposals();
    let said = comment(&proposals.designs[0]);
    assert_eq!(said, "sorted-files, codec: one file");
    let json: serde_json::Value = serde_json::from_str(&json(&proposals).unwrap()).unwrap();
    assert_eq!(json["answer"], headline(&proposals));
    assert_eq!(json["designs"][0]["reasons"][1]["rule"], "codec");
    assert_eq!(json["designs"][0]["ddl"][0], "CREATE TABLE t (a int)");
    assert_eq!(json["bad_practices"][0]["instead"], "a scan");
}
