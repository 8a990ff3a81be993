//! Every form of report, made from one realistic run.

#[cfg(test)]
mod concurrent;
#[cfg(test)]
mod cost;
mod drive;
mod fixture;
#[cfg(test)]
mod html;
#[cfg(test)]
mod json;
#[cfg(test)]
mod sweep;
#[cfg(test)]
mod terminal;
