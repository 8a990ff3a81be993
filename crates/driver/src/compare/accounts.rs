//! What servers count of their own work, read at moments at which nothing is timed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bakeoff_stats::{AccountAt, Moment, Record, ServerAccount};

use super::context::{RunError, Settings};
use super::state::Log;
use crate::Design;
use crate::call::within;

/// The longest that the account of one server may take.
const ONE_WITHIN: Duration = Duration::from_secs(15);

/// Reads the account of the server of each engine of these designs. It only explains figures, so that what cannot be
/// read is recorded with the reason, and nothing fails.
pub async fn read_accounts(
    designs: &[Arc<dyn Design>],
    settings: &Settings,
    moment: Moment,
    log: &mut Log<'_>,
) -> Result<(), RunError> {
    let limit = settings.explaining(ONE_WITHIN).min(settings.call_limit);
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    for design in designs {
        let engine = design.info().engine.as_str();
        if design.dead().is_some() || !asked.insert(engine) {
            continue;
        }
        let account = match within(limit, design.server_account()).await {
            Ok(None) => continue,
            Ok(Some(account)) => account,
            Err(error) => ServerAccount::unknown(&error.0),
        };
        log.record(Record::Account(AccountAt {
            engine: engine.to_owned(),
            moment,
            account,
        }))?;
    }
    Ok(())
}
