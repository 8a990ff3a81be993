//! Arithmetic of whole numbers, which DataFusion lets wrap around where its result is beyond their type. Here it is an
//! error then, so that what has wrapped around is no right answer.

use std::sync::Arc;

use arrow::compute::kernels::numeric::{add, mul, sub};
use arrow::datatypes::{DataType, Field, FieldRef};
use arrow::error::ArrowError;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, internal_datafusion_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Distinct, Expr, ExprSchemable, LogicalPlan, Operator,
    ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr_common::datum::apply;

/// What a message of Arrow says before the numbers with which it could not compute.
const ARROW_SAYS: &str = "Overflow happened on: ";

/// A rule that makes errors of sums, differences and products of whole numbers that are beyond their type. Types have
/// to be coerced before.
#[derive(Debug)]
pub struct CheckedArithmetic;

impl AnalyzerRule for CheckedArithmetic {
    fn name(&self) -> &str {
        "checked_arithmetic"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let checked = plan.transform_up_with_subqueries(checked_node)?;
        Ok(checked.data)
    }
}

/// Checks the arithmetic of a node, whose columns keep their names, and so do the keys of sets of groups.
fn checked_node(node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    // Of a `DISTINCT ON` the columns alone need names. They stand behind what tells its rows apart, and before its
    // order, which has to begin with that.
    let named = match &node {
        LogicalPlan::Limit(_) => return Ok(Transformed::no(node)),
        LogicalPlan::Distinct(Distinct::On(on)) => {
            on.on_expr.len()..on.on_expr.len() + on.select_expr.len()
        }
        _ => 0..usize::MAX,
    };
    let schema = merge_schema(&node.inputs());
    let names = NamePreserver::new(&node);
    let mut place = 0_usize;
    let mut check = |expr: Expr| {
        let is_named = named.contains(&place);
        place += 1;
        let name = names.save(&expr);
        let expr = expr.transform_up(|expr| Ok(checked_expression(expr, &schema)))?;
        Ok(if is_named {
            expr.update_data(|expr| name.restore(expr))
        } else {
            expr
        })
    };
    let checked = node.map_expressions(|expr| match expr {
        Expr::GroupingSet(_) => expr.map_children(&mut check),
        expr => check(expr),
    })?;
    if checked.transformed {
        checked.map_data(LogicalPlan::recompute_schema)
    } else {
        Ok(checked)
    }
}

/// Returns the function that computes what an expression itself does, if that is arithmetic of whole numbers.
fn checked_expression(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let function = match &expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let is_checked = matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply);
            let kinds = [left, right].map(|side| side.get_type(schema).ok());
            let [one, other] = &kinds;
            let is_whole = one == other && one.as_ref().is_some_and(DataType::is_integer);
            (is_checked && is_whole).then(|| {
                let function = Checked::new(*op, &expr);
                let arguments = vec![left.as_ref().clone(), right.as_ref().clone()];
                ScalarUDF::new_from_impl(function).call(arguments)
            })
        }
        _ => None,
    };
    match function {
        Some(function) => Transformed::yes(function),
        None => Transformed::no(expr),
    }
}

/// The function that adds, subtracts or multiplies two whole numbers of one type, or fails.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    signature: Signature,
    operator: Operator,
    /// The columns that it computes with, as a message names them.
    columns: Vec<String>,
}

impl Checked {
    fn new(operator: Operator, expr: &Expr) -> Self {
        let mut columns: Vec<String> = { expr.column_refs().into_iter() }
            .map(Column::flat_name)
            .collect();
        // One that a query computes and gives no name is called as DataFusion shows what it computes.
        columns.retain(|name| !name.contains(['(', ' ']));
        columns.sort_unstable();
        Checked {
            signature: Signature::any(2, Volatility::Immutable),
            operator,
            columns,
        }
    }

    /// Says what was beyond the type, and what to write.
    fn beyond(&self, error: DataFusionError, kind: &DataType) -> DataFusionError {
        let overflow = match &error {
            DataFusionError::ArrowError(cause, _) => match cause.as_ref() {
                ArrowError::ArithmeticOverflow(said) => Some(said.clone()),
                _ => None,
            },
            _ => None,
        };
        let Some(said) = overflow else {
            return error;
        };
        let numbers = said.strip_prefix(ARROW_SAYS).unwrap_or(&said);
        let bytes = kind.primitive_width().unwrap_or_default();
        // Such as the numbers of rows of `row_number()`, of which a difference may be less than 0.
        let has_no_sign = kind.is_unsigned_integer();
        let sign = if has_no_sign { " without a sign" } else { "" };
        let wider = if bytes < 8 || has_no_sign {
            "BIGINT"
        } else {
            "DOUBLE"
        };
        let (of, column) = match self.columns.as_slice() {
            [] => (String::new(), "x"),
            [first, ..] => (
                format!(" of {}", self.columns.join(" and ")),
                first.as_str(),
            ),
        };
        let message = format!(
            "{numbers}{of} is beyond whole numbers of {} bits{sign}: write CAST({column} AS {wider}) where it is computed \
             with",
            8 * bytes
        );
        DataFusionError::External(message.into())
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        match self.operator {
            Operator::Plus => "checked_plus",
            Operator::Minus => "checked_minus",
            _ => "checked_times",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, kinds: &[DataType]) -> Result<DataType> {
        let kind = kinds.first().cloned();
        kind.ok_or_else(|| internal_datafusion_err!("arithmetic comes without its numbers"))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let fields = args.arg_fields.iter();
        let kinds: Vec<DataType> = fields.map(|field| field.data_type().clone()).collect();
        let nullable = args.arg_fields.iter().any(|field| field.is_nullable());
        let kind = self.return_type(&kinds)?;
        Ok(Arc::new(Field::new(self.name(), kind, nullable)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = args.args.as_slice() else {
            return Err(internal_datafusion_err!(
                "arithmetic comes without its numbers"
            ));
        };
        let computed = match self.operator {
            Operator::Plus => apply(left, right, add),
            Operator::Minus => apply(left, right, sub),
            _ => apply(left, right, mul),
        };
        computed.map_err(|error| self.beyond(error, &left.data_type()))
    }
}

#[cfg(test)]
mod tests;
