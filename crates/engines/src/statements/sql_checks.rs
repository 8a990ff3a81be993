//! The bounds of columns as CHECK says them.

use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr, Ident};

/// Returns the column that a condition keeps between two whole numbers, with these; `None` if it says something else.
pub fn bounds(check: &Expr) -> Option<(&Ident, i64, i64)> {
    match check {
        Expr::Nested(inside) => bounds(inside),
        Expr::Between {
            expr,
            negated: false,
            low,
            high,
        } => ordered(column(expr)?, number(low)?, number(high)?),
        Expr::BinaryOp {
            left,
            op: BinaryOperator::And,
            right,
        } => {
            let (one, low) = side(left, &BinaryOperator::GtEq)?;
            let (other, high) = side(right, &BinaryOperator::LtEq)?;
            ordered(one, low, high).filter(|_| one.value == other.value)
        }
        _ => None,
    }
}

fn ordered(column: &Ident, low: i64, high: i64) -> Option<(&Ident, i64, i64)> {
    (low <= high).then_some((column, low, high))
}

/// Returns the column and the number that a condition compares so.
fn side<'a>(condition: &'a Expr, operator: &BinaryOperator) -> Option<(&'a Ident, i64)> {
    match condition {
        Expr::Nested(inside) => side(inside, operator),
        Expr::BinaryOp { left, op, right } if op == operator => {
            Some((column(left)?, number(right)?))
        }
        _ => None,
    }
}

fn column(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Nested(inside) => column(inside),
        Expr::Identifier(name) => Some(name),
        _ => None,
    }
}

/// Returns a whole number, which may be cast to a type.
fn number(expr: &Expr) -> Option<i64> {
    let written = expr.to_string();
    let before_cast = written.split("::").next()?;
    let digits = before_cast.trim_matches(['(', ')', '\'', ' ']);
    digits.parse().ok()
}
