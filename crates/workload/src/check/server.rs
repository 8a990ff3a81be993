//! Checks `[server]`: limits and settings of the servers that are started.

mod cassandra;
mod form;
mod jvm;
mod keys;
mod needed;
mod sandbox;

use toml::Spanned;

pub use keys::{ServerKey, server_keys};

use super::text::{Text, suggestion};
use crate::{Result, ServerSettings, TimeOuts, wire};

/// Units with their size in MiB; fractions of a MiB are refused.
const UNITS: [(&str, u64); 2] = [("MiB", 1), ("GiB", 1024)];

/// Units of bytes a second with their size in bytes.
const RATE_UNITS: [(&str, u64); 4] = [
    ("MB/s", 1_000_000),
    ("GB/s", 1_000_000_000),
    ("MiB/s", 1 << 20),
    ("GiB/s", 1 << 30),
];

const TIME_OUTS: [(&str, TimeOuts); 2] = [("long", TimeOuts::Long), ("default", TimeOuts::Shipped)];

/// Checks the limits of heap, memory and the disk, and the settings of Cassandra and its JVM. A workload
/// that `has_mix` may have statements of its own in CQL.
pub fn check(document: Text<'_>, wire: &wire::Server, has_mix: bool) -> Result<ServerSettings> {
    let time_outs = wire.time_outs.as_ref();
    let settings = ServerSettings {
        heap_mib: mebibytes(document, wire.heap.as_ref(), "heap")?,
        memory_mib: mebibytes(document, wire.memory.as_ref(), "memory")?,
        disk_read_bytes: bytes_per_second(document, wire.disk_read.as_ref())?,
        time_outs: word(document, time_outs, "time_outs", &TIME_OUTS)?.unwrap_or_default(),
        young_mib: mebibytes(document, wire.jvm.young.as_ref(), "young")?,
        collector: jvm::collector(document, &wire.jvm)?,
        processors: jvm::processors(document, &wire.jvm)?,
        cassandra: cassandra::check(document, &wire.cassandra)?,
    };
    jvm::check_young(document, &wire.jvm, &settings)?;
    sandbox::check(document, &wire.cassandra, has_mix)?;
    if let (Some(heap), Some(memory), Some(written)) =
        (settings.heap_mib, settings.memory_mib, &wire.memory)
        && memory <= heap
    {
        let message = format!(
            "`memory` is {memory} MiB for heap, memory outside of it and page cache together; it \
             has to be more than the {heap} MiB of `heap`"
        );
        return Err(document.error(written.span(), message));
    }
    Ok(settings)
}

/// Returns what a word stands for, if there is one.
fn word<T: Copy>(
    document: Text<'_>,
    written: Option<&Spanned<String>>,
    key: &str,
    known: &[(&'static str, T)],
) -> Result<Option<T>> {
    let Some(written) = written else {
        return Ok(None);
    };
    let found = known.iter().find(|(name, _)| name == written.get_ref());
    found.map(|(_, meaning)| Some(*meaning)).ok_or_else(|| {
        let names = known.iter().map(|(name, _)| *name);
        let hint = suggestion(written.get_ref(), names);
        let message = format!("there is no {key} = `{written}`{hint}");
        document.error(written.span(), message)
    })
}

fn mebibytes(
    document: Text<'_>,
    written: Option<&Spanned<String>>,
    key: &str,
) -> Result<Option<u64>> {
    let Some(written) = written else {
        return Ok(None);
    };
    let unusable = || {
        let message = format!(
            "`{key}` is `{written}`, but has to be a whole number of MiB or GiB: {key} = \"512MiB\""
        );
        document.error(written.span(), message)
    };
    let text = written.get_ref().trim();
    let kib = |text: &str| text.strip_suffix("KiB")?.trim_end().parse::<u64>().ok();
    if let Some(kib) = kib(text).filter(|kib| *kib > 0 && kib % 1024 == 0) {
        return Ok(Some(kib / 1024));
    }
    UNITS
        .iter()
        .find_map(|(unit, mib)| {
            let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
            number.checked_mul(*mib).filter(|mib| *mib > 0)
        })
        .map(Some)
        .ok_or_else(unusable)
}

fn bytes_per_second(document: Text<'_>, written: Option<&Spanned<String>>) -> Result<Option<u64>> {
    let Some(written) = written else {
        return Ok(None);
    };
    let text = written.get_ref().trim();
    let rate = RATE_UNITS.iter().find_map(|(unit, bytes)| {
        let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(*bytes).filter(|rate| *rate > 0)
    });
    rate.map(Some).ok_or_else(|| {
        let message = format!(
            "`disk_read` is `{written}`, but has to be a whole number of MB/s, GB/s, MiB/s or GiB/s: \
             disk_read = \"50MB/s\""
        );
        document.error(written.span(), message)
    })
}
