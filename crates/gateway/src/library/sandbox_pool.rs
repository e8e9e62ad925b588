//! Pool of sandbox processes that read documents and render pages.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use documents::Document;
use parking_lot::Mutex;
use sandbox::{ImageRequest, PageImageFile, SandboxLimits, SandboxReader};
use tokio::sync::Semaphore;
use tokio::task;

use super::DocumentUnavailable;

/// Command that starts the processes which read documents.
#[derive(Debug, Clone)]
pub struct ReaderCommand {
    /// Path of the program.
    pub program: PathBuf,
    /// Arguments of the program.
    pub arguments: Vec<String>,
    /// Number of processes that may run at the same time.
    pub at_once: usize,
    /// Limits on reading one file.
    pub allowance: SandboxLimits,
}

/// Pool of sandbox processes. An idle process is used again.
pub(super) struct SandboxPool {
    command: ReaderCommand,
    idle: Mutex<Vec<SandboxReader>>,
    /// Permits for processes that work; never closed.
    permits: Semaphore,
    /// Number of files that wait to be read or are being read.
    waiting: AtomicUsize,
}

/// File that is counted in `waiting` until it is dropped.
struct WaitingFile<'w>(&'w AtomicUsize);

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
        Self {
            permits: Semaphore::new(command.at_once.max(1)),
            waiting: AtomicUsize::new(0),
            idle: Mutex::default(),
            command,
        }
    }

    /// Returns the number of files that wait to be read or are being read.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Reads a file.
    pub(super) async fn read(
        &self,
        file: Bytes,
        name: String,
    ) -> Result<Document, DocumentUnavailable> {
        let _waiting = WaitingFile::new(&self.waiting);
        let limits = self.command.allowance;
        let read = self.run(move |reader| Some(reader.read(&file, &name, "", &limits, |_, _| {})));
        Ok(read.await.ok_or_else(|| fault("reading the document"))??)
    }

    /// Renders a page image.
    pub(super) async fn render(
        &self,
        file: Bytes,
        name: &'static str,
        request: ImageRequest,
    ) -> Result<PageImageFile, DocumentUnavailable> {
        let limits = self.command.allowance;
        let render = self.run(move |reader| {
            let images = reader.draw(&file, name, "", &limits, &[request]);
            images.into_iter().next()
        });
        Ok(render.await.ok_or_else(|| fault("rendering the page"))??)
    }

    /// Runs a job with a process. Returns `None` if the job panicked or gave nothing; its process is not used again.
    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut SandboxReader) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let _permit = self.permits.acquire().await;
        let mut reader = self.take_reader();
        let done = task::spawn_blocking(move || {
            let result = job(&mut reader);
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
