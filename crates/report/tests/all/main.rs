//! Every form of report, each made from one realistic run.

mod compare;
mod decide;
mod drive;
#[cfg(test)]
mod sweep;
