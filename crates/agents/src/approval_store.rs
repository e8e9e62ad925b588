//! Storage of approvals, so that a restart loses none and repeats no call.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// Limit on the approvals in memory; the oldest is forgotten, which rejects it.
const MAX_APPROVALS: usize = 1_000;

/// Tool call that waits for the user, as the model wrote it, and later its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Thread id.
    pub thread_id: String,
    /// Id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as JSON text.
    pub arguments: String,
    /// Milliseconds since 1970 after which the approval is void.
    pub expires: u64,
    /// Result, once the call was approved and done, or rejected.
    pub result: Option<ApprovalResult>,
}

/// Result of a call that waited for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalResult {
    /// Text for the model.
    pub text: String,
    /// True if the call was rejected or failed.
    pub is_error: bool,
}

/// Store of approvals. A thread has one run at a time, so an approval has one writer.
pub trait ApprovalStore: Send + Sync {
    /// Returns the approval of a call; `None` if it is not known.
    fn load(&self, thread_id: &str, call_id: &str) -> io::Result<Option<Approval>>;

    /// Stores an approval in place of the one of the same call.
    fn save(&self, approval: &Approval) -> io::Result<()>;
}

/// Approvals in memory. A restart forgets them, which rejects them.
#[derive(Debug, Default)]
pub struct MemoryApprovals(Mutex<VecDeque<Approval>>);

impl MemoryApprovals {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Approval>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ApprovalStore for MemoryApprovals {
    fn load(&self, thread_id: &str, call_id: &str) -> io::Result<Option<Approval>> {
        let approvals = self.lock();
        let mut known = approvals
            .iter()
            .filter(|known| known.thread_id == thread_id && known.call_id == call_id);
        Ok(known.next().cloned())
    }

    fn save(&self, approval: &Approval) -> io::Result<()> {
        let mut approvals = self.lock();
        let known = approvals.iter_mut().find(|known| {
            known.thread_id == approval.thread_id && known.call_id == approval.call_id
        });
        match known {
            Some(known) => *known = approval.clone(),
            None => {
                if approvals.len() == MAX_APPROVALS {
                    approvals.pop_front();
                }
                approvals.push_back(approval.clone());
            }
        }
        Ok(())
    }
}

/// Approvals as files in a folder of their own, one for each call.
#[derive(Debug, Clone)]
pub struct ApprovalFolder(PathBuf);

impl ApprovalFolder {
    /// Opens a folder and creates it if it is missing.
    pub fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self(folder.to_owned()))
    }

    /// Returns the file of a call. Ids come from clients and models, so their hash is the name.
    fn file(&self, thread_id: &str, call_id: &str) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(thread_id.len() as u64).to_le_bytes());
        hasher.update(thread_id.as_bytes());
        hasher.update(call_id.as_bytes());
        self.0.join(format!("{}.json", hasher.finalize().to_hex()))
    }
}

impl ApprovalStore for ApprovalFolder {
    fn load(&self, thread_id: &str, call_id: &str) -> io::Result<Option<Approval>> {
        match fs::read(self.file(thread_id, call_id)) {
            Ok(json) => Ok(Some(serde_json::from_slice(&json)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn save(&self, approval: &Approval) -> io::Result<()> {
        let path = self.file(&approval.thread_id, &approval.call_id);
        let unfinished = path.with_extension("tmp");
        // The file is complete on the disk before it replaces the old one, so a crash leaves one of the two.
        let mut file = fs::File::create(&unfinished)?;
        file.write_all(&serde_json::to_vec(approval)?)?;
        file.sync_all()?;
        fs::rename(unfinished, path)
    }
}
