//! What a run does beside its rounds, through the program.

mod columns;
mod concurrent;
mod further;
mod kills;
mod parquet;
mod prices;
mod queries;
