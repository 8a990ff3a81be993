//! The queries of the Time Series Benchmark Suite answer what their definitions say: computed anew
//! here, in plain loops over the generated rows.

mod hosts;
mod support;
mod trucks;
