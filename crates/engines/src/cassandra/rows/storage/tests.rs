use super::*;
use crate::cassandra::cluster::connect::Cluster;
use crate::cassandra::rows::entries::STORAGE_SETTINGS;

fn options(settings: &str) -> Result<TableOptions, String> {
    let id: DesignId = format!("cassandra/narrow?{settings}").parse()?;
    let mut untaken = Settings::new(&id, STORAGE_SETTINGS).map_err(|e| e.0)?;
    let options = TableOptions::take(&mut untaken).map_err(|e| e.0)?;
    untaken.end().map_err(|e| e.0)?;
    Ok(options)
}

/// Returns the options as CQL without the usual compression.
fn cql(settings: &str) -> String {
    let cql = options(settings).unwrap().cql();
    let usual = "compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 16}";
    let rest = cql.strip_prefix(usual).unwrap();
    rest.strip_prefix(" AND ").unwrap_or(rest).to_owned()
}

/// The settings of a table that exists.
fn theirs() -> TableSettings {
    let options = [
        ("compaction", "{'class': 'LeveledCompactionStrategy'}"),
        ("compression", "{'enabled': 'false'}"),
        ("gc_grace_seconds", "0"),
        ("speculative_retry", "'NEVER'"),
    ];
    TableSettings {
        table: "metrics.readings".to_owned(),
        options: options
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
    }
}

#[test]
fn settings_of_a_table_are_taken_over_where_the_design_states_none() {
    let taking = |settings: &str| {
        let id: DesignId = format!("cassandra/narrow?{settings}").parse().unwrap();
        options(settings).unwrap().taking(&id, Some(&theirs()))
    };
    let open = taking("caching=none");
    assert_eq!(
        open.cql(),
        "caching = {'keys': 'NONE', 'rows_per_partition': 'NONE'} AND compaction = {'class': \
         'LeveledCompactionStrategy'} AND compression = {'enabled': 'false'} AND gc_grace_seconds = 0 AND \
         speculative_retry = 'NEVER'"
    );
    assert!(open.has_grace() && open.drops_tombstones_at_once());
    let shown = open.settings();
    let value = |name: &str| {
        let values: Vec<&str> = { shown.iter() }
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .collect();
        assert!(values.len() < 2, "{name}: {values:?}");
        values.first().map(|value| (*value).to_owned())
    };
    assert_eq!(value("settings of").as_deref(), Some("metrics.readings"));
    assert_eq!(value("speculative_retry").as_deref(), Some("'NEVER'"));
    assert_eq!(
        value("compression").as_deref(),
        Some("{'enabled': 'false'}")
    );
    assert_eq!(value("gc_grace_seconds").as_deref(), Some("0"));

    let stated = taking("chunk=4KiB&compaction=STCS&gc_grace=10d").cql();
    assert_eq!(
        stated,
        "compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 4} AND compaction = {'class': \
         'SizeTieredCompactionStrategy'} AND gc_grace_seconds = 864000 AND speculative_retry = 'NEVER'"
    );
}

#[test]
fn nothing_is_written_that_is_not_asked_for() {
    assert_eq!(cql(""), "");
}

#[test]
fn compression_has_a_compressor_a_level_and_a_length_of_chunks() {
    for (settings, expected) in [
        ("compressor=none", "{'enabled': 'false'}"),
        (
            "compressor=zstd",
            "{'class': 'ZstdCompressor', 'chunk_length_in_kb': 16}",
        ),
        (
            "compressor=Zstd&level=19&chunk=64KiB",
            "{'class': 'ZstdCompressor', 'chunk_length_in_kb': 64, 'compression_level': 19}",
        ),
    ] {
        let cql = options(settings).unwrap().cql();
        assert_eq!(cql, format!("compression = {expected}"));
    }
}

#[test]
fn compaction_is_a_strategy_with_its_parameter() {
    for (written, expected) in [
        ("STCS", "{'class': 'SizeTieredCompactionStrategy'}"),
        ("lcs", "{'class': 'LeveledCompactionStrategy'}"),
        (
            "LCS:160MiB",
            "{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '160'}",
        ),
        (
            "LCS:5",
            "{'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '5'}",
        ),
        ("TWCS", "{'class': 'TimeWindowCompactionStrategy'}"),
        (
            "TWCS:1d",
            "{'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'DAYS', 'compaction_window_size': '1'}",
        ),
        (
            "TWCS:12h",
            "{'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'HOURS', 'compaction_window_size': '12'}",
        ),
        (
            "TWCS:30m",
            "{'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'MINUTES', 'compaction_window_size': '30'}",
        ),
        ("UCS", "{'class': 'UnifiedCompactionStrategy'}"),
        (
            "UCS:T4",
            "{'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'T4'}",
        ),
        (
            "UCS:l10",
            "{'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'L10'}",
        ),
        (
            "UCS:T8+T4+N",
            "{'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'T8, T4, N'}",
        ),
    ] {
        let cql = cql(&format!("compaction={written}"));
        assert_eq!(cql, format!("compaction = {expected}"));
    }
}

#[test]
fn caches_keep_nothing_or_keys_or_rows_too() {
    for (written, keys, rows) in [
        ("none", "NONE", "NONE"),
        ("keys", "ALL", "NONE"),
        ("rows:100", "ALL", "100"),
        ("rows:ALL", "ALL", "ALL"),
    ] {
        let cql = cql(&format!("caching={written}"));
        let expected = format!("caching = {{'keys': '{keys}', 'rows_per_partition': '{rows}'}}");
        assert_eq!(cql, expected);
        let id = format!("cassandra/narrow?caching={written}");
        assert_eq!(caches_rows(&id.parse().unwrap()), rows != "NONE");
    }
    assert!(!caches_rows(&"cassandra/narrow".parse().unwrap()));
}

#[test]
fn rows_are_not_cached_by_a_server_without_a_row_cache() {
    let mut context = Context::of_test("/run");
    let warning = |settings: &str, context: &Context| {
        let id = format!("cassandra/wide?{settings}");
        rows_not_cached(&id.parse().unwrap(), context)
    };
    let told = warning("caching=rows:all", &context).unwrap();
    assert!(
        told.starts_with("design cassandra/wide?caching=rows:all: caching= keeps no rows"),
        "{told}"
    );
    assert_eq!(warning("caching=keys", &context), None);
    let mut sized = |size: &str| {
        let size = ("row_cache_size".to_owned(), size.to_owned());
        context.options.cassandra.server.cassandra = vec![size];
        warning("caching=rows:all", &context)
    };
    assert_eq!(sized("64MiB"), None);
    assert!(sized("0MiB").is_some());
    context.options.cassandra.cluster = Some(Cluster::default());
    assert_eq!(warning("caching=rows:all", &context), None);
}

#[test]
fn rows_live_as_long_as_is_asked() {
    for (written, seconds) in [
        ("1d", 86_400),
        ("30d", 2_592_000),
        ("90000s", 90_000),
        ("7300d", 630_720_000),
    ] {
        let cql = cql(&format!("ttl={written}"));
        assert_eq!(cql, format!("default_time_to_live = {seconds}"));
    }
}

#[test]
fn tombstones_are_kept_as_long_as_is_asked() {
    for (written, seconds) in [
        ("0s", 0),
        ("90s", 90),
        ("10d", 864_000),
        ("24855d", 2_147_472_000),
    ] {
        let cql = cql(&format!("gc_grace={written}"));
        assert_eq!(cql, format!("gc_grace_seconds = {seconds}"));
    }
    assert!(options("gc_grace=0s").unwrap().drops_tombstones_at_once());
    assert!(!options("").unwrap().drops_tombstones_at_once());
    let shown = options("gc_grace=1h").unwrap().settings();
    let grace = ("gc_grace_seconds".to_owned(), "3600".to_owned());
    assert_eq!(shown.last(), Some(&grace));
}

#[test]
fn what_makes_no_sense_is_refused_with_what_does() {
    for (settings, words) in [
        ("compressor=gzip", "is not one of LZ4, Zstd"),
        ("chunk=5KiB", "not a power of two"),
        ("compressor=none&chunk=4KiB", "chunk= means nothing"),
        ("level=3", "means nothing with compressor=LZ4"),
        ("compressor=Deflate&level=3", "write compressor=Zstd, or"),
        ("compressor=none&level=3", "nothing with compressor=none"),
        (
            "compressor=Zstd&level=0",
            "level=0 is not a level of Zstd from 1 to 22",
        ),
        ("compressor=Zstd&level=23", "level=23 is not a level of"),
        ("compressor=Zstd&level=-5", "level=-5 is not a level of"),
        ("compressor=Zstd&level=high", "level=high is not a level of"),
        (
            "compaction=DTCS",
            "compaction=DTCS is not one of STCS, LCS, TWCS, UCS",
        ),
        ("compaction=STCS:4", "STCS takes none"),
        ("compaction=LCS:0MiB", "a size of SSTables from 1MiB"),
        ("compaction=LCS:20000MiB", "to 10240MiB"),
        ("compaction=LCS:160KiB", "as in LCS:160MiB"),
        ("compaction=LCS:", "after the colon"),
        ("compaction=TWCS:1", "whole days, hours or minutes"),
        ("compaction=TWCS:0d", "as in TWCS:1d"),
        ("compaction=TWCS:90s", "as in TWCS:1d"),
        ("compaction=TWCS:99999999999d", "as in TWCS:1d"),
        ("compaction=UCS:T1", "a number of 2 or more"),
        ("compaction=UCS:W4", "needs N, or T or L"),
        ("compaction=UCS:T4+", "as in UCS:T4, UCS:L10 or UCS:T4+T8"),
        (
            "compaction=UCS:T4, T8",
            "as in UCS:T4, UCS:L10 or UCS:T4+T8",
        ),
        ("compaction=UCS:T9999999999", "a number of 2 or more"),
        ("caching=all", "caching=all is not none, keys, rows:all, or"),
        ("caching=rows", "as in rows:100"),
        ("caching=rows:0", "as in rows:100"),
        ("caching=rows:-1", "as in rows:100"),
        ("ttl=30", "ttl=30 is not a duration such as 30d"),
        ("ttl=long", "ttl=long is not a duration"),
        ("ttl=23h", "gone before the run is over"),
        ("ttl=90000s500ms", "not a whole number of seconds"),
        ("ttl=7301d", "write up to 7300d"),
        ("gc_grace=long", "is not a duration such as 10d or 0s"),
        ("gc_grace=10", "is not a duration such as 10d or 0s"),
        ("gc_grace=1s500ms", "not a whole number of seconds"),
        ("gc_grace=24856d", "write up to 24855d"),
    ] {
        let error = options(settings).unwrap_err();
        assert!(error.contains(words), "{settings}: {error}");
    }
}

#[test]
fn reports_show_what_is_in_force() {
    let shown = |settings| {
        let settings = options(settings).unwrap().settings();
        let lines = settings
            .iter()
            .map(|(name, value)| format!("{name}: {value}\n"));
        lines.collect::<String>()
    };
    assert_eq!(
        shown(""),
        "compression: {'class': 'LZ4Compressor', 'chunk_length_in_kb': 16}\n\
         compaction: the server's default, which is by size unless it is configured\n\
         caching: {'keys': 'ALL', 'rows_per_partition': 'NONE'}\n\
         time to live: none\n"
    );
    assert_eq!(
        shown("compressor=none&compaction=UCS:N&caching=rows:1&ttl=1d"),
        "compression: {'enabled': 'false'}\n\
         compaction: {'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'N'}\n\
         caching: {'keys': 'ALL', 'rows_per_partition': '1'}\n\
         time to live: 86400 s after its writing, the row is gone\n"
    );
}
