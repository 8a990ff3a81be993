//! Records that cannot be read since another version of Bakeoff wrote them.

use std::cmp::Ordering;
use std::path::Path;

use serde_json::Value;

use crate::JournalError;
use crate::error::OWN_VERSION;

/// Returns why a line cannot be read: another version wrote it, as the first line of the file says or since it is a
/// record of a kind that is not known, or it is damaged.
pub fn unreadable(
    path: &Path,
    line: usize,
    source: serde_json::Error,
    file: &[u8],
) -> JournalError {
    let path = path.to_owned();
    let version = version(file);
    let order = version.as_deref().map_or(Ordering::Equal, order);
    let is_unknown = is_unknown_kind(&source, file, line);
    match (order, version) {
        _ if !source.is_data() => JournalError::Line { path, line, source },
        (Ordering::Less, Some(version)) => JournalError::Earlier {
            path,
            line,
            version,
            source,
        },
        (Ordering::Greater, version) => JournalError::Newer {
            path,
            line,
            version,
        },
        _ if is_unknown => JournalError::Newer {
            path,
            line,
            version: None,
        },
        _ => JournalError::Line { path, line, source },
    }
}

/// Returns whether it is the kind of the record in a line that is not known, and not a value in it.
fn is_unknown_kind(source: &serde_json::Error, file: &[u8], line: usize) -> bool {
    let mut lines = file.split(|byte| *byte == b'\n');
    let text = lines.nth(line.saturating_sub(1));
    let record: Option<Value> = text.and_then(|text| serde_json::from_slice(text).ok());
    let kind = record.as_ref().and_then(|it| it.get("record"));
    let kind = kind.and_then(Value::as_str);
    let told = kind.map(|kind| format!("unknown variant `{kind}`"));
    told.is_some_and(|told| source.to_string().starts_with(&told))
}

/// Returns the version that the first line names.
fn version(file: &[u8]) -> Option<String> {
    let first = file.split(|byte| *byte == b'\n').next()?;
    let first: Value = serde_json::from_slice(first).ok()?;
    Some(first.get("bakeoff_version")?.as_str()?.to_owned())
}

/// Returns how a version compares with that of this program; one that cannot be read counts as the same.
fn order(version: &str) -> Ordering {
    let (its, own) = (numbers(version), numbers(OWN_VERSION));
    its.zip(own)
        .map_or(Ordering::Equal, |(its, own)| its.cmp(&own))
}

/// Returns the numbers of a version such as `0.1.0, without optimisation`.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let end = version.find(|c| !is_number(c)).unwrap_or(version.len());
    let parts: Result<Vec<u64>, _> = version[..end].split('.').map(str::parse).collect();
    parts.ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert_eq!(numbers("0.10.2"), Some([0, 10, 2]));
        assert_eq!(
            numbers("1.2.3, built without optimisation"),
            Some([1, 2, 3])
        );
        for unreadable in [
            "",
            "1",
            "1.2",
            "1.2.x",
            "v1.2.3",
            "99999999999999999999.0.0",
        ] {
            assert_eq!(numbers(unreadable), None, "{unreadable}");
        }
        assert_eq!(order("0.0.1"), Ordering::Less);
        assert_eq!(order("999.0.0"), Ordering::Greater);
        assert_eq!(order(OWN_VERSION), Ordering::Equal);
        assert_eq!(order("of tomorrow"), Ordering::Equal);
    }
}
