//! Dates of columns with which a question computes. Engines do that in different ways: the difference of two days is a
//! number or a length of time, the month of a day is a day or a time, and so is a day with an interval behind it. Of
//! times all of them compute the same, so that a question has to say that it means midnights. Nor do they agree on what
//! is compared with a date if that is no day.

mod scope;
mod written;

use arrow::datatypes::{DataType, TimeUnit};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::{
    BinaryExpr, Cast, Expr, ExprSchemable, Like, LogicalPlan, Operator, Subquery, TryCast,
};

use scope::{Scope, is_keeping};
use written::written;

use crate::expressions::{compared, is_comparison};

/// Functions that compute the same of a date as of the midnight that it begins with.
const OF_TIMES: [&str; 11] = [
    "date_bin",
    "date_part",
    "date_trunc",
    "to_char",
    "to_local_time",
    "to_timestamp",
    "to_timestamp_micros",
    "to_timestamp_millis",
    "to_timestamp_nanos",
    "to_timestamp_seconds",
    "to_unixtime",
];

/// Functions of texts, which read a date as the text of it.
const OF_TEXTS: [&str; 30] = [
    "ascii",
    "bit_length",
    "btrim",
    "character_length",
    "concat",
    "concat_ws",
    "contains",
    "ends_with",
    "find_in_set",
    "initcap",
    "left",
    "levenshtein",
    "lower",
    "lpad",
    "ltrim",
    "octet_length",
    "repeat",
    "replace",
    "reverse",
    "right",
    "rpad",
    "rtrim",
    "split_part",
    "starts_with",
    "string_agg",
    "strpos",
    "substr",
    "substr_index",
    "translate",
    "upper",
];

/// What a question can compute with instead of a date, with the same answer.
#[derive(Debug, Clone, Copy)]
enum Instead {
    /// The midnight that the date begins with.
    Midnight,
    /// The midnight, and an interval instead of a number of days.
    MidnightAndInterval,
    /// The text of the date.
    Text,
    /// Nothing that is known.
    Nothing,
}

impl Instead {
    /// Says what to write.
    fn advice(self, date: &str) -> String {
        match self {
            Self::Midnight => format!(
                "; to compute with the midnight (UTC) that it begins with, write CAST({date} AS TIMESTAMP)"
            ),
            Self::MidnightAndInterval => format!(
                "; for days before or after the midnight (UTC) that it begins with, write an interval, such as \
                 INTERVAL '1 day', instead of the number, and CAST({date} AS TIMESTAMP)"
            ),
            Self::Text => {
                format!("; for its text, such as '2026-05-01', write CAST({date} AS TEXT)")
            }
            Self::Nothing => String::new(),
        }
    }
}

/// Returns what is wrong with a question of a table with dates if it computes with one of a column, or compares one
/// with what is no day.
pub fn complaint(plan: &LogicalPlan) -> Option<String> {
    complaint_within(plan, None)
}

/// Returns what is wrong with a plan, or one that is within an expression of another.
fn complaint_within(plan: &LogicalPlan, around: Option<&Scope<'_>>) -> Option<String> {
    let scope = Scope::of(plan, around);
    let mut found = None;
    let walked = plan.apply_expressions(|whole| {
        whole.apply(|expr| {
            found = found.take().or_else(|| {
                let of_query = |query: &Subquery| complaint_within(&query.subquery, Some(&scope));
                let own = complaint_of(expr, &scope);
                own.or_else(|| subquery(expr).and_then(of_query))
            });
            Ok(if found.is_some() {
                TreeNodeRecursion::Stop
            } else {
                TreeNodeRecursion::Continue
            })
        })
    });
    let found = found.filter(|_| walked.is_ok());
    let mut inputs = plan.inputs().into_iter();
    found.or_else(|| inputs.find_map(|input| complaint_within(input, around)))
}

/// Returns the query that an expression itself has.
fn subquery(expr: &Expr) -> Option<&Subquery> {
    match expr {
        Expr::ScalarSubquery(subquery)
        | Expr::Exists(Exists { subquery, .. })
        | Expr::InSubquery(InSubquery { subquery, .. })
        | Expr::SetComparison(SetComparison { subquery, .. }) => Some(subquery),
        _ => None,
    }
}

/// Returns what is wrong with an expression itself, and not with what is in it.
fn complaint_of(expr: &Expr, scope: &Scope<'_>) -> Option<String> {
    let Some((date, instead)) = computed_with(expr, scope) else {
        let mut values = compared(expr).into_iter();
        let first = values.next()?;
        return values.find_map(|other| {
            complaint_of_compared(first, other, scope)
                .or_else(|| complaint_of_compared(other, first, scope))
        });
    };
    let date = written(date, scope.node);
    Some(format!(
        "it computes with the date `{date}`, which engines do in different ways: a date is compared, grouped and \
         ordered by, counted and returned, also as min(...) and max(...){}",
        instead.advice(&date)
    ))
}

/// Returns the date with which an expression computes, and what it can compute with instead.
fn computed_with<'e>(expr: &'e Expr, scope: &Scope<'_>) -> Option<(&'e Expr, Instead)> {
    let either = |operands: [&'e Expr; 2]| operands.into_iter().find(|o| scope.is_stored(o));
    let first = |operands: &'e [Expr]| operands.iter().find(|operand| scope.is_stored(operand));
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let instead = instead_of_operator(*op)?;
            let date = either([left.as_ref(), right.as_ref()])?;
            let with_number = is_number(left, scope) || is_number(right, scope);
            Some(match instead {
                Instead::Midnight if with_number => (date, Instead::MidnightAndInterval),
                instead => (date, instead),
            })
        }
        Expr::Like(Like { expr, pattern, .. }) | Expr::SimilarTo(Like { expr, pattern, .. }) => {
            Some((either([expr.as_ref(), pattern.as_ref()])?, Instead::Text))
        }
        Expr::Cast(Cast { expr, field }) | Expr::TryCast(TryCast { expr, field })
            if !is_castable(field.data_type()) =>
        {
            scope
                .is_stored(expr)
                .then_some((expr.as_ref(), Instead::Nothing))
        }
        Expr::ScalarFunction(function) if !is_keeping(function.func.name()) => Some((
            first(&function.args)?,
            instead_of_function(function.func.name()),
        )),
        Expr::AggregateFunction(function) if !is_keeping(function.func.name()) => Some((
            first(&function.params.args)?,
            instead_of_function(function.func.name()),
        )),
        Expr::WindowFunction(function) if !is_keeping(function.fun.name()) => Some((
            first(&function.params.args)?,
            instead_of_function(function.fun.name()),
        )),
        _ => None,
    }
}

fn instead_of_function(function: &str) -> Instead {
    if OF_TIMES.contains(&function) {
        Instead::Midnight
    } else if OF_TEXTS.contains(&function) {
        Instead::Text
    } else {
        Instead::Nothing
    }
}

/// Returns what an operator can compute with instead of a date; `None` if it compares values or joins conditions.
fn instead_of_operator(op: Operator) -> Option<Instead> {
    match op {
        Operator::And | Operator::Or => None,
        op if is_comparison(op) => None,
        Operator::Plus | Operator::Minus => Some(Instead::Midnight),
        Operator::StringConcat
        | Operator::LikeMatch
        | Operator::ILikeMatch
        | Operator::NotLikeMatch
        | Operator::NotILikeMatch
        | Operator::RegexMatch
        | Operator::RegexIMatch
        | Operator::RegexNotMatch
        | Operator::RegexNotIMatch => Some(Instead::Text),
        _ => Some(Instead::Nothing),
    }
}

/// Returns whether all engines make the same of a date that is cast to a type.
fn is_castable(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Date32
            | DataType::Timestamp(_, _)
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::Utf8View
    )
}

fn is_number(expr: &Expr, scope: &Scope<'_>) -> bool {
    expr.get_type(&scope.schema)
        .is_ok_and(|kind| kind.is_numeric())
}

/// Returns what is wrong with a value with which a date of a column is compared.
fn complaint_of_compared(date: &Expr, value: &Expr, scope: &Scope<'_>) -> Option<String> {
    if !scope.is_stored(date) {
        return None;
    }
    let (what, instead) = match value {
        value if is_number(value, scope) => {
            ("a number", "a day, such as DATE '2026-05-01'".to_owned())
        }
        Expr::Literal(text, _) => ("a text that is not just a day", instead_of_text(text)?),
        _ => return None,
    };
    Some(format!(
        "it compares the date `{}` with {}, {what}, which engines do in different ways or not at all: write {instead}",
        written(date, scope.node),
        written(value, scope.node)
    ))
}

/// Returns what to compare a date with instead of a text that is not just a day; `None` if it is, or cannot be read.
fn instead_of_text(text: &ScalarValue) -> Option<String> {
    let as_text = |value: ScalarValue| {
        let text = value.cast_to(&DataType::Utf8).ok()?;
        text.try_as_str().flatten().map(str::to_owned)
    };
    let given = text.try_as_str().flatten()?;
    let day = as_text(text.cast_to(&DataType::Date32).ok()?)?;
    if day == given {
        return None;
    }
    let moment = text.cast_to(&DataType::Timestamp(TimeUnit::Microsecond, None));
    let moment = moment.ok().and_then(as_text);
    Some(
        match moment.filter(|moment| !moment.ends_with("T00:00:00")) {
            Some(moment) => {
                format!("the time as TIMESTAMP '{moment}', of UTC, or a day, such as DATE '{day}'")
            }
            None => format!("the day as DATE '{day}'"),
        },
    )
}

#[cfg(test)]
mod tests;
