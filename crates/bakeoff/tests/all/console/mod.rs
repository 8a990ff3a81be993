//! What commands say: lists, mistakes, ports, servers that end, exit codes.

mod ended;
mod listing;
mod messages;
mod ports;
mod terminal;
