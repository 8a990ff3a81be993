//! Vortex as it is used here: which encodings it knows, and which of them it may write.

use vortex_array::array_session;
use vortex_array::session::ArraySessionExt;
use vortex_btrblocks::CompressionSession;
use vortex_edition::declarations::core::CORE_2026_08_3;
use vortex_edition::{EDITION_DECLARATIONS, EDITION_FAMILIES, EditionSessionExt};
use vortex_session::VortexSession;

/// Knows the encodings of this format alone, and writes those of a frozen edition.
pub(super) fn session() -> VortexSession {
    let session = array_session().with::<CompressionSession>();
    vortex_alp::initialize(&session);
    vortex_fastlanes::initialize(&session);
    vortex_fsst::initialize(&session);
    vortex_onpair::initialize(&session);
    vortex_runend::initialize(&session);
    vortex_sequence::initialize(&session);
    vortex_sparse::initialize(&session);
    vortex_zigzag::initialize(&session);
    session.arrays().register(vortex_pco::Pco);
    session.arrays().register(vortex_zstd::Zstd);
    for family in EDITION_FAMILIES {
        // Fails if it is there already, which is as good.
        let _ = session.editions().declare_family(family);
    }
    for declaration in EDITION_DECLARATIONS {
        let _ = session.register_edition(declaration);
    }
    // Without an edition nothing would be compressed, which the tests notice.
    let _ = session.enable_edition(CORE_2026_08_3);
    session
}
