//! Every form of report, each made from one realistic run.

mod compare;
mod drive;
#[cfg(test)]
mod sweep;
