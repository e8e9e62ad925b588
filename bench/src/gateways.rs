//! Gateways between clients and an agent: CPU time, latency and memory of the gateway process.

mod plan;
mod report;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use pincite_bench::corpus::gateway::{CITATIONS, CITED, DOCUMENT, DOCUMENT_FILE};
use pincite_bench::load::{Load, TimedReader};
use pincite_bench::server_process::ServerProcess;

use crate::contestant_process::BenchPaths;
use crate::note;
use crate::options::Options;
use crate::plan::ContestantKind;

pub(crate) use plan::names;
use plan::{Contestant, Program, Row};
pub(crate) use report::Report;

/// CPU seconds of a gateway before the timed part, which lets just-in-time compilers finish.
const WARM_UP: f64 = 1.0;
/// CPU seconds of the timed part.
const TIMED: f64 = 1.0;
/// A process is idle if it uses less than this many CPU seconds per interval.
const IDLE: f64 = 0.02;
/// Interval for detecting an idle process.
const QUIET: Duration = Duration::from_millis(500);
/// Maximum number of intervals to wait for an idle process.
const LONGEST_REST: usize = 20;
/// Maximum number of runs of a timed part.
const MAX_RUNS: usize = 4_000;

/// Chosen rows with their contestants.
pub(crate) struct Gateways {
    rows: Vec<Row>,
    contestants: Vec<Contestant>,
}

impl Gateways {
    /// Selects the rows that the options ask for.
    pub(crate) fn new(options: &Options) -> Self {
        let rows = plan::ROWS.iter().filter(|row| options.wants(row.name));
        let rows: Vec<Row> = rows.copied().collect();
        let mut contestants = Vec::new();
        for contestant in rows.iter().flat_map(|row| [Some(row.ours), row.against]) {
            if let Some(contestant) = contestant
                && !contestants.contains(&contestant)
            {
                contestants.push(contestant);
            }
        }
        Self { rows, contestants }
    }

    /// Returns true if no row was selected.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the peers that must be installed.
    pub(crate) fn peers(&self) -> impl Iterator<Item = ContestantKind> {
        self.contestants.iter().map(|one| match one.program {
            Program::Node(_) => ContestantKind::NodeGateway,
            _ => ContestantKind::Ours,
        })
    }

    /// Measures every contestant once per round, starting with a different one each time.
    pub(crate) fn measure(&self, field: &BenchPaths, options: &Options) -> Report {
        let mut report = Report::new(&self.contestants);
        for round in 0..options.rounds {
            for index in 0..self.contestants.len() {
                let index = (index + round) % self.contestants.len();
                let contestant = &self.contestants[index];
                if report.has_failed(contestant) {
                    continue;
                }
                let (now, all) = (round + 1, options.rounds);
                note(&format!("round {now}/{all} {}", contestant.name));
                report.add(contestant, measured(contestant, field));
            }
        }
        report.compare(&self.rows);
        report
    }
}

/// One measurement of a contestant.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) cpu_ms: f64,
    pub(crate) peak_mb: f64,
    /// Milliseconds to the first event of each run, in ascending order.
    pub(crate) first_ms: Vec<f64>,
    /// Milliseconds of each run, in ascending order.
    pub(crate) run_ms: Vec<f64>,
    /// Milliseconds from the end of the message to the last result, in ascending order.
    pub(crate) verified_ms: Vec<f64>,
}

/// Puts load on a separate gateway until it has used the given CPU time.
fn measured(contestant: &Contestant, field: &BenchPaths) -> Result<Figures, String> {
    let feed = &contestant.feed;
    let mut agent = Command::new(field.binaries.join("bare-axum"));
    let agent = ServerProcess::start(agent.arg(feed.mode).arg(field.stream(feed.stream)))?;
    let (gateway, url) = gateway(contestant, field, agent.url())?;
    let process = gateway.as_ref().unwrap_or(&agent);
    let mut load = Load::new(&url, contestant.clients)?;
    let cited = feed.stream == CITED && !matches!(contestant.program, Program::Node(_));
    let reader = TimedReader {
        events: feed.events,
        exact: !is_ours(contestant.program),
        verified: cited.then_some(CITATIONS),
    };
    let mut window = |seconds: f64| {
        let start = process.cpu_seconds()?;
        let enough =
            |runs: usize| Ok(runs >= MAX_RUNS || process.cpu_seconds()? - start >= seconds);
        let times = load.counted(move || reader.begin(), enough)?;
        Ok::<_, String>((times, process.cpu_seconds()? - start))
    };
    window(WARM_UP)?;
    until_quiet(process)?;
    let (times, busy) = window(TIMED)?;
    // Deferred work is part of the cost.
    let cpu_seconds = busy + until_quiet(process)?;
    let sorted = |of: fn(&pincite_bench::load::RunTimes) -> Duration| {
        let mut all: Vec<f64> = times
            .iter()
            .map(|time| of(time).as_secs_f64() * 1e3)
            .collect();
        all.sort_by(f64::total_cmp);
        all
    };
    Ok(Figures {
        cpu_ms: cpu_seconds * 1e3 / times.len().max(1) as f64,
        peak_mb: process.peak_rss_mb()?,
        first_ms: sorted(|times| times.first),
        run_ms: sorted(|times| times.whole),
        verified_ms: sorted(|times| times.verified.unwrap_or_default()),
    })
}

/// Waits until a process is idle. Returns the CPU seconds it used meanwhile.
fn until_quiet(process: &ServerProcess) -> Result<f64, String> {
    let start = process.cpu_seconds()?;
    let mut before = start;
    for _ in 0..LONGEST_REST {
        std::thread::sleep(QUIET);
        let now = process.cpu_seconds()?;
        if now - before < IDLE {
            return Ok(now - start);
        }
        before = now;
    }
    Err("it does not come to rest".to_owned())
}

fn is_ours(program: Program) -> bool {
    matches!(program, Program::InMemory | Program::Stored)
}

/// Starts the gateway in front of an agent. Returns the URL for the clients.
fn gateway(
    contestant: &Contestant,
    field: &BenchPaths,
    agent: &str,
) -> Result<(Option<ServerProcess>, String), String> {
    match contestant.program {
        Program::Direct => Ok((None, agent.to_owned())),
        Program::Node(mode) => {
            let mut command = Command::new("node");
            command
                .arg(field.bench.join("peers/gateway/gateway.mjs"))
                .args([mode, agent]);
            let server = ServerProcess::start(&mut command)?;
            let url = server.url().to_owned();
            Ok((Some(server), url))
        }
        Program::InMemory | Program::Stored => {
            let mut command = Command::new(field.binaries.join("pincite"));
            command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
            command.args(["--upstream", &format!("up={agent}")]);
            if contestant.program == Program::InMemory {
                command.arg("--in-memory");
            } else {
                command.arg("--data").arg(empty_folder(field)?);
            }
            let server = ServerProcess::start_card(&mut command)?;
            if contestant.feed.stream == CITED {
                attach(server.url(), field)?;
            }
            let url = format!("{}/agents/up", server.url());
            Ok((Some(server), url))
        }
    }
}

fn empty_folder(field: &BenchPaths) -> Result<PathBuf, String> {
    let folder = field.dumps.join("gateway-data");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .map_err(|e| format!("cannot empty {}: {e}", folder.display()))?;
    }
    Ok(folder)
}

/// Uploads the document that the answers quote to the gateway.
fn attach(url: &str, field: &BenchPaths) -> Result<(), String> {
    let path = field.corpus.join(DOCUMENT_FILE);
    let text = std::fs::read_to_string(&path)
        .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let body = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{DOCUMENT_FILE}\"\r\n\r\n{text}\r\n\
         --x\r\nContent-Disposition: form-data; name=\"attachmentId\"\r\n\r\n{DOCUMENT}\r\n--x--\r\n"
    );
    let place = url.trim_start_matches("http://");
    let failed = |e: std::io::Error| format!("cannot attach the document: {e}");
    let mut socket = TcpStream::connect(place).map_err(failed)?;
    write!(
        socket,
        "POST /prepareAttachments HTTP/1.1\r\nhost: {place}\r\nconnection: close\r\n\
         content-type: multipart/form-data; boundary=x\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .map_err(failed)?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).map_err(failed)?;
    if answer.starts_with("HTTP/1.1 200") {
        Ok(())
    } else {
        let message: String = answer.chars().take(300).collect();
        Err(format!("the document was refused: {message}"))
    }
}
