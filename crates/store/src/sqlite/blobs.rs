//! Blobs: files that are named by their content.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use documents::ContentId;

use crate::error::{Result, StoreError};

/// Directory of blobs, named `ab/cdef…` by the hash of their bytes.
///
/// A blob is first written to a temporary file ([`BlobDirectory::stage`]) and moved to its place within the
/// transaction that refers to it. It is removed within a transaction that finds no reference. Both hold the write
/// lock of the database, so no process removes a blob while another begins to refer to it.
pub(super) struct BlobDirectory {
    directory: PathBuf,
    sync: bool,
    staged: AtomicU64,
}

/// Blob in a temporary file, which is removed on drop.
pub(super) struct StagedBlob {
    pub(super) id: ContentId,
    pub(super) size: u64,
    file: PathBuf,
}

impl Drop for StagedBlob {
    fn drop(&mut self) {
        // Fails if the file was moved to its place, as usual.
        let _ = fs::remove_file(&self.file);
    }
}

impl BlobDirectory {
    pub(super) fn open(directory: PathBuf, sync: bool) -> Result<Self> {
        fs::create_dir_all(directory.join("staged"))?;
        Ok(Self {
            sync,
            ..Self::at(directory)
        })
    }

    /// Returns the blobs of a backup, which are only read.
    pub(super) fn at(directory: PathBuf) -> Self {
        Self {
            directory,
            sync: false,
            staged: AtomicU64::new(0),
        }
    }

    /// Writes bytes to a temporary file with a name that no other process uses.
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

    /// Moves a staged blob to its place. The caller holds the write lock.
    pub(super) fn settle(&self, staged: &StagedBlob) -> Result<()> {
        let path = self.path(&staged.id.to_string());
        if path.exists() {
            return Ok(()); // the same bytes, or damage, which reading detects
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // A job that runs a second time finds its blob in place already.
        fs::rename(&staged.file, &path)?;
        if self.sync
            && let Some(folder) = path.parent()
        {
            File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    /// Reads a blob and checks its hash.
    pub(super) fn read(&self, id: &str) -> Result<Bytes> {
        let bytes = match fs::read(self.path(id)) {
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
                "the file of blob {id} has the wrong content"
            )));
        }
        Ok(bytes.into())
    }

    /// Removes a blob without references. The caller holds the write lock.
    pub(super) fn remove(&self, id: &str) -> Result<()> {
        match fs::remove_file(self.path(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Returns the path of a blob.
    pub(super) fn path(&self, id: &str) -> PathBuf {
        let (folder, rest) = id.split_at_checked(2).unwrap_or(("", id));
        self.directory.join(folder).join(rest)
    }

    /// Returns the ids of all blobs.
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

    /// Removes temporary files that a crash has left. Only the server of the directory may call it.
    pub(super) fn clear_staged(&self) -> Result<()> {
        for file in fs::read_dir(self.directory.join("staged"))? {
            let name = file?.path();
            let _ = fs::remove_file(name);
        }
        Ok(())
    }
}
