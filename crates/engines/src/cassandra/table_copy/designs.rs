//! Designs that differ from the one that a table has now in a setting.

use std::collections::BTreeMap;

use bakeoff_workload::DesignId;

/// Settings that a design has without saying so. How long tombstones are kept is none of them: without saying so, a
/// table of rows from a file keeps none.
const DEFAULTS: [(&str, &str); 3] = [
    ("caching", "keys"),
    ("chunk", "16KiB"),
    ("compressor", "LZ4"),
];
/// The rule whose designs find rows by a column in another way.
const INDEX_RULE: &str = "index-selectivity";

/// Returns the present design with the settings that a rule proposes in place of its own. A design of another layout
/// stays as it is.
pub fn changed(present: &DesignId, rule: &str, proposed: &DesignId) -> DesignId {
    if proposed.layout != present.layout {
        return proposed.clone();
    }
    let mut settings = present.settings.clone();
    if rule == INDEX_RULE {
        settings.remove("index");
    }
    let asks = |name: &str| proposed.settings.contains_key(name);
    if asks("compressor") {
        settings.remove("level");
    }
    if asks("chunk")
        && settings
            .get("compressor")
            .is_some_and(|word| word == "none")
    {
        settings.remove("compressor");
    }
    settings.extend(proposed.settings.clone());
    if settings
        .get("compressor")
        .is_some_and(|word| word == "none")
    {
        settings.remove("chunk");
    }
    drop_defaults(&mut settings);
    DesignId {
        settings,
        ..proposed.clone()
    }
}

fn drop_defaults(settings: &mut BTreeMap<String, String>) {
    for (name, default) in DEFAULTS {
        if settings.get(name).is_some_and(|value| value == default) {
            settings.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> DesignId {
        text.parse().unwrap()
    }

    #[test]
    fn a_design_has_all_settings_of_the_table_but_the_one_that_is_tried() {
        let present = id("cassandra/wide?chunk=64KiB&compaction=STCS&gc_grace=10d&order=desc");
        for (proposed, expected) in [
            (
                "cassandra/wide",
                "cassandra/wide?chunk=64KiB&compaction=STCS&gc_grace=10d&order=desc",
            ),
            (
                "cassandra/wide?chunk=4KiB",
                "cassandra/wide?chunk=4KiB&compaction=STCS&gc_grace=10d&order=desc",
            ),
            // The default is not written.
            (
                "cassandra/wide?chunk=16KiB",
                "cassandra/wide?compaction=STCS&gc_grace=10d&order=desc",
            ),
            (
                "cassandra/wide?compressor=none",
                "cassandra/wide?compaction=STCS&compressor=none&gc_grace=10d&order=desc",
            ),
            ("cassandra/columnar", "cassandra/columnar"),
        ] {
            let changed = changed(&present, "chunk-length", &id(proposed));
            assert_eq!(changed.to_string(), expected);
        }
    }

    #[test]
    fn settings_that_exclude_each_other_are_not_joined() {
        let plain = id("cassandra/narrow?compressor=none");
        let changed_to =
            |from: &DesignId, rule: &str, to: &str| changed(from, rule, &id(to)).to_string();
        assert_eq!(
            changed_to(&plain, "chunk-length", "cassandra/narrow?chunk=4KiB"),
            "cassandra/narrow?chunk=4KiB"
        );
        let zstd = id("cassandra/narrow?compressor=Zstd&level=9");
        assert_eq!(
            changed_to(
                &zstd,
                "compression-ratio",
                "cassandra/narrow?compressor=none"
            ),
            "cassandra/narrow?compressor=none"
        );
        let indexed = id("cassandra/narrow?index=v:2i");
        assert_eq!(
            changed_to(&indexed, INDEX_RULE, "cassandra/narrow?table_by=v"),
            "cassandra/narrow?table_by=v"
        );
        assert_eq!(
            changed_to(&indexed, INDEX_RULE, "cassandra/narrow"),
            "cassandra/narrow"
        );
        assert_eq!(
            changed_to(&indexed, "sstable-count", "cassandra/narrow?compaction=LCS"),
            "cassandra/narrow?compaction=LCS&index=v:2i"
        );
    }
}
