//! Search index of the library: its folder, the lock of its writer, opening and making it anew.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use parking_lot::RwLock;
use search::{ChunkIndex, IndexError};

/// Place of the search index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexLocation {
    /// Memory of this process.
    Memory,
    /// Folder, which other processes may use at the same time.
    Folder(PathBuf),
}

/// Name of the file that the writing process locks.
const LOCK_FILE: &str = "writer.lock";
/// Name of the file that every commit of the index replaces.
const META_FILE: &str = "meta.json";

/// Right to write the index. It ends when it is dropped, also with the process.
#[derive(Debug)]
pub(super) struct IndexWriteLock(#[allow(dead_code)] Option<File>);

/// Index that is open in this process.
struct OpenedIndex {
    id: String,
    index: Arc<ChunkIndex>,
    /// Time of the commit that searches see.
    committed: Option<SystemTime>,
}

/// Search index of the library.
pub(super) struct LibraryIndex {
    location: IndexLocation,
    opened: RwLock<Option<OpenedIndex>>,
    /// True while this process writes the index.
    is_writer: AtomicBool,
}

impl LibraryIndex {
    pub(super) fn new(location: IndexLocation) -> Self {
        Self {
            location,
            opened: RwLock::default(),
            is_writer: AtomicBool::new(false),
        }
    }

    /// Returns true if this process writes the index.
    pub(super) fn is_writer(&self) -> bool {
        self.is_writer.load(Ordering::Relaxed)
    }

    /// Notes if this process writes the index.
    pub(super) fn set_writer(&self, is_writer: bool) {
        self.is_writer.store(is_writer, Ordering::Relaxed);
    }

    /// Returns true if other processes may write the index.
    pub(super) fn is_shared(&self) -> bool {
        self.location != IndexLocation::Memory
    }

    /// Returns the index, if it is open.
    pub(super) fn get(&self) -> Option<Arc<ChunkIndex>> {
        let opened = self.opened.read();
        opened.as_ref().map(|opened| opened.index.clone())
    }

    /// Returns the id of the open index.
    pub(super) fn id(&self) -> Option<String> {
        self.opened.read().as_ref().map(|opened| opened.id.clone())
    }

    /// Takes the right to write; `None` if another process has it.
    pub(super) fn lock(&self) -> io::Result<Option<IndexWriteLock>> {
        let IndexLocation::Folder(folder) = &self.location else {
            return Ok(Some(IndexWriteLock(None)));
        };
        fs::create_dir_all(folder)?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(LOCK_FILE))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(IndexWriteLock(Some(file)))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Opens the index with an id, or shows the commits of another process if it is open already. Returns false if
    /// there is no such index.
    pub(super) fn refresh(&self, id: &str) -> Result<bool, IndexError> {
        let IndexLocation::Folder(folder) = &self.location else {
            return Ok(self.id().as_deref() == Some(id));
        };
        let folder = folder.join(id);
        let committed = modified(&folder);
        if committed.is_none() {
            return Ok(false);
        }
        {
            let mut opened = self.opened.write();
            if let Some(opened) = opened.as_mut().filter(|opened| opened.id == id) {
                if opened.committed != committed {
                    opened.index.reload()?;
                    opened.committed = committed;
                }
                return Ok(true);
            }
        }
        let index = Arc::new(ChunkIndex::open(&folder)?);
        *self.opened.write() = Some(OpenedIndex {
            id: id.to_owned(),
            index,
            committed,
        });
        Ok(true)
    }

    /// Creates an empty index and opens it. Removes all others.
    pub(super) fn create(&self, id: &str) -> Result<(), IndexError> {
        let index = match &self.location {
            IndexLocation::Memory => ChunkIndex::in_memory()?,
            IndexLocation::Folder(folder) => {
                let index = ChunkIndex::recreate(&folder.join(id))?;
                remove_others(folder, id)?;
                index
            }
        };
        *self.opened.write() = Some(OpenedIndex {
            id: id.to_owned(),
            index: Arc::new(index),
            committed: None,
        });
        Ok(())
    }
}

fn modified(folder: &Path) -> Option<SystemTime> {
    let meta = fs::metadata(folder.join(META_FILE)).ok()?;
    meta.modified().ok()
}

/// Removes the folders of other indexes.
fn remove_others(folder: &Path, id: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name() != id {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
