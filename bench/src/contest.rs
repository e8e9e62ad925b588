//! Runs one contestant in a process of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nix::sys::resource::{UsageWho, getrusage};
use pincite_bench::harness::Sample;

use crate::plan::{Job, Who};

/// Folders of the contestants and the streams.
#[derive(Clone, Debug)]
pub(crate) struct Field {
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

impl Field {
    /// The file of a stream.
    pub(crate) fn stream(&self, name: &str) -> PathBuf {
        self.corpus.join(format!("{name}.sse"))
    }

    fn command(&self, who: Who) -> Command {
        let peers = self.bench.join("peers");
        match who {
            Who::Ours => Command::new(&self.ours),
            Who::JsonPatch => Command::new(&self.json_patch),
            // Gateways are servers: no job is theirs.
            Who::Node | Who::NodeGateway => {
                let mut command = Command::new("node");
                command.arg(peers.join("node/peer.mjs"));
                command
            }
            Who::Python => {
                let mut command = Command::new(&self.python);
                command.arg(peers.join("python/peer.py"));
                command
            }
        }
    }

    /// Measures one job; with `dump`, its result is written there.
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

/// Runs a command to its end; a failure gives what it said on stderr.
pub(crate) fn finished(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {program}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim();
    Err(match said {
        "" => format!("{program} failed: {}", output.status),
        said => said.to_owned(),
    })
}

/// The hidden argument that turns the runner into a memory probe.
pub(crate) const PROBE: &str = "--peak-of";

/// Peak memory of a command in MB.
///
/// Asks a fresh copy of the runner, since the figure of the kernel is the maximum over all
/// children a process ever waited for.
pub(crate) fn peak_of(program: &Path, args: &[OsString]) -> Result<f64, String> {
    let this = std::env::current_exe().map_err(|e| format!("cannot find the runner: {e}"))?;
    let output = finished(Command::new(this).arg(PROBE).arg(program).args(args))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let text = text.trim();
    text.parse().map_err(|_| format!("not a size: {text}"))
}

/// The probe's side of [`peak_of`]: runs the command and gives its peak memory in MB.
pub(crate) fn probe(mut command: impl Iterator<Item = OsString>) -> Result<f64, String> {
    let program = command.next().ok_or("nothing to run")?;
    finished(Command::new(program).args(command).stdout(Stdio::null()))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| format!("no usage: {e}"))?;
    Ok(usage.max_rss() as f64 / 1024.0)
}
