//! Names of tables and columns in queries, and hints for those that do not exist.

use bakeoff_workload::{literal, suggestion};

/// Returns a hint at which of the existing tables or columns was probably meant by a name.
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

/// Quotes a name if SQL needs that.
pub fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_owned()
    } else {
        literal::quoted(name)
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
