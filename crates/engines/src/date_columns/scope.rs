//! Which dates of a question come from a column of the table that is a date, through whatever names, subqueries and
//! aggregates. Others were made in the question, such as by a cast of a time, and are what engines make of them in
//! every table.

use std::iter::successors;

use arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::utils::{grouping_set_to_exprlist, merge_schema};
use datafusion::logical_expr::{
    Aggregate, Cast, Distinct, DistinctOn, Expr, ExprSchemable, LogicalPlan, Projection, TryCast,
    Union, Window,
};

/// Functions that count values, or return one of their arguments as it is.
const KEEPING: [&str; 21] = [
    "any_value",
    "approx_distinct",
    "arg_max",
    "arg_min",
    "coalesce",
    "count",
    "first",
    "first_value",
    "greatest",
    "lag",
    "last",
    "last_value",
    "lead",
    "least",
    "max",
    "max_by",
    "min",
    "min_by",
    "mode",
    "nth_value",
    "nullif",
];

/// Returns whether a function counts values, or returns one of its arguments as it is.
pub fn is_keeping(function: &str) -> bool {
    KEEPING.contains(&function)
}

/// What the expressions of a node of a plan read.
pub struct Scope<'a> {
    pub schema: DFSchema,
    pub node: &'a LogicalPlan,
    /// The columns of each input, and which of them are dates from a column of the table.
    inputs: Vec<(&'a DFSchema, Vec<bool>)>,
    /// What the query reads that has the node's query in it.
    around: Option<&'a Scope<'a>>,
}

impl<'a> Scope<'a> {
    /// Returns what a node's expressions read, whose query is in a query that reads what is around.
    pub fn of(node: &'a LogicalPlan, around: Option<&'a Scope<'a>>) -> Scope<'a> {
        let inputs = node.inputs();
        Scope {
            schema: merge_schema(&inputs),
            node,
            inputs: { inputs.into_iter() }
                .map(|input| (input.schema().as_ref(), stored(input, around)))
                .collect(),
            around,
        }
    }

    /// Returns whether an expression is a date that comes from a column of the table, as it is there.
    pub fn is_stored(&self, expr: &Expr) -> bool {
        if !matches!(expr.get_type(&self.schema), Ok(DataType::Date32)) {
            return false;
        }
        match expr {
            Expr::Column(column) => self.stored_column(column) == Some(true),
            Expr::OuterReferenceColumn(_, column) => successors(self.around, |scope| scope.around)
                .find_map(|scope| scope.stored_column(column))
                .unwrap_or(true),
            Expr::ScalarSubquery(query) => {
                stored(&query.subquery, Some(self)).first() == Some(&true)
            }
            Expr::Alias(alias) => self.is_stored(&alias.expr),
            Expr::Cast(Cast { expr, .. }) | Expr::TryCast(TryCast { expr, .. }) => {
                self.is_stored(expr)
            }
            Expr::Case(case) => {
                let results = case.when_then_expr.iter().map(|(_, result)| result);
                let mut results = results.chain(&case.else_expr);
                results.any(|result| self.is_stored(result))
            }
            Expr::ScalarFunction(function) if is_keeping(function.func.name()) => {
                self.is_any_stored(&function.args)
            }
            Expr::AggregateFunction(function) if is_keeping(function.func.name()) => {
                self.is_any_stored(&function.params.args)
            }
            Expr::WindowFunction(function) if is_keeping(function.fun.name()) => {
                self.is_any_stored(&function.params.args)
            }
            _ => false,
        }
    }

    fn is_any_stored(&self, exprs: &[Expr]) -> bool {
        exprs.iter().any(|expr| self.is_stored(expr))
    }

    fn all<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<bool> {
        let exprs = exprs.into_iter();
        exprs.map(|expr| self.is_stored(expr)).collect()
    }

    /// Returns whether a column of an input is a date from a column of the table; `None` if no input has it.
    fn stored_column(&self, column: &Column) -> Option<bool> {
        self.inputs.iter().find_map(|(schema, stored)| {
            let place = schema.maybe_index_of_column(column)?;
            stored.get(place).copied()
        })
    }
}

/// Returns for each column that a node returns whether it is a date from a column of the table.
fn stored(plan: &LogicalPlan, around: Option<&Scope<'_>>) -> Vec<bool> {
    let fields = plan.schema().fields();
    let found = match plan {
        LogicalPlan::Projection(Projection { expr, .. }) => Scope::of(plan, around).all(expr),
        LogicalPlan::Distinct(Distinct::On(DistinctOn { select_expr, .. })) => {
            Scope::of(plan, around).all(select_expr)
        }
        LogicalPlan::Aggregate(Aggregate {
            group_expr,
            aggr_expr,
            ..
        }) => {
            let scope = Scope::of(plan, around);
            let groups = grouping_set_to_exprlist(group_expr).unwrap_or_default();
            let mut found = scope.all(groups);
            // Grouping sets have a number, too.
            found.resize(fields.len().saturating_sub(aggr_expr.len()), false);
            found.extend(scope.all(aggr_expr));
            found
        }
        LogicalPlan::Window(Window { window_expr, .. }) => {
            let scope = Scope::of(plan, around);
            let kept = scope.inputs.iter().flat_map(|(_, stored)| stored).copied();
            kept.chain(scope.all(window_expr)).collect()
        }
        LogicalPlan::Union(Union { inputs, .. }) => {
            let mut found = vec![false; fields.len()];
            for input in inputs {
                for (found, stored) in found.iter_mut().zip(stored(input, around)) {
                    *found |= stored;
                }
            }
            found
        }
        LogicalPlan::Values(_) | LogicalPlan::EmptyRelation(_) => vec![false; fields.len()],
        LogicalPlan::Join(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Distinct(Distinct::All(_))
        | LogicalPlan::Repartition(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::SubqueryAlias(_) => {
            let inputs = plan.inputs().into_iter();
            inputs.flat_map(|input| stored(input, around)).collect()
        }
        _ => Vec::new(),
    };
    // Of a table, and of what is not known, every date counts.
    if found.len() == fields.len() {
        found
    } else {
        let kinds = fields.iter().map(|field| field.data_type());
        kinds.map(|kind| matches!(kind, DataType::Date32)).collect()
    }
}
