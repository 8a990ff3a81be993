//! Compressing Arrow arrays with Vortex, and writing the result as bytes.

use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::Field;
use vortex_array::arrays::{PrimitiveArray, VarBinViewArray};
use vortex_array::serde::SerializeOptions;
use vortex_array::{ArrayContext, IntoArray, VortexSessionExecute};
use vortex_arrow::ArrowSessionExt;
use vortex_btrblocks::schemes::float::FloatRLEScheme;
use vortex_btrblocks::schemes::integer::IntRLEScheme;
use vortex_btrblocks::schemes::string::OnPairScheme;
use vortex_btrblocks::{BtrBlocksCompressor, BtrBlocksCompressorBuilder, SchemeExt};
use vortex_pco::Pco;
use vortex_session::VortexSession;
use vortex_zstd::Zstd;

use super::failure::Failure;
use super::ids;
use super::vortex::Vortex;
use crate::Kind;

/// The level of zstd for texts and values of dictionaries. Higher levels take far longer for 1 % less.
const ZSTD_LEVEL: i32 = 3;

/// The level of pco for values of dictionaries. The default, 8, takes twice as long for 0.1 % less.
const PCO_LEVEL: usize = 6;

/// The encodings that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// Encodings that are decoded at memory speed.
    Light,
    /// All of these, and pco and zstd.
    Heavy,
}

/// Compresses arrays.
pub(super) struct Packer {
    session: VortexSession,
    context: ArrayContext,
    light: BtrBlocksCompressor,
    heavy: BtrBlocksCompressor,
    setbacks: AtomicU64,
}

impl Packer {
    pub fn new(session: VortexSession) -> Self {
        // OnPair would take most of the time and is hardly ever the smallest. Run ends do what run
        // lengths do.
        let schemes = BtrBlocksCompressorBuilder::from_session(&session).exclude_schemes([
            OnPairScheme.id(),
            IntRLEScheme.id(),
            FloatRLEScheme.id(),
        ]);
        Packer {
            light: schemes.clone().build(),
            heavy: schemes.with_compact().build(),
            context: ids::write_context(),
            setbacks: AtomicU64::new(0),
            session,
        }
    }

    /// Notes that a way of encoding has failed.
    pub fn set_back(&self, kind: Kind, reason: &str) {
        self.setbacks.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(?kind, reason, "a column is encoded in another way");
    }

    pub fn setbacks(&self) -> u64 {
        self.setbacks.load(Ordering::Relaxed)
    }

    /// Converts an array to Vortex without compression.
    pub fn plain(&self, array: &ArrayRef) -> Result<Vortex, Failure> {
        let nullable = array.null_count() > 0;
        let field = Field::new("", array.data_type().clone(), nullable);
        Ok(self
            .session
            .arrow()
            .from_arrow_array(array.clone(), &field)?)
    }

    pub fn compressed(&self, effort: Effort, array: &Vortex) -> Result<Vortex, Failure> {
        let compressor = match effort {
            Effort::Light => &self.light,
            Effort::Heavy => &self.heavy,
        };
        Ok(compressor.compress(array, &mut self.session.create_execution_ctx())?)
    }

    /// Compresses texts or blobs with zstd, in frames of this number of rows, each of which can be
    /// decompressed by itself. All rows are in one frame if the number is 0.
    pub fn zstd(&self, array: &Vortex, frame_rows: usize) -> Result<Vortex, Failure> {
        let context = &mut self.session.create_execution_ctx();
        let views = array.clone().execute::<VarBinViewArray>(context)?;
        let zstd = Zstd::from_var_bin_view_without_dict(&views, ZSTD_LEVEL, frame_rows, context)?;
        Ok(zstd.into_array())
    }

    /// Compresses floats with pco.
    pub fn pco(&self, array: &Vortex) -> Result<Vortex, Failure> {
        let context = &mut self.session.create_execution_ctx();
        let values = array.clone().execute::<PrimitiveArray>(context)?;
        let pco = Pco::from_primitive(values.as_view(), PCO_LEVEL, 0, context)?;
        Ok(pco.into_array())
    }

    /// Appends an array to a blob.
    pub fn append(&self, array: &Vortex, blob: &mut Vec<u8>) -> Result<(), Failure> {
        forget_statistics(array);
        let options = SerializeOptions {
            offset: 0,
            include_padding: true,
        };
        let buffers = array.serialize(&self.context, &self.session, &options)?;
        blob.reserve(buffers.iter().map(|buffer| buffer.len()).sum());
        for buffer in &buffers {
            blob.extend_from_slice(buffer);
        }
        Ok(())
    }
}

/// Removes the statistics that the compressor has collected. They would be written with every node, and
/// no reader uses them.
fn forget_statistics(array: &Vortex) {
    for node in array.depth_first_traversal() {
        node.statistics().to_array_stats().retain(&[]);
    }
}

impl Debug for Packer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").finish_non_exhaustive()
    }
}
