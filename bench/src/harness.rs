//! Harness of the Rust contestants: arguments, CPU clock, loop, output line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use nix::time::{ClockId, clock_gettime};
use serde_json::value::RawValue;

/// Size of the pieces in which a stream is fed, in bytes.
pub const CHUNK: usize = 16 * 1024;
/// CPU seconds up to which a batch of iterations grows.
const BATCH_SECONDS: f64 = 0.002;

/// Command line `MODE FILE MIN_SECONDS [--dump OUT]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Args {
    /// Mode: the operation to measure.
    pub mode: String,
    /// The SSE file.
    pub file: PathBuf,
    /// CPU seconds to reach; at least one iteration is run.
    pub min_seconds: f64,
    /// File for the final result.
    pub dump: Option<PathBuf>,
}

impl Args {
    /// Parses the arguments after the name of the program.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let args: Vec<String> = args.into_iter().collect();
        let usage = || "usage: MODE FILE MIN_SECONDS [--dump OUT]".to_owned();
        let (mode, file, seconds, dump) = match args.as_slice() {
            [mode, file, seconds] => (mode, file, seconds, None),
            [mode, file, seconds, flag, out] if flag == "--dump" => {
                (mode, file, seconds, Some(PathBuf::from(out)))
            }
            _ => return Err(usage()),
        };
        Ok(Self {
            mode: mode.clone(),
            file: PathBuf::from(file),
            min_seconds: seconds.parse().map_err(|_| usage())?,
            dump,
        })
    }

    /// Reads the whole input file.
    pub fn read(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.file).map_err(|e| format!("cannot read {}: {e}", self.file.display()))
    }

    /// Writes the dump if it was requested.
    pub fn write_dump(&self, json: impl FnOnce() -> Result<String, String>) -> Result<(), String> {
        let Some(path) = &self.dump else {
            return Ok(());
        };
        std::fs::write(path, json()?).map_err(|e| format!("cannot write {}: {e}", path.display()))
    }
}

/// One measurement, printed as a JSON line.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Events handled by one iteration.
    pub events: usize,
    /// TimedReader iterations.
    pub iterations: u64,
    /// CPU time of the timed iterations.
    pub cpu_seconds: f64,
    /// Highest memory of the process so far.
    pub peak_rss_mb: f64,
}

impl Sample {
    /// Returns the events per CPU second.
    pub fn rate(&self) -> f64 {
        self.events as f64 * self.iterations as f64 / self.cpu_seconds.max(1e-9)
    }

    /// Returns the output line of a contestant.
    pub fn to_line(&self, mode: &str, source: &Path) -> String {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        format!(
            r#"{{"mode":{mode:?},"file":{name:?},"events":{},"iterations":{},"cpu_seconds":{:.6},"peak_rss_mb":{:.1}}}"#,
            self.events, self.iterations, self.cpu_seconds, self.peak_rss_mb
        )
    }

    /// Parses the output line of a contestant.
    pub fn from_line(line: &str) -> Result<Self, String> {
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|e| format!("not a JSON line ({e}): {line}"))?;
        let number = |key: &str| {
            let found = value.get(key).and_then(serde_json::Value::as_f64);
            found.ok_or_else(|| format!("no number \"{key}\" in {line}"))
        };
        Ok(Self {
            events: number("events")? as usize,
            iterations: number("iterations")? as u64,
            cpu_seconds: number("cpu_seconds")?,
            peak_rss_mb: number("peak_rss_mb")?,
        })
    }
}

/// Returns the CPU seconds of all threads of this process.
pub fn cpu_now() -> Result<f64, String> {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map_err(|e| format!("no process CPU clock: {e}"))?;
    Ok(time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9)
}

/// Runs `once` until `min_seconds` of CPU time are used, after one untimed call.
///
/// Short iterations are timed in batches, so that reading the clock does not count.
pub fn measure(
    events: usize,
    min_seconds: f64,
    mut once: impl FnMut() -> Result<(), String>,
) -> Result<Sample, String> {
    once()?;
    let (mut iterations, mut cpu_seconds, mut batch) = (0, 0.0, 1_u64);
    loop {
        let start = cpu_now()?;
        for _ in 0..batch {
            once()?;
        }
        let took = cpu_now()? - start;
        iterations += batch;
        cpu_seconds += took;
        if cpu_seconds >= min_seconds {
            return Ok(Sample {
                events,
                iterations,
                cpu_seconds,
                peak_rss_mb: peak_rss_mb()?,
            });
        }
        if took < BATCH_SECONDS {
            batch *= 2;
        }
    }
}

/// Like [`measure`], with a fresh input per iteration that is created and dropped outside of the
/// timed part.
pub fn measure_with<T>(
    events: usize,
    min_seconds: f64,
    mut prepare: impl FnMut() -> T,
    mut once: impl FnMut(T) -> Result<T, String>,
) -> Result<Sample, String> {
    drop(once(prepare())?);
    let (mut iterations, mut cpu_seconds) = (0, 0.0);
    while iterations == 0 || cpu_seconds < min_seconds {
        let input = prepare();
        let start = cpu_now()?;
        let output = once(input)?;
        cpu_seconds += cpu_now()? - start;
        drop(output);
        iterations += 1;
    }
    Ok(Sample {
        events,
        iterations,
        cpu_seconds,
        peak_rss_mb: peak_rss_mb()?,
    })
}

/// Returns the highest resident memory of this process in MB (Linux only).
pub fn peak_rss_mb() -> Result<f64, String> {
    peak_rss_mb_of("self")
}

/// Returns the highest resident memory of a process in MB, by its number or `self`.
pub fn peak_rss_mb_of(process: &str) -> Result<f64, String> {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path).map_err(|e| format!("cannot read {path}: {e}"))?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse::<f64>().ok())
        .ok_or(format!("no VmHWM in {path}"))?;
    Ok((kilobytes / 1024.0 * 10.0).round() / 10.0)
}

/// Returns the JSON text of every `data:` line.
pub fn data_lines(sse: &[u8]) -> impl Iterator<Item = &[u8]> {
    sse.split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"data:"))
        .map(<[u8]>::trim_ascii)
}

/// JSON texts of a stream's state events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateParts {
    /// The value of the first STATE_SNAPSHOT.
    pub snapshot: String,
    /// The operations of every STATE_DELTA.
    pub deltas: Vec<String>,
}

impl StateParts {
    /// Extracts the state events of an SSE stream.
    pub fn from_sse(sse: &[u8]) -> Result<Self, String> {
        let (mut snapshot, mut deltas) = (None, Vec::new());
        for line in data_lines(sse) {
            let event: BTreeMap<&str, &RawValue> =
                serde_json::from_slice(line).map_err(|e| format!("bad event: {e}"))?;
            let field = |key: &str| {
                let raw = event.get(key).ok_or_else(|| format!("event without {key}"));
                raw.map(|raw| raw.get().to_owned())
            };
            match event.get("type").map(|raw| raw.get()) {
                Some("\"STATE_SNAPSHOT\"") if snapshot.is_none() => {
                    snapshot = Some(field("snapshot")?);
                }
                Some("\"STATE_DELTA\"") => deltas.push(field("delta")?),
                _ => {}
            }
        }
        let snapshot = snapshot.ok_or("the file has no STATE_SNAPSHOT")?;
        Ok(Self { snapshot, deltas })
    }
}

/// Runs the `main` of a contestant: prints its line or its error. Returns the exit code.
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the output of a command"
)]
pub fn contestant(run: impl FnOnce(&Args) -> Result<Sample, String>) -> std::process::ExitCode {
    let line = Args::parse(std::env::args().skip(1))
        .and_then(|args| run(&args).map(|sample| sample.to_line(&args.mode, &args.file)));
    match line {
        Ok(line) => {
            println!("{line}");
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            let program = std::env::args().next().unwrap_or_default();
            let name = Path::new(&program).file_name().unwrap_or_default();
            eprintln!("{}: {error}", name.to_string_lossy());
            std::process::ExitCode::FAILURE
        }
    }
}
