//! Loads on fake sessions, most of them on a clock that is paused; and drives of several designs.

mod added_nodes;
mod bench;
mod beside;
mod driven_knees;
mod fake;
mod faults;
mod filling;
mod knees;
mod lateness;
mod loops;
mod passes;
mod profile;
mod rounds;
mod same_sensor;
mod search_ends;
mod searches;
mod threads;
