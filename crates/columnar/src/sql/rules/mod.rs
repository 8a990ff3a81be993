//! Rules of DataFusion's optimizer that replace nodes of a physical plan.

pub mod below;
pub mod optimizer;
pub mod rule;
