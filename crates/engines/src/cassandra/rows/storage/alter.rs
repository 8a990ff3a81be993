//! A change of a table option while the table has its rows, as on one in use.

use bakeoff_servers::cassandra::Release;
use bakeoff_workload::DesignId;

use super::{TableOptions, table_options};
use crate::EngineError;
use crate::cassandra::release::release_of;
use crate::settings::Settings;

/// Name of the setting.
pub const ALTER: &str = "alter";
/// Settings that it may change.
const CHANGED: [&str; 6] = [
    "compressor",
    "level",
    "chunk",
    "compaction",
    "caching",
    "gc_grace",
];
/// The table option that stays as it is.
const KEPT: &str = "ttl";

/// Takes the setting `alter` of a design with these options: the options after a change of one of them; `None` without
/// that setting.
///
/// # Errors
/// Fails for an option or a value that does not exist, and for a change that is none.
pub fn take(
    settings: &mut Settings<'_>,
    id: &DesignId,
    options: &TableOptions,
) -> Result<Option<TableOptions>, EngineError> {
    let Some(written) = settings.parsed::<String>(ALTER, "a table option")? else {
        return Ok(None);
    };
    let failed = |why: &str| settings.error(format!("{ALTER}={written} {why}"));
    let is_option = |(name, value): &(&str, &str)| CHANGED.contains(name) && !value.is_empty();
    let Some((name, value)) = written.split_once(':').filter(is_option) else {
        let all = CHANGED.join(", ");
        return Err(failed(&format!(
            "is not one of {all} with its value, as in {ALTER}=chunk:4KiB"
        )));
    };
    let is_unified = name == "compaction" && value.to_ascii_uppercase().starts_with("UCS");
    if is_unified && release_of(id) == Release::Four {
        return Err(failed(
            "is new in Cassandra 5.0: alter it to STCS, LCS or TWCS",
        ));
    }
    let mut changed = id.clone();
    let is_kept = |name: &str| CHANGED.contains(&name) || name == KEPT;
    changed.settings.retain(|name, _| is_kept(name));
    if name == "compressor" {
        changed.settings.remove("level");
        if value.eq_ignore_ascii_case("none") {
            changed.settings.remove("chunk");
        }
    }
    changed.settings.insert(name.to_owned(), value.to_owned());
    let altered = Settings::new(&changed, table_options!())
        .and_then(|mut settings| TableOptions::take(&mut settings));
    let altered = altered.map_err(|error| failed(&format!("cannot be: {error}")))?;
    if altered == *options {
        return Err(failed("is what the table has from the beginning"));
    }
    Ok(Some(altered))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(id: &str) -> Result<Option<String>, String> {
        let id: DesignId = id.parse().unwrap();
        let mut settings =
            Settings::new(&id, concat!(table_options!(), ", alter=chunk:4KiB")).unwrap();
        let options = TableOptions::take(&mut settings).unwrap();
        let altered = take(&mut settings, &id, &options).map_err(|error| error.0)?;
        Ok(altered.map(|options| options.cql()))
    }

    #[test]
    fn one_option_is_changed_and_the_others_stay() {
        assert_eq!(taken("cassandra/wide?chunk=64KiB"), Ok(None));
        let altered = taken("cassandra/wide?alter=chunk:4KiB&chunk=64KiB&ttl=30d");
        let expected = "compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 4} AND \
                        default_time_to_live = 2592000";
        assert_eq!(altered, Ok(Some(expected.to_owned())));
        let altered = taken("cassandra/wide?alter=compaction:LCS:80MiB").unwrap();
        assert!(altered.unwrap().contains("'sstable_size_in_mb': '80'"));
        let altered = taken("cassandra/wide?alter=compressor:none&chunk=64KiB").unwrap();
        assert_eq!(altered.unwrap(), "compression = {'enabled': 'false'}");
    }

    #[test]
    fn a_change_that_cannot_be_is_refused() {
        for (id, why) in [
            ("cassandra/wide?alter=bucket:1d", "is not one of compressor"),
            ("cassandra/wide?alter=chunk", "as in alter=chunk:4KiB"),
            ("cassandra/wide?alter=chunk:5KiB", "cannot be: "),
            ("cassandra/wide?alter=chunk:16KiB", "from the beginning"),
            (
                "cassandra-4/wide?alter=compaction:UCS",
                "new in Cassandra 5.0",
            ),
        ] {
            let error = taken(id).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
