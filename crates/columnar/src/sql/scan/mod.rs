//! The scan of a table: its data (`spec`), what it reads (`stream`, `reader`, `newest`), what
//! DataFusion needs to know of it (`order`, `statistics`, `explain`), and the plan node (`exec`).

pub mod exec;
mod explain;
mod newest;
mod order;
pub mod parts;
mod reader;
pub mod spec;
mod statistics;
mod stream;
