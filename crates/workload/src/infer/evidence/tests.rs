use super::*;
use crate::NULL_WORDS;

fn of(cells: &[&str]) -> Evidence {
    let null = NULL_WORDS.map(str::to_owned);
    let mut evidence = Evidence::new(100, None);
    for (line, cell) in (2..).zip(cells) {
        evidence.see(line, cell, &null);
    }
    evidence
}

fn kind(cells: &[&str]) -> ColumnType {
    of(cells).decide(false).kind
}

#[test]
fn digits_that_a_double_does_not_keep_are_told() {
    let why = |cells: &[&str]| {
        let decision = of(cells).decide(false);
        assert_eq!(decision.kind, ColumnType::Double);
        decision.why
    };
    let told = "numbers, some of 20 digits, of which a double keeps 15";
    assert_eq!(why(&["1.5", "-12.345678901234567891"]), told);
    assert_eq!(why(&["12345678901234567891e-3", "0.5"]), told);
    for kept in [
        "0.30000000000000004",
        "0.000000000000000000000012",
        "1.50000000000000000000",
        "-2.2250738585072014e-308",
    ] {
        assert_eq!(why(&["1.5", kept]), "numbers", "{kept}");
    }
}

#[test]
fn types_are_told_by_all_values() {
    for (cells, expected) in [
        (vec!["1", "-7", "NA", ""], ColumnType::Int),
        (vec!["1", "3000000000"], ColumnType::Bigint),
        (vec!["1", "2.5", "\\N"], ColumnType::Double),
        (vec!["1e3", "NaN"], ColumnType::Double),
        (vec!["true", "FALSE"], ColumnType::Boolean),
        (vec!["0", "1"], ColumnType::Int),
        (vec!["007", "12"], ColumnType::Text),
        (vec!["99999999999999999999", "1"], ColumnType::Text),
        (vec!["1,5", "2,25"], ColumnType::Text),
        (vec!["1", "2", "3", "x"], ColumnType::Text),
        (vec!["19580329", "19580405"], ColumnType::Timestamp),
        (vec!["2024-01-02"], ColumnType::Timestamp),
        (vec!["NA", ""], ColumnType::Text),
        (vec!["north", "-"], ColumnType::Text),
    ] {
        assert_eq!(kind(&cells), expected, "{cells:?}");
    }
}

#[test]
fn commas_before_three_digits_are_told_from_decimal_commas() {
    let why = |cells: &[&str]| of(cells).decide(false).why;
    for cells in [["23,288", "810"], ["23,288", "7.000"], ["12,500", "-1,125"]] {
        let why = why(&cells);
        assert!(why.contains("--thousands , says so"), "{cells:?}: {why}");
        assert!(why.contains("--decimal , does"), "{cells:?}: {why}");
    }
    for cells in [&["23,288", "1,021,025", "810"][..], &["23,288", "7.0"]] {
        let decision = of(cells).decide(false);
        let signs = decision.signs.map(|signs| signs.written());
        assert_eq!(signs.as_deref(), Some(","), "{cells:?}");
    }
    // What has no digits says nothing of commas, and is not read beside them.
    for cells in [["23,288", "NaN"], ["1,021,025", "inf"]] {
        let decision = of(&cells).decide(false);
        assert_eq!(decision.kind, ColumnType::Text, "{cells:?}");
    }
    let decimal = why(&["23,288", "1,5"]);
    assert!(decimal.contains("decimal comma"), "{decimal}");
}

#[test]
fn percentages_and_amounts_of_money_are_numbers_if_all_have_the_same_sign() {
    for (cells, kind, signs) in [
        (&["95%", "-1 %"][..], ColumnType::Int, "%"),
        (&["9.5%", "1,200%", "NA"][..], ColumnType::Double, "%,"),
        (&["$5.50", "-$1,234.00"][..], ColumnType::Double, "$,"),
        (&["3000000000 \u{20ac}"][..], ColumnType::Bigint, "\u{20ac}"),
    ] {
        let decision = of(cells).decide(false);
        let found = decision.signs.as_ref().map(|signs| signs.written());
        assert_eq!((decision.kind, found.as_deref()), (kind, Some(signs)));
        assert!(decision.why.contains("[data.signs]"), "{}", decision.why);
        assert!(of(cells).high_value().is_some() || cells.len() == 1);
    }
}

#[test]
fn percentages_and_amounts_of_money_with_others_are_text_and_say_what_would_make_them_numbers() {
    let why = |cells: &[&str]| {
        let decision = of(cells).decide(false);
        assert_eq!(decision.kind, ColumnType::Text, "{cells:?}");
        decision.why
    };
    let percents = why(&["95%", "-1.5 %", "7", "1,200%"]);
    assert!(percents.contains("some with `%`"), "{percents}");
    for cells in [&["$5.50", "-1,234.00\u{20ac}"][..], &["5 \u{20ac}", "7"]] {
        let amounts = why(cells);
        assert!(amounts.contains("sign of a currency"), "{amounts}");
    }
    let ambiguous = why(&["95,125%"]);
    assert!(ambiguous.contains("or a decimal one"), "{ambiguous}");
    let of_euros = why(&["1,459 \u{20ac}", "1,519 \u{20ac}"]);
    assert!(of_euros.contains("or a decimal one"), "{of_euros}");
    assert_eq!(why(&["$5", "five"]), "text");
}

#[test]
fn no_more_values_are_different_than_there_are() {
    let cells: Vec<String> = (0..5_000).map(|number| number.to_string()).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let evidence = of(&cells);
    assert!(evidence.different() <= evidence.values);
    assert!(evidence.different() > 2_500, "{}", evidence.different());
}

#[test]
fn nulls_are_counted_by_word() {
    let evidence = of(&["1", "NA", "NA", "-", "", " "]);
    assert_eq!((evidence.values, evidence.empty), (1, 1));
    assert_eq!(evidence.words[""], 1, "spaces alone");
    assert_eq!((evidence.words["NA"], evidence.words["-"]), (2, 1));
    assert!(evidence.needs_null_words(&evidence.decide(false)));
    let text = of(&["north", "NA", "\\N"]);
    assert!(!text.needs_null_words(&text.decide(false)));
    let certain: Vec<&String> = text.certain_null_words().collect();
    assert_eq!(certain, ["\\N"]);
}

#[test]
fn few_misfits_among_many_values_are_bad_rows_and_many_make_a_column_text() {
    let mut cells = vec!["5"; 1_000];
    cells[7] = "five";
    let decision = of(&cells).decide(false);
    assert_eq!((decision.kind, decision.misfits), (ColumnType::Int, 1));
    assert!(
        decision.why.contains("`five` in line 9"),
        "{}",
        decision.why
    );
    cells[10..40].fill("six");
    let decision = of(&cells).decide(false);
    assert_eq!((decision.kind, decision.misfits), (ColumnType::Text, 0));
    assert!(decision.why.contains("969 of 1000"), "{}", decision.why);
}

#[test]
fn times_say_what_is_lost_and_what_is_ambiguous() {
    let decide = |cells: &[&str]| of(cells).decide(true);
    let finer = decide(&["2024-01-02T00:00:00.123456", "2024-01-02T00:00:00Z"]);
    assert_eq!(finer.format, Some(TimeFormat::Iso));
    assert!(finer.why.contains("below a millisecond"), "{}", finer.why);
    assert!(finer.why.contains("1 have a zone"), "{}", finer.why);
    assert_eq!(decide(&["2024-01-02"]).format, None);
    let days = decide(&["03/04/1958", "05/06/1958"]);
    assert!(days.why.contains("%d/%m/%Y"), "{}", days.why);
    let unnamed = of(&["1700000000", "1700000001"]).decide(false);
    assert_eq!(unnamed.kind, ColumnType::Int);
    assert!(unnamed.why.contains("times since 1970"), "{}", unnamed.why);
    let milliseconds = decide(&["1700000000000", "1700000000001"]);
    assert_eq!(milliseconds.kind, ColumnType::Timestamp);
    assert_eq!(milliseconds.format, None);
    let parts = decide(&["1700000000000", "1700000000000.5"]);
    assert_eq!(
        parts.format.map(|f| f.written().to_owned()),
        Some("ms".to_owned())
    );
    let seconds = decide(&["1700000000", "1700000001"]);
    assert_eq!(
        seconds.format.map(|f| f.written().to_owned()),
        Some("s".to_owned())
    );
}

#[test]
fn times_without_a_year_are_text_and_say_the_option_with_one() {
    let cells = ["01010001", "10312359", "12312200"];
    for is_named_as_time in [false, true] {
        let decision = of(&cells).decide(is_named_as_time);
        assert_eq!(
            (decision.kind, decision.lacks_year),
            (ColumnType::Text, true)
        );
        let option = "--time-format 'COLUMN=%m%d%H%M of 2001'";
        assert!(decision.why.contains(option), "{}", decision.why);
    }
    // Without leading zeros they may as well be numbers, unless something says that they are times.
    let decide = |is_named| of(&cells[1..]).decide(is_named);
    assert_eq!(decide(false).kind, ColumnType::Int);
    assert!(decide(true).lacks_year);
    let codes = of(&["01010001", "01999999"]).decide(true);
    assert_eq!((codes.kind, codes.lacks_year), (ColumnType::Text, false));
    let days = ["01312001", "02282001"];
    assert_eq!(of(&days).decide(true).kind, ColumnType::Timestamp);
    assert!(!of(&days).decide(false).lacks_year);
    let said = TimeFormat::parse("%m%d%H%M of 2001").unwrap();
    let mut evidence = Evidence::new(100, Some(said.clone()));
    cells.iter().for_each(|cell| evidence.see(2, cell, &[]));
    let decision = evidence.decide(false);
    assert_eq!(
        (decision.kind, decision.format),
        (ColumnType::Timestamp, Some(said))
    );
}

#[test]
fn a_high_value_is_exceeded_by_some() {
    let cells: Vec<String> = (0..1_000).map(|number| number.to_string()).collect();
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let high = of(&cells).high_value().unwrap();
    assert!((100.0..999.0).contains(&high), "{high}");
    assert_eq!(of(&["x"]).high_value(), None);
    let mostly_one = of(&["0", "1", "1", "1", "1"]);
    assert_eq!(mostly_one.high_value(), Some(0.0), "some exceed it");
    assert_eq!(of(&["2013", "2013"]).high_value(), None);
}

#[test]
fn times_in_other_forms_without_a_year_say_the_option_with_one() {
    for (cells, form) in [
        (
            &["Mar 01 00:00:00", "Mar 01 00:01:00"][..],
            "%b %d %H:%M:%S of 2001",
        ),
        (&["01-01 00:00", "01-01 01:00"][..], "%m-%d %H:%M of 2001"),
        (&["01-Jan", "02-Jan", "NA"][..], "%d-%b of 2001"),
    ] {
        let decision = of(cells).decide(false);
        assert_eq!(
            (decision.kind, decision.lacks_year),
            (ColumnType::Text, true)
        );
        let option = format!("--time-format 'COLUMN={form}'");
        assert!(decision.why.contains(&option), "{}", decision.why);
    }
    let fractions = of(&["1/2", "3/4"]).decide(false);
    assert_eq!(
        (fractions.lacks_year, fractions.why.as_str()),
        (false, "text")
    );
}

#[test]
fn decimal_commas_beside_the_sign_of_a_currency_are_told() {
    let decision = of(&["1234,50 \u{20ac}", "5 \u{20ac}", "1.234,50 \u{20ac}"]).decide(false);
    assert_eq!(decision.kind, ColumnType::Text);
    assert!(decision.why.contains("decimal comma"), "{}", decision.why);
}

/// The type that values get in a file with decimal commas, whether it is `of(cells)` that says so, and why.
fn with_commas(cells: &[&str]) -> (ColumnType, &'static str, String) {
    let evidence = of(cells);
    let says = match evidence.decimals(false) {
        Decimals::Comma(..) => "comma",
        Decimals::Point => "point",
        Decimals::RatherPoint => "rather point",
        Decimals::Either => "either",
    };
    let decision = evidence.decide_with_comma(false);
    (decision.kind, says, decision.why)
}

#[test]
fn numbers_with_a_decimal_comma_are_known() {
    use ColumnType::{Bigint, Boolean, Double, Int, Text, Timestamp};
    for (cells, kind, says) in [
        (&["1,5", "22,75", "-0,25"][..], Double, "comma"),
        (&["1.234,5", "7"][..], Double, "comma"),
        (&["1 234,5", "7"][..], Double, "comma"),
        (&["1234,50 \u{20ac}", "5 \u{20ac}"][..], Double, "comma"),
        (&["7,5%", "12 %"][..], Double, "comma"),
        (&["1,5", "NaN", "x"][..], Text, "either"),
        (&["1,5", "2.5"][..], Text, "either"),
        (&["1,5", "007"][..], Text, "either"),
        (&["1,5", "5 \u{20ac}"][..], Text, "either"),
        (&["1,234", "5,678"][..], Double, "either"),
        (&["1,234", "7,5"][..], Double, "comma"),
        (&["1,234,567", "7"][..], Text, "point"),
        (&["$1,234", "$5"][..], Double, "point"),
        (&["1.5", "2.25"][..], Text, "point"),
        (&["1.500", "2.250"][..], Int, "rather point"),
        (&["1.234", "567"][..], Int, "either"),
        (&["1", "2"][..], Int, "either"),
        (&["3000000000", "2"][..], Bigint, "either"),
        (&["3.000.000.000", "2"][..], Bigint, "comma"),
        (&["192.168.100.101", "192.168.100.102"][..], Text, "either"),
        (&["007", "008"][..], Text, "either"),
        (&["2024-01-02", "2024-01-03"][..], Timestamp, "either"),
        (&["true", "false"][..], Boolean, "either"),
        (&["north", "1,5"][..], Text, "either"),
        (&[][..], Text, "either"),
    ] {
        let (found, said, why) = with_commas(cells);
        assert_eq!((found, said), (kind, says), "{cells:?}: {why}");
    }
    let (_, _, why) = with_commas(&["7,5%", "12 %"]);
    assert_eq!(
        why,
        "numbers with a decimal comma, without `%`, as [data.signs] says"
    );
    let (_, _, why) = with_commas(&["1.5", "2.25"]);
    assert!(why.contains("in another way"), "{why}");
    let mut many = vec!["1,5"; 400];
    many[7] = "none";
    let decision = of(&many).decide_with_comma(false);
    assert_eq!((decision.kind, decision.misfits), (Double, 1));
    assert_eq!(of(&many).high_value_with_comma(), None);
    assert_eq!(of(&["1,5", "2,5"]).high_value_with_comma(), Some(1.5));
    // One decimal point is enough, although a row with it might be set aside.
    let mut many = vec!["7"; 400];
    many[7] = "2.5";
    assert_eq!(with_commas(&many).1, "point");
}

#[test]
fn spellings_of_one_uuid_are_one_value() {
    let upper = "6A1F0B0C-8A7E-11EE-B962-0242AC120002";
    let lower = upper.to_lowercase();
    let evidence = of(&[upper, &lower, upper]);
    assert_eq!(evidence.decide(false).kind, ColumnType::Uuid);
    assert_eq!((evidence.different(), evidence.sequence.runs), (1, 1));
}

#[test]
fn what_is_hardly_ever_no_uuid_is_text_and_says_so() {
    let uuid = "6a1f0b0c-8a7e-11ee-b962-0242ac120002";
    let mut cells = vec![uuid; 1000];
    cells[5] = "6a1f";
    cells[7] = "7";
    let decision = of(&cells).decide(false);
    assert_eq!(decision.kind, ColumnType::Text);
    let said = "998 of 1000 values are UUIDs, and others, as `6a1f` in line 7, are not: with UUIDs alone this is a uuid";
    assert_eq!(decision.why, said);
}
