//! What Bakeoff promises of a server that belongs to others, shown by the server's own log over runs that
//! are killed again and again: it touches only what is its own and marked, and leaves nothing behind.

mod audit;
mod cassandra;
mod names;
mod postgres;
mod reading;
mod statements;
mod user;
mod watch;
