//! Removing files that are no longer needed.

use std::collections::HashSet;
use std::time::Duration;

use super::aside::Aside;
use super::disk;
use super::files::{io, micros, now, remove};
use super::sync::{locked, reading, writing};
use super::writer::Writer;
use crate::id::ChunkId;
use crate::store::Swept;
use crate::{Result, failpoint};

impl Writer {
    /// Removes the files of chunks that have been useless for longer than `grace`, and of sealed
    /// segments.
    pub fn sweep(&self, grace: Duration) -> Result<Swept> {
        failpoint::hit("sweep.begin");
        // While this is locked, no chunk is committed, so that none is taken for one that never will be.
        let manifest = locked(&self.manifest);
        // The manifest on disk may have chunks that are unknown to this process. Their files must stay.
        manifest.check()?;
        let mut swept = Swept::default();
        let before = now().saturating_sub(i64::try_from(grace.as_micros()).unwrap_or(i64::MAX));
        let files = self.folder.chunk_files()?;
        let valid: HashSet<ChunkId> = reading(&self.state).valid_chunks().collect();
        let aside = Aside::newest_with_manifest(&self.folder)?;
        for id in files.iter().filter(|id| !valid.contains(id)) {
            if self.useless_since(*id)? > before {
                continue;
            }
            let is_retired = reading(&self.state).retired.contains_key(id);
            match &aside {
                // The commit of this chunk may be what was lost of the manifest.
                Some(aside) if !is_retired => aside.take_chunk(&self.folder, *id)?,
                _ => _ = remove(&self.folder.chunk(*id))?,
            }
            swept.chunks += 1;
            writing(&self.state).retired.remove(id);
            failpoint::hit("sweep.chunk");
        }
        self.forget_removed(&files);
        self.sweep_logs()?;
        Ok(swept)
    }

    /// Returns when a chunk was retired or, if it was not, put.
    fn useless_since(&self, id: ChunkId) -> Result<i64> {
        if let Some(at) = reading(&self.state).retired.get(&id) {
            return Ok(*at);
        }
        let path = self.folder.chunk(id);
        let file = disk::metadata(&path).and_then(|file| file.modified());
        file.map(micros).map_err(io("looking at", &path))
    }

    /// Forgets retired chunks whose files an earlier process has removed.
    fn forget_removed(&self, files: &[ChunkId]) {
        let files: HashSet<&ChunkId> = files.iter().collect();
        writing(&self.state)
            .retired
            .retain(|id, _| files.contains(id));
    }

    /// Removes sealed segments. They need no grace, since readers read segments as a whole before they
    /// look at the manifest.
    fn sweep_logs(&self) -> Result<()> {
        for place in self.folder.places()? {
            let sealed = reading(&self.state).sealed(place);
            self.log(place).sweep(sealed)?;
        }
        Ok(())
    }
}
