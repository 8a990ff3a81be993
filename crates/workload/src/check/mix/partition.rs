//! Checks how a partition is read.

use toml::Spanned;

use super::super::number;
use super::About;
use crate::{Action, Result, wire};

/// Largest number of requests by which one partition is read.
const MOST_REQUESTS: u32 = 64;

impl About<'_> {
    /// Checks a read of a partition, by one request up to a limit or by several for all of it.
    pub fn read_partition(&self, written: &wire::Operation) -> Result<Action> {
        self.has_order(written)?;
        let Some(requests) = &written.requests else {
            if let Some(at_once) = &written.at_once {
                let message = "`at_once` is about several requests: requests = 4";
                return Err(self.document.error(at_once.span(), message));
            }
            return Ok(Action::ReadPartition {
                limit: number::small(self.document, written.limit.as_ref(), "limit")?,
                newest_first: is_set(written.newest_first.as_ref()),
            });
        };
        let limit = written.limit.as_ref().map(|l| ("limit", l.span()));
        let newest = written.newest_first.as_ref();
        let newest = newest.map(|n| ("newest_first", n.span()));
        if let Some((key, span)) = limit.or(newest) {
            let message = format!(
                "`{key}` does not go with `requests`, which read the whole partition in its order"
            );
            return Err(self.document.error(span, message));
        }
        let number = u32::try_from(*requests.get_ref()).ok();
        match number.filter(|number| (1..=MOST_REQUESTS).contains(number)) {
            Some(number) => Ok(Action::ReadParts {
                requests: number,
                at_once: is_set(written.at_once.as_ref()),
            }),
            None => {
                let message =
                    format!("`requests` is {requests}, but has to be from 1 to {MOST_REQUESTS}");
                Err(self.document.error(requests.span(), message))
            }
        }
    }
}

fn is_set(flag: Option<&Spanned<bool>>) -> bool {
    flag.is_some_and(|flag| *flag.get_ref())
}
