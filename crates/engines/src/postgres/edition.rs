//! The edition of TimescaleDB that a design needs, which is checked before anything is started.

use std::fmt;

use bakeoff_servers::postgres::find_timescale;
use bakeoff_workload::DesignId;

use super::extension::Extension;
use super::layout::{Shape, TableLayout};
use crate::{Context, EngineError};

/// Checks that the TimescaleDB that a design would use has what its settings need: the installed one by its library,
/// that of a user's server by its licence.
///
/// # Errors
/// Fails if it is the edition under the Apache licence, or if there is no TimescaleDB.
pub async fn check(id: &DesignId, context: &Context) -> Result<(), EngineError> {
    if !asks_for_columnstore(id) {
        return Ok(());
    }
    if let Some(address) = &context.options.postgres.server {
        let client = address.connect("").await?;
        let extension = Extension::read(&client, address).await?;
        return if extension.has_columnstore() {
            Ok(())
        } else {
            Err(lacking(id, &extension))
        };
    }
    let installation = find_timescale(None)?;
    if installation.has_timescale_licence() {
        return Ok(());
    }
    let version = installation.timescale.as_deref().unwrap_or_default();
    Err(lacking(id, &format!("TimescaleDB {version}")))
}

/// Checks the same of the server that a design is made on, whose configuration has the last word.
///
/// # Errors
/// Fails if the edition in force is the one under the Apache licence.
pub fn check_in_force(
    id: &str,
    layout: &TableLayout,
    extension: Option<&Extension>,
) -> Result<(), EngineError> {
    let columnstore = matches!(
        layout.shape,
        Shape::Hypertable {
            columnstore: true,
            ..
        }
    );
    match extension {
        Some(extension) if columnstore && !extension.has_columnstore() => {
            Err(lacking(id, extension))
        }
        _ => Ok(()),
    }
}

fn asks_for_columnstore(id: &DesignId) -> bool {
    let columnstore = id.settings.get("columnstore");
    columnstore.is_some_and(|value| value.as_str().eq_ignore_ascii_case("on"))
}

fn lacking(id: impl fmt::Display, found: &impl fmt::Display) -> EngineError {
    EngineError(format!(
        "design {id}: columnstore=on needs the edition of TimescaleDB under its own licence; this is {found} under \
         apache: install that edition from Timescale's packages and name its programs with BAKEOFF_POSTGRES_BIN, \
         name a server that has it with --postgres, or leave columnstore=on out"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_columnstore_asks_for_an_edition() {
        let asks = |id: &str| asks_for_columnstore(&id.parse().unwrap());
        assert!(asks("timescale/hypertable?columnstore=on"));
        assert!(asks("timescale/hypertable?chunks=6&columnstore=ON"));
        assert!(!asks("timescale/hypertable?columnstore=off"));
        assert!(!asks("timescale/hypertable"));
    }
}
