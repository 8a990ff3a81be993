//! Times whose parts stand in several columns of a file, such as a date and a time of day.

use arrow::array::{Array, StringArray};

use crate::TextForm;

/// Returns the time that its parts say together, with a space between each two of them. Where a part has no value,
/// neither has the time: it is empty, or the word with which the part says so.
pub fn together<'c>(
    parts: impl IntoIterator<Item = &'c str>,
    is_null: impl Fn(&str) -> bool,
) -> String {
    let mut time = String::new();
    for part in parts {
        let part = part.trim();
        if part.is_empty() || is_null(part) {
            return part.to_owned();
        }
        if !time.is_empty() {
            time.push(' ');
        }
        time.push_str(part);
    }
    time
}

/// Returns the cells of a column whose parts are in the cells of several.
pub fn column(parts: &[&StringArray], form: &TextForm) -> StringArray {
    let rows = parts.first().map_or(0, |first| first.len());
    let cell = |row: usize| {
        let cells = { parts.iter() }.map(|part| {
            if part.is_null(row) {
                ""
            } else {
                part.value(row)
            }
        });
        let time = together(cells, |cell| form.is_null(cell));
        (!time.is_empty()).then_some(time)
    };
    (0..rows).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_all_of_its_parts_or_none() {
        let form = TextForm {
            null: vec!["NA".to_owned()],
            ..TextForm::default()
        };
        let dates = StringArray::from(vec![
            Some(" 10/03/2004"),
            Some("10/03/2004"),
            None,
            Some("NA"),
            Some("10/03/2004"),
        ]);
        let clocks = StringArray::from(vec![
            Some("18.00.00 "),
            None,
            Some("18.00.00"),
            Some("18.00.00"),
            Some("  "),
        ]);
        let expected = StringArray::from(vec![
            Some("10/03/2004 18.00.00"),
            None,
            None,
            Some("NA"),
            None,
        ]);
        assert_eq!(column(&[&dates, &clocks], &form), expected);
        assert!(column(&[], &form).is_empty());
    }
}
