//! Files and directories that only their owner can read.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::error::Result;

/// Creates a directory with its parents, for its owner only.
pub(super) fn create_directory(directory: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(directory)?)
}

/// Creates a file for its owner only. The file must not exist.
pub(super) fn create(path: &Path) -> Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok(options.open(path)?)
}

/// Copies a file to a new one for its owner only.
pub(super) fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut source = File::open(from)?;
    io::copy(&mut source, &mut create(to)?)?;
    Ok(())
}
