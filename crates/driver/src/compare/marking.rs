//! How far figures that no two engines compute alike may be apart: their calls in a question are rewritten to what
//! limits their error, times a factor by which columns of such figures are told from all others.

use bakeoff_workload::Query;

use super::Leeway;
use super::answer::{Cell, Rows};
use crate::Expected;

/// Factor of what calls are rewritten to.
pub const MARK: f64 = 1e-200;
/// A marked column has no larger value.
const LARGEST_MARKED: f64 = 1e-150;

/// Rewrites calls in SQL. `call` returns for a text that begins with a call what takes its place, and what comes behind
/// the call. Returns `None` where there is no call.
pub fn rewritten(
    sql: &str,
    call: impl for<'a> Fn(&'a str) -> Option<(String, &'a str)>,
) -> Option<String> {
    let mut text = String::with_capacity(sql.len());
    let (mut rest, mut is_inside_name, mut has_any) = (sql, false, false);
    while let Some(character) = rest.chars().next() {
        if let Some(end) = skipped(rest) {
            text.push_str(&rest[..end]);
            rest = &rest[end..];
            is_inside_name = false;
            continue;
        }
        match call(rest).filter(|_| !is_inside_name) {
            Some((instead, behind)) => {
                text.push_str(&instead);
                rest = behind;
                has_any = true;
                is_inside_name = false;
            }
            None => {
                text.push(character);
                rest = &rest[character.len_utf8()..];
                is_inside_name = character.is_alphanumeric() || matches!(character, '_' | '.');
            }
        }
    }
    has_any.then_some(text)
}

/// Returns the bytes of the text in quotes, the name in quotes or the comment that the SQL begins with, in which
/// nothing is asked.
fn skipped(sql: &str) -> Option<usize> {
    for (begin, end) in [("'", "'"), ("\"", "\""), ("--", "\n"), ("/*", "*/")] {
        if let Some(inside) = sql.strip_prefix(begin) {
            let found = inside.find(end).map(|at| at + end.len());
            // A comment may end with the SQL.
            let found = found.or((begin == "--").then_some(inside.len()));
            return found.map(|length| begin.len() + length);
        }
    }
    None
}

/// Returns where the parenthesis closes that was opened before the text.
pub fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut signs = text.char_indices();
    let closing = signs.find(|(_, sign)| {
        depth += i32::from(*sign == '(') - i32::from(*sign == ')');
        depth == 0
    });
    closing.map(|(at, _)| at)
}

/// Returns whether all values of a column may have been multiplied by [`MARK`].
fn is_marked(rows: &Rows, column: usize) -> bool {
    let mut cells = rows.rows.iter().map(|row| &row[column]);
    cells.all(|cell| match cell {
        Cell::Float(float) => float.abs() <= LARGEST_MARKED,
        Cell::Null => true,
        Cell::Exact(_) => false,
    })
}

/// Returns how far an answer to a query may be from the right one: this share of the marked figures, by the answer to
/// the rewritten SQL.
///
/// # Errors
/// Fails if the answer has types that are not compared.
pub fn leeway(query: &Query, marked: &Expected, share: f64) -> Result<Leeway, String> {
    let rows = Rows::new(&marked.batches)?;
    let absolute = |column: usize| {
        let largest = if is_marked(&rows, column) {
            rows.largest(column)
        } else {
            0.0
        };
        share * (largest / MARK)
    };
    Ok(Leeway {
        absolute: (0..rows.width).map(absolute).collect(),
        ..Leeway::of(query)
    })
}
