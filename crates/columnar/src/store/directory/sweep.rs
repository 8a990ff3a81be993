//! Removing files that nobody needs any more.

use std::collections::HashSet;
use std::time::Duration;

use super::files::{io, locked, micros, now, reading, remove, writing};
use super::state::State;
use super::writer::Writer;
use crate::Result;
use crate::failpoint;
use crate::meta::ChunkId;
use crate::store::Swept;

impl Writer {
    pub fn sweep(&self, grace: Duration) -> Result<Swept> {
        failpoint::hit("sweep.begin");
        // No chunk is committed while it is decided whether it ever will be.
        let manifest = locked(&self.manifest);
        // What it may say on disk, and is not known here, must not lose its files.
        manifest.check()?;
        let mut swept = Swept::default();
        let before = now().saturating_sub(i64::try_from(grace.as_micros()).unwrap_or(i64::MAX));
        let files = self.folder.chunk_files()?;
        let valid = valid_chunks(&reading(&self.state));
        for id in files.iter().filter(|id| !valid.contains(id)) {
            if self.useless_since(*id)? <= before {
                swept.chunks += u64::from(remove(&self.folder.chunk(*id))?);
                writing(&self.state).retired.remove(id);
                failpoint::hit("sweep.chunk");
            }
        }
        self.forget_removed(&files);
        self.sweep_logs()?;
        Ok(swept)
    }

    /// When a chunk was retired, or else put.
    fn useless_since(&self, id: ChunkId) -> Result<i64> {
        if let Some(at) = reading(&self.state).retired.get(&id) {
            return Ok(*at);
        }
        let path = self.folder.chunk(id);
        let file = path.metadata().and_then(|file| file.modified());
        file.map(micros).map_err(io("looking at", &path))
    }

    /// A process that died may have removed files of chunks that the manifest has as retired.
    fn forget_removed(&self, files: &[ChunkId]) {
        let files: HashSet<&ChunkId> = files.iter().collect();
        writing(&self.state)
            .retired
            .retain(|id, _| files.contains(id));
    }

    /// Readers read segments whole before they look at the manifest, so sealed ones need no grace.
    fn sweep_logs(&self) -> Result<()> {
        for place in self.folder.places()? {
            let sealed = reading(&self.state).sealed(place);
            self.log(place).sweep(sealed)?;
        }
        Ok(())
    }
}

fn valid_chunks(state: &State) -> HashSet<ChunkId> {
    let places = state.places.values();
    places
        .flat_map(|place| place.chunks.keys().copied())
        .collect()
}
