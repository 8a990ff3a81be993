//! The session of Vortex: the encodings that it knows, and those that it may write.

use vortex_array::array_session;
use vortex_array::session::ArraySessionExt;
use vortex_btrblocks::CompressionSession;
use vortex_edition::declarations::core::CORE_2026_08_3;
use vortex_edition::{EDITION_DECLARATIONS, EDITION_FAMILIES, EditionSessionExt};
use vortex_session::VortexSession;

/// An array of Vortex, as opposed to one of Arrow.
pub(super) type Vortex = vortex_array::ArrayRef;

/// Makes a session that compresses to the encodings of a frozen edition.
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
    // Each of these calls fails if it was made before, which does no harm. Without the edition nothing
    // would be compressed, and tests would notice.
    for family in EDITION_FAMILIES {
        let _ = session.editions().declare_family(family);
    }
    for declaration in EDITION_DECLARATIONS {
        let _ = session.register_edition(declaration);
    }
    let _ = session.enable_edition(CORE_2026_08_3);
    session
}
