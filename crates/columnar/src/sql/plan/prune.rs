//! Excluding parts whose statistics show that no row matches.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, UInt64Array};
use arrow::datatypes::SchemaRef;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;

use super::facts::{ColumnFacts, column_facts, rows};
use crate::definition::Definition;
use crate::table::Part;

/// Returns for each part whether a row of it may match a filter over columns of the table. A part for
/// which that is undecided may match; the scan applies the filter in any case.
pub fn may_match(
    definition: &Definition,
    schema: &SchemaRef,
    filter: &Arc<dyn PhysicalExpr>,
    parts: &[&Part],
) -> Vec<bool> {
    let all = || vec![true; parts.len()];
    let built = PruningPredicateBuilder::new()
        .with_file_schema(Arc::clone(schema))
        .try_build(Arc::clone(filter));
    match built {
        // Bounds decide nothing of this filter.
        Err(_) => all(),
        Ok(predicate) if predicate.always_true() || parts.is_empty() => all(),
        Ok(predicate) => {
            let decided = predicate.prune(&Bounds { definition, parts });
            decided.unwrap_or_else(|_| all())
        }
    }
}

/// The bounds of parts, for DataFusion's predicates.
struct Bounds<'a> {
    definition: &'a Definition,
    parts: &'a [&'a Part],
}

impl Bounds<'_> {
    /// Returns the null of a column's type, and the facts about the column in each part.
    fn facts(&self, column: &Column) -> Option<(ScalarValue, Vec<Option<ColumnFacts>>)> {
        let number = self.definition.index_of(&column.name)?;
        let kind = self.definition.columns[number].kind;
        let null = ScalarValue::try_from(&kind.data_type()).ok()?;
        let facts = self
            .parts
            .iter()
            .map(|p| column_facts(self.definition, p, number));
        Some((null, facts.collect()))
    }

    fn bound(
        &self,
        column: &Column,
        which: fn((ScalarValue, ScalarValue)) -> ScalarValue,
    ) -> Option<ArrayRef> {
        let (null, facts) = self.facts(column)?;
        let bound = |facts: Option<ColumnFacts>| {
            facts
                .and_then(|f| f.bounds)
                .map_or_else(|| null.clone(), which)
        };
        ScalarValue::iter_to_array(facts.into_iter().map(bound)).ok()
    }
}

impl PruningStatistics for Bounds<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        self.bound(column, |(low, _)| low)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.bound(column, |(_, high)| high)
    }

    fn num_containers(&self) -> usize {
        self.parts.len()
    }

    fn null_counts(&self, column: &Column) -> Option<ArrayRef> {
        let (_, facts) = self.facts(column)?;
        let nulls: UInt64Array = facts.into_iter().map(|f| Some(f?.nulls)).collect();
        Some(Arc::new(nulls))
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        let rows: UInt64Array = self
            .parts
            .iter()
            .map(|part| part.fresh.is_empty().then(|| rows(part)))
            .collect();
        Some(Arc::new(rows))
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}
