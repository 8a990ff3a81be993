//! Vortex as it is used here: which encodings it knows, and which of them it may write.

use vortex_array::array_session;
use vortex_array::session::ArraySessionExt;
use vortex_btrblocks::CompressionSession;
use vortex_edition::declarations::core::CORE_2026_08_3;
use vortex_edition::{EDITION_DECLARATIONS, EDITION_FAMILIES, EditionSessionExt};
use vortex_session::VortexSession;

/// An array of Vortex, not of Arrow.
pub(super) type Vortex = vortex_array::ArrayRef;

/// A session that compresses to what a frozen edition holds.
pub(super) fn session() -> VortexSession {
    let session = array_session().with::<CompressionSession>();
    vortex_alp::initialize(&session);
    vortex_fastlanes::initialize(&session);
    vortex_fsst::initialize(&session);
    vortex_runend::initialize(&session);
    vortex_sequence::initialize(&session);
    vortex_sparse::initialize(&session);
    vortex_zigzag::initialize(&session);
    session.arrays().register(vortex_pco::Pco);
    session.arrays().register(vortex_zstd::Zstd);
    // Each of these fails if it was done before, which is as good. Without the edition nothing
    // would be compressed; the tests would notice.
    for family in EDITION_FAMILIES {
        let _ = session.editions().declare_family(family);
    }
    for declaration in EDITION_DECLARATIONS {
        let _ = session.register_edition(declaration);
    }
    let _ = session.enable_edition(CORE_2026_08_3);
    session
}
