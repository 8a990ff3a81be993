//! Vocabularies in text files of this folder: one record a line, fields separated by `|`.

/// Returns records with exactly `N` fields. Lines that begin with `#` are comments.
pub fn records<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split('|').collect::<Vec<_>>().try_into().ok())
}

/// Returns a number of a vocabulary; 0 if it is not one, which the tests exclude.
pub fn number(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_lines_are_records<const N: usize>(text: &'static str, numbers: &[usize]) {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), records::<N>(text).count());
        for record in records::<N>(text) {
            for field in numbers {
                assert!(record[*field].parse::<f64>().is_ok(), "{record:?}");
            }
        }
    }

    #[test]
    fn vocabularies_are_well_formed() {
        all_lines_are_records::<9>(include_str!("countries.txt"), &[4, 5, 6]);
        all_lines_are_records::<4>(include_str!("states.txt"), &[2, 3]);
        all_lines_are_records::<3>(include_str!("events.txt"), &[1]);
        all_lines_are_records::<9>(include_str!("groups.txt"), &[8]);
        all_lines_are_records::<6>(include_str!("names.txt"), &[]);
    }
}
