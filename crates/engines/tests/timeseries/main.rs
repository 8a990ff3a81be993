//! The queries of the Time Series Benchmark Suite answer what their definitions say: computed anew
//! here, in plain loops over the generated rows.

#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod hosts;
mod support;
mod trucks;
