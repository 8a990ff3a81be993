use bakeoff_testing::{Random, times};
use uuid::Uuid;

use super::*;
use crate::definition::Column;
use crate::id::ChunkId;
use crate::kind::Kind;
use crate::meta::{BlobMeta, ChunkMeta, ColumnStats};

fn definition() -> Definition {
    let columns = vec![
        Column::new("host", Kind::Text),
        Column::new("time", Kind::Timestamp),
    ];
    Definition::new(columns, &["host"], &["time"])
}

fn chunk(id: u128) -> Arc<ChunkMeta> {
    let blob = BlobMeta { bytes: 9, crc: 7 };
    Arc::new(ChunkMeta {
        id: ChunkId(Uuid::from_u128(id)),
        rows: 3,
        deleted: 0,
        first: Bytes::from_static(b"\x01a"),
        last: Bytes::from_static(b"\x01b"),
        min_write_time: -5,
        max_write_time: -5,
        order_range: Some((-1, 8)),
        widest: 24,
        stats: vec![ColumnStats::default(); 2],
        blobs: vec![blob; 2],
    })
}

fn part(bucket: i64, chunks: &[u128], fresh: &[(&'static str, Option<&'static str>)]) -> Part {
    let row = |(key, row): &(&'static str, Option<&'static str>)| FreshRow {
        key: Bytes::from_static(key.as_bytes()),
        write_time: bucket - 7,
        row: row.map(|row| Bytes::from_static(row.as_bytes())),
    };
    Part {
        place: Place { bucket, shard: 0 },
        chunks: chunks.iter().copied().map(chunk).collect(),
        fresh: fresh.iter().map(row).collect(),
    }
}

/// Two shares: chunks with fresh rows, of which one is a deletion, and fresh rows alone.
fn two() -> Vec<Share> {
    let parts = vec![
        (part(-2, &[1, 2], &[("a", Some("")), ("b", None)]), 100),
        (part(3, &[], &[("c", Some("x"))]), 90),
    ];
    let columns = ["time".to_owned(), "a, \"b\"".to_owned()];
    shares(&definition(), &columns, Some("time > 'ü'"), parts, 2).unwrap()
}

#[test]
fn a_share_comes_back_from_its_token() {
    let two = two();
    assert_eq!(two.len(), 2);
    for share in two {
        let token = share.to_token(&definition()).unwrap();
        assert!(
            token
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
        );
        let read = Share::from_token(&format!(" {token}\n"), &definition()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{share:?}"));
        assert_eq!(read.parts.len(), 1);
    }
}

#[test]
fn a_torn_token_or_one_of_another_table_is_an_error() {
    let token = two()[0].to_token(&definition()).unwrap();
    let error = |token: &str, definition: &Definition| {
        let error = Share::from_token(token, definition).unwrap_err();
        error.to_string()
    };
    for end in 0..token.len() {
        error(&token[..end], &definition());
    }
    error(&token.replace("share1", "share2"), &definition());
    error(&format!("{token}é"), &definition());
    let other = Definition {
        shards: 2,
        ..definition()
    };
    let said = error(&token, &other);
    assert!(
        said.contains("a table with other columns or keys"),
        "{said}"
    );
    assert!(said.ends_with("make a new plan"), "{said}");
}

/// Whatever the bytes are, reading them ends with a share or an error.
#[test]
fn changed_bytes_break_nothing() {
    let mut random = Random::printed("changed_bytes_break_nothing");
    let bytes = |share: &Share| body(&share.to_token(&definition()).unwrap()).unwrap();
    let whole: Vec<Vec<u8>> = two().iter().map(bytes).collect();
    let mut refused = 0;
    for n in 0..times(2_000, 100_000) {
        let mut bytes = whole[n % 2].clone();
        for _ in 0..=random.below(3) {
            // The first 8 bytes are those of the definition, without which nothing else is read.
            let at = 8 + random.below(bytes.len() as u64 - 8) as usize;
            match random.below(3) {
                0 => bytes[at] = random.number() as u8,
                1 => bytes.truncate(at.max(9)),
                _ => bytes.insert(at, random.number() as u8),
            }
        }
        let token = token(bytes).unwrap();
        refused += usize::from(Share::from_token(&token, &definition()).is_err());
    }
    assert!(refused > 0);
}

#[test]
fn rows_out_of_order_are_refused() {
    let mut share = two().remove(0);
    share.parts[0].fresh.reverse();
    let token = share.to_token(&definition()).unwrap();
    let error = Share::from_token(&token, &definition()).unwrap_err();
    assert!(error.to_string().contains("not in order"), "{error}");
}

#[test]
fn the_same_contents_have_the_same_name() {
    let name = |fresh: &[_], condition: Option<&str>, count| {
        let parts = vec![(part(1, &[1], fresh), 5)];
        let columns = ["time".to_owned()];
        let all = shares(&definition(), &columns, condition, parts, count).unwrap();
        all[0].snapshot.clone()
    };
    let row = [("a", Some("1"))];
    let one = name(&row, None, 1);
    assert_eq!(one.len(), 32);
    assert_eq!(one, name(&row, None, 7));
    assert_ne!(one, name(&[("a", Some("2"))], None, 1));
    assert_ne!(one, name(&row, Some("true"), 1));
}

#[test]
fn costs_are_divided_evenly() {
    let mut random = Random::printed("costs_are_divided_evenly");
    for _ in 0..times(50, 1_000) {
        let costs: Vec<u64> = (0..random.below(40)).map(|_| 1 + random.below(9)).collect();
        let count = 1 + random.below(12) as u32;
        let parts: Vec<_> = { costs.iter().enumerate() }
            .map(|(i, cost)| (part(i as i64, &[], &[]), *cost))
            .collect();
        let all = shares(&definition(), &[], None, parts, count).unwrap();
        assert_eq!(all.len(), count as usize);
        let buckets: Vec<i64> = { all.iter() }
            .flat_map(|share| share.parts.iter().map(|part| part.place.bucket))
            .collect();
        assert_eq!(buckets, (0..costs.len() as i64).collect::<Vec<_>>());
        let fair = costs.iter().sum::<u64>() / u64::from(count);
        let largest = costs.iter().max().copied().unwrap_or(0);
        for share in &all {
            assert!(
                share.cost <= fair + largest + 1,
                "{costs:?}: {}",
                share.cost
            );
        }
    }
    assert!(shares(&definition(), &[], None, Vec::new(), 0).is_err());
}

#[test]
fn more_fresh_rows_than_can_be_carried_are_refused() {
    let mut part = part(1, &[], &[("a", Some("x"))]);
    part.fresh[0].row = Some(Bytes::from(vec![0; FRESH_BYTES_AT_MOST + 1]));
    let error = shares(&definition(), &[], None, vec![(part, 1)], 1).unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("1 rows are in no chunk yet"), "{said}");
    assert!(said.ends_with("seal the table first"), "{said}");
}
