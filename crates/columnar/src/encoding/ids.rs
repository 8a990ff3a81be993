//! The encodings that a blob may consist of, which are a part of the format.

use vortex_array::ArrayContext;
use vortex_session::registry::{Id, ReadContext};

/// The list of encodings. Vortex writes encodings as 16-bit positions in a list that its user has to
/// keep, which is this one: blobs contain the positions, so that entries are only ever appended.
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

/// Returns a context for writing, which refuses encodings that are not in the list.
pub(super) fn write_context() -> ArrayContext {
    ArrayContext::new(ids()).with_allowed_ids(ids().into_iter().collect())
}

/// Returns a context for reading.
pub(super) fn read_context() -> ReadContext {
    ReadContext::new(ids())
}
