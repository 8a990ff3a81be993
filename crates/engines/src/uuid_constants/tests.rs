use std::path::Path;

use super::*;
use crate::check::{check_queries, check_question};

const UUID: &str = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";
const UPPER: &str = "6A1F0B0C-8A7E-11EE-B962-0242AC120002";

/// A workload that has this question alone, with more keys of it.
fn workload(sql: &str, more: &str) -> Workload {
    let text = format!(
        "title = \"UUIDs\"\ndesigns = [\"memory\"]\n\
         [table]\nname = \"t\"\npartition_key = [\"id\"]\n\
         [table.columns]\nid = \"uuid\"\nother = \"uuid\"\nname = \"text\"\nn = \"int\"\n\
         [data]\nfile = \"t.csv\"\n\
         [[queries]]\nname = \"asked\"\nsql = \"\"\"{sql}\"\"\"\n{more}\n\
         [scale]\nrows = 10\nfull_rows = 10\n"
    );
    Workload::parse(&text, Path::new("w.toml")).unwrap()
}

/// A question with the UUIDs that it compares in their usual spelling; `None` if it stays as it is.
async fn usual(sql: &str) -> Option<String> {
    let workload = workload(sql, "");
    with_usual_uuids(&workload, &workload.queries[0], sql).await
}

#[tokio::test]
async fn what_is_compared_with_a_uuid_gets_its_usual_spelling() {
    let plain = UPPER.replace('-', "");
    for question in [
        "SELECT count(*) AS c FROM t WHERE id = '$'",
        "SELECT count(*) AS c FROM t WHERE '$' = t.id",
        "SELECT count(*) AS c FROM t WHERE id <> '$'",
        "SELECT count(*) AS c FROM t WHERE id IS DISTINCT FROM '$'",
        "SELECT count(*) AS c FROM t WHERE id NOT IN ('a', '$')",
        "SELECT count(*) AS c FROM t WHERE id BETWEEN '$' AND 'f'",
        "SELECT count(*) AS c FROM t WHERE CAST(id AS VARCHAR) >= '$'",
        "SELECT count(*) AS c FROM t WHERE n = 1 AND (name = 'x' OR NOT id = '$')",
        "SELECT sum(CASE id WHEN '$' THEN 1 ELSE 2 END) AS s FROM t",
        "SELECT count(*) AS c FROM t WHERE n IN (SELECT s.n FROM t AS s WHERE s.other = '$')",
        "SELECT count(*) AS c FROM (SELECT other AS x FROM t) AS s WHERE s.x = '$'",
        "SELECT count(*) AS c FROM t JOIN (VALUES ('$', 1)) AS v(id, m) USING (id)",
        "SELECT count(*) AS c FROM t JOIN (VALUES ('$', 1)) AS v(x, m) ON v.x = t.id",
        "WITH v(x) AS (VALUES ('a'), ('$')) SELECT count(*) AS c FROM t, v WHERE v.x = t.other",
        "SELECT count(*) AS c FROM t WHERE id IN (SELECT v.x FROM (VALUES ('$')) AS v(x))",
    ] {
        for other in [UPPER, &plain, &format!("{{{UUID}}}")] {
            let written = usual(&question.replace('$', other)).await;
            let expected = question.replace('$', UUID);
            assert_eq!(written, Some(expected), "{question}: {other}");
        }
        assert_eq!(usual(&question.replace('$', UUID)).await, None);
    }
}

#[tokio::test]
async fn texts_that_are_compared_with_no_uuid_stay() {
    for question in [
        "SELECT count(*) AS c FROM t WHERE name = '$'",
        "SELECT count(*) AS c FROM t WHERE id = 'nobody'",
        "SELECT '$' AS x, id FROM t",
        "SELECT id || '$' AS x FROM t",
        "SELECT count(*) AS c FROM t WHERE concat(id, '') = '$'",
        "SELECT count(*) AS c FROM t JOIN (VALUES ('$')) AS v(x) ON v.x = t.name WHERE id <> 'a'",
        "SELECT count(*) AS c FROM t WHERE nothing = '$'",
    ] {
        assert_eq!(
            usual(&question.replace('$', UPPER)).await,
            None,
            "{question}"
        );
    }
}

#[tokio::test]
async fn another_spelling_is_refused_with_what_to_write() {
    let sql = format!("SELECT count(*) AS c\nFROM t WHERE id IN ('{UUID}', '{UPPER}')");
    let why = format!("'{UPPER}' equals no UUID, ");
    let of_question = workload(&sql, "");
    let error = check_queries(&of_question).await.unwrap_err().to_string();
    assert!(error.contains(&format!("query asked: {why}")), "{error}");
    assert!(error.ends_with(&format!("write '{UUID}'")), "{error}");
    let checked = check_question(&of_question, &of_question.queries[0]).await;
    assert!(checked.unwrap_err().contains(&why));

    let choice = format!("parameters = {{ x = {{ choice = [\"{UUID}\", \"{UPPER}\"] }} }}");
    let of_choice = workload("SELECT count(*) AS c FROM t WHERE id = ${x}", &choice);
    let error = check_queries(&of_choice).await.unwrap_err().to_string();
    assert!(error.contains(&format!("query asked: {why}")), "{error}");
    let of_text = workload("SELECT count(*) AS c FROM t WHERE name = ${x}", &choice);
    check_queries(&of_text).await.unwrap();
}

#[tokio::test]
async fn a_text_that_would_have_to_equal_a_uuid_and_is_nearly_one_is_refused() {
    let (short, long) = (&UUID[1..], &format!("{UUID}0"));
    let wrong = &UUID.replace('a', "o");
    for (asked, text) in [
        (format!("id = '{short}'"), short),
        (format!("id NOT IN ('{UUID}', '{wrong}')"), wrong.as_str()),
        (format!("'{long}' IS DISTINCT FROM id"), long.as_str()),
    ] {
        let sql = format!("SELECT count(*) AS c FROM t WHERE {asked}");
        let error = check_queries(&workload(&sql, "")).await.unwrap_err();
        let error = error.to_string();
        let why = format!(
            "query asked: '{text}' is no UUID, and equals none: write 32 hexadecimal digits"
        );
        assert!(error.contains(&why), "{asked}: {error}");
    }
    for asked in [
        "id = 'none'".to_owned(),
        format!("id >= '{short}'"),
        format!("name = '{short}'"),
        format!("id LIKE '{short}%'"),
    ] {
        let sql = format!("SELECT count(*) AS c FROM t WHERE {asked}");
        check_queries(&workload(&sql, "")).await.unwrap();
    }
    let choice = format!("parameters = {{ x = {{ choice = [\"{UUID}\"] }} }}");
    let sql = "SELECT count(*) AS c FROM t WHERE id = ${x}";
    check_queries(&workload(sql, &choice)).await.unwrap();
}
