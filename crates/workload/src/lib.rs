//! Defines what to store and what to ask: workload files, checked once, and the row sources that
//! they name.
//!
//! A [`Workload`] is read from TOML by [`Workload::read`]; everything in it has been checked, so
//! the rest of Bakeoff never encounters an unknown column or an impossible setting. A [`RowSource`]
//! turns it into Arrow record batches; row *i* is a pure function of the source and *i*.

mod check;
mod concurrent;
pub mod csv;
mod decide;
mod design_id;
mod error;
mod generator;
pub mod infer;
#[cfg(test)]
mod java;
pub mod literal;
mod mix;
mod model;
mod number_form;
mod parameter_sets;
mod parameters;
mod percent;
mod prices;
mod random;
mod sample;
mod server;
mod small_table;
pub mod source;
mod study;
mod table;
mod text_form;
mod time_format;
mod tsbs;
pub mod uuids;
mod values;
mod wire;
mod with_designs;
mod zone;

pub use check::{
    SelectedTable, ServerKey, nearest, quoted_in_cql, selected_table, server_keys, suggestion,
};
pub use concurrent::Concurrent;
pub use decide::{Decide, Growth, Limit, LimitOf, Minimise};
pub use design_id::{DesignId, Setting};
pub use error::{Error, Result};
pub use generator::{ColumnGenerator, RealLaw, Sequence};
pub use mix::{
    Action, Background, Consistency, CqlOperation, CqlStatement, CqlValue, Keys, Mix, Operation,
    OperationChooser, RowChooser, shard_rows,
};
pub use model::{
    Data, Expectation, Generator, Parameter, ParameterValues, Published, PublishedTime, Query,
    Scale, Workload,
};
pub use number_form::{DecimalMark, NumberForm, ThousandsMark};
pub use parameters::Drawn;
pub use percent::{parse_percentage, parse_percentile};
pub use prices::PriceList;
pub use random::Stream;
pub use sample::{SampleAxis, SampleSize, ScaleSample};
pub use server::{Collector, ServerSettings, TimeOuts};
pub use small_table::SmallTable;
pub use source::{BadRows, DuplicateKeys, RowBatch, RowSource};
pub use study::{
    Publication, Study, StudyClaim, StudyCommand, StudyComparison, StudyFigure, StudyPassTime,
    StudyQuantile, StudySize, StudyStep,
};
pub use table::{Column, ColumnType, Table};
pub use text_form::{NULL_WORDS, TextForm};
pub use time_format::{EpochUnit, TimeFormat};
pub use tsbs::{DevopsMeasurement, IotMeasurement, TsbsScale};
pub use values::{RowValues, Value, Version};
pub use with_designs::with_designs;
pub use zone::{LocalTime, Zone};
