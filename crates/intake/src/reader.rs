//! The process that wants documents read.

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use documents::Document;

use crate::allowance::Allowance;
use crate::error::Unread;
use crate::frame::{Said, Sent, write_drawing, write_reading};
use crate::ocr::Ocr;
use crate::picture::{Picture, Wanted};

/// A child is asked to give up in time; only one that does not is killed, so much later.
const GRACE: Duration = Duration::from_secs(2);

/// Reads documents, one at a time, in a process that is started when it is needed.
#[derive(Debug)]
pub struct Reader {
    program: PathBuf,
    arguments: Vec<OsString>,
    ocr: Ocr,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    /// The watch kills it while it is listened to.
    child: Mutex<Child>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Reader {
    /// A reader whose process is this program, called with these arguments; it must call
    /// [`serve`](crate::serve).
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            ocr: Ocr::default(),
            running: None,
        }
    }

    /// Recognises words in pictures with another program, or in other languages.
    #[must_use]
    pub fn recognising(mut self, ocr: Ocr) -> Self {
        self.ocr = ocr;
        self
    }

    /// Reads a file; `progress` is told now and then how many pages are read, and of how many.
    pub fn read(
        &mut self,
        bytes: &[u8],
        name: &str,
        password: &str,
        allowance: &Allowance,
        progress: impl FnMut(u32, u32),
    ) -> Result<Document, Unread> {
        let ocr = self.ocr.clone();
        let file = sent(bytes, name, password, allowance, &ocr)?;
        let mut stored = None;
        let mut progress = progress;
        self.converse(
            allowance,
            |input| write_reading(input, &file),
            |said, _| match said {
                Said::Progress(done, of) => {
                    progress(done, of);
                    Heard::More
                }
                Said::Document(bytes) => {
                    stored = Some(Ok(bytes));
                    Heard::All
                }
                Said::Refused { reason, hint } => {
                    stored = Some(Err(Unread::Refused { reason, hint }));
                    Heard::All
                }
                Said::Picture(_) => Heard::Nonsense,
            },
        )?;
        let stored = stored.ok_or(Unread::Garbled)??;
        Document::from_bytes(&stored).map_err(|_| Unread::Garbled)
    }

    /// Makes pictures of a file, each within the time of the allowance.
    ///
    /// There is an answer for each that is wanted, in their order. A picture that kills the process is an
    /// error, and those after it are made by another.
    pub fn draw(
        &mut self,
        bytes: &[u8],
        name: &str,
        password: &str,
        allowance: &Allowance,
        wanted: &[Wanted],
    ) -> Vec<Result<Picture, Unread>> {
        let ocr = self.ocr.clone();
        let file = match sent(bytes, name, password, allowance, &ocr) {
            Ok(file) => file,
            Err(unread) => return vec![Err(unread); wanted.len()],
        };
        let mut made: Vec<Result<Picture, Unread>> = Vec::with_capacity(wanted.len());
        while let Some(rest) = wanted.get(made.len()..).filter(|rest| !rest.is_empty()) {
            let ended = self.converse(
                allowance,
                |input| write_drawing(input, &file, rest),
                |said, tick| {
                    made.push(match said {
                        Said::Picture(picture) => Ok(picture),
                        Said::Refused { reason, hint } => Err(Unread::Refused { reason, hint }),
                        Said::Document(_) | Said::Progress(..) => return Heard::Nonsense,
                    });
                    // The next one has as long. If nobody watches any more, it is over.
                    let _ = tick.send(());
                    match made.len() == wanted.len() {
                        true => Heard::All,
                        false => Heard::More,
                    }
                },
            );
            match ended {
                Ok(()) => {}
                Err(unread @ Unread::NotStarted(_)) => {
                    made.resize(wanted.len(), Err(unread));
                }
                Err(unread) => made.push(Err(unread)),
            }
        }
        made
    }

    /// Asks the process something and hears it out; it is killed when it is late, and kept if all is well.
    fn converse(
        &mut self,
        allowance: &Allowance,
        ask: impl FnOnce(&mut ChildStdin) -> io::Result<()>,
        mut hear: impl FnMut(Said, &Sender<()>) -> Heard,
    ) -> Result<(), Unread> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self
                .start()
                .map_err(|error| Unread::NotStarted(Arc::new(error)))?,
        };
        let Running {
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
            // It may say why and end before it has read everything: it is listened to in any case.
            let _ = ask(input);
            let heard = loop {
                match Said::read(output).map(|said| hear(said, &tick)) {
                    Ok(Heard::More) => {}
                    Ok(Heard::All) => break Ok(true),
                    Ok(Heard::Nonsense) => break Ok(false),
                    Err(error) => break Err(error),
                }
            };
            drop(tick);
            (heard, watch.join().unwrap_or(true))
        });
        match heard {
            _ if killed => Err(Unread::TooSlow(allowance.time)),
            Ok(true) => {
                self.running = Some(running);
                Ok(())
            }
            Ok(false) => Err(Unread::Garbled),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(Unread::Garbled),
            Err(_) => Err(Unread::Died {
                how: locked(child).wait().map_or(String::new(), how),
                memory: allowance.memory >> 20,
            }),
        }
    }

    fn start(&self) -> io::Result<Running> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        // A group of its own: whatever it starts is ended with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Running {
            child: Mutex::new(child),
            input,
            output: BufReader::with_capacity(1 << 16, output),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut child = locked(&self.child);
        kill(&mut child);
        // Nobody is left who could be told.
        let _ = child.wait();
    }
}

/// Ends a process and those that it has started. It may have ended by itself just now.
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

/// What was heard.
enum Heard {
    /// There is more to come.
    More,
    /// That was all.
    All,
    /// Something else than was asked for.
    Nonsense,
}

/// A file to send; nothing that is too large is sent.
fn sent<'a>(
    bytes: &'a [u8],
    name: &'a str,
    password: &'a str,
    allowance: &'a Allowance,
    ocr: &'a Ocr,
) -> Result<Sent<'a>, Unread> {
    let limit = allowance.limits.bytes;
    if bytes.len() > limit {
        let bytes = bytes.len();
        return Err(documents::ReadError::TooLarge { bytes, limit }.into());
    }
    Ok(Sent {
        name,
        password,
        allowance,
        ocr,
        bytes,
    })
}

/// How a process ended, in words.
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
