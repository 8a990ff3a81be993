//! Refuses functions whose answers are approximate, or not the same each time.

use toml::Spanned;

use super::mix::tokens::{Token, tokens};
use super::text::Text;
use super::toml_string::offset_in;
use crate::Result;

/// Approximate functions, and what to write instead.
const APPROXIMATE: [(&str, &str); 4] = [
    (
        "approx_percentile_cont",
        "percentile_cont(...) WITHIN GROUP (ORDER BY ...)",
    ),
    (
        "approx_percentile_cont_with_weight",
        "percentile_cont(...) WITHIN GROUP (ORDER BY ...)",
    ),
    ("approx_median", "median(...)"),
    ("approx_distinct", "count(DISTINCT ...)"),
];
/// Functions that return a different value each time.
const CHANGING: [&str; 8] = [
    "random",
    "now",
    "current_date",
    "current_time",
    "current_timestamp",
    "localtimestamp",
    "uuid",
    "today",
];
/// Functions among [`CHANGING`] that need no parentheses.
const WITHOUT_PARENTHESES: [&str; 4] = [
    "current_date",
    "current_time",
    "current_timestamp",
    "localtimestamp",
];
/// Aggregates that depend on the order of rows.
const ORDERED: [&str; 4] = ["first_value", "last_value", "array_agg", "string_agg"];

/// Checks that a question has one right answer, or one within its tolerance.
///
/// # Errors
/// A function without a right answer, at its position, with what to write instead.
pub fn check(document: Text<'_>, sql: &Spanned<String>, has_tolerance: bool) -> Result<()> {
    // A literal or comment that does not end is reported with the other errors of the SQL.
    let tokens = tokens(sql.get_ref()).unwrap_or_default();
    for (index, token) in tokens.iter().enumerate() {
        if let Some(message) = complaint(&tokens, index, has_tolerance) {
            let offset = offset_in(document, sql, token.at);
            return Err(document.error(offset..offset, message));
        }
    }
    Ok(())
}

fn complaint(tokens: &[Token<'_>], index: usize, has_tolerance: bool) -> Option<String> {
    let token = tokens[index];
    let is_one_of = |names: &[&'static str]| names.iter().copied().find(|name| token.is_word(name));
    // A column of another table, or of an alias, may have any name.
    if index > 0 && tokens[index - 1].is_sign('.') {
        return None;
    }
    let is_call = tokens.get(index + 1).is_some_and(|next| next.is_sign('('));
    if let Some(name) = is_one_of(&CHANGING) {
        let is_used = is_call || WITHOUT_PARENTHESES.contains(&name);
        return is_used.then(|| changing(name));
    }
    if !is_call {
        return None;
    }
    if let Some((name, exact)) = APPROXIMATE.iter().find(|(name, _)| token.is_word(name)) {
        return (!has_tolerance).then(|| approximate(name, exact));
    }
    let name = is_one_of(&ORDERED)?;
    (!is_ordered(&tokens[index + 1..])).then(|| unordered(name))
}

fn changing(name: &str) -> String {
    format!(
        "`{name}` returns another value each time, so no answer is right; write a literal, or a \
         parameter such as ${{at}}"
    )
}

fn approximate(name: &str, exact: &str) -> String {
    let whole = match name {
        "approx_distinct" => ", with CAST(... AS DOUBLE) since whole numbers have no tolerance",
        _ => "",
    };
    format!(
        "`{name}` is approximate, so engines rightly differ; write {exact}, or allow a difference: \
         tolerance = \"2%\"{whole}"
    )
}

fn unordered(name: &str) -> String {
    format!(
        "`{name}` depends on the order of the rows, so many answers are right; write \
         {name}(... ORDER BY ...)"
    )
}

/// Returns whether a call, from its parenthesis on, has its own ORDER BY, there or in the OVER (...) that
/// follows.
fn is_ordered(call: &[Token<'_>]) -> bool {
    let mut depth = 0;
    let mut tokens = call.iter().peekable();
    while let Some(token) = tokens.next() {
        depth += i32::from(token.is_sign('(')) - i32::from(token.is_sign(')'));
        if depth == 1 && token.is_word("order") {
            return true;
        }
        if depth == 0 && tokens.next_if(|next| next.is_word("over")).is_none() {
            return false;
        }
    }
    false
}
