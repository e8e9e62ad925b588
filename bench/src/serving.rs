//! Serving and consuming runs over HTTP: CPU time per run of one process.

mod plan;
mod report;

use pincite_bench::harness::Sample;
use pincite_bench::load::{EventCounter, Load};
use pincite_bench::server_process::ServerProcess;

use crate::contestant_process::{BenchPaths, finished};
use crate::note;
use crate::options::Options;
use crate::plan::ContestantKind;

pub(crate) use plan::names;
use plan::{CLIENTS, Contestant, EVENTS, FEED, MEMORY_CLIENTS, MemoryRow, Role, Row};
pub(crate) use report::Report;

/// CPU seconds of a server before the timed part, which lets just-in-time compilers finish.
const WARM_UP: f64 = 1.0;
/// CPU seconds of the timed part, also of a quick run. With 0.3 seconds, runs of a fast server
/// varied by up to 50 %.
const TIMED: f64 = 1.0;

/// Chosen rows with their contestants.
pub(crate) struct Serving {
    rows: Vec<Row>,
    memory: Vec<MemoryRow>,
    contestants: Vec<Contestant>,
}

impl Serving {
    /// Selects the rows that the options ask for.
    pub(crate) fn new(options: &Options) -> Self {
        let rows = plan::ROWS.iter().filter(|row| options.wants(row.name));
        let rows: Vec<Row> = rows.copied().collect();
        let memory = plan::MEMORY.iter().filter(|row| options.wants(row.name));
        let mut contestants = Vec::new();
        for contestant in rows.iter().flat_map(|row| [row.contestant, row.against]) {
            if !contestants.contains(&contestant) {
                contestants.push(contestant);
            }
        }
        Self {
            memory: memory.copied().collect(),
            rows,
            contestants,
        }
    }

    /// Returns true if no row was selected.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.memory.is_empty()
    }

    /// Returns the peers that must be installed.
    pub(crate) fn peers(&self) -> impl Iterator<Item = ContestantKind> {
        self.contestants.iter().map(Contestant::who)
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
                let figures = match contestant.role {
                    Role::ServerProcess(_) => serve(contestant, field, CLIENTS),
                    Role::Client => consume(contestant, field),
                };
                report.add(contestant, figures);
            }
        }
        report.compare(&self.rows);
        for row in &self.memory {
            note(row.name);
            let figures = serve(&row.server, field, MEMORY_CLIENTS);
            report.add_memory(row, figures.map(|figures| figures.peak_mb));
        }
        report
    }
}

/// One measurement of a contestant.
#[derive(Clone, Debug)]
struct Figures {
    cpu_ms: f64,
    peak_mb: f64,
    /// Milliseconds to the first event of each run, ascending; empty for a client.
    first_ms: Vec<f64>,
}

/// Puts load on a separate server until it has used the given CPU time.
fn serve(contestant: &Contestant, field: &BenchPaths, clients: usize) -> Result<Figures, String> {
    let server = ServerProcess::start(&mut contestant.command(field))?;
    let mut load = Load::new(server.url(), clients)?;
    let mut window = |seconds: f64| {
        let start = server.cpu_seconds()?;
        let enough = || Ok(server.cpu_seconds()? - start >= seconds);
        let first = load.window(|| EventCounter::new(EVENTS), enough)?;
        Ok::<_, String>((first, server.cpu_seconds()? - start))
    };
    window(WARM_UP)?;
    let (first, cpu_seconds) = window(TIMED)?;
    let mut first_ms: Vec<f64> = first.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    first_ms.sort_by(f64::total_cmp);
    Ok(Figures {
        cpu_ms: cpu_seconds * 1e3 / first.len().max(1) as f64,
        peak_mb: server.peak_rss_mb()?,
        first_ms,
    })
}

/// Lets a client consume runs of a separate server.
fn consume(contestant: &Contestant, field: &BenchPaths) -> Result<Figures, String> {
    let feed = ServerProcess::start(&mut FEED.command(field))?;
    let mut command = contestant.command(field);
    command
        .arg(feed.url())
        .arg(CLIENTS.to_string())
        .arg(TIMED.to_string());
    let output = finished(&mut command)?;
    let sample = Sample::from_line(String::from_utf8_lossy(&output.stdout).trim())?;
    if sample.events != EVENTS {
        return Err(format!("{} events seen, {EVENTS} sent", sample.events));
    }
    Ok(Figures {
        cpu_ms: sample.cpu_seconds * 1e3 / sample.iterations.max(1) as f64,
        peak_mb: sample.peak_rss_mb,
        first_ms: Vec::new(),
    })
}
