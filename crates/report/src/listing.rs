//! Lists names in a sentence.

use crate::units;

/// Joins names: `a`, `a and b`, `a, b and c`, or `a, b and 4 more` beyond `most`.
pub fn list(names: &[&str], most: usize) -> String {
    let (shown, more) = names.split_at(names.len().min(most));
    match (shown, more.len()) {
        ([], _) => String::new(),
        ([only], 0) => (*only).to_owned(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (shown, more) => format!(
            "{} and {} more",
            shown.join(", "),
            units::count(more as u64)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_and_beyond_the_most_only_counted() {
        let names = ["a", "b", "c", "d"];
        let joined = [0, 1, 2, 3, 4].map(|length| list(&names[..length], 3));
        assert_eq!(
            joined,
            ["", "a", "a and b", "a, b and c", "a, b, c and 1 more"]
        );
    }
}
