//! The process that wants documents read.

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use documents::Document;

use crate::allowance::Allowance;
use crate::error::Unread;
use crate::frame::{Said, write_request};

/// A child is asked to give up in time; only one that does not is killed, so much later.
const GRACE: Duration = Duration::from_secs(2);

/// Reads documents, one at a time, in a process that is started when it is needed.
#[derive(Debug)]
pub struct Reader {
    program: PathBuf,
    arguments: Vec<OsString>,
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
            running: None,
        }
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
        // Nothing that is too large is sent.
        if bytes.len() > allowance.limits.bytes {
            return Err(documents::ReadError::TooLarge {
                bytes: bytes.len(),
                limit: allowance.limits.bytes,
            }
            .into());
        }
        let mut running = match self.running.take() {
            Some(running) => running,
            None => self.start().map_err(Unread::NotStarted)?,
        };
        let Running {
            child,
            input,
            output,
        } = &mut running;
        let (done, is_done) = channel::<()>();
        let time = allowance.time.saturating_add(GRACE);
        let child = &*child;
        let (said, killed) = thread::scope(|scope| {
            let watch = scope.spawn(move || {
                let late = is_done.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
                if late {
                    kill(&mut locked(child));
                }
                late
            });
            let said = write_request(input, name, password, allowance, bytes)
                .and_then(|()| listen(output, progress));
            drop(done);
            (said, watch.join().unwrap_or(true))
        });
        match said {
            _ if killed => Err(Unread::TooSlow(allowance.time)),
            Ok(Said::Refused { reason, hint }) => {
                self.running = Some(running);
                Err(Unread::Refused { reason, hint })
            }
            Ok(Said::Document(stored)) => {
                let document = Document::from_bytes(&stored).map_err(|_| Unread::Garbled)?;
                self.running = Some(running);
                Ok(document)
            }
            Ok(Said::Progress(..)) => Err(Unread::Garbled),
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

/// What the child says in the end.
fn listen(
    output: &mut BufReader<ChildStdout>,
    mut progress: impl FnMut(u32, u32),
) -> io::Result<Said> {
    loop {
        match Said::read(output)? {
            Said::Progress(done, of) => progress(done, of),
            said => return Ok(said),
        }
    }
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
