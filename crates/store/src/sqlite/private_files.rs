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

/// Restricts a data directory and its database to their owner. A directory that has other files and no database yet
/// is left as it is: it was made for something else.
#[cfg(unix)]
pub(super) fn restrict(directory: &Path, database: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let restrict = |path: &Path, mode: u32| -> io::Result<()> {
        let permissions = fs::metadata(path)?.permissions();
        if permissions.mode() & 0o077 == 0 {
            return Ok(());
        }
        match fs::set_permissions(path, fs::Permissions::from_mode(mode)) {
            // Only the owner of a directory can change it; a volume may belong to another user.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
            result => result,
        }
    };
    let is_database = database.is_file();
    if is_database || fs::read_dir(directory)?.next().is_none() {
        restrict(directory, 0o700)?;
    }
    match is_database {
        true => restrict(database, 0o600)?,
        // SQLite gives its other files the mode of the database.
        false => match create(database) {
            // Another process has just created it.
            Err(_) if database.is_file() => {}
            result => drop(result?),
        },
    }
    Ok(())
}

/// Restricts nothing: this platform has no file modes.
#[cfg(not(unix))]
pub(super) fn restrict(_: &Path, _: &Path) -> Result<()> {
    Ok(())
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
