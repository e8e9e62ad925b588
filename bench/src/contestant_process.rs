//! Runs one contestant in a separate process.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nix::sys::resource::{UsageWho, getrusage};
use pincite_bench::harness::Sample;

use crate::plan::{ContestantKind, Job};

/// Folders of the contestants and the streams.
#[derive(Clone, Debug)]
pub(crate) struct BenchPaths {
    pub(crate) ours: PathBuf,
    pub(crate) json_patch: PathBuf,
    pub(crate) python: PathBuf,
    /// The folder of this package.
    pub(crate) bench: PathBuf,
    /// The folder of the Rust contestants.
    pub(crate) binaries: PathBuf,
    pub(crate) corpus: PathBuf,
    /// Folder for results that are compared afterwards.
    pub(crate) dumps: PathBuf,
}

impl BenchPaths {
    /// Returns the file of a stream.
    pub(crate) fn stream(&self, name: &str) -> PathBuf {
        self.corpus.join(format!("{name}.sse"))
    }

    fn command(&self, who: ContestantKind) -> Command {
        let peers = self.bench.join("peers");
        match who {
            ContestantKind::Ours => Command::new(&self.ours),
            ContestantKind::JsonPatch => Command::new(&self.json_patch),
            // Gateways are servers and have no job.
            ContestantKind::Node | ContestantKind::NodeGateway => {
                let mut command = Command::new("node");
                command.arg(peers.join("node/peer.mjs"));
                command
            }
            ContestantKind::Python => {
                let mut command = Command::new(&self.python);
                command.arg(peers.join("python/peer.py"));
                command
            }
        }
    }

    /// Measures one job. With `dump`, its result is written to that file.
    pub(crate) fn run(
        &self,
        job: Job,
        min_seconds: f64,
        dump: Option<&Path>,
    ) -> Result<Sample, String> {
        let mut command = self.command(job.who);
        command
            .arg(job.mode)
            .arg(self.stream(job.stream))
            .arg(min_seconds.to_string());
        if let Some(path) = dump {
            command.arg("--dump").arg(path);
        }
        let output = finished(&mut command)?;
        Sample::from_line(String::from_utf8_lossy(&output.stdout).trim())
    }
}

/// Runs a command to its end; the error of a failure is its stderr.
pub(crate) fn finished(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {program}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = message.trim();
    Err(match message {
        "" => format!("{program} failed: {}", output.status),
        message => message.to_owned(),
    })
}

/// Hidden argument that turns the runner into a memory probe.
pub(crate) const PROBE: &str = "--peak-of";

/// Returns the peak memory of a command in MB.
///
/// Starts a fresh copy of the runner, because the kernel reports the maximum over all children of a
/// process.
pub(crate) fn peak_of(program: &Path, args: &[OsString]) -> Result<f64, String> {
    let this = std::env::current_exe().map_err(|e| format!("cannot find the runner: {e}"))?;
    let output = finished(Command::new(this).arg(PROBE).arg(program).args(args))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text.trim();
    text.parse().map_err(|_| format!("not a size: {text}"))
}

/// Probe side of [`peak_of`]: runs the command and returns its peak memory in MB.
pub(crate) fn probe(mut command: impl Iterator<Item = OsString>) -> Result<f64, String> {
    let program = command.next().ok_or("nothing to run")?;
    finished(Command::new(program).args(command).stdout(Stdio::null()))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| format!("no usage: {e}"))?;
    Ok(usage.max_rss() as f64 / 1024.0)
}
