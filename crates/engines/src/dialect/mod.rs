//! SQL in the dialects of engines: a question is written once, in the SQL of DataFusion, and what differs elsewhere is
//! written otherwise by a small table of rules, which docs/sql.md has as well. Nothing else of a text changes: neither
//! comments nor quotes, nor the places of parameters. A text that no rule changes is asked byte for byte.
//!
//! Rules look at tokens and parentheses, and at the columns of the workload's table. They need not know what else a
//! question says, since all answers to it are compared anyway.

mod aggregates;
mod call;
mod casts;
mod distinct_on;
mod division;
mod floats;
mod functions;
mod given;
mod likes;
mod literals;
mod offsets;
mod order;
mod plain;
mod sql_dialect;
mod times;
pub mod tokens;
mod types;
mod units;
mod widened;
mod zones;

use bakeoff_workload::Table;

use call::Call;
use tokens::Kind;
use units::{Unit, What, next, previous, trimmed, units, written};

pub use offsets::other_than_shown;
pub use sql_dialect::SqlDialect;

/// Returns where a word is in SQL, as line and column, both counted from 1.
pub fn position_of(sql: &str, word: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    let found = tokens::tokens(sql)?.into_iter().find_map(|token| {
        let begin = at;
        at += token.text.len();
        token.text.eq_ignore_ascii_case(word).then_some(begin)
    });
    let before = &sql[..found.or_else(|| sql.find(word))?];
    let line = before.rsplit('\n').next().unwrap_or_default();
    Some((before.matches('\n').count() + 1, line.chars().count() + 1))
}

/// Deepest parentheses of SQL that are looked into.
const DEEPEST: usize = 64;

/// Why a text cannot be written in a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untranslatable {
    /// The word about which it is, as it is written.
    pub word: String,
    /// What is lacking, as the end of a sentence that begins with the name of the system; a whole sentence of what has
    /// no meaning in the SQL of DataFusion.
    pub why: String,
}

/// Writes SQL of other systems in that of DataFusion, whatever tables it asks. Returns `None` if it stays as it is.
///
/// # Errors
/// It has something that has no meaning there.
pub fn plain(sql: &str) -> Result<Option<String>, Untranslatable> {
    let unknown = Table {
        name: String::new(),
        columns: Vec::new(),
        partition_key: Vec::new(),
        order_key: Vec::new(),
    };
    translated(SqlDialect::Datafusion, &unknown, sql)
}

/// Writes SQL of DataFusion in another dialect, or SQL of other systems in that of DataFusion. Returns `None` if it
/// stays as it is.
///
/// # Errors
/// The dialect lacks something that cannot be written otherwise.
pub fn translated(
    dialect: SqlDialect,
    table: &Table,
    sql: &str,
) -> Result<Option<String>, Untranslatable> {
    if dialect == SqlDialect::Datafusion {
        zones::check_names(table, sql).map_err(of_zone)?;
    }
    let in_utc = { dialect != SqlDialect::Datafusion }.then(|| offsets::in_utc(table, sql));
    let in_utc = in_utc.flatten();
    let moments = in_utc.as_deref().unwrap_or(sql);
    let widened = widened::widened(table, moments);
    let with_doubles = widened.as_deref().unwrap_or(moments);
    let with_texts = widened::uuids::as_texts(dialect, table, with_doubles);
    let with_texts = with_texts.as_deref().unwrap_or(with_doubles);
    let cut_off = { dialect.rounds_casts() }.then(|| casts::cut_off(table, with_texts));
    let original = cut_off.as_deref().unwrap_or(with_texts);
    let certain = division::certain(table, original);
    let never_null = given::without_nulls(table, original);
    let text = sequence(dialect, [table, &certain, &never_null], original, 0)?;
    // Those of `date_bin` are written as numbers.
    let interval = { interval_in(&text) }.filter(|_| dialect == SqlDialect::Sqlite);
    if let Some(word) = interval {
        let why = "has no intervals".to_owned();
        return Err(Untranslatable { word, why });
    }
    Ok((text != sql).then_some(text))
}

fn of_zone(why: String) -> Untranslatable {
    let word = "at".to_owned();
    Untranslatable { word, why }
}

/// Writes what is between two parentheses, or a whole text. The second table has the columns alone whose types are
/// certain, and the third one those alone in its keys that are never null.
fn sequence(
    dialect: SqlDialect,
    tables: [&Table; 3],
    text: &str,
    depth: usize,
) -> Result<String, Untranslatable> {
    let [table, certain, never_null] = tables;
    let parts = if depth > DEEPEST { None } else { units(text) };
    let Some(mut parts) = parts else {
        return Ok(text.to_owned());
    };
    if dialect != SqlDialect::Datafusion {
        zones::shorten(&mut parts);
    }
    for at in 0..parts.len() {
        if parts[at].what != What::Group {
            continue;
        }
        let mut text = sequence(dialect, tables, &parts[at].text, depth + 1)?;
        let is_window = previous(&parts, at).is_some_and(|before| parts[before].is("over"));
        if is_window && dialect.has_nulls_elsewhere() {
            text = distinct_on::order_window(never_null, text);
        }
        parts[at].text = text;
    }
    calls(dialect, &mut parts)?;
    if dialect == SqlDialect::Datafusion {
        zones::local_times(&mut parts).map_err(of_zone)?;
        return Ok(written(&parts));
    }
    let of = |word: &str| {
        let word = word.to_owned();
        move |why| Untranslatable { word, why }
    };
    types::double_colons(dialect, &mut parts).map_err(of("::"))?;
    likes::likes(dialect, &mut parts);
    intervals(dialect, &mut parts);
    if dialect.rounds_decimals() {
        literals::exponents(&mut parts);
    }
    if let Some(operator) = dialect.whole_division() {
        division::whole(certain, &mut parts, operator);
    }
    if dialect == SqlDialect::Postgres {
        division::cut(certain, &mut parts);
    }
    if !distinct_on::is_query(&parts) {
        return Ok(written(&parts));
    }
    if dialect.has_nulls_elsewhere() {
        distinct_on::order_nulls(never_null, &mut parts);
    }
    if dialect.has_distinct_on() {
        return Ok(written(&parts));
    }
    let counted = distinct_on::counted(table, &parts).map_err(of("distinct"))?;
    Ok(counted.unwrap_or_else(|| written(&parts)))
}

/// Writes each call of a function that is another one.
fn calls(dialect: SqlDialect, parts: &mut Vec<Unit>) -> Result<(), Untranslatable> {
    let mut at = 0;
    while at < parts.len() {
        if let Some((call, end)) = Call::at(parts, at) {
            let other = match dialect {
                SqlDialect::Datafusion => Ok(plain::write(&call)),
                _ => functions::write(dialect, &call),
            };
            let other = other.map_err(|why| Untranslatable {
                word: parts[at].text.clone(),
                why,
            })?;
            if let Some(text) = other {
                parts.splice(at..end, [Unit::written(text)]);
            }
        }
        at += 1;
    }
    Ok(())
}

/// Writes intervals with numbers.
fn intervals(dialect: SqlDialect, parts: &mut [Unit]) {
    let mut at = 0;
    while at < parts.len() {
        let value = if parts[at].is("interval") {
            next(parts, at + 1)
        } else {
            None
        };
        let is_literal =
            |place: &usize| parts[*place].is_a(Kind::Text) || parts[*place].is_a(Kind::Number);
        // PostgreSQL has numbers in quotes only.
        if let Some(value) = value.filter(is_literal)
            && dialect == SqlDialect::Postgres
            && parts[value].is_a(Kind::Number)
        {
            parts[value] = Unit::written(format!("'{}'", trimmed(&parts[value..=value])));
        }
        at += 1;
    }
}

/// Returns the word of the first interval that is left in a translated text.
fn interval_in(sql: &str) -> Option<String> {
    let mut all = tokens::tokens(sql)?;
    all.retain(|token| token.is_meaningful());
    let pair = all.windows(2).find(|pair| {
        let is_literal = matches!(pair[1].kind, Kind::Text | Kind::Number);
        pair[0].kind == Kind::Word && pair[0].text.eq_ignore_ascii_case("interval") && is_literal
    })?;
    Some(pair[0].text.to_owned())
}

#[cfg(test)]
mod tests;
