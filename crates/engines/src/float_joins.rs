//! Joins by a name, with `USING` or `NATURAL`, that is a float of 32 bits on one side and a whole number on the other.
//! Some engines compare both as such floats, into which not every whole number fits, and others as doubles. Elsewhere a
//! cast is written around a float that a question compares, and a name that is joined by has no room for one.

use arrow::datatypes::DataType;
use datafusion::common::JoinConstraint;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{Expr, ExprSchemable, Join, LogicalPlan};

/// Returns what is wrong with a question that joins floats with whole numbers by a name.
pub fn complaint(plan: &LogicalPlan) -> Option<String> {
    let mut found = None;
    let walked = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::Join(join) = node
            && found.is_none()
        {
            found = mixed_name(join);
        }
        Ok(TreeNodeRecursion::Continue)
    });
    let name = found.filter(|_| walked.is_ok())?;
    Some(format!(
        "it joins by the name {name}, which is a float of 32 bits on one side and a whole number on the other: some \
         engines compare these in 32 bits, into which not every whole number fits, and others as doubles; write ON \
         CAST(a.{name} AS DOUBLE) = CAST(b.{name} AS DOUBLE) instead of USING or NATURAL"
    ))
}

/// Returns the name by which a join compares a float with a whole number.
fn mixed_name(join: &Join) -> Option<String> {
    if join.join_constraint != JoinConstraint::Using {
        return None;
    }
    let mut pairs = join.on.iter();
    pairs.find_map(|(left, right)| {
        let left_kind = left.get_type(join.left.schema()).ok()?;
        let right_kind = right.get_type(join.right.schema()).ok()?;
        let is_mixed = is_float(&left_kind) && right_kind.is_integer()
            || left_kind.is_integer() && is_float(&right_kind);
        match left {
            Expr::Column(column) if is_mixed => Some(column.name.clone()),
            _ => None,
        }
    })
}

fn is_float(kind: &DataType) -> bool {
    *kind == DataType::Float32
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    /// Returns what is said of a question about a table with a float, a whole number and a text.
    async fn said(sql: &str) -> Option<String> {
        let session = SessionContext::new();
        let made =
            "CREATE TABLE t AS SELECT arrow_cast(1.5, 'Float32') AS heat, 1 AS visits, 'a' AS room";
        session.sql(made).await.unwrap();
        let plan = session.state().create_logical_plan(sql).await.expect(sql);
        complaint(&plan)
    }

    #[tokio::test]
    async fn floats_are_not_joined_with_whole_numbers_by_a_name() {
        for sql in [
            "SELECT t.room FROM t JOIN (SELECT visits AS heat FROM t) AS v USING (heat)",
            "SELECT v.room FROM (SELECT room, visits AS heat FROM t) AS v LEFT JOIN t USING (room, heat)",
            "SELECT t.room FROM t NATURAL JOIN (SELECT CAST(visits AS INT) AS heat FROM t) AS v",
            "SELECT room FROM t WHERE room IN (SELECT u.room FROM t AS u JOIN (SELECT visits AS heat FROM t) AS v \
             USING (heat))",
        ] {
            let said = said(sql).await.unwrap_or_default();
            assert!(said.contains("by the name heat"), "{sql}: {said}");
            let written = "write ON CAST(a.heat AS DOUBLE) = CAST(b.heat AS DOUBLE)";
            assert!(said.contains(written), "{said}");
        }
    }

    #[tokio::test]
    async fn names_of_one_type_and_what_is_cast_are_joined() {
        for sql in [
            "SELECT t.room FROM t JOIN t AS u USING (room, heat)",
            "SELECT t.room FROM t NATURAL JOIN t AS u",
            "SELECT t.room FROM t JOIN (SELECT CAST(heat AS DOUBLE) AS heat FROM t) AS v USING (heat)",
            "SELECT t.room FROM t JOIN (SELECT visits AS heat FROM t) AS v \
             ON CAST(t.heat AS DOUBLE) = CAST(v.heat AS DOUBLE)",
            "SELECT t.room FROM t JOIN t AS u ON t.heat = u.visits",
            "SELECT room FROM t WHERE heat > visits",
        ] {
            assert_eq!(said(sql).await, None, "{sql}");
        }
    }
}
