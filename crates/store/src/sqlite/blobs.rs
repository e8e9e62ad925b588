//! Files named by their content, in a directory.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use documents::ContentId;

use crate::error::{Result, StoreError};

/// A directory of blobs: `ab/cdef…`, after the hash of their bytes.
///
/// A blob is written beside its place first ([`BlobDirectory::stage`]) and moved there within the transaction
/// that refers to it; it is removed within a transaction that finds no reference. Both hold the
/// database's write lock, so no blob is removed while somebody begins to refer to it, in whatever
/// process.
pub(super) struct BlobDirectory {
    directory: PathBuf,
    sync: bool,
    staged: AtomicU64,
}

/// A blob that is written, but not in its place yet. Removed when dropped.
pub(super) struct StagedBlob {
    pub(super) id: ContentId,
    pub(super) size: u64,
    file: PathBuf,
}

impl Drop for StagedBlob {
    fn drop(&mut self) {
        // Gone if it was moved to its place, which is how it should be.
        let _ = fs::remove_file(&self.file);
    }
}

impl BlobDirectory {
    pub(super) fn open(directory: PathBuf, sync: bool) -> Result<Self> {
        fs::create_dir_all(directory.join("staged"))?;
        Ok(Self {
            directory,
            sync,
            staged: AtomicU64::new(0),
        })
    }

    /// Writes bytes beside their place, under a name that no other process uses.
    pub(super) fn stage(&self, bytes: &[u8]) -> Result<StagedBlob> {
        let id = ContentId::of(bytes);
        let number = self.staged.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", std::process::id());
        let staged = StagedBlob {
            id,
            size: bytes.len() as u64,
            file: self.directory.join("staged").join(name),
        };
        let mut file = File::create(&staged.file)?;
        file.write_all(bytes)?;
        if self.sync {
            file.sync_all()?;
        }
        Ok(staged)
    }

    /// Moves a staged blob to its place, under the write lock.
    pub(super) fn settle(&self, staged: &StagedBlob) -> Result<()> {
        let place = self.place(&staged.id.to_string());
        if place.exists() {
            return Ok(()); // the same bytes, or damaged ones, which reading tells
        }
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        // A job that is run a second time finds its blob in place already.
        fs::rename(&staged.file, &place)?;
        if self.sync
            && let Some(folder) = place.parent()
        {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Reads a blob, and checks that it is what was stored.
    pub(super) fn read(&self, id: &str) -> Result<Bytes> {
        let bytes = match fs::read(self.place(id)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::corrupt(format!(
                    "the file of blob {id} is missing"
                )));
            }
            Err(error) => return Err(error.into()),
        };
        if ContentId::of(&bytes).to_string() != id {
            return Err(StoreError::corrupt(format!(
                "the file of blob {id} has other bytes"
            )));
        }
        Ok(bytes.into())
    }

    /// Removes a blob that nothing refers to, under the write lock.
    pub(super) fn remove(&self, id: &str) -> Result<()> {
        match fs::remove_file(self.place(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Where a blob is.
    pub(super) fn place(&self, id: &str) -> PathBuf {
        let (folder, rest) = id.split_at_checked(2).unwrap_or(("", id));
        self.directory.join(folder).join(rest)
    }

    /// The ids of all blobs that are in their place.
    pub(super) fn list(&self) -> Result<Vec<String>> {
        let mut ids = Vec::new();
        for folder in fs::read_dir(&self.directory)? {
            let folder = folder?;
            let prefix = folder.file_name().to_string_lossy().into_owned();
            if prefix.len() != 2 || !folder.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(folder.path())? {
                ids.push(format!("{prefix}{}", file?.file_name().to_string_lossy()));
            }
        }
        Ok(ids)
    }

    /// Removes what a crash left half written. Only for the one server of the directory.
    pub(super) fn clear_staged(&self) -> Result<()> {
        for file in fs::read_dir(self.directory.join("staged"))? {
            let name = file?.path();
            let _ = fs::remove_file(name);
        }
        Ok(())
    }
}
