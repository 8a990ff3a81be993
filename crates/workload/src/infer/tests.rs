use super::*;

fn inferred(name: &str, text: &str, asked: &Asked) -> Inferred {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    infer(&path, asked).unwrap()
}

#[test]
fn a_time_that_many_rows_lack_is_in_no_key_that_can_do_without_it() {
    let text = "id,day,size\n1,2024-01-01,5\n2,,5\n3,,6\n4,2024-01-02,7\n";
    let found = inferred("parts.csv", text, &Asked::default());
    assert_eq!(found.partition_key, ["id"]);
    assert_eq!(
        (found.order_key.len(), found.time, found.bad_rows),
        (0, None, 0)
    );
    let asked = Asked {
        time: Some("day".to_owned()),
        ..Asked::default()
    };
    let found = inferred("parts.csv", text, &asked);
    assert_eq!((found.time.as_deref(), found.bad_rows), (Some("day"), 2));
}

#[test]
fn a_file_of_one_column_says_how_to_divide_its_lines() {
    let found = inferred("one.csv", "note\nrain\nno sun\n", &Asked::default());
    assert!(found.notes[0].contains("--delimiter"), "{:?}", found.notes);
}

#[test]
fn questions_ask_for_values_that_are_likely_in_one_row() {
    let mut sparse = "source,target,value\n".to_owned();
    let mut dense = "source,target,value\n".to_owned();
    for row in 0..40 {
        sparse.push_str(&format!("s{},t{},5\n", row % 20, row / 2));
        dense.push_str(&format!("s{},t{},5\n", row % 4, row / 4 % 5));
    }
    let asked = Asked {
        key: vec!["source".to_owned(), "target".to_owned()],
        ..Asked::default()
    };
    let workload = |text: &str| {
        let found = inferred("routes.csv", text, &asked);
        found.workload("routes.csv", &["memory".to_owned()], &[])
    };
    let text = workload(&sparse);
    assert!(text.contains("WHERE source = ${source}\""), "{text}");
    let text = workload(&dense);
    assert!(
        text.contains("source = ${source} AND target = ${target}"),
        "{text}"
    );
}
