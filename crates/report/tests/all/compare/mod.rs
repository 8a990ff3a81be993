//! Every form of a comparison's report.

#[cfg(test)]
mod by_level;
#[cfg(test)]
mod by_rows;
#[cfg(test)]
mod by_series;
#[cfg(test)]
mod by_setting;
#[cfg(test)]
mod concurrent;
#[cfg(test)]
mod cost;
pub mod fixture;
#[cfg(test)]
mod growth;
pub mod hour;
#[cfg(test)]
pub mod html;
#[cfg(test)]
mod json;
pub mod paged;
mod partitions;
mod plans;
#[cfg(test)]
mod race;
#[cfg(test)]
mod recommendation;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod scan_speed;
#[cfg(test)]
mod scatter;
#[cfg(test)]
mod server;
#[cfg(test)]
mod shared;
#[cfg(test)]
mod speed_up;
#[cfg(test)]
mod stored;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod together;
