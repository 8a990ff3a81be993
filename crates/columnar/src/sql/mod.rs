//! Tables as DataFusion tables.
