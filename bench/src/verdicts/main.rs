//! The quality of verdicts: cases made from any text, judged by `pincite verify`.
//!
//! usage: `verdicts [options] [TEXT…]`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod case;
mod dishonest;
mod edge;
mod generated;
mod honest;
mod judge;
mod report;
mod skeleton;
mod slips;
mod source;
#[cfg(test)]
mod tests;
mod texts;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pincite_bench::product;

use case::{Case, Group, Kind};
use judge::{Judge, Product};
use report::Report;
use source::Source;

const USAGE: &str = "\
usage: cargo run --release -p pincite-bench --bin verdicts -- [options] [TEXT…]
Makes quotations from texts, right and wrong ones, and checks what `pincite verify` says of them.
Without a TEXT: generated texts, and licences, changelogs and READMEs found on this machine.
  --seed NAME     make other cases (1)
  --only NAME     only kinds whose name contains NAME
  --failures N    show so many failures of each kind (3)
  --pincite PATH  judge another build of pincite";

struct Options {
    seed: String,
    only: Option<String>,
    failures: usize,
    pincite: Option<PathBuf>,
    texts: Vec<PathBuf>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            seed: "1".to_owned(),
            only: None,
            failures: 3,
            pincite: None,
            texts: Vec::new(),
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value\n{USAGE}"));
            match arg.as_str() {
                "--seed" => options.seed = value()?,
                "--only" => options.only = Some(value()?),
                "--failures" => {
                    let number = value()?.parse();
                    options.failures = number.map_err(|_| "--failures needs a number")?;
                }
                "--pincite" => options.pincite = Some(value()?.into()),
                flag if flag.starts_with('-') => {
                    return Err(format!("unknown argument {flag}\n{USAGE}"));
                }
                text => options.texts.push(text.into()),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match Options::parse(args.into_iter()).and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("verdicts: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Every kind of case, in the order of the table.
fn kinds() -> impl Iterator<Item = &'static Kind> {
    let honest = honest::KINDS.iter().chain(&slips::KINDS);
    honest.chain(&dishonest::KINDS).chain(&edge::KINDS)
}

fn run(options: &Options) -> Result<bool, String> {
    let wanted: Vec<&'static Kind> = kinds()
        .filter(|kind| {
            options
                .only
                .as_ref()
                .is_none_or(|only| kind.name.contains(only))
        })
        .collect();
    if wanted.is_empty() {
        return Err("no kind has such a name".to_owned());
    }
    let product = match &options.pincite {
        Some(path) => path.clone(),
        None => {
            eprintln!("· building pincite");
            product::build("pincite")?;
            product::binary_dir()?.join("pincite")
        }
    };
    let sources = match options.texts.as_slice() {
        [] => texts::usual(&options.seed),
        paths => texts::named(paths)?,
    };
    let folder = std::env::temp_dir().join(format!("pincite-verdicts-{}", std::process::id()));
    let report = evaluate(&Product(product), &folder, &sources, &wanted, options);
    let _ = std::fs::remove_dir_all(&folder);
    let report = report?;
    println!("{}", report.text());
    let all_ok = Group::ALL.into_iter().all(|group| report.ok(group));
    println!(
        "{}",
        if all_ok {
            "all groups ok"
        } else {
            "some groups are BELOW"
        }
    );
    Ok(all_ok)
}

/// Makes the cases of all kinds and has them judged, source by source.
fn evaluate(
    judge: &impl Judge,
    folder: &Path,
    sources: &[Source],
    kinds: &[&'static Kind],
    options: &Options,
) -> Result<Report, String> {
    let mut report = Report::new(kinds.iter().copied(), options.failures);
    let made = kinds
        .iter()
        .flat_map(|kind| case::make(kind, sources, &options.seed));
    let made: Vec<(usize, Case)> = made.collect();
    for (number, source) in sources.iter().enumerate() {
        let cases: Vec<&Case> = made
            .iter()
            .filter(|made| made.0 == number)
            .map(|made| &made.1)
            .collect();
        eprintln!("· {} cases from {}", cases.len(), source.name);
        let given = judge::judge(judge, folder, source, &cases)?;
        for (case, given) in cases.iter().zip(&given) {
            report.add(&source.name, case, given);
        }
    }
    Ok(report)
}
