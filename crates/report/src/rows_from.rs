//! Words where rows come from.

/// How the record of a run begins that has a generator for each column.
const COLUMNS: &str = "generator columns(";

/// Writes where rows come from as a person reads it: a file, or a generator and its options. Of generators of columns
/// these are too many, so that each is named by its law alone: `generator columns: 2 × sequence, uniform`.
pub fn rows_from(data: &str) -> String {
    let Some(laws) = data.strip_prefix(COLUMNS).map(laws) else {
        return data.to_owned();
    };
    let mut counted: Vec<(String, usize)> = Vec::new();
    for law in laws {
        match counted.iter_mut().find(|(known, _)| *known == law) {
            Some((_, count)) => *count += 1,
            None => counted.push((law, 1)),
        }
    }
    let words: Vec<String> = counted
        .into_iter()
        .map(|(law, count)| match count {
            1 => law,
            count => format!("{count} × {law}"),
        })
        .collect();
    format!("generator columns: {}", words.join(", "))
}

/// Returns the names that stand in the list itself, not within their options: in `[sequence(…), normal { … }])` they
/// are `sequence` and `normal`.
fn laws(list: &str) -> Vec<String> {
    let mut laws = Vec::new();
    let mut name = String::new();
    let (mut depth, mut is_text, mut is_escaped) = (0_u32, false, false);
    for character in list.chars() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            _ if is_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            letter if depth == 1 && letter.is_ascii_alphabetic() => name.push(letter),
            _ => {}
        }
        let has_ended = depth != 1 || character == ',';
        if has_ended && !name.is_empty() {
            laws.push(law(&std::mem::take(&mut name)));
        }
    }
    laws
}

/// Names a law as a workload does.
fn law(name: &str) -> String {
    match name {
        "uniforminteger" | "uniformreal" => "uniform".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_of_columns_are_named_by_their_laws() {
        let data = "generator columns([sequence(sequence { start: 0, step: 1, every: 1, cycle: none, prefix: \
                    \"a, \\\"(b\" }), uniforminteger { from: 0, to: 9 }, uniformreal { from: 0.0, to: 1.0 }, \
                    words(2..=5), choice([text(\"x\"), text(\"y\")])])";
        let words = "generator columns: sequence, 2 × uniform, words, choice";
        assert_eq!(rows_from(data), words);
        assert_eq!(rows_from("generator columns([])"), "generator columns: ");
    }

    #[test]
    fn files_and_other_generators_stay_as_they_are() {
        for data in ["m/quotes.csv", "generator gdelt", "columns([x])"] {
            assert_eq!(rows_from(data), data);
        }
    }
}
