use super::*;

fn range(after: i64, to: i64, rows: u64, keys: Option<(i32, i32)>, ends: bool) -> Range {
    let key = |key: i32| vec![KeyValue::Int(key)];
    Range {
        request: Request::new([after, to].map(KeyValue::Bigint).into()),
        next: (!ends).then(PagingState::start),
        rows,
        first: keys.map(|(first, _)| key(first)),
        last: keys.map(|(_, last)| key(last)),
    }
}

/// Tokens of keys that are a hundred times the key.
fn hundredfold(key: &[KeyValue]) -> Option<i64> {
    match key {
        [KeyValue::Int(key)] => Some(i64::from(*key) * 100),
        _ => None,
    }
}

#[test]
fn rows_are_estimated_from_the_tokens_that_were_read() {
    let all = [
        range(0, 1_000, 50, Some((1, 5)), false),
        range(1_000, 2_000, 30, Some((11, 14)), true),
        range(2_000, 3_000, 0, None, true),
        range(3_000, 4_000, 0, None, false),
    ];
    // 80 rows of 500, 1,000 and 1,000 tokens of 4,000.
    let (rows, how) = estimated(&all, &hundredfold).unwrap();
    assert_eq!(rows, 128);
    assert_eq!(how, "an estimate, from the rows of 62.500% of all tokens");
}

#[test]
fn partitions_that_were_not_read_to_their_end_make_an_estimate_the_least() {
    let large = [
        range(0, 1_000, 50, Some((2, 2)), false),
        range(1_000, 2_000, 50, Some((12, 12)), false),
    ];
    let (rows, how) = estimated(&large, &hundredfold).unwrap();
    assert_eq!(rows, 500);
    assert!(how.starts_with("at least, as an estimate"), "{how}");
}

#[test]
fn nothing_is_estimated_without_tokens() {
    let unknown = [range(0, 1_000, 50, None, false)];
    assert_eq!(estimated(&unknown, &hundredfold), None);
    let unread = [range(0, 1_000, 0, None, false)];
    assert_eq!(estimated(&unread, &hundredfold), None);
}

#[test]
fn pages_are_no_larger_than_a_share_or_than_large_rows_allow() {
    let page_rows = |share, rows, bytes| page_rows(share, rows, bytes, 1 << 20);
    assert_eq!(page_rows(1_600, 0, 0), 10);
    assert_eq!(page_rows(7, 0, 0), 7);
    // A few small rows say little about those that follow.
    assert_eq!(page_rows(1_600, 10, 500), 40);
    assert_eq!(page_rows(1_600, 1_000, 50_000), 1_000);
    assert_eq!(page_rows(1_600, 100, 100 << 20), 1);
    assert_eq!(page_rows(1_600, 10, 10 << 30), 1);
}

#[test]
fn one_page_of_each_range_is_less_than_all_that_is_read() {
    assert_eq!(page_bytes(32 << 20, 64), 256 << 10);
    assert_eq!(page_bytes(256 << 20, 64), 1 << 20);
    assert_eq!(page_bytes(1 << 20, 0), 512 << 10);
}

#[test]
fn a_missing_right_says_who_gives_it() {
    let message = "User bench has no SELECT permission on <table shop.orders>";
    let refused = RequestAttemptError::DbError(DbError::Unauthorized, message.to_owned());
    let error = SampleError::from(ExecutionError::LastAttemptError(refused));
    let location: Location = "shop.orders".parse().unwrap();
    let told = error.about(&location).to_string();
    assert!(
        told.starts_with("cannot read shop.orders: User bench has no"),
        "{told}"
    );
    assert!(told.contains("GRANT SELECT ON shop.orders"), "{told}");
}

#[test]
fn the_sample_says_how_it_was_taken() {
    let part = Sample {
        count: 7,
        ranges: 64,
        is_cut: true,
        ..Sample::default()
    };
    let said = part.in_words("db1:9042");
    assert!(said.starts_with("Sample: 7 rows from 64 ranges"), "{said}");
    assert!(
        said.contains("more than 256 MiB. They were read at db1:9042"),
        "{said}"
    );
    let whole = Sample {
        is_whole: true,
        ..part
    };
    assert!(whole.in_words("db1").starts_with("Sample: all 7 rows"));
}
