//! Command line of the runner.

use std::path::PathBuf;

/// Text for `--help` and for a wrong argument.
pub(crate) const USAGE: &str = "\
usage: cargo run --release -p pincite-bench -- [options]
  --corpus DIR    use the streams in DIR instead of generating them
  --rounds N      measure every row N times (5)
  --only NAME     only rows whose name contains NAME
  --quick         one round, short measurements, every row
  --list          print the row names and stop
  --write DIR     write the streams to DIR and stop
  --ours PATH     another build of our contestant, to compare two versions";

/// Options of a benchmark run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) corpus: Option<PathBuf>,
    pub(crate) rounds: usize,
    pub(crate) only: Option<String>,
    pub(crate) quick: bool,
    pub(crate) list: bool,
    pub(crate) write: Option<PathBuf>,
    pub(crate) ours: Option<PathBuf>,
}

impl Options {
    /// Parses the arguments; the error is the text to print.
    pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            corpus: None,
            rounds: 5,
            only: None,
            quick: false,
            list: false,
            write: None,
            ours: None,
        };
        let mut args = args;
        while let Some(flag) = args.next() {
            let mut value = || args.next().ok_or(format!("{flag} needs a value\n{USAGE}"));
            match flag.as_str() {
                "--corpus" => options.corpus = Some(value()?.into()),
                "--only" => options.only = Some(value()?),
                "--write" => options.write = Some(value()?.into()),
                "--ours" => options.ours = Some(value()?.into()),
                "--quick" => options.quick = true,
                "--list" => options.list = true,
                "--rounds" => {
                    let rounds = value()?.parse().ok().filter(|rounds| *rounds > 0);
                    options.rounds = rounds.ok_or("--rounds needs a number above 0")?;
                }
                _ => return Err(format!("unknown argument {flag}\n{USAGE}")),
            }
        }
        if options.quick {
            options.rounds = 1;
        }
        Ok(options)
    }

    /// Returns the CPU seconds per measurement.
    pub(crate) fn min_seconds(&self) -> f64 {
        if self.quick { 0.3 } else { 1.0 }
    }

    /// Returns true if a row was selected.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| name.contains(only.as_str()))
    }
}
