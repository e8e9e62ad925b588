//! Servers that print their URL when they have started.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::PINCITE;

/// A server process; dropping it kills it.
pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) url: String,
}

impl ServerProcess {
    /// Starts a server that prints its URL in the first line.
    #[track_caller]
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}; `make test` installs it"));
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        output.read_line(&mut line).expect("it prints its URL");
        let url = line
            .split_whitespace()
            .find(|word| word.starts_with("http://"))
            .unwrap_or_else(|| panic!("{command:?} printed no URL: {line}"))
            .to_owned();
        Self { child, url }
    }

    /// Starts `pincite stream serve` on a free port.
    #[track_caller]
    pub(crate) fn recordings<S: AsRef<OsStr>>(args: &[S]) -> Self {
        let mut command = Command::new(PINCITE);
        command.args(["stream", "serve", "--listen", "127.0.0.1:0"]);
        command.args(args);
        Self::start(command)
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
