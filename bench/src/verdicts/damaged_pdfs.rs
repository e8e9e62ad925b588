//! Damaged PDFs: real files with bytes changed, moved, removed or truncated.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use pincite_bench::corpus::rng::Rng;

use crate::table::Row;

/// Maximum size of a file that is damaged; small files consist mostly of structure.
const LARGEST: u64 = 500_000;
/// Timeout for one file in seconds, many times the usual duration on a busy machine.
const SECONDS: u64 = 30;
/// Limit on the address space of a process, in KB.
const MEMORY: usize = 2_000_000;
/// Number of parallel processes.
const WORKERS: usize = 2;

/// ReadOutcome of reading a damaged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOutcome {
    Read,
    Refused,
    Panicked,
    Hung,
    Ended,
}

/// Reads damaged files, each in a separate process. Files that crash or hang the reader are kept in
/// the folder.
pub(crate) fn read_damaged_files(
    ours: &Path,
    files: &[(String, &Path)],
    folder: &Path,
    seed: &str,
    count: usize,
) -> Result<Vec<Row>, String> {
    let mut originals = vec![crate::generated_pdf::pdf(3)];
    for (_, file) in files {
        let size = std::fs::metadata(file).map_or(u64::MAX, |about| about.len());
        if size <= LARGEST {
            let bytes = std::fs::read(file);
            originals.push(bytes.map_err(|e| format!("cannot read {}: {e}", file.display()))?);
        }
    }
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot make a folder: {e}"))?;
    let work = |worker: usize| {
        let mut outcomes = Vec::new();
        for number in (worker..count).step_by(WORKERS) {
            let mut rng = Rng::new(&format!("{seed}/hostile/{number}"));
            let original = &originals[rng.below(originals.len())];
            let file = folder.join(format!("broken-{seed}-{number}.pdf"));
            std::fs::write(&file, broken(&mut rng, original))
                .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
            let outcome = outcome(ours, &file)?;
            if matches!(outcome, ReadOutcome::Read | ReadOutcome::Refused) {
                let _ = std::fs::remove_file(&file);
            }
            outcomes.push((outcome, file));
        }
        Ok::<_, String>(outcomes)
    };
    let outcomes: Vec<Result<Vec<(ReadOutcome, PathBuf)>, String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| scope.spawn(move || work(worker)))
            .collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker
                .join()
                .unwrap_or_else(|_| Err("a worker panicked".to_owned()))
        };
        workers.into_iter().map(join).collect()
    });
    let outcomes: Vec<Vec<(ReadOutcome, PathBuf)>> =
        outcomes.into_iter().collect::<Result<_, _>>()?;
    let outcomes: Vec<(ReadOutcome, PathBuf)> = outcomes.into_iter().flatten().collect();
    let row = |what: &str, wanted: ReadOutcome| {
        let of: Vec<&PathBuf> = outcomes
            .iter()
            .filter(|found| found.0 == wanted)
            .map(|found| &found.1)
            .collect();
        let mut row = Row::none(what, of.len(), outcomes.len());
        row.peers = of
            .first()
            .map_or_else(String::new, |file| format!("such as {}", file.display()));
        row
    };
    let read = outcomes
        .iter()
        .filter(|found| found.0 == ReadOutcome::Read)
        .count();
    let mut panics = row("panics on broken PDFs", ReadOutcome::Panicked);
    if panics.ok {
        panics.peers = format!("{read} read, the others refused");
    }
    Ok(vec![
        panics,
        row("hangs on broken PDFs", ReadOutcome::Hung),
        row("out of memory or killed on broken PDFs", ReadOutcome::Ended),
    ])
}

/// Runs our reader on a file with limits.
fn outcome(ours: &Path, file: &Path) -> Result<ReadOutcome, String> {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY}; exec \"$0\" survive \"$1\""))
        .arg(ours)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| format!("cannot start a shell: {e}"))?;
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => return Ok(meaning(status)),
            None if start.elapsed() > Duration::from_secs(SECONDS) => {
                let _ = child.kill();
                let _ = child.wait();
                return Ok(ReadOutcome::Hung);
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

fn meaning(status: ExitStatus) -> ReadOutcome {
    match status.code() {
        Some(0) => ReadOutcome::Read,
        Some(1) => ReadOutcome::Refused,
        Some(101) => ReadOutcome::Panicked,
        _ => ReadOutcome::Ended,
    }
}

/// Returns a damaged copy of a file.
fn broken(rng: &mut Rng, original: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    let changes = [1, 5, 30, 200][rng.below(4)];
    for _ in 0..changes {
        let at = rng.below(bytes.len());
        let end = |from: usize, length: usize| (from + length).min(original.len());
        match rng.below(10) {
            0..5 => bytes[at] = rng.below(256) as u8,
            5..7 => {
                let end = (at + rng.below(20)).min(bytes.len() - 1);
                bytes.drain(at.min(end)..end);
            }
            7..9 => {
                let from = rng.below(original.len());
                let piece = original[from..end(from, rng.below(60))].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let digits = rng.within(1, 9) as u32;
                let number = rng.below(10_usize.pow(digits)).to_string();
                let to = (at + number.len()).min(bytes.len());
                bytes.splice(at..to, number.into_bytes());
            }
        }
    }
    if rng.below(5) == 0 {
        bytes.truncate(rng.within(1, bytes.len()));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use pincite_bench::corpus::rng::Rng;

    use super::broken;

    #[test]
    fn damaged_files_differ_and_are_reproducible() {
        let original = crate::generated_pdf::pdf(1);
        let file = |number: usize| broken(&mut Rng::new(&number.to_string()), &original);
        let changed = (0..100).filter(|&number| file(number) != original).count();
        assert!(changed > 95);
        assert_eq!(file(7), file(7));
        assert!((0..100).any(|number| file(number).len() < original.len() / 2));
    }
}
