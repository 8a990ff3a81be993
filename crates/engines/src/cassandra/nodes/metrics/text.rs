//! The text format of Prometheus, version 0.0.4, read strictly: a text of another form is an error with its line.

/// Most samples that are wanted of a page: a machine has some for each CPU and disk.
const SAMPLES: usize = 50_000;
/// Most characters of a line that a message shows.
const SHOWN: usize = 60;

/// A value of a metric at this moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub name: String,
    /// Names and values of labels.
    pub labels: Vec<(String, String)>,
    pub value: f64,
}

impl Sample {
    /// Returns the value of a label, which is empty if there is none.
    pub fn label(&self, name: &str) -> &str {
        let label = self.labels.iter().find(|(label, _)| label == name);
        label.map_or("", |(_, value)| value)
    }
}

/// Returns the samples whose names are wanted. All lines are checked.
///
/// # Errors
/// Names the first line that is none of the format, or says that too many samples are wanted.
pub fn samples(text: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_matches([' ', '\t', '\r']);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some(sample) = parsed(line) else {
            let shown: String = line.chars().take(SHOWN).collect();
            return Err(format!(
                "line {number} is no metric in the text format of Prometheus: `{shown}`"
            ));
        };
        if !is_wanted(&sample.name) {
            continue;
        }
        if samples.len() == SAMPLES {
            return Err(format!("it has more than {SAMPLES} values of what is read"));
        }
        samples.push(sample);
    }
    Ok(samples)
}

fn parsed(line: &str) -> Option<Sample> {
    let (name, rest) = word(line, |c| c == '_' || c == ':')?;
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (Vec::new(), rest),
    };
    // The name ends at a bracket or a blank.
    if labels.is_empty() && !rest.starts_with([' ', '\t']) && !rest.is_empty() {
        return None;
    }
    let mut words = rest.split_ascii_whitespace();
    let value = number(words.next()?)?;
    let is_time = |word: &str| word.parse::<i64>().is_ok();
    if words.next().is_some_and(|time| !is_time(time)) || words.next().is_some() {
        return None;
    }
    Some(Sample {
        name: name.to_owned(),
        labels,
        value,
    })
}

/// Reads labels up to the closing bracket, and returns what is behind it.
fn labels(mut rest: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (name, after) = word(rest, |c| c == '_')?;
        let after = after.trim_start().strip_prefix('=')?;
        let (value, after) = quoted(after.trim_start().strip_prefix('"')?)?;
        labels.push((name.to_owned(), value));
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(after) => after,
            None if after.starts_with('}') => after,
            None => return None,
        };
    }
}

/// Reads a text up to its closing quote, and returns what is behind it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((place, c)) = characters.next() {
        match c {
            '"' => return Some((value, &text[place + 1..])),
            '\\' => value.push(match characters.next()?.1 {
                'n' => '\n',
                c @ ('\\' | '"') => c,
                _ => return None,
            }),
            c => value.push(c),
        }
    }
    None
}

/// Reads a name of ASCII letters, digits and other allowed characters that begins with no digit, and returns what is
/// behind it.
fn word(text: &str, also: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || also(c);
    let end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let begins = word.chars().next()?;
    (!begins.is_ascii_digit()).then_some((word, rest))
}

fn number(word: &str) -> Option<f64> {
    match word {
        "NaN" => Some(f64::NAN),
        "+Inf" | "Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        // Rust reads further words, such as `infinity`.
        word if word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
            word.parse().ok().filter(|number: &f64| number.is_finite())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<Sample>, String> {
        samples(text, |_| true)
    }

    #[test]
    fn samples_have_names_labels_and_values() {
        let text = "# HELP jvm_gc_collection_seconds Time spent.\n# TYPE jvm_gc_collection_seconds summary\n\
            jvm_gc_collection_seconds_sum{gc=\"G1 Young Generation\",} 1.25\r\n\n\
            a:b{ x = \"say \\\"hi\\\"\\n\\\\\" , y=\"}\" } 3e2 1700000000000\nup 1\nempty{} +Inf\n# EOF\n";
        let all = all(text).unwrap();
        let names: Vec<&str> = all.iter().map(|sample| sample.name.as_str()).collect();
        assert_eq!(
            names,
            ["jvm_gc_collection_seconds_sum", "a:b", "up", "empty"]
        );
        assert_eq!(all[0].label("gc"), "G1 Young Generation");
        assert_eq!(all[0].value, 1.25);
        assert_eq!(all[1].label("x"), "say \"hi\"\n\\");
        assert_eq!(all[1].label("y"), "}");
        assert_eq!(all[1].value, 300.0);
        assert_eq!(all[2].label("x"), "");
        assert_eq!(all[3].value, f64::INFINITY);
        assert!(samples(text, |name| name == "up").unwrap().len() == 1);
    }

    #[test]
    fn a_page_without_end_is_refused() {
        let page = "up 1\n".repeat(SAMPLES + 1);
        assert!(all(&page).unwrap_err().contains("more than 50000 values"));
        assert_eq!(samples(&page, |_| false), Ok(Vec::new()));
    }

    #[test]
    fn another_text_is_refused_with_its_line() {
        for line in [
            "<html>",
            "up",
            "up one",
            "up 1 2 3",
            "up 1 soon",
            "up infinity",
            "up 1e999",
            "1up 1",
            "up{a=\"1\" 1",
            "up{a=1} 1",
            "up{a=\"1\"b=\"2\"} 1",
            "up{a=\"\\x\"} 1",
            "up{\"a\"=\"1\"} 1",
            "up{a=\"1",
            "up-time 1",
            "{\"up\": 1}",
            "ä 1",
        ] {
            let error = all(&format!("ok 1\n{line}\n")).unwrap_err();
            assert!(error.starts_with("line 2 is no metric"), "{line}: {error}");
        }
    }
}
