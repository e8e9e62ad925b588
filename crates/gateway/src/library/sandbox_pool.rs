//! Pool of sandbox processes that read documents and render pages.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use documents::Document;
use parking_lot::Mutex;
use sandbox::{ImageRequest, PageImageFile, SandboxLimits, SandboxReader};
use store::Principal;
use tokio::task;

use super::DocumentUnavailable;
use super::fair_queue::{FairQueue, WorkOwner, WorkSlot};

/// Number of images of one owner that may wait to be rendered; further requests are rejected.
const MAX_WAITING_IMAGES: usize = 64;

/// Command that starts the processes which read documents.
#[derive(Debug, Clone)]
pub struct ReaderCommand {
    /// Path of the program.
    pub program: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Number of processes that may run at the same time. As many again are reserved for principals without running work.
    pub at_once: usize,
    /// Limits on reading one file.
    pub allowance: SandboxLimits,
}

/// Pool of sandbox processes. An idle process is used again.
pub(super) struct SandboxPool {
    command: ReaderCommand,
    idle: Mutex<Vec<SandboxReader>>,
    queue: FairQueue,
    /// Number of files that wait to be read or are being read.
    waiting: AtomicUsize,
}

/// File that is counted in `waiting` until it is dropped.
pub(super) struct WaitingFile<'w>(&'w AtomicUsize);

impl<'w> WaitingFile<'w> {
    fn new(count: &'w AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for WaitingFile<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl SandboxPool {
    pub(super) fn new(command: ReaderCommand) -> Self {
        let at_once = command.at_once.max(1);
        Self {
            queue: FairQueue::new(at_once, at_once),
            waiting: AtomicUsize::new(0),
            idle: Mutex::default(),
            command,
        }
    }

    /// Returns the number of files that wait to be read or are being read.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits for the principal's turn to read a file. The file counts as waiting until the first value is dropped.
    pub(super) async fn acquire_for_reading(
        &self,
        principal: &Principal,
    ) -> Result<(WaitingFile<'_>, WorkSlot), DocumentUnavailable> {
        let waiting = WaitingFile::new(&self.waiting);
        let owner = WorkOwner::Principal(principal.clone());
        let slot = self.queue.acquire(&owner, usize::MAX).await;
        Ok((waiting, slot.ok_or_else(|| fault("reading the document"))?))
    }

    /// Waits for the owner's turn to render an image. Returns `None` if too many of its images wait.
    pub(super) async fn acquire_for_rendering(&self, owner: &WorkOwner) -> Option<WorkSlot> {
        self.queue.acquire(owner, MAX_WAITING_IMAGES).await
    }

    /// Returns the number of processes that may run at the same time.
    pub(super) fn at_once(&self) -> usize {
        self.command.at_once.max(1)
    }

    /// Reads a file. `progress` receives the number of pages read so far.
    pub(super) async fn read(
        &self,
        slot: WorkSlot,
        file: Bytes,
        name: String,
        progress: impl Fn(u32) + Send + 'static,
    ) -> Result<Document, DocumentUnavailable> {
        let limits = self.command.allowance;
        let read = self.run(slot, move |reader| {
            Some(reader.read(&file, &name, "", &limits, |done, _| progress(done)))
        });
        Ok(read.await.ok_or_else(|| fault("reading the document"))??)
    }

    /// Renders a page image.
    pub(super) async fn render(
        &self,
        slot: WorkSlot,
        file: Bytes,
        name: &'static str,
        request: ImageRequest,
    ) -> Result<PageImageFile, DocumentUnavailable> {
        let limits = self.command.allowance;
        let render = self.run(slot, move |reader| {
            let images = reader.draw(&file, name, "", &limits, &[request]);
            images.into_iter().next()
        });
        Ok(render.await.ok_or_else(|| fault("rendering the page"))??)
    }

    /// Runs a job with a process. Returns `None` if the job panicked or gave nothing; its process is not used again.
    async fn run<T: Send + 'static>(
        &self,
        slot: WorkSlot,
        job: impl FnOnce(&mut SandboxReader) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let mut reader = self.take_reader();
        let done = task::spawn_blocking(move || {
            let result = job(&mut reader);
            // The job continues if its request is dropped, and keeps its slot to its end.
            drop(slot);
            (result, reader)
        });
        let (result, reader) = done.await.ok()?;
        let result = result?;
        self.idle.lock().push(reader);
        Some(result)
    }

    fn take_reader(&self) -> SandboxReader {
        let idle = self.idle.lock().pop();
        idle.unwrap_or_else(|| SandboxReader::new(&self.command.program, &self.command.arguments))
    }
}

fn fault(action: &str) -> DocumentUnavailable {
    DocumentUnavailable::Unreadable {
        reason: format!("{action} failed"),
        hint: "Report this fault with the file that caused it.".to_owned(),
    }
}
