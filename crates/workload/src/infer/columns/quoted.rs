//! Numbers that lines of JSON have as texts, by the choice of whoever wrote them: text where a number would lose
//! something of them or they look like codes, and else numbers, with what keeps them as they are.

use crate::ColumnType;
use crate::infer::evidence::Decision;
use crate::source::file::json_keys::JsonNumbers;

/// Fewest digits of codes, which are all of the same length.
const DIGITS_OF_CODES: usize = 4;

/// Decides anew for a column with these numbers. `may_be_codes` says that nothing else tells what they are.
pub fn decided(decision: Decision, numbers: JsonNumbers, may_be_codes: bool) -> Decision {
    if numbers.texts == 0 || !decision.kind.is_number() {
        return decision;
    }
    let are_all = numbers.bare == 0;
    let digits = numbers.longest;
    let are_alike = numbers.of_digits == numbers.texts && numbers.shortest == digits;
    if numbers.with_zero > 0 {
        let why = format!(
            "numbers, of which {} begin with a zero that a number would lose",
            numbers.with_zero
        );
        return text(decision, why);
    }
    if are_all && numbers.with_plus == numbers.texts {
        let why = "texts of digits behind a `+`, which a number would lose";
        return text(decision, why.to_owned());
    }
    if are_all && may_be_codes && are_alike && digits >= DIGITS_OF_CODES {
        let kind = decision.kind.name();
        let why =
            format!("texts of {digits} digits each, as codes are: \"{kind}\" makes them numbers");
        return text(decision, why);
    }
    let which = if are_all {
        "all".to_owned()
    } else {
        numbers.texts.to_string()
    };
    let why = format!(
        "{}; {which} are texts in the file: \"text\" keeps them as they are written",
        decision.why
    );
    Decision { why, ..decision }
}

/// Makes the column one of texts.
fn text(decision: Decision, why: String) -> Decision {
    Decision {
        kind: ColumnType::Text,
        signs: None,
        misfits: 0,
        why,
        ..decision
    }
}

#[cfg(test)]
mod tests {
    use crate::infer::{Asked, InferredColumn, infer};

    /// Returns the column `v` of lines of JSON with these values of it, as they are written.
    fn column(values: &[&str]) -> InferredColumn {
        let mut lines = String::new();
        for (row, value) in values.iter().cycle().take(40).enumerate() {
            let room = ["a", "b"][row % 2];
            let day = 1 + row / 2;
            lines +=
                &format!("{{\"room\":\"{room}\",\"time\":\"2024-01-{day:02}\",\"v\":{value}}}\n");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, lines).unwrap();
        let found = infer(&path, &Asked::default()).unwrap();
        let mut columns = found.columns.into_iter();
        columns.find(|column| column.name == "v").unwrap()
    }

    #[test]
    fn digits_in_quotes_stay_text_where_a_number_would_lose_something() {
        let zeros = "40 begin with a zero that a number would lose";
        let codes = "texts of 4 digits each, as codes are: \"int\" makes them numbers";
        let kept = "; all are texts in the file: \"text\" keeps them as they are written";
        let some = "; 20 are texts in the file: \"text\" keeps them as they are written";
        let cases: [(&[&str], &str, &str); 12] = [
            (&["\"0421\"", "\"0007\""], "text", zeros),
            // The first of them as a number is another one.
            (&["\"0421\"", "\"12.5\""], "text", "20 begin with a zero"),
            (&["\"7421\"", "\"1200\""], "text", codes),
            (&["\"742\"", "\"120\""], "int", kept),
            (&["\"7421\"", "\"12\""], "int", kept),
            (&["\"7421\"", "1200"], "int", some),
            (&["\"1.50\"", "\"2.25\""], "double", kept),
            (&["\"+4930\"", "\"+49301\""], "text", "behind a `+`, which"),
            (&["\"+5\"", "\"-3\""], "int", kept),
            (
                &["\"1234567890123456789\"", "\"12\""],
                "bigint",
                "whole numbers of 64 bits",
            ),
            (
                &["\"12345678901234567890\"", "\"12\""],
                "text",
                "some of more than 64 bits",
            ),
            // Without quotes they are numbers, and nothing is told.
            (&["7421", "1200"], "int", "from 1200 to 7421"),
        ];
        for (values, kind, why) in cases {
            let found = column(values);
            assert_eq!(found.kind.name(), kind, "{values:?}: {}", found.evidence);
            assert!(
                found.evidence.contains(why),
                "{values:?}: {}",
                found.evidence
            );
        }
        let bare = column(&["7421", "1200"]).evidence;
        assert!(!bare.contains("texts in the file"), "{bare}");
    }

    #[test]
    fn digits_in_quotes_that_may_be_times_stay_numbers() {
        let found = column(&["\"1700000000\"", "\"1700000060\""]);
        assert_eq!(found.kind.name(), "int", "{}", found.evidence);
        assert!(
            found.evidence.contains("times since 1970")
                && found.evidence.contains("\"text\" keeps"),
            "{}",
            found.evidence
        );
    }
}
