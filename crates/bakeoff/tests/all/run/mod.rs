//! What a run does beside its rounds, through the program.

mod concurrent;
mod further;
mod parquet;
mod prices;
