//! One column of a chunk as bytes: Vortex arrays, frozen encodings only.
