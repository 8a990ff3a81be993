use super::*;

fn entry(design: &str, factor: f64, predicted: f64) -> Entry {
    Entry {
        method: METHOD,
        run: "2026-01-01T00:00:00Z".to_owned(),
        measured_by: None,
        workload: "w".to_owned(),
        design: design.to_owned(),
        query: Some("scan".to_owned()),
        from_rows: 1_000,
        rows: (1_000.0 * factor) as u64,
        factor,
        predicted,
        low: predicted / 1.2,
        high: predicted * 1.2,
        measured: 1.0,
    }
}

#[test]
fn no_figure_is_written_twice() {
    let dir = tempfile::tempdir().unwrap();
    assert!(read(dir.path()).unwrap().is_empty());
    let two = [entry("a", 2.0, 1.1), entry("a", 4.0, 1.5)];
    assert_eq!(append(dir.path(), &two).unwrap(), 2);
    let again = [entry("a", 2.0, 1.1), entry("b", 2.0, 1.1)];
    assert_eq!(append(dir.path(), &again).unwrap(), 1);
    assert_eq!(append(dir.path(), &again).unwrap(), 0);
    assert_eq!(read(dir.path()).unwrap().len(), 3);
}

#[test]
fn a_torn_line_is_cut_off_and_a_damaged_one_is_told() {
    let dir = tempfile::tempdir().unwrap();
    append(dir.path(), &[entry("a", 2.0, 1.1)]).unwrap();
    let path = dir.path().join(FILE);
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"method\":");
    std::fs::write(&path, &text).unwrap();
    assert_eq!(append(dir.path(), &[entry("b", 2.0, 1.1)]).unwrap(), 1);
    assert_eq!(read(dir.path()).unwrap().len(), 2);
    std::fs::write(&path, "no ledger\n").unwrap();
    let error = append(dir.path(), &[]).unwrap_err().to_string();
    assert!(error.contains("forecasts.jsonl"), "{error}");
}

#[test]
fn scores_are_by_the_nearest_factor() {
    let entries = [
        entry("a", 2.0, 1.1),
        entry("a", 2.5, 1.3),
        entry("a", 4.0, 1.1),
        entry("a", 16.0, 2.0),
    ];
    let scores = scores(&entries);
    let shown: Vec<_> = scores
        .iter()
        .map(|s| (s.factor, s.forecasts, s.covered))
        .collect();
    let expected = [
        (None, 4, 2),
        (Some(2.0), 2, 1),
        (Some(4.0), 1, 1),
        (Some(16.0), 1, 0),
    ];
    assert_eq!(shown, expected);
    assert!((scores[3].median_error - 2f64.ln()).abs() < 1e-12);
    assert!(super::scores(&[]).is_empty());
}

#[test]
fn copies_of_a_folder_and_other_methods_do_not_count() {
    let other = Entry {
        method: METHOD + 1,
        ..entry("a", 2.0, 1.1)
    };
    let entries = [entry("a", 2.0, 1.1), entry("a", 2.0, 1.1), other];
    assert_eq!(distinct(entries).len(), 1);
}
