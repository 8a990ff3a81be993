use super::*;
use crate::cassandra::read::readable::CqlKind;

#[test]
fn every_type_of_cql_is_held_or_left_out_with_a_sentence() {
    let held = |kind, written: &str| match kinds::fate(kind, written, false) {
        Fate::Held(holding, remark) => (holding, remark),
        Fate::LeftOut(why) => panic!("{written}: {why}"),
    };
    for (kind, written, holding, words) in [
        (CqlKind::Float, "float", Holding::As(ColumnType::Float), ""),
        (
            CqlKind::Double,
            "double",
            Holding::As(ColumnType::Double),
            "",
        ),
        (
            CqlKind::Smallint,
            "smallint",
            Holding::As(ColumnType::Int),
            "",
        ),
        (
            CqlKind::Tinyint,
            "tinyint",
            Holding::As(ColumnType::Int),
            "",
        ),
        (
            CqlKind::Bigint,
            "bigint",
            Holding::As(ColumnType::Bigint),
            "",
        ),
        (
            CqlKind::Bigint,
            "counter",
            Holding::As(ColumnType::Bigint),
            "count up",
        ),
        (CqlKind::Blob, "blob", Holding::As(ColumnType::Blob), ""),
        (CqlKind::Varint, "varint", Holding::Whole, ""),
        (CqlKind::Decimal, "decimal", Holding::Decimal, ""),
        (
            CqlKind::Date,
            "date",
            Holding::As(ColumnType::Timestamp),
            "midnight",
        ),
        (
            CqlKind::Time,
            "time",
            Holding::As(ColumnType::Text),
            "same order",
        ),
        (CqlKind::Uuid, "uuid", Holding::As(ColumnType::Uuid), ""),
        (
            CqlKind::Uuid,
            "timeuuid",
            Holding::As(ColumnType::Text),
            "not ordered by its time",
        ),
        (
            CqlKind::Inet,
            "inet",
            Holding::As(ColumnType::Text),
            "addresses",
        ),
    ] {
        let (found, remark) = held(kind, written);
        assert_eq!(found, holding, "{written}");
        assert!(remark.contains(words), "{written}: {remark}");
        assert_eq!(remark.is_empty(), words.is_empty(), "{written}: {remark}");
    }
    for (kind, written, is_static, words) in [
        (CqlKind::Literal, "list<int>", false, "a collection"),
        (CqlKind::Literal, "frozen<set<text>>", false, "a collection"),
        (CqlKind::Literal, "map<text, int>", false, "a collection"),
        (
            CqlKind::Literal,
            "frozen<tuple<int, text>>",
            false,
            "a tuple",
        ),
        (CqlKind::Literal, "vector<float, 3>", false, "a vector"),
        (CqlKind::Literal, "duration", false, "lengths of time"),
        (
            CqlKind::Literal,
            "frozen<address>",
            false,
            "a type of users",
        ),
        (CqlKind::Text, "text", true, "it is static"),
    ] {
        match kinds::fate(kind, written, is_static) {
            Fate::LeftOut(why) => assert!(why.contains(words), "{written}: {why}"),
            Fate::Held(..) => panic!("{written} is held"),
        }
    }
}

#[test]
fn columns_of_bytes_are_left_out() {
    let column = |kind| Described {
        name: "v".to_owned(),
        stored_as: "blob".to_owned(),
        is_key: false,
        fate: Fate::Held(Holding::As(kind), ""),
    };
    let bytes = without_bytes(column(ColumnType::Blob));
    assert!(matches!(bytes.fate, Fate::LeftOut(_)), "{bytes:?}");
    let text = without_bytes(column(ColumnType::Text));
    assert!(matches!(text.fate, Fate::Held(..)), "{text:?}");
}

#[test]
fn what_the_design_lacks_is_told() {
    let lacking = ["index by_v".to_owned()];
    let about = about(&Sample::default(), &Schema::default(), &lacking, "db1:9042");
    let said = "The design like it lacks: index by_v.";
    assert!(about.iter().any(|line| line == said), "{about:?}");
}
