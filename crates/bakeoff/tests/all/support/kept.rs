//! A run folder that several tests look at, each at a copy of its own. It is measured once, and kept in memory, since
//! nobody would remove a folder when the last of them has ended.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder and of those in it, by their place there.
pub struct Kept(Vec<(PathBuf, Vec<u8>)>);

impl Kept {
    pub fn of(folder: &Path) -> Kept {
        let mut files = Vec::new();
        collect(folder, Path::new(""), &mut files);
        Kept(files)
    }

    /// Writes all of it into a new folder.
    pub fn copy_to(&self, folder: &Path) {
        for (place, bytes) in &self.0 {
            let file = folder.join(place);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
    }
}

fn collect(folder: &Path, place: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder.join(place)).unwrap() {
        let entry = entry.unwrap();
        let place = place.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            collect(folder, &place, files);
        } else {
            files.push((place, fs::read(entry.path()).unwrap()));
        }
    }
}
