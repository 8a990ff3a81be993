use super::super::testing::{equals, facts, question};
use super::*;

#[test]
fn partitions_of_series_that_take_turns_grow_with_the_table() {
    let mut facts = facts();
    facts.full_rows = 1_000_000;
    // A hundred series, each with a hundredth of the rows.
    assert_eq!(facts.partition_rows(), Some(10_000.0));
    facts.grows = Some(Growth {
        series: 10.0,
        time: 10.0,
    });
    assert_eq!(facts.partition_rows(), Some(1_000.0));
    assert_eq!(facts.partition_bytes(), Some(50_000.0));
    // A row of a partition every ten seconds.
    assert_eq!(facts.full_span(), Some(10_000_000.0));
    assert_eq!(facts.rows_in(3_600_000.0), Some(360.0));
}

#[test]
fn partitions_of_a_table_that_gets_more_series_keep_their_rows() {
    let mut facts = facts();
    let told = |facts: &Facts| facts.in_words()[1].clone();
    assert_eq!(facts.partition_keys(), Some(100.0));
    assert!(
        told(&facts).contains("of 1,000,000 rows the largest partition would have about 10,000 ")
    );
    facts.grows = Some(Growth {
        series: 100.0,
        time: 1.0,
    });
    assert_eq!(facts.partition_rows(), Some(100.0));
    assert_eq!(facts.partition_keys(), Some(10_000.0));
    assert_eq!(facts.full_span(), Some(1_000_000.0));
    let expected =
        "of 1,000,000 rows with 10,000 partition keys the largest partition would have about 100 ";
    assert!(told(&facts).contains(expected), "{}", told(&facts));
    // Series that come one after the other are at the same times, too, even the further ones.
    let rows = facts.rows.as_mut().unwrap();
    rows.has_all_partitions = false;
    (rows.largest_partition, rows.partitions) = (2, 9_000);
    assert_eq!(facts.full_span(), Some(990_000.0));
    assert_eq!(facts.partition_keys(), None);
}

#[test]
fn a_sample_that_grows_along_both_axes_says_how_long_the_table_and_its_partitions_are() {
    let mut facts = facts();
    facts.full_rows = 24_000_000;
    facts.grows = Some(Growth {
        series: 10.0,
        time: 240.0,
    });
    facts.sample = Some(Sample {
        length: Some(240_000_000.0),
        partitions: Some(GrownPartitions {
            number: 400,
            largest: 150,
        }),
    });
    // The first rows may have few of its partitions, and look like keys that keep coming.
    for has_all in [true, false] {
        facts.rows.as_mut().unwrap().has_all_partitions = has_all;
        assert_eq!(facts.full_span(), Some(240_000_000.0));
        assert_eq!(facts.partition_keys(), Some(4_000.0));
        assert_eq!(facts.partition_rows(), Some(36_000.0));
        let told = facts.in_words()[1].clone();
        let expected = "with 4,000 partition keys the largest partition would have about 36,000 ";
        assert!(told.contains(expected), "{told}");
    }
    // Of partitions that are not known to stay, only those that were read are.
    facts.sample.as_mut().unwrap().partitions = None;
    assert_eq!(facts.full_span(), Some(240_000_000.0));
    assert_eq!(facts.partition_keys(), None);
    assert_eq!(facts.partition_rows(), Some(100.0));
}

#[test]
fn partitions_that_end_stay_as_large_as_they_are() {
    let mut facts = facts();
    let rows = facts.rows.as_mut().unwrap();
    rows.partitions_end = true;
    rows.largest_partition = 700;
    facts.full_rows = 1_000_000_000;
    assert_eq!(facts.partition_rows(), Some(700.0));
}

#[test]
fn of_keys_that_keep_coming_the_time_of_the_whole_table_is_longer() {
    let mut facts = facts();
    let rows = facts.rows.as_mut().unwrap();
    rows.has_all_partitions = false;
    // One partition is as long as all that was read: these are series, one after the other.
    assert_eq!(facts.full_span(), Some(990_000.0));
    let rows = facts.rows.as_mut().unwrap();
    (rows.largest_partition, rows.partitions) = (2, 9_000);
    assert_eq!(facts.full_span(), Some(99_000_000.0));
    assert!(facts.in_words()[1].contains("would have at least 2 "));
    // Series one after the other are in order, too, but do not begin so.
    facts.rows.as_mut().unwrap().begin_in_order = 0.5;
    assert_eq!(facts.full_span(), Some(990_000.0));
    let rows = facts.rows.as_mut().unwrap();
    (rows.in_order, rows.begin_in_order) = (0.5, 1.0);
    assert_eq!(facts.full_span(), Some(990_000.0));
    // Whether a single partition goes on, nobody knows.
    facts.rows.as_mut().unwrap().partitions = 1;
    assert_eq!(facts.full_span(), None);
    facts.full_rows = 10_000;
    assert_eq!(facts.full_span(), Some(990_000.0));
}

#[test]
fn a_question_whose_conditions_are_not_known_is_not_one_of_all_rows() {
    let mut facts = facts();
    assert!(facts.in_words()[2].contains("all: all rows"));
    facts.questions[0].is_of_all_rows = false;
    assert!(facts.in_words()[2].contains("not about one column each"));
}

#[test]
fn nothing_is_said_of_rows_that_were_not_read() {
    let mut facts = facts();
    facts.rows = None;
    assert_eq!((facts.partition_rows(), facts.full_span()), (None, None));
    assert!(facts.in_words()[1].contains("--data"));
    assert!(!facts.in_words()[0].contains("only columns"));
    facts.is_wide = true;
    assert!(facts.in_words()[0].contains("only columns and files are proposed"));
}

#[test]
fn a_column_is_found_by_with_its_largest_share_unless_the_partition_is_said() {
    let mut facts = facts();
    facts.questions = vec![
        question("one", vec![equals("status", Some(0.1))]),
        question("two", vec![equals("status", Some(0.4))]),
        question(
            "three",
            vec![equals("series", None), equals("other", Some(0.9))],
        ),
    ];
    let found = facts.found_by();
    assert_eq!(found, BTreeMap::from([("status", Some(0.4))]));
    let words = facts.in_words();
    assert!(
        words[2].contains("one: by a value of status (10% of the rows)"),
        "{words:?}"
    );
}

#[test]
fn of_more_series_each_has_a_smaller_share_of_the_rows() {
    let mut facts = facts();
    let asked = vec![equals("series", Some(0.01)), equals("status", Some(0.1))];
    facts.questions = vec![question("one", asked)];
    let told = |facts: &Facts| facts.in_words()[2].clone();
    let begin =
        "one: by a value of series (1.0% of the rows) and a value of status (10% of the rows);";
    assert!(told(&facts).starts_with(begin), "{}", told(&facts));
    facts.grows = Some(Growth {
        series: 5.0,
        time: 20.0,
    });
    let begin =
        "one: by a value of series (0.2% of the rows) and a value of status (10% of the rows);";
    assert!(told(&facts).starts_with(begin), "{}", told(&facts));
    // Nobody knows how many of them have the same value of one column.
    facts.table.partition_key.push("other".to_owned());
    let begin = "one: by a value of series and a value of status (10% of the rows);";
    assert!(told(&facts).starts_with(begin), "{}", told(&facts));
}

#[test]
fn a_single_partition_key_is_one() {
    let mut facts = facts();
    facts.rows.as_mut().unwrap().partitions = 1;
    let told = facts.in_words()[1].clone();
    assert!(
        told.contains(" without compression, 1 partition key;"),
        "{told}"
    );
}
