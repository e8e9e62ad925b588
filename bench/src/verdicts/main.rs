//! Quality of verdicts: cases generated from texts and PDFs, judged by `pincite verify`.
//!
//! usage: `verdicts [options] [TEXT…]`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod case;
mod damaged_pdfs;
mod debian_pdfs;
mod dishonest;
mod edge_cases;
mod file_formats;
mod forgivable_errors;
mod generated_pdf;
mod generated_texts;
mod honest;
mod judge;
mod pdf_report;
mod peers;
mod printed_breaks;
mod printed_document;
mod report;
mod skeleton;
mod source;
mod source_texts;
mod table;
#[cfg(test)]
mod tests;
mod word_quality;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pincite_bench::workspace_binaries;

use case::{Case, CaseGroup, CaseKind};
use judge::{Judge, ProductJudge};
use report::Report;
use source::Source;

const USAGE: &str = "\
usage: cargo run --release -p pincite-bench --bin verdicts -- [options] [FILE…]
Makes quotations from texts and PDFs, right and wrong ones, and checks what `pincite verify` says of them.
Without a FILE: generated texts, licences, changelogs and READMEs found on this machine, and PDFs of Debian
packages; with PDFs also their words and boxes, costs, broken files and peers.
  --seed NAME     make other cases (1)
  --only NAME     only kinds whose name contains NAME
  --part NAME     only texts, or only pdfs
  --quick         a tenth of the PDFs' cases and broken files
  --no-peers      do not ask the peers (they need Python)
  --failures N    show so many failures of each kind (3)
  --pincite PATH  judge another build of pincite";

struct Options {
    seed: String,
    only: Option<String>,
    part: Option<String>,
    quick: bool,
    peers: bool,
    failures: usize,
    pincite: Option<PathBuf>,
    texts: Vec<PathBuf>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            seed: "1".to_owned(),
            only: None,
            part: None,
            quick: false,
            peers: true,
            failures: 3,
            pincite: None,
            texts: Vec::new(),
        };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value\n{USAGE}"));
            match arg.as_str() {
                "--seed" => options.seed = value()?,
                "--only" => options.only = Some(value()?),
                "--part" => match value()? {
                    part if part == "texts" || part == "pdfs" => options.part = Some(part),
                    _ => return Err("--part is texts or pdfs".to_owned()),
                },
                "--quick" => options.quick = true,
                "--no-peers" => options.peers = false,
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

    /// Returns true if the options select a kind.
    fn wants(&self, kind: &CaseKind) -> bool {
        let only = self.only.as_ref();
        only.is_none_or(|only| kind.name.contains(only))
    }

    /// Returns these options with other files.
    fn with_files(&self, texts: Vec<PathBuf>) -> Self {
        Self {
            seed: self.seed.clone(),
            only: self.only.clone(),
            part: self.part.clone(),
            pincite: self.pincite.clone(),
            texts,
            ..*self
        }
    }
}

fn note(line: &str) {
    eprintln!("· {line}");
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

/// Returns every kind of case for texts, in the order of the table.
fn kinds() -> impl Iterator<Item = &'static CaseKind> {
    let honest = honest::KINDS.iter().chain(&forgivable_errors::KINDS);
    honest.chain(&dishonest::KINDS).chain(&edge_cases::KINDS)
}

fn run(options: &Options) -> Result<bool, String> {
    let any = kinds()
        .chain(pdf_report::kinds())
        .any(|kind| options.wants(kind));
    if !any {
        return Err("no kind has such a name".to_owned());
    }
    let product = match &options.pincite {
        Some(path) => path.clone(),
        None => {
            note("building pincite");
            workspace_binaries::build("pincite")?;
            workspace_binaries::binary_dir()?.join("pincite")
        }
    };
    let product = ProductJudge(product);
    let folder = std::env::temp_dir().join(format!("pincite-verdicts-{}", std::process::id()));
    let is_pdf = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "pdf");
    let (printed, plain): (Vec<PathBuf>, Vec<PathBuf>) =
        options.texts.iter().cloned().partition(is_pdf);
    let is_selected = |part: &str, files: &[PathBuf]| match &options.part {
        Some(only) => only == part,
        None => options.texts.is_empty() || !files.is_empty(),
    };
    let mut parts = Vec::new();
    if is_selected("texts", &plain) {
        parts.push(texts(&product, &options.with_files(plain), &folder));
    }
    if is_selected("pdfs", &printed) {
        note("building the reader of documents");
        workspace_binaries::build_one("pincite-bench", "ours-documents")?;
        parts.push(pdf_report::run(
            &product,
            &options.with_files(printed),
            &folder,
        ));
    }
    let _ = std::fs::remove_dir_all(&folder);
    let mut all_ok = true;
    for part in parts {
        let (ok, text) = part?;
        println!("{text}");
        all_ok &= ok;
    }
    println!(
        "{}",
        if all_ok {
            "all rows ok"
        } else {
            "some rows are BELOW"
        }
    );
    Ok(all_ok)
}

/// Runs the part about texts. Returns true if all groups reach their required share, and the text
/// to print.
fn texts(judge: &impl Judge, options: &Options, folder: &Path) -> Result<(bool, String), String> {
    let sources = match options.texts.as_slice() {
        [] => source_texts::usual(&options.seed),
        paths => source_texts::named(paths)?,
    };
    let wanted: Vec<&'static CaseKind> = kinds().filter(|kind| options.wants(kind)).collect();
    let report = evaluate(judge, folder, &sources, &wanted, options)?;
    let (forms_ok, forms) = file_formats::compare(judge, folder, &sources, &wanted, &options.seed)?;
    let all_ok = CaseGroup::ALL.into_iter().all(|group| report.ok(group));
    Ok((all_ok && forms_ok, report.text() + &forms))
}

/// Generates the cases of all kinds and has them judged, source by source.
fn evaluate(
    judge: &impl Judge,
    folder: &Path,
    sources: &[Source],
    kinds: &[&'static CaseKind],
    options: &Options,
) -> Result<Report, String> {
    let made = kinds
        .iter()
        .flat_map(|kind| case::make(kind, sources, &options.seed, kind.count));
    let made: Vec<(usize, Case)> = made.collect();
    judge_all(judge, folder, sources, &made, kinds, options)
}

/// Has cases judged, source by source; each case has the index of its source.
fn judge_all(
    judge: &impl Judge,
    folder: &Path,
    sources: &[Source],
    made: &[(usize, Case)],
    kinds: &[&'static CaseKind],
    options: &Options,
) -> Result<Report, String> {
    let mut report = Report::new(kinds.iter().copied(), options.failures);
    for (number, source) in sources.iter().enumerate() {
        let cases: Vec<&Case> = made
            .iter()
            .filter(|made| made.0 == number)
            .map(|made| &made.1)
            .collect();
        note(&format!("{} cases from {}", cases.len(), source.name));
        let given = judge::judge(judge, folder, source, &cases)?;
        for (case, given) in cases.iter().zip(&given) {
            report.add(&source.name, case, given);
        }
    }
    Ok(report)
}
