use super::*;

/// What Cassandra 4.0, 4.1 and 5.0 print, in the widths of their format.
const LATEST: &str =
    include_str!("../../../../../../tests/corpus/nodetool/tablehistograms-5.0.txt");
/// What 4.1 prints of a table with a partition that is beyond its largest bucket.
const OVERFLOWED: &str =
    include_str!("../../../../../../tests/corpus/nodetool/tablehistograms-4.1.txt");
/// What 4.0 prints, behind what `ssh` printed.
const BEHIND_SSH: &str =
    include_str!("../../../../../../tests/corpus/nodetool/tablehistograms-4.0.txt");
/// What they print of a table that nobody has read and that has no SSTables.
const EMPTY: &str =
    include_str!("../../../../../../tests/corpus/nodetool/tablehistograms-empty.txt");

fn read(text: &str) -> Result<Histograms, String> {
    histograms(text, &"ks.t".parse().unwrap())
}

#[test]
fn percentiles_are_those_of_their_columns() {
    let all = read(LATEST).unwrap();
    assert_eq!(all.read_micros.p99, Some(545.79));
    assert_eq!(all.write_micros.p50, Some(14.24));
    assert_eq!(all.sstables_per_read.p95, Some(2.0));
    assert_eq!(all.partition_bytes.max, Some(3311.0));
    assert_eq!(all.cells_per_partition.p50, Some(103.0));
}

#[test]
fn lines_for_people_before_the_table_are_passed_over() {
    let all = read(BEHIND_SSH).unwrap();
    assert_eq!(all.sstables_per_read.p99, Some(4.0));
    assert_eq!(all.partition_bytes.p95, Some(310.0));
    assert_eq!(all.cells_per_partition.max, Some(42.0));
}

#[test]
fn what_is_beyond_the_largest_bucket_is_unknown_and_its_neighbours_are_not() {
    let all = read(OVERFLOWED).unwrap();
    assert_eq!(all.partition_bytes, Percentiles::default());
    // Nothing is between it and the number of SSTables in the last row.
    assert_eq!(all.sstables_per_read.max, Some(12.0));
    assert_eq!(all.cells_per_partition.p99, Some(158_683_580.0));
    assert_eq!(all.cells_per_partition.max, Some(190_420_296.0));
    // As other versions of Java write it.
    for number in ["9223372036854776000", "9223372036854775807"] {
        let text = OVERFLOWED.replace("9223372036854775808", number);
        assert_eq!(read(&text), Ok(all));
    }
}

#[test]
fn columns_in_another_order_are_found_by_their_names() {
    // As Cassandra 3.11 has them.
    let text = "ks/t histograms\n\
        Percentile  SSTables     Write Latency      Read Latency    Partition Size        Cell Count\n\
        \x20                             (micros)          (micros)           (bytes)\n\
        50%             1.00             14.24            219.34              1916               103\n\
        95%             2.00             24.60            379.02              2299               124\n\
        99%             3.00             42.51            545.79              2759               149\n\
        Max             4.00           2816.16          25109.16              3311               179\n";
    assert_eq!(read(text), read(LATEST));
}

#[test]
fn a_table_without_sstables_has_no_sizes() {
    let all = read(EMPTY).unwrap();
    assert_eq!(all.partition_bytes, Percentiles::default());
    assert_eq!(all.read_micros.max, Some(0.0));
}

#[test]
fn another_form_is_named_and_not_guessed() {
    let of_two = [LATEST, LATEST].concat();
    let endless = "x\n".repeat(2 * MOST_LINES) + LATEST;
    for (text, told) in [
        (String::new(), "it printed nothing"),
        ("no such table".to_owned(), "it printed `no such table`"),
        (
            LATEST.replace("(micros)", "(millis)"),
            "has the units `(millis) (millis) (bytes)`",
        ),
        (
            LATEST.replace("Read Latency", "Read Time   "),
            "has a column `Read Time`, which no known version has",
        ),
        (
            LATEST.replace("Cell Count", "Cell Count   Rows"),
            "has a column `Rows`, which no known version has",
        ),
        (
            LATEST.replace("        Cell Count", ""),
            "has no column `Cell Count`",
        ),
        (
            LATEST.replace("Read Latency", "Cell Count  "),
            "has no column `Read Latency`",
        ),
        (
            LATEST.replace("219.34", "219,34"),
            "has `219,34` in the row `50%`",
        ),
        (
            LATEST.replace("545.79", "inf"),
            "has `inf` in the row `99%`",
        ),
        (LATEST.replace("545.79", "-1"), "has `-1` in the row `99%`"),
        (LATEST.replace("99% ", "99.9%"), "has no row `99%`"),
        (
            LATEST.replace("               103", "               103    7"),
            "has 6 numbers in the row `50%`, not 5",
        ),
        (LATEST.replace("ks/t", "ks/u"), "is of `ks/u`, not of ks.t"),
        (of_two, "has 2 tables, not one"),
        (endless, "it printed `x`"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.starts_with("not understood: "), "{error}");
        assert!(error.contains(told), "`{told}` is not in {error}");
    }
}
