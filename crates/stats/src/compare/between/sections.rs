//! The sections of a workload's text, and those in which two texts differ.
//!
//! The text is TOML. Only the beginnings of its tables are parsed here, since this crate knows no
//! workloads. Comments, empty lines and spaces at the ends of lines make no difference.

/// Lines of one table of the text; those before the first table have no name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    /// Text in the brackets.
    name: String,
    lines: Vec<String>,
}

/// Returns the names of the tables in which two texts differ, without repetitions: `table.columns`, or
/// `queries month` for one of the queries, which have their own names.
pub fn differing(a: &str, b: &str) -> Vec<String> {
    let (a, b) = (sections(a), sections(b));
    let mut names: Vec<String> = Vec::new();
    for section in a.iter().chain(&b) {
        let name = section.full_name();
        if lines_of(&a, &name) != lines_of(&b, &name) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Section {
    fn new(name: &str) -> Section {
        Section {
            name: name.to_owned(),
            lines: Vec::new(),
        }
    }

    fn full_name(&self) -> String {
        let own_name = self.lines.iter().find_map(|line| value(line, "name"));
        match own_name {
            Some(own) if self.name == "queries" => format!("{} {own}", self.name),
            _ => self.name.clone(),
        }
    }
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut section = Section::new("");
    for line in text.lines().map(without_comment) {
        match header(line) {
            _ if line.is_empty() => {}
            Some(name) => sections.push(std::mem::replace(&mut section, Section::new(name))),
            None => section.lines.push(line.to_owned()),
        }
    }
    sections.push(section);
    merge_into_queries(sections)
}

/// Merges tables such as `queries.parameters` into the query above them.
fn merge_into_queries(sections: Vec<Section>) -> Vec<Section> {
    let mut joined: Vec<Section> = Vec::new();
    for section in sections {
        match joined.last_mut() {
            Some(above) if above.name == "queries" && section.name.starts_with("queries.") => {
                above.lines.push(section.name);
                above.lines.extend(section.lines);
            }
            _ => joined.push(section),
        }
    }
    joined
}

fn lines_of<'a>(sections: &'a [Section], name: &str) -> Vec<&'a String> {
    let found = sections.iter().filter(|s| s.full_name() == name);
    found.flat_map(|section| &section.lines).collect()
}

/// Returns the text in the brackets of a line that begins a table.
fn header(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let inner = inner
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(inner)
        .trim();
    let is_key = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (!inner.is_empty() && inner.chars().all(is_key)).then_some(inner)
}

/// Returns a line without the comment at its end. A comment with quotes is kept, since its `#` may be part
/// of a text.
fn without_comment(line: &str) -> &str {
    let line = line.trim();
    match line.rsplit_once('#') {
        Some((before, comment)) if before.ends_with(' ') && !comment.contains(['"', '\'']) => {
            without_comment(before)
        }
        _ if line.starts_with('#') => "",
        _ => line,
    }
}

/// Returns the value of a line with this key.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (name, value) = line.split_once('=')?;
    let value = value.trim().trim_matches(['"', '\'']);
    (name.trim() == key).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "title = \"x\"\n[table]\nname = \"t\"\n[table.columns]\na = \"int\"\n\
        [[queries]]\nname = \"one\"\nsql = \"SELECT 1\"\n[queries.parameters]\na = 1\n\
        [[queries]]\nname = \"two\"\nsql = \"SELECT 2\"\n";

    #[test]
    fn a_changed_table_is_named() {
        let of = |from, to| differing(TEXT, &TEXT.replace(from, to));
        assert_eq!(of("int", "bigint"), ["table.columns"]);
        assert_eq!(of("title", "name"), [""]);
        assert_eq!(of("SELECT 2", "SELECT 3"), ["queries two"]);
        assert_eq!(of("a = 1", "a = 2"), ["queries one"]);
        assert_eq!(of("\"two\"", "\"2\""), ["queries two", "queries 2"]);
    }

    #[test]
    fn comments_and_spaces_make_no_difference() {
        let other = format!(
            "# one\n\n  {}",
            TEXT.replace("\"int\"", "\"int\"  # of rows")
        );
        assert!(differing(TEXT, &other).is_empty());
    }

    #[test]
    fn a_hash_or_bracket_within_a_text_stays() {
        assert_eq!(differing("sql = \"a # b\"", "sql = \"a # c\""), [""]);
        assert_eq!(differing("x = [\n\"a\",\n]", "x = [\n\"b\",\n]"), [""]);
        assert!(differing("", "# nothing").is_empty());
    }
}
