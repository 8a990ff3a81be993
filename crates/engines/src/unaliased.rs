//! Expressions without the names that a query gives to them.

use datafusion::logical_expr::Expr;

/// Returns what an expression is without its names.
pub fn unaliased(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => unaliased(&alias.expr),
        expr => expr,
    }
}
