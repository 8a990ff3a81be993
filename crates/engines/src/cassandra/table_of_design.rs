//! Which designs write the same table: those that differ only in settings of how it is read.

use bakeoff_workload::DesignId;

use super::layout::CassandraLayout;
use super::read::reading::makes_functions;

/// Settings of tables of rows that only say how these are read.
const OF_ROWS: [&str; 3] = ["aggregate", "consistency", "page"];
/// The same of columnar tables. Their consistency level is none of them: a table is also read while it is written.
const OF_COLUMNAR: [&str; 1] = ["cache"];

/// Returns the id of a design without the settings that only say how its table is read; `None` for a design whose table
/// no other one may read. One that is read by functions makes these with its table.
pub fn table_id(id: &DesignId) -> Option<DesignId> {
    let of_reading: &[&str] = match CassandraLayout::from_id(id).ok()? {
        CassandraLayout::Rows(_) if makes_functions(id) => return None,
        CassandraLayout::Rows(_) => &OF_ROWS,
        CassandraLayout::Columnar => &OF_COLUMNAR,
        CassandraLayout::Series | CassandraLayout::AsWritten => return None,
    };
    let mut table = id.clone();
    table
        .settings
        .retain(|name, _| !of_reading.contains(&name.as_str()));
    Some(table)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bakeoff_workload::Workload;

    use super::*;
    use crate::cassandra::Cassandra;
    use crate::cassandra::release::release_of;
    use crate::{Context, Engine, share_tables};

    fn ids(designs: [&str; 2]) -> [DesignId; 2] {
        designs.map(|id| id.parse().unwrap())
    }

    #[test]
    fn designs_that_share_a_table_have_the_same_statements() {
        let text = "title = \"t\"\n[data]\ngenerator = \"sensor\"\n[[queries]]\nname = \"all\"\n\
                    sql = \"SELECT value FROM sensor\"\n";
        let workload = Workload::parse(text, Path::new("w.toml")).unwrap();
        for designs in [
            ["cassandra/wide", "cassandra/wide?aggregate=server&page=100"],
            [
                "cassandra/wide?page=50000",
                "cassandra/wide?aggregate=ranges",
            ],
            [
                "cassandra/narrow?compressor=Deflate",
                "cassandra/narrow?compressor=Deflate&consistency=one",
            ],
            [
                "cassandra/wide?summary=1000",
                "cassandra/wide?page=7&summary=1000",
            ],
            ["cassandra/columnar", "cassandra/columnar?cache=512"],
            ["cassandra-4/blob", "cassandra-4/blob?page=7"],
        ] {
            let [own, reader] = ids(designs);
            let engine = Cassandra(release_of(&own));
            let mut context = Context::of_test("/runs/a");
            let described = |id: &DesignId, context: &Context| {
                let info = engine.describe(id, &workload, context).unwrap();
                (info.statements, info.table_of)
            };
            let alone = described(&reader, &context);
            context.options.shared_tables = share_tables(&ids(designs));
            let (own_statements, own_of) = described(&own, &context);
            let (statements, of) = described(&reader, &context);
            assert_eq!(statements, own_statements, "{reader}");
            assert_eq!((own_of, of), (None, Some(own.to_string())));
            assert_eq!(alone.1, None, "{reader}");
            assert_ne!(alone.0, statements, "{reader}: alone it has its own table");
        }
    }

    #[test]
    fn designs_that_write_something_else_share_no_table() {
        for designs in [
            ["cassandra/wide", "cassandra/wide?compressor=Deflate"],
            ["cassandra/wide", "cassandra/narrow"],
            ["cassandra/wide", "cassandra-4/wide"],
            ["cassandra/wide?batch=1KiB", "cassandra/wide?page=100"],
            ["cassandra/wide", "cassandra/wide?aggregate=java"],
            ["cassandra/wide", "cassandra/wide?aggregate=JAVA-list"],
            [
                "cassandra/wide?aggregate=java",
                "cassandra/wide?aggregate=java&page=100",
            ],
            ["cassandra/columnar", "cassandra/columnar?rows=1000"],
            ["cassandra/columnar", "cassandra/columnar?consistency=one"],
            ["cassandra/as-written", "cassandra/as-written"],
        ] {
            assert!(share_tables(&ids(designs)).is_empty(), "{designs:?}");
        }
    }
}
