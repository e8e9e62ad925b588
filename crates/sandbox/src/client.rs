//! Client of the worker process.

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use documents::Document;
use parking_lot::Mutex;

use crate::error::SandboxError;
use crate::image_request::{ImageRequest, PageImageFile};
use crate::limits::SandboxLimits;
use crate::ocr::OcrProgram;
use crate::protocol::{
    FileOptions, Frame, WorkerReply, WorkerRequest, WorkerTask, read_frame, write_frame,
};

/// Grace period between asking the worker to stop and killing it.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// Reader of documents, one at a time, in a worker process that is started on demand.
#[derive(Debug)]
pub struct SandboxReader {
    program: PathBuf,
    arguments: Vec<OsString>,
    ocr: OcrProgram,
    /// Worker of the last request, kept for the next one.
    worker: Option<WorkerProcess>,
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
            worker: None,
        }
    }

    /// Sets the program and languages for text recognition.
    #[must_use]
    pub fn with_ocr(mut self, ocr: OcrProgram) -> Self {
        self.ocr = ocr;
        self
    }

    /// Reads a file. `progress` receives the number of pages read so far and of all pages.
    pub fn read(
        &mut self,
        bytes: &[u8],
        name: &str,
        password: &str,
        limits: &SandboxLimits,
        mut progress: impl FnMut(u32, u32),
    ) -> Result<Document, SandboxError> {
        check_size(bytes, limits)?;
        let request = self.request(WorkerTask::Read, name, password, limits);
        let mut result = None;
        self.exchange(&request, bytes, |Frame { message, payload }, _| {
            match message {
                WorkerReply::Progress(done, of) => {
                    progress(done, of);
                    return Expectation::More;
                }
                WorkerReply::Document => result = Some(Ok(payload)),
                WorkerReply::Refused { reason, hint } => {
                    result = Some(Err(SandboxError::Refused { reason, hint }));
                }
                WorkerReply::Picture { .. } => return Expectation::Violated,
            }
            Expectation::Complete
        })?;
        let stored = result.ok_or(SandboxError::InvalidReply)??;
        Document::from_bytes(&stored).map_err(|_| SandboxError::InvalidReply)
    }

    /// Renders pictures of a file, each within the timeout.
    ///
    /// Returns one result per request, in their order. A picture that kills the process is an error;
    /// the following ones are rendered by a new process.
    pub fn draw(
        &mut self,
        bytes: &[u8],
        name: &str,
        password: &str,
        limits: &SandboxLimits,
        requests: &[ImageRequest],
    ) -> Vec<Result<PageImageFile, SandboxError>> {
        if let Err(error) = check_size(bytes, limits) {
            return vec![Err(error); requests.len()];
        }
        let mut results: Vec<Result<PageImageFile, SandboxError>> =
            Vec::with_capacity(requests.len());
        while let Some(rest) = requests
            .get(results.len()..)
            .filter(|rest| !rest.is_empty())
        {
            let request = self.request(WorkerTask::Draw(rest.to_vec()), name, password, limits);
            let exchanged = self.exchange(&request, bytes, |Frame { message, payload }, watch| {
                results.push(match message {
                    WorkerReply::Picture {
                        width,
                        height,
                        format,
                        is_simplified,
                    } => Ok(PageImageFile {
                        width,
                        height,
                        format,
                        is_simplified,
                        bytes: payload,
                    }),
                    WorkerReply::Refused { reason, hint } => {
                        Err(SandboxError::Refused { reason, hint })
                    }
                    WorkerReply::Document | WorkerReply::Progress(..) => {
                        return Expectation::Violated;
                    }
                });
                // The next picture has the full timeout. If the watchdog has ended, this has no effect.
                let _ = watch.send(());
                match results.len() == requests.len() {
                    true => Expectation::Complete,
                    false => Expectation::More,
                }
            });
            match exchanged {
                Ok(()) => {}
                Err(error @ SandboxError::NotStarted(_)) => {
                    results.resize(requests.len(), Err(error));
                }
                Err(error) => results.push(Err(error)),
            }
        }
        results
    }

    fn request(
        &self,
        task: WorkerTask,
        name: &str,
        password: &str,
        limits: &SandboxLimits,
    ) -> WorkerRequest {
        WorkerRequest {
            task,
            file: FileOptions {
                name: name.to_owned(),
                password: password.to_owned(),
                limits: *limits,
                ocr: self.ocr.clone(),
            },
        }
    }

    /// Sends a request and passes the replies to `receive`, which may restart the timeout through its
    /// second argument. The process is killed if it is late or violates the protocol.
    fn exchange(
        &mut self,
        request: &WorkerRequest,
        file: &[u8],
        mut receive: impl FnMut(Frame<WorkerReply>, &Sender<()>) -> Expectation,
    ) -> Result<(), SandboxError> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => self
                .start()
                .map_err(|error| SandboxError::NotStarted(Arc::new(error)))?,
        };
        let WorkerProcess {
            child,
            input,
            output,
        } = &mut worker;
        let limits = &request.file.limits;
        let timeout = limits.time.saturating_add(GRACE_PERIOD);
        let (watch, restarts) = channel::<()>();
        let child = &*child;
        let (outcome, killed) = thread::scope(|scope| {
            let watchdog = scope.spawn(move || {
                loop {
                    match restarts.recv_timeout(timeout) {
                        Ok(()) => {}
                        Err(RecvTimeoutError::Disconnected) => return false,
                        Err(RecvTimeoutError::Timeout) => {
                            kill(&mut child.lock());
                            return true;
                        }
                    }
                }
            });
            // The worker may reply and exit before it has read everything, so its replies are read
            // even if sending fails.
            let _ = write_frame(input, request, file);
            let outcome = loop {
                // A worker cannot produce a payload that is larger than its memory.
                let reply = read_frame(output, limits.memory);
                match reply.map(|frame| receive(frame, &watch)) {
                    Ok(Expectation::More) => {}
                    Ok(Expectation::Complete) => break Ok(()),
                    Ok(Expectation::Violated) => break Err(io::ErrorKind::InvalidData.into()),
                    Err(error) => break Err(error),
                }
            };
            drop(watch);
            (outcome, watchdog.join().unwrap_or(true))
        });
        match outcome {
            _ if killed => Err(SandboxError::TooSlow(limits.time)),
            Ok(()) => {
                self.worker = Some(worker);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(SandboxError::InvalidReply)
            }
            Err(_) => Err(SandboxError::Died {
                how: child.lock().wait().map_or(String::new(), describe_exit),
                memory: limits.memory >> 20,
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
        let mut child = self.child.lock();
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

/// Reaction of the receiver to a reply.
enum Expectation {
    /// More replies follow.
    More,
    /// This was the last reply.
    Complete,
    /// The reply does not fit the request.
    Violated,
}

/// Refuses a file that is larger than its limit.
fn check_size(bytes: &[u8], limits: &SandboxLimits) -> Result<(), SandboxError> {
    let limit = limits.limits.bytes;
    if bytes.len() > limit {
        let bytes = bytes.len();
        return Err(documents::DocumentError::TooLarge { bytes, limit }.into());
    }
    Ok(())
}

/// Describes the end of a process in words.
fn describe_exit(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "unknown".to_owned(),
    }
}
