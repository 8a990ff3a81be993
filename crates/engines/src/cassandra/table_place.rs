//! A table of rows for a design of another engine, which reads it by itself.

use std::collections::BTreeMap;

use bakeoff_workload::{DesignId, Workload};

use super::names::ENGINE;
use super::request::DesignRequest;
use super::rows;
use super::rows::layout::Shape;
use crate::{Context, EngineError};

/// Returns the id of a table in the layout `wide` for a design of another engine, which has it alone, and may have a
/// consistency level of its own for reads.
pub fn wide_id(of: &DesignId) -> DesignId {
    let level = of.settings.get_key_value("consistency");
    let level = level.map(|(name, level)| (name.clone(), level.clone()));
    DesignId {
        engine: ENGINE.to_owned(),
        layout: Some("wide".to_owned()),
        settings: BTreeMap::from_iter(level),
        tag: Some(of.to_string()),
    }
}

/// Returns the names of the keyspace and the table that such an id has.
///
/// # Errors
/// Fails if the layout cannot hold the workload's table.
pub fn place(
    id: &DesignId,
    workload: &Workload,
    context: &Context,
) -> Result<(String, String), EngineError> {
    let request = DesignRequest::new(id, workload, context)?;
    let layout = rows::table_layout(&request, Shape::Wide)?;
    Ok((request.keyspace.name, layout.name))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_design_has_its_own_table_in_the_keyspace_of_the_run() {
        let text = "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
                    sql = \"SELECT value FROM sensor\"\n";
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        let place_of = |id: &str, run_dir: &str| {
            let id = wide_id(&id.parse().unwrap());
            place(&id, &workload, &Context::of_test(run_dir)).unwrap()
        };
        let (keyspace, table) = place_of("other/cassandra", "/runs/a");
        let (same, cached) = place_of("other/cassandra?cache=true", "/runs/a");
        assert_eq!(keyspace, same);
        assert_ne!(table, cached);
        assert_ne!(keyspace, place_of("other/cassandra", "/runs/b").0);
    }
}
