//! The largest batch in which rows are written, as a design chooses it.

use std::str::FromStr;

use bakeoff_workload::DesignId;

use crate::settings::Settings;
use crate::{Context, EngineError};

/// Maximum bytes of a batch unless a design says otherwise, below the server's default `batch_size_fail_threshold` of
/// 50 KiB.
pub const BATCH_BYTES: usize = 40 << 10;
/// Largest batch that a design may choose, in KiB.
const MOST_KIB: usize = 1024;
/// Largest batch of rows of several partitions, in KiB: a little below that same limit.
const MOST_OVER_ANY_KIB: usize = 48;
/// Key of that limit in `cassandra.yaml`.
const FAIL_THRESHOLD: &str = "batch_size_fail_threshold";
/// Name of the setting.
const SETTING: &str = "batch";

/// A number of bytes that is written in KiB.
struct Kibibytes(usize);

impl FromStr for Kibibytes {
    type Err = ();

    fn from_str(written: &str) -> Result<Self, ()> {
        let number = written.strip_suffix("KiB").ok_or(())?;
        let kib = number.parse::<usize>().map_err(drop)?;
        match kib {
            1..=MOST_KIB => Ok(Kibibytes(kib << 10)),
            _ => Err(()),
        }
    }
}

/// Takes the bytes of the largest batch from the settings of a design.
///
/// # Errors
/// Fails for what is no size, or one that no batch may have.
pub fn take(settings: &mut Settings<'_>) -> Result<usize, EngineError> {
    let form = format!("a size from 1KiB to {MOST_KIB}KiB, such as batch=40KiB");
    let size = settings.parsed::<Kibibytes>(SETTING, &form)?;
    Ok(size.map_or(BATCH_BYTES, |size| size.0))
}

/// Returns the bytes of the largest batch of a design, as far as its id says.
pub fn of(id: &DesignId) -> usize {
    let written = id.settings.get(SETTING);
    let size = written.and_then(|written| written.parse::<Kibibytes>().ok());
    size.map_or(BATCH_BYTES, |size| size.0)
}

/// Returns why a server refuses the batches of a design if they hold rows of several partitions, unless the workload
/// sets the limit of the server.
pub fn refused_over_any(id: &DesignId, context: &Context) -> Option<String> {
    let mut set = context.options.cassandra.server.cassandra.iter();
    let is_set = set.any(|(key, _)| key == FAIL_THRESHOLD);
    (of(id) > MOST_OVER_ANY_KIB << 10 && !is_set).then(|| {
        format!(
            "design {id}: Cassandra refuses batches of several partitions from 50 KiB on: choose {SETTING}= up to \
             {MOST_OVER_ANY_KIB}KiB, or set {FAIL_THRESHOLD} below [server.cassandra] in the workload"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_design_chooses_the_largest_batch() {
        for (written, bytes) in [
            ("", 40 << 10),
            ("?batch=1KiB", 1 << 10),
            ("?batch=1024KiB", 1 << 20),
        ] {
            let id: DesignId = format!("cassandra/wide{written}").parse().unwrap();
            let mut settings = Settings::new(&id, "batch=40KiB").unwrap();
            assert_eq!(take(&mut settings).unwrap(), bytes);
            assert_eq!(of(&id), bytes);
        }
    }

    #[test]
    fn batches_of_several_partitions_stay_below_the_limit_of_the_server() {
        let mut context = Context::of_test("/run");
        let refused = |written: &str, context: &Context| {
            let id: DesignId = format!("cassandra/wide{written}").parse().unwrap();
            refused_over_any(&id, context)
        };
        assert_eq!(refused("", &context), None);
        assert_eq!(refused("?batch=48KiB", &context), None);
        let why = refused("?batch=49KiB", &context).unwrap();
        assert!(why.contains("choose batch= up to 48KiB"), "{why}");
        let key = FAIL_THRESHOLD.to_owned();
        context.options.cassandra.server.cassandra = vec![(key, "1024KiB".to_owned())];
        assert_eq!(refused("?batch=49KiB", &context), None);
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for written in ["0KiB", "1025KiB", "40", "40MiB", "-1KiB", "KiB"] {
            let id: DesignId = format!("cassandra/wide?batch={written}").parse().unwrap();
            let mut settings = Settings::new(&id, "batch=40KiB").unwrap();
            let error = take(&mut settings).unwrap_err().0;
            let expected = format!("batch={written} is not a size from 1KiB to 1024KiB");
            assert!(error.contains(&expected), "{error}");
        }
    }
}
