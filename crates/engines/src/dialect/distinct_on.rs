//! `DISTINCT ON (...)`, written with `row_number()` for dialects that lack it.

use bakeoff_workload::Table;

use super::order::{Key, written as keys_written};
use super::units::{
    Unit, What, find, meaning, next, previous, split, trimmed, units as units_of, written,
};

/// The column that counts the rows of one value.
const PLACE: &str = "bakeoff_place";
/// The name of the query that counts them.
const COUNTED: &str = "bakeoff_counted";
/// The beginning of names of columns that only order the answer.
const ORDER: &str = "bakeoff_order";
/// What joins SELECTs.
const JOINS: [&str; 3] = ["union", "intersect", "except"];
/// What may follow the only table of a query.
const CLAUSES: [&str; 6] = ["where", "group", "having", "order", "limit", "window"];
/// What ends an `ORDER BY`.
const CUTS: [&str; 3] = ["limit", "offset", "fetch"];
/// What begins the frame of a window.
const FRAMES: [&str; 3] = ["rows", "range", "groups"];

/// A column of an answer.
struct Item {
    /// The expression without a name of its own.
    expression: String,
    name: String,
    written: String,
}

impl Item {
    /// Returns whether a text is its name, with or without quotes.
    fn is_called(&self, text: &str) -> bool {
        let plain = |name: &str| name.trim_matches('"').to_ascii_lowercase();
        plain(&self.name) == plain(text)
    }
}

/// Writes a SELECT with `DISTINCT ON` as one whose rows are counted. Returns `None` where there is none.
///
/// # Errors
/// Returns why that cannot be done.
pub fn counted(table: &Table, units: &[Unit]) -> Result<Option<String>, String> {
    let Some((select, behind)) = find(units, 0, &["select", "distinct", "on"]) else {
        return Ok(None);
    };
    if units.iter().any(|unit| unit.is_one_of(&JOINS)) {
        return Err(cannot("in a UNION or the like: put it into a subquery"));
    }
    let on = next(units, behind).filter(|place| units[*place].what == What::Group);
    let is_distinct =
        |place: usize| previous(units, place).is_some_and(|before| units[before].is("distinct"));
    // That of `IS DISTINCT FROM` is another one.
    let from = (behind..units.len()).find(|place| units[*place].is("from") && !is_distinct(*place));
    let (Some(on), Some(from)) = (on, from) else {
        return Err(cannot("without a table"));
    };
    let order = find(units, from, &["order", "by"]);
    let end = units
        .iter()
        .rposition(|unit| !unit.is_space() && !unit.is_sign(';'));
    let end = end.map_or(units.len(), |end| end + 1);
    let limit = (from..end).find(|place| units[*place].is_one_of(&CUTS));
    let limit = limit.unwrap_or(end);
    let (rows_end, keys) = match order {
        Some((place, behind)) if behind <= limit => (place, Key::list(&units[behind..limit])),
        _ => (limit, Vec::new()),
    };
    let items = items(table, &units[on + 1..from], &units[from..rows_end])?;
    let expression_of = |text: &str| {
        let item = items.iter().find(|item| item.is_called(text));
        item.map_or_else(|| text.to_owned(), |item| item.expression.clone())
    };
    let values = units_of(&units[on].text).unwrap_or_default();
    let values = split(&values, ',')
        .into_iter()
        .map(|value| expression_of(&trimmed(value)));
    let values: Vec<String> = values.collect();
    let (mut inside, mut outside, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
    for (number, key) in keys.into_iter().enumerate() {
        if key.expression.chars().all(|c| c.is_ascii_digit()) {
            return Err(cannot(
                "with ORDER BY and the number of a column: write its name",
            ));
        }
        let expression = expression_of(&key.expression);
        let item = items.iter().find(|item| item.is_called(&key.expression));
        let shown = match item {
            Some(item) => item.name.clone(),
            None => {
                let name = format!("{ORDER}_{}", number + 1);
                hidden.push(format!(", {expression} AS {name}"));
                name
            }
        };
        outside.push(Key {
            expression: shown,
            ..key.clone()
        });
        inside.push(Key { expression, ..key });
    }
    let within = if inside.is_empty() {
        values.join(", ")
    } else {
        keys_written(&inside)
    };
    let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
    let columns: Vec<&str> = items.iter().map(|item| item.written.as_str()).collect();
    let mut sql = format!(
        "{}SELECT {} FROM (SELECT {}{}, row_number() OVER (PARTITION BY {} ORDER BY {within}) AS {PLACE} {}) AS \
         {COUNTED} WHERE {PLACE} = 1",
        written(&units[..select]),
        names.join(", "),
        columns.join(", "),
        hidden.concat(),
        values.join(", "),
        trimmed(&units[from..rows_end]),
    );
    if !outside.is_empty() {
        sql.push_str(&format!(" ORDER BY {}", keys_written(&outside)));
    }
    if limit < end {
        sql.push_str(&format!(" {}", trimmed(&units[limit..end])));
    }
    Ok(Some(sql))
}

fn cannot(how: &str) -> String {
    format!("has no `DISTINCT ON`, which cannot be written otherwise {how}")
}

/// Reads the columns that a SELECT lists. `*` are those of the workload's table.
fn items(table: &Table, list: &[Unit], rows: &[Unit]) -> Result<Vec<Item>, String> {
    let mut items = Vec::new();
    for item in split(list, ',') {
        let words = meaning(item);
        match words.as_slice() {
            [star] if star.is_sign('*') && is_of_table(table, rows) => {
                items.extend(table.columns.iter().map(|column| {
                    let name = format!("\"{}\"", column.name);
                    Item {
                        expression: name.clone(),
                        name: name.clone(),
                        written: name,
                    }
                }));
            }
            _ => items.push(named(item, &words)?),
        }
    }
    Ok(items)
}

/// Returns whether rows come from the workload's table and no other.
fn is_of_table(table: &Table, rows: &[Unit]) -> bool {
    let words = meaning(rows);
    let is_end = |unit: Option<&&Unit>| unit.is_none_or(|unit| unit.is_one_of(&CLAUSES));
    let is_table = |unit: &&Unit| unit.is_name() && unit.name().eq_ignore_ascii_case(&table.name);
    words.get(1).is_some_and(is_table) && is_end(words.get(2))
}

/// Reads a column that has a name.
fn named(item: &[Unit], words: &[&Unit]) -> Result<Item, String> {
    let as_written = trimmed(item);
    if let Some((place, behind)) = find(item, 0, &["as"]) {
        return Ok(Item {
            expression: trimmed(&item[..place]),
            name: trimmed(&item[behind..]),
            written: as_written,
        });
    }
    let is_path = words.iter().all(|unit| unit.is_name() || unit.is_sign('.'));
    match words {
        [.., name] if is_path && words.len() != 2 && name.is_name() => Ok(Item {
            expression: as_written.clone(),
            name: name.text.clone(),
            written: as_written,
        }),
        _ => Err(cannot(
            "unless each column has a name: write AS and a name behind each expression, and columns for `*`",
        )),
    }
}

/// Returns whether units are a query.
pub fn is_query(units: &[Unit]) -> bool {
    next(units, 0).is_some_and(|first| units[first].is_one_of(&["select", "with", "values"]))
}

/// Says where nulls are in what is between the parentheses of an `OVER`, as [`order_nulls`] does.
pub fn order_window(table: &Table, text: String) -> String {
    let Some(mut units) = units_of(&text) else {
        return text;
    };
    order_nulls(table, &mut units);
    written(&units)
}

/// Says where nulls are in each `ORDER BY` of a query or a window, for a dialect that has them at the other end. The
/// columns in the keys of the table are never null there.
pub fn order_nulls(table: &Table, units: &mut Vec<Unit>) {
    let mut from = 0;
    while let Some((_, behind)) = find(units, from, &["order", "by"]) {
        let is_behind_key = |place: usize| {
            previous(units, place).is_some_and(|last| last >= behind && !units[last].is_sign(','))
        };
        let is_end = |place: &usize| {
            let unit = &units[*place];
            let ends_query = unit.is_one_of(&CUTS) || unit.is_one_of(&JOINS) || unit.is_sign(';');
            ends_query || unit.is_one_of(&FRAMES) && is_behind_key(*place)
        };
        let end = (behind..units.len()).find(is_end).unwrap_or(units.len());
        let mut begin = behind;
        let mut places = Vec::new();
        for key in split(&units[behind..end], ',') {
            if let Some(nulls) = nulls_of(table, key) {
                let last = key.iter().rposition(|unit| !unit.is_space()).unwrap_or(0);
                places.push((begin + last + 1, nulls));
            }
            begin += key.len() + 1;
        }
        from = behind;
        for (place, nulls) in places.into_iter().rev() {
            units.splice(place..place, units_of(nulls).unwrap_or_default());
        }
    }
}

/// Returns what has to be said of the nulls of a key, if nothing is said.
fn nulls_of(table: &Table, key: &[Unit]) -> Option<&'static str> {
    let words = meaning(key);
    let (path, is_descending) = match words.as_slice() {
        [.., nulls, end] if nulls.is("nulls") && end.is_one_of(&["first", "last"]) => return None,
        [path @ .., direction] if direction.is_one_of(&["asc", "desc"]) => {
            (path, direction.is("desc"))
        }
        path => (path, false),
    };
    let column = match path {
        [] => return None,
        [column] if column.is_name() => Some(column.name()),
        [_, dot, column] if dot.is_sign('.') && column.is_name() => Some(column.name()),
        _ => None,
    };
    let is_key = column.is_some_and(|name| table.key().any(|key| key.eq_ignore_ascii_case(name)));
    (!is_key).then_some(if is_descending {
        " NULLS FIRST"
    } else {
        " NULLS LAST"
    })
}
