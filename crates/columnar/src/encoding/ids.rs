//! The encodings that a blob may consist of: a part of the format.

use vortex_array::ArrayContext;
use vortex_session::registry::{Id, ReadContext};

/// Vortex writes encodings as 16-bit indexes into a list that it leaves to its user to keep. This
/// is the list: an entry's place is what blobs contain, so entries are only ever appended.
///
/// All belong to Vortex's frozen edition core 2026.08.3, which every later release reads.
pub const ENCODINGS: [&str; 18] = [
    "vortex.bool",
    "vortex.primitive",
    "vortex.varbin",
    "vortex.varbinview",
    "vortex.constant",
    "vortex.masked",
    "vortex.dict",
    "vortex.runend",
    "vortex.sparse",
    "vortex.sequence",
    "vortex.zigzag",
    "fastlanes.bitpacked",
    "fastlanes.for",
    "vortex.alp",
    "vortex.alprd",
    "vortex.fsst",
    "vortex.pco",
    "vortex.zstd",
];

fn ids() -> Vec<Id> {
    ENCODINGS.iter().map(|name| Id::new_static(name)).collect()
}

/// Refuses encodings outside the list.
pub(super) fn write_context() -> ArrayContext {
    ArrayContext::new(ids()).with_allowed_ids(ids().into_iter().collect())
}

pub(super) fn read_context() -> ReadContext {
    ReadContext::new(ids())
}
