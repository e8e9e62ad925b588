//! Client of the worker process.

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use documents::Document;

use crate::error::SandboxError;
use crate::image_request::{ImageRequest, PageImageFile};
use crate::limits::SandboxLimits;
use crate::ocr::OcrProgram;
use crate::protocol::{BorrowedFile, WorkerReply, write_drawing, write_reading};

/// Grace period between asking the worker to stop and killing it.
const GRACE: Duration = Duration::from_secs(2);

/// Reader of documents, one at a time, in a worker process that is started on demand.
#[derive(Debug)]
pub struct SandboxReader {
    program: PathBuf,
    arguments: Vec<OsString>,
    ocr: OcrProgram,
    running: Option<WorkerProcess>,
}

#[derive(Debug)]
struct WorkerProcess {
    /// Process handle, shared with the watchdog that kills it.
    child: Mutex<Child>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl SandboxReader {
    /// Creates a reader whose worker is this program, called with these arguments. The worker must call
    /// [`serve`](crate::serve).
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            ocr: OcrProgram::default(),
            running: None,
        }
    }

    /// Sets the program and languages for text recognition.
    #[must_use]
    pub fn with_ocr(mut self, ocr: OcrProgram) -> Self {
        self.ocr = ocr;
        self
    }

    /// Reads a file. `progress` receives the pages read so far and their number.
    pub fn read(
        &mut self,
        bytes: &[u8],
        name: &str,
        password: &str,
        allowance: &SandboxLimits,
        progress: impl FnMut(u32, u32),
    ) -> Result<Document, SandboxError> {
        let ocr = self.ocr.clone();
        let file = sent(bytes, name, password, allowance, &ocr)?;
        let mut stored = None;
        let mut progress = progress;
        self.converse(
            allowance,
            |input| write_reading(input, &file),
            |said, _| match said {
                WorkerReply::Progress(done, of) => {
                    progress(done, of);
                    WorkerOutput::More
                }
                WorkerReply::Document(bytes) => {
                    stored = Some(Ok(bytes));
                    WorkerOutput::All
                }
                WorkerReply::Refused { reason, hint } => {
                    stored = Some(Err(SandboxError::Refused { reason, hint }));
                    WorkerOutput::All
                }
                WorkerReply::Picture(_) => WorkerOutput::Nonsense,
            },
        )?;
        let stored = stored.ok_or(SandboxError::Garbled)??;
        Document::from_bytes(&stored).map_err(|_| SandboxError::Garbled)
    }

    /// Renders pictures of a file, each within the timeout.
    ///
    /// Returns one result per request, in their order. A picture that kills the process is an error; the
    /// following ones are rendered by a new process.
    pub fn draw(
        &mut self,
        bytes: &[u8],
        name: &str,
        password: &str,
        allowance: &SandboxLimits,
        wanted: &[ImageRequest],
    ) -> Vec<Result<PageImageFile, SandboxError>> {
        let ocr = self.ocr.clone();
        let file = match sent(bytes, name, password, allowance, &ocr) {
            Ok(file) => file,
            Err(unread) => return vec![Err(unread); wanted.len()],
        };
        let mut made: Vec<Result<PageImageFile, SandboxError>> = Vec::with_capacity(wanted.len());
        while let Some(rest) = wanted.get(made.len()..).filter(|rest| !rest.is_empty()) {
            let ended = self.converse(
                allowance,
                |input| write_drawing(input, &file, rest),
                |said, tick| {
                    made.push(match said {
                        WorkerReply::Picture(picture) => Ok(picture),
                        WorkerReply::Refused { reason, hint } => {
                            Err(SandboxError::Refused { reason, hint })
                        }
                        WorkerReply::Document(_) | WorkerReply::Progress(..) => {
                            return WorkerOutput::Nonsense;
                        }
                    });
                    // The next picture has the full timeout. If the watchdog has ended, this has no effect.
                    let _ = tick.send(());
                    match made.len() == wanted.len() {
                        true => WorkerOutput::All,
                        false => WorkerOutput::More,
                    }
                },
            );
            match ended {
                Ok(()) => {}
                Err(unread @ SandboxError::NotStarted(_)) => {
                    made.resize(wanted.len(), Err(unread));
                }
                Err(unread) => made.push(Err(unread)),
            }
        }
        made
    }

    /// Sends a request and reads all replies. The process is killed if it is late and kept otherwise.
    fn converse(
        &mut self,
        allowance: &SandboxLimits,
        ask: impl FnOnce(&mut ChildStdin) -> io::Result<()>,
        mut hear: impl FnMut(WorkerReply, &Sender<()>) -> WorkerOutput,
    ) -> Result<(), SandboxError> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self
                .start()
                .map_err(|error| SandboxError::NotStarted(Arc::new(error)))?,
        };
        let WorkerProcess {
            child,
            input,
            output,
        } = &mut running;
        let (tick, ticks) = channel::<()>();
        let time = allowance.time.saturating_add(GRACE);
        let child = &*child;
        let (heard, killed) = thread::scope(|scope| {
            let watch = scope.spawn(move || {
                loop {
                    match ticks.recv_timeout(time) {
                        Ok(()) => {}
                        Err(RecvTimeoutError::Disconnected) => return false,
                        Err(RecvTimeoutError::Timeout) => {
                            kill(&mut locked(child));
                            return true;
                        }
                    }
                }
            });
            // The worker may reply and exit before it has read everything, so its replies are read in any case.
            let _ = ask(input);
            let heard = loop {
                match WorkerReply::read(output).map(|said| hear(said, &tick)) {
                    Ok(WorkerOutput::More) => {}
                    Ok(WorkerOutput::All) => break Ok(true),
                    Ok(WorkerOutput::Nonsense) => break Ok(false),
                    Err(error) => break Err(error),
                }
            };
            drop(tick);
            (heard, watch.join().unwrap_or(true))
        });
        match heard {
            _ if killed => Err(SandboxError::TooSlow(allowance.time)),
            Ok(true) => {
                self.running = Some(running);
                Ok(())
            }
            Ok(false) => Err(SandboxError::Garbled),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(SandboxError::Garbled),
            Err(_) => Err(SandboxError::Died {
                how: locked(child).wait().map_or(String::new(), how),
                memory: allowance.memory >> 20,
            }),
        }
    }

    fn start(&self) -> io::Result<WorkerProcess> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // The process group lets us kill the children of the worker with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(WorkerProcess {
            child: Mutex::new(child),
            input,
            output: BufReader::with_capacity(1 << 16, output),
        })
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let mut child = locked(&self.child);
        kill(&mut child);
        // The exit status is not needed any more.
        let _ = child.wait();
    }
}

/// Kills a process and its children. It may have ended by itself just now.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
}

fn locked(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Progress of a conversation with the worker.
enum WorkerOutput {
    /// More replies follow.
    More,
    /// The last reply was received.
    All,
    /// The reply does not fit the request.
    Nonsense,
}

/// Prepares a file for sending; a file over the limit is refused.
fn sent<'a>(
    bytes: &'a [u8],
    name: &'a str,
    password: &'a str,
    allowance: &'a SandboxLimits,
    ocr: &'a OcrProgram,
) -> Result<BorrowedFile<'a>, SandboxError> {
    let limit = allowance.limits.bytes;
    if bytes.len() > limit {
        let bytes = bytes.len();
        return Err(documents::DocumentError::TooLarge { bytes, limit }.into());
    }
    Ok(BorrowedFile {
        name,
        password,
        allowance,
        ocr,
        bytes,
    })
}

/// Describes the end of a process in words.
fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "unknown".to_owned(),
    }
}
