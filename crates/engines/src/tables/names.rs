//! Names of tables and columns in queries, and what was probably meant by them.

use bakeoff_workload::suggestion;

/// What was probably meant by the name of a table or column, of those that there are.
pub fn hint<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.collect();
    let in_other_case = { candidates.iter() }.find(|c| c.to_lowercase() == name.to_lowercase());
    match in_other_case {
        Some(other) => format!(
            "; did you mean `{}`? SQL reads names without double quotes in lower case",
            quoted(other)
        ),
        None => suggestion(name, candidates),
    }
}

/// A name as SQL takes it.
pub fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_another_case_needs_quotes() {
        let said = hint("readings", ["t", "Readings"].into_iter());
        assert!(
            said.starts_with("; did you mean `\"Readings\"`? SQL reads"),
            "{said}"
        );
        let said = hint("vlaue", ["value", "time"].into_iter());
        assert_eq!(said, "; did you mean `value`?");
    }
}
