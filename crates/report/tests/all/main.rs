//! Every form of report, each made from one realistic run.

#[cfg(test)]
mod between;
mod compare;
mod decide;
mod drive;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod study;
#[cfg(test)]
mod sweep;
#[cfg(test)]
mod values;
