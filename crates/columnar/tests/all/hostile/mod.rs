//! Blobs and chunks that nobody meant anyone to read: an error or, where no check can detect the damage,
//! other values; never a panic, an endless loop or more memory than is said here.

mod blobs;
mod tables;
