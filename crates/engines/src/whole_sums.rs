//! Sums of whole numbers, which DataFusion lets wrap around where they are beyond 64 bits. Here they are errors then.
//!
//! What counts is the sum itself, whatever it has been on the way: in 64 bits, partial sums that wrap around cancel
//! out.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, PrimitiveArray};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Decimal128Type, Float64Type, Int64Type, UInt64Type,
};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema, internal_datafusion_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::functions_aggregate::average::avg_udaf;
use datafusion::functions_aggregate::count::count_udaf;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{
    Aggregate, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Projection, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, Volatility, Window, cast, ident,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::prelude::SessionContext;

use crate::checked_arithmetic::CheckedArithmetic;
use crate::unaliased::unaliased;

/// The type in which sums of 64 bits are computed that must not wrap around. DataFusion keeps it in 128 bits.
const WIDE: DataType = DataType::Decimal128(20, 0);
/// Begins the names of columns that are computed for the comparison with a sum.
const BESIDE: &str = "__bakeoff_beside_sum_";
/// Half of what a sum of 64 bits is off by when it has wrapped around once.
const HALF_A_TURN: f64 = (1_u64 << 63) as f64;

/// A rule that makes errors of sums of whole numbers beyond 64 bits. Types have to be coerced before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeSums {
    /// They are computed in 128 bits.
    Wide,
    /// They are computed as ever, so that statistics may answer them, and compared with the mean times the number of
    /// the values, which is a double: what has wrapped around is far from that. Those of windows, of different values
    /// and of unsigned numbers are computed in 128 bits.
    Compared,
}

/// Makes a session in which each sum of whole numbers is exact or an error, and so is what is computed with them.
pub fn session(session: &SessionContext) -> SessionContext {
    let state = SessionStateBuilder::new_from_existing(session.state());
    let state = state.with_analyzer_rule(Arc::new(CheckedArithmetic));
    let state = state.with_analyzer_rule(Arc::new(WholeSums::Wide));
    SessionContext::new_with_state(state.build())
}

impl AnalyzerRule for WholeSums {
    fn name(&self) -> &str {
        "whole_sums"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let checked = plan.transform_up_with_subqueries(|node| self.checked(node))?;
        Ok(checked.data)
    }
}

impl WholeSums {
    /// Checks the sums of a node, if it has some, in a projection of the same columns.
    fn checked(self, node: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
        let (exprs, input) = match &node {
            LogicalPlan::Aggregate(aggregate) => (&aggregate.aggr_expr, &aggregate.input),
            LogicalPlan::Window(window) => (&window.window_expr, &window.input),
            _ => return Ok(Transformed::no(node)),
        };
        let sum = |expr| Sum::new(expr, input.schema());
        let sums: Vec<Option<Sum<'_>>> = exprs.iter().map(sum).collect();
        if sums.iter().all(Option::is_none) {
            return Ok(Transformed::no(node));
        }
        let (computed, shown) = self.columns(exprs, sums, node.schema().columns());
        let plan = match node {
            LogicalPlan::Aggregate(Aggregate {
                input, group_expr, ..
            }) => LogicalPlan::Aggregate(Aggregate::try_new(input, group_expr, computed)?),
            LogicalPlan::Window(Window { input, .. }) => {
                LogicalPlan::Window(Window::try_new(computed, input)?)
            }
            node => return Ok(Transformed::no(node)),
        };
        let shown = Projection::try_new(shown, Arc::new(plan))?;
        Ok(Transformed::yes(LogicalPlan::Projection(shown)))
    }

    /// Returns what is computed in place of the expressions of a node, which are its last columns, and what is shown as
    /// its columns.
    fn columns(
        self,
        exprs: &[Expr],
        sums: Vec<Option<Sum<'_>>>,
        mut columns: Vec<Column>,
    ) -> (Vec<Expr>, Vec<Expr>) {
        let count = columns.len();
        let of_exprs = columns.split_off(count - exprs.len());
        let column_of = |other: &Expr| {
            let at = exprs.iter().position(|expr| unaliased(expr) == other)?;
            Some(Expr::Column(of_exprs[at].clone()))
        };
        let mut shown: Vec<Expr> = columns.into_iter().map(Expr::Column).collect();
        let (mut computed, mut beside) = (Vec::new(), Vec::new());
        for ((expr, sum), column) in exprs.iter().zip(sums).zip(&of_exprs) {
            let Some(sum) = sum else {
                computed.push(expr.clone());
                shown.push(Expr::Column(column.clone()));
                continue;
            };
            let named = |expr: Expr| expr.alias_qualified(column.relation.clone(), &column.name);
            let mut known = vec![Expr::Column(column.clone())];
            match sum.compared_with().filter(|_| self == WholeSums::Compared) {
                Some(others) => {
                    computed.push(expr.clone());
                    for other in others {
                        known.push(column_of(&other).unwrap_or_else(|| {
                            let name = format!("{BESIDE}{}", count + beside.len());
                            beside.push(other.alias(&name));
                            ident(name)
                        }));
                    }
                }
                None => computed.push(named(sum.wide())),
            }
            shown.push(named(sum.check().call(known)));
        }
        computed.append(&mut beside);
        (computed, shown)
    }
}

/// A sum that may be beyond 64 bits.
struct Sum<'a> {
    /// The call of the function, without a name for its answer.
    call: &'a Expr,
    argument: &'a Expr,
    distinct: bool,
    kind: DataType,
}

impl<'a> Sum<'a> {
    /// Recognizes such a sum over columns of this schema.
    fn new(expr: &'a Expr, schema: &DFSchema) -> Option<Self> {
        let call = unaliased(expr);
        let (name, arguments, distinct) = match call {
            Expr::AggregateFunction(call) => {
                let params = &call.params;
                (call.func.name(), &params.args, params.distinct)
            }
            Expr::WindowFunction(call) => {
                let params = &call.params;
                // Windows that lose rows, too, have sums of different values in 64 bits only.
                if params.distinct && !params.window_frame.is_ever_expanding() {
                    return None;
                }
                (call.fun.name(), &params.args, params.distinct)
            }
            _ => return None,
        };
        let [argument] = arguments.as_slice() else {
            return None;
        };
        let kind = argument.get_type(schema).ok()?;
        let is_whole = matches!(kind, DataType::Int64 | DataType::UInt64);
        (name == "sum" && is_whole && !is_short(argument, schema)).then_some(Sum {
            call,
            argument,
            distinct,
            kind,
        })
    }

    /// Returns the mean and the number of the values, if the sum can be compared with them.
    fn compared_with(&self) -> Option<[Expr; 2]> {
        let Expr::AggregateFunction(call) = self.call else {
            return None;
        };
        let of = |function, argument| {
            let filter = call.params.filter.clone();
            let arguments = vec![argument];
            let call =
                AggregateFunction::new_udf(function, arguments, false, filter, Vec::new(), None);
            Expr::AggregateFunction(call)
        };
        let double = cast(self.argument.clone(), DataType::Float64);
        (self.kind == DataType::Int64 && !self.distinct).then(|| {
            [
                of(avg_udaf(), double),
                of(count_udaf(), self.argument.clone()),
            ]
        })
    }

    /// Returns the same sum in 128 bits.
    fn wide(&self) -> Expr {
        let arguments = vec![cast(self.argument.clone(), WIDE)];
        let mut call = self.call.clone();
        match &mut call {
            Expr::AggregateFunction(call) => call.params.args = arguments,
            Expr::WindowFunction(call) => call.params.args = arguments,
            _ => {}
        }
        call
    }

    fn check(&self) -> ScalarUDF {
        let (written, instead) = self.words();
        ScalarUDF::new_from_impl(Within64Bits {
            signature: Signature::variadic_any(Volatility::Immutable),
            kind: self.kind.clone(),
            written,
            instead,
        })
    }

    /// Returns how a message names the sum, and what it says to write. What is computed may itself wrap around, so that
    /// each of its columns has to be cast.
    fn words(&self) -> (String, String) {
        let distinct = if self.distinct { "DISTINCT " } else { "" };
        let columns = self.argument.column_refs().into_iter();
        let mut columns: Vec<String> = columns.map(Column::flat_name).collect();
        // One that a query computes and gives no name is called as DataFusion shows what it computes.
        columns.retain(|name| !name.contains('('));
        columns.sort_unstable();
        match (self.argument, columns.as_slice()) {
            (Expr::Column(_), [column]) => (
                format!("sum({distinct}{column})"),
                format!("sum({distinct}CAST({column} AS DOUBLE))"),
            ),
            (_, [first, ..]) => (
                format!("sum({distinct}...) of {}", columns.join(" and ")),
                format!(
                    "sum({distinct}CAST({first} AS DOUBLE) ...), with each column cast before anything is computed \
                     with it"
                ),
            ),
            (_, []) => (
                format!("sum({distinct}...)"),
                format!(
                    "sum({distinct}...) with doubles alone in it, such as CAST(x AS DOUBLE) * 2.0"
                ),
            ),
        }
    }
}

/// Returns whether all values have 32 bits at most, of which no table has enough for a sum beyond 64 bits.
fn is_short(argument: &Expr, schema: &DFSchema) -> bool {
    let Expr::Cast(cast) = argument else {
        return false;
    };
    let kind = cast.expr.get_type(schema);
    kind.is_ok_and(|kind| kind.is_integer() && kind.primitive_width() <= Some(4))
}

/// The function that returns a sum in 64 bits, or fails if it is beyond them. It gets the sum in 128 bits, or as it is
/// in 64 bits with the mean and the number of the values.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Within64Bits {
    signature: Signature,
    /// The type of the sum.
    kind: DataType,
    /// The sum as a question has it.
    written: String,
    /// The sum as a question should have it if this fails.
    instead: String,
}

impl Within64Bits {
    fn narrow<T>(&self, sums: &PrimitiveArray<Decimal128Type>) -> Result<PrimitiveArray<T>>
    where
        T: ArrowPrimitiveType,
        T::Native: TryFrom<i128>,
    {
        sums.try_unary(|sum| {
            let narrow = T::Native::try_from(sum);
            narrow.map_err(|_| self.beyond(&sum.to_string()))
        })
    }

    fn compare(&self, sums: &ArrayRef, means: &ArrayRef, counts: &ArrayRef) -> Result<()> {
        let sums = sums.as_primitive::<Int64Type>().iter();
        let means = means.as_primitive::<Float64Type>().iter();
        let counts = counts.as_primitive::<Int64Type>().iter();
        for ((sum, mean), count) in sums.zip(means).zip(counts) {
            let (Some(sum), Some(mean), Some(count)) = (sum, mean, count) else {
                continue;
            };
            let about = mean * count as f64;
            if (about - sum as f64).abs() >= HALF_A_TURN {
                return Err(self.beyond(&format!("about {about:.3e}")));
            }
        }
        Ok(())
    }

    fn beyond(&self, sum: &str) -> DataFusionError {
        let (written, instead) = (&self.written, &self.instead);
        let message = format!(
            "{written} is {sum}, which is beyond whole numbers of 64 bits: write {instead}"
        );
        DataFusionError::External(message.into())
    }
}

impl ScalarUDFImpl for Within64Bits {
    fn name(&self) -> &str {
        "within_64_bits"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.kind.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let sums: ArrayRef = match columns.as_slice() {
            [wide] if self.kind == DataType::UInt64 => {
                Arc::new(self.narrow::<UInt64Type>(wide.as_primitive())?)
            }
            [wide] => Arc::new(self.narrow::<Int64Type>(wide.as_primitive())?),
            [sums, means, counts] => {
                self.compare(sums, means, counts)?;
                Arc::clone(sums)
            }
            _ => return Err(internal_datafusion_err!("a sum comes without its columns")),
        };
        Ok(ColumnarValue::Array(sums))
    }
}

#[cfg(test)]
mod tests;
