use std::path::Path;

use super::*;
use crate::cassandra::Cluster;
use crate::registry::engine;
use crate::{Context, check_designs};

const TABLE: &str = r#"
title = "t"
[table]
name = "readings"
columns = { series = "text", time = "timestamp", country = "text", value = "double" }
partition_key = ["series"]
order_key = ["time"]
[data]
requires = "--data"
"#;
const QUERY: &str =
    "[[queries]]\nname = \"mean\"\nsql = \"SELECT avg(value) AS mean FROM readings\"\n";

fn workload(further: &str) -> Workload {
    Workload::parse(&format!("{TABLE}{further}"), Path::new("w.toml")).unwrap()
}

/// A workload whose mix has this statement in CQL.
fn with_statement(cql: &str) -> Workload {
    workload(&format!(
        "[mix]\nschema = [\"{cql}\"]\n[[mix.operations]]\nname = \"read\"\naction = \"cql\"\n\
         keys = \"uniform\"\nweight = 100\n\
         statements = [\"SELECT * FROM ${{keyspace}}.t WHERE series = :series\"]\n"
    ))
}

/// What a design of both engines lacks: of the older one this, and of the newer one nothing.
fn of_older(layout: &str, workload: &Workload) -> Option<String> {
    let of = |engine: &str| lacking(&format!("{engine}/{layout}").parse().unwrap(), workload);
    assert_eq!(of("cassandra"), None);
    of("cassandra-4")
}

#[test]
fn what_cassandra_4_lacks() {
    let plain = workload(QUERY);
    let lacks = |what: &str, remedy: &str| {
        Some(format!(
            "{what} is new in Cassandra 5.0, and 4.1 lacks it: {remedy}"
        ))
    };
    for layout in [
        "wide",
        "columnar?compressor=Zstd",
        "narrow?index=country:2i",
        "wide?compaction=LCS:160MiB&index=country:2I",
        "compact",
    ] {
        assert_eq!(of_older(layout, &plain), None, "{layout}");
    }
    for setting in ["UCS", "ucs:T4"] {
        assert_eq!(
            of_older(&format!("wide?compaction={setting}"), &plain),
            lacks("compaction=UCS", "write STCS, LCS or TWCS")
        );
    }
    for setting in ["country", "country:sai"] {
        assert_eq!(
            of_older(&format!("wide?index={setting}"), &plain),
            lacks("a storage-attached index", "write index=country:2i")
        );
    }
    let both = "leave it out, or the designs of cassandra-4";
    let set = |key: &str| workload(&format!("{QUERY}[server.cassandra]\n{key}\n"));
    assert_eq!(of_older("wide", &set("row_cache_size = \"64MiB\"")), None);
    assert_eq!(
        of_older("wide", &set("sstable_format = \"bti\"")),
        lacks("`sstable_format` of [server.cassandra]", both)
    );
    let table = "CREATE TABLE ${keyspace}.t (series text PRIMARY KEY, v vector<float, 3>)";
    assert_eq!(
        of_older("as-written", &with_statement(table)),
        lacks("`vector` in a statement of [mix]", both)
    );
    let table = table.replace("vector<float, 3>", "double");
    assert_eq!(of_older("as-written", &with_statement(&table)), None);
}

#[test]
fn what_a_layout_does_not_have_is_not_said_to_be_lacking() {
    let plain = workload(QUERY);
    for layout in ["blob?index=country", "columnar?compaction=UCS"] {
        assert_eq!(of_older(layout, &plain), None, "{layout}");
        let id: DesignId = format!("cassandra-4/{layout}").parse().unwrap();
        let described = engine(&id).unwrap();
        let described = described.describe(&id, &plain, &Context::of_test("/run"));
        let error = described.unwrap_err().0;
        assert!(error.contains("unknown setting"), "{error}");
    }
    let id: DesignId = "cassandra-4/wide".parse().unwrap();
    for layout in engine(&id).unwrap().layouts() {
        let (_, name) = layout.name.split_once('/').unwrap();
        for (setting, layouts) in [("compaction", &COMPACTED[..]), ("index", &INDEXED[..])] {
            let has_setting = crate::settings::names(layout.settings).any(|known| known == setting);
            assert_eq!(layouts.contains(&name), has_setting, "{name} {setting}");
        }
    }
}

#[test]
fn a_design_that_asks_for_what_is_lacking_is_refused_wherever_it_is_named() {
    let text = format!("designs = [\"cassandra-4/wide?compaction=UCS\"]\n{TABLE}{QUERY}");
    let listed = Workload::parse(&text, Path::new("w.toml")).unwrap();
    let error = check_designs(&listed).unwrap_err().to_string();
    assert!(
        error.contains("compaction=UCS is new in Cassandra 5.0"),
        "{error}"
    );
    let id: DesignId = "cassandra-4/wide?compaction=UCS".parse().unwrap();
    let described = engine(&id).unwrap();
    let described = described.describe(&id, &workload(QUERY), &Context::of_test("/run"));
    let error = described.unwrap_err().0;
    assert!(
        error.starts_with("design cassandra-4/wide?compaction=UCS: compaction=UCS is new"),
        "{error}"
    );
}

#[test]
fn the_older_release_is_a_single_server_of_our_own() {
    let id: DesignId = "cassandra-4/wide".parse().unwrap();
    let mut context = Context::of_test("/run");
    let describe = |context: &Context| {
        let described = engine(&id)
            .unwrap()
            .describe(&id, &workload(QUERY), context);
        described.map(|info| info.engine).map_err(|error| error.0)
    };
    assert_eq!(describe(&context).as_deref(), Ok("cassandra-4"));
    context.options.cassandra.replication.nodes = 3;
    let error = describe(&context).unwrap_err();
    assert!(
        error.contains("is a single node of Cassandra 4.1: leave out --nodes"),
        "{error}"
    );
    context.options.cassandra.replication.nodes = 1;
    context.options.cassandra.cluster = Some(Cluster {
        address: "db1".to_owned(),
        ..Cluster::default()
    });
    let error = describe(&context).unwrap_err();
    assert!(
        error.contains("the Cassandra at db1 has the version that it has: leave out --cassandra"),
        "{error}"
    );
    check_options(Release::Five, &context.options.cassandra).unwrap();
}
