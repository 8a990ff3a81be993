//! Checks `[server.jvm]`.

use super::super::number;
use super::super::text::Text;
use super::word;
use crate::{Collector, Result, ServerSettings, wire};

const COLLECTORS: [(&str, Collector); 4] = [
    ("G1", Collector::G1),
    ("ZGC", Collector::Zgc),
    ("Parallel", Collector::Parallel),
    ("Serial", Collector::Serial),
];

/// Most processors that a JVM may be told of.
const MOST_PROCESSORS: u32 = 1024;

pub fn collector(document: Text<'_>, wire: &wire::Jvm) -> Result<Option<Collector>> {
    word(document, wire.collector.as_ref(), "collector", &COLLECTORS)
}

pub fn processors(document: Text<'_>, wire: &wire::Jvm) -> Result<Option<u32>> {
    number::up_to(
        document,
        wire.processors.as_ref(),
        "processors",
        MOST_PROCESSORS,
    )
}

/// Checks that there can be such a young generation.
pub fn check_young(document: Text<'_>, wire: &wire::Jvm, settings: &ServerSettings) -> Result<()> {
    let (Some(young), Some(written)) = (settings.young_mib, &wire.young) else {
        return Ok(());
    };
    if settings.collector == Some(Collector::Zgc) {
        let message = "ZGC has no young generation in Java 11 and 17: leave `young` out, or choose \
                       another collector";
        return Err(document.error(written.span(), message));
    }
    match settings.heap_mib {
        Some(heap) if young >= heap => {
            let message = format!(
                "`young` is a part of the heap; it has to be less than the {heap} MiB of `heap`"
            );
            Err(document.error(written.span(), message))
        }
        _ => Ok(()),
    }
}
