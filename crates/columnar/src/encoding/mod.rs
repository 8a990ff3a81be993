//! One column of a chunk as bytes: Vortex arrays, frozen encodings only.

mod ids;

use std::ops::Range;
use std::sync::LazyLock;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::Field;
use bytes::Bytes;
use vortex_array::serde::{SerializeOptions, SerializedArray};
use vortex_array::{VortexSessionExecute, array_session};
use vortex_arrow::ArrowSessionExt;
use vortex_btrblocks::{BtrBlocksCompressorBuilder, CompressionSession};
use vortex_buffer::ByteBuffer;
use vortex_edition::{EditionSessionExt, declarations};
use vortex_session::VortexSession;

use crate::definition::{Kind, Profile};
use crate::{Error, Result};

static SHARED: LazyLock<Codec> = LazyLock::new(|| Codec { session: session() });

pub struct Codec {
    session: VortexSession,
}

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DecodeError(String);

fn session() -> VortexSession {
    let s = array_session().with::<CompressionSession>();
    vortex_alp::initialize(&s);
    vortex_fastlanes::initialize(&s);
    vortex_fsst::initialize(&s);
    vortex_onpair::initialize(&s);
    vortex_runend::initialize(&s);
    vortex_sequence::initialize(&s);
    vortex_sparse::initialize(&s);
    vortex_zigzag::initialize(&s);
    for family in declarations::EDITION_FAMILIES {
        let _ = s.editions().declare_family(family);
    }
    for declaration in declarations::EDITION_DECLARATIONS {
        let _ = s.register_edition(declaration);
    }
    let _ = s.enable_edition(declarations::core::CORE_2026_08_3);
    s
}

impl Codec {
    pub fn shared() -> &'static Codec {
        &SHARED
    }

    pub fn encode(&self, profile: Profile, _kind: Kind, array: &ArrayRef) -> Result<Bytes> {
        let s = &self.session;
        let failed = |e: vortex_error::VortexError| Error::Invalid(format!("{e}"));
        let field = Field::new("", array.data_type().clone(), array.null_count() > 0);
        let plain = s.arrow().from_arrow_array(array.clone(), &field).map_err(failed)?;
        let builder = BtrBlocksCompressorBuilder::from_session(s);
        let builder = match profile {
            Profile::Fast => builder,
            Profile::Compact => builder.with_compact(),
        };
        let small = builder.build().compress(&plain, &mut s.create_execution_ctx()).map_err(failed)?;
        let options = SerializeOptions { offset: 0, include_padding: true };
        let parts = small.serialize(&ids::write_context(), s, &options).map_err(failed)?;
        let mut blob = vec![u8::from(array.null_count() > 0)];
        for part in &parts {
            blob.extend_from_slice(part);
        }
        Ok(blob.into())
    }

    pub fn decode(&self, blob: &Bytes, kind: Kind, rows: usize) -> Result<ArrayRef, DecodeError> {
        let failed = |e: vortex_error::VortexError| DecodeError(format!("{e}"));
        let s = &self.session;
        let field = Field::new("", kind.data_type(), blob.first() == Some(&1));
        let dtype = s.arrow().from_arrow_field(&field).map_err(failed)?;
        let bytes = ByteBuffer::copy_from_aligned(&blob[1..], vortex_buffer::Alignment::new(64));
        let parts = SerializedArray::try_from(bytes).map_err(failed)?;
        let array = parts.decode(&dtype, rows, &ids::read_context(), s).map_err(failed)?;
        let mut context = s.create_execution_ctx();
        s.arrow().execute_arrow(array, Some(&field), &mut context).map_err(failed)
    }

    pub fn decode_range(
        &self,
        blob: &Bytes,
        kind: Kind,
        rows: usize,
        range: Range<usize>,
    ) -> Result<ArrayRef, DecodeError> {
        Ok(self.decode(blob, kind, rows)?.slice(range.start, range.len()))
    }
}

pub fn crc(blob: &[u8]) -> u32 {
    crc32fast::hash(blob)
}
