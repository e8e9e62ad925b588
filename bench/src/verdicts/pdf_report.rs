//! PDF part: verdicts, words, costs, damaged files, and the peers.

use std::path::{Path, PathBuf};

use pincite_bench::workspace_binaries;

use crate::case::{Case, CaseGroup, CaseKind, make};
use crate::debian_pdfs::{self, PackageFile};
use crate::judge::Judge;
use crate::peers;
use crate::report::Report;
use crate::source::Source;
use crate::table::{Row, table};
use crate::{
    Options, damaged_pdfs, dishonest, edge_cases, honest, judge_all, printed_breaks, word_quality,
};

/// Number of damaged files.
const BROKEN: usize = 2_000;
/// Number of cases of each kind for the peers.
const PEER_CASES: usize = 40;
/// Divisor of all numbers in a quick run.
const QUICK: usize = 10;

/// Returns the kinds of cases for PDFs.
pub(crate) fn kinds() -> impl Iterator<Item = &'static CaseKind> + Clone {
    let honest = honest::KINDS.iter().chain(&printed_breaks::KINDS);
    let edge = edge_cases::KINDS
        .iter()
        .filter(|kind| !kind.name.contains("line"));
    let dishonest = dishonest::KINDS.iter().chain(&dishonest::PRINTED);
    honest.chain(edge).chain(dishonest)
}

/// Runs everything. Returns true if all rows reach their figures, and the text to print.
pub(crate) fn run(
    judge: &impl Judge,
    options: &Options,
    folder: &Path,
) -> Result<(bool, String), String> {
    let target = workspace_binaries::binary_dir()?;
    let (found, missing) = match options.texts.as_slice() {
        [] => debian_pdfs::fetch(&target.join("../pdfs"))?,
        named => (named_files(named), Vec::new()),
    };
    for missing in &missing {
        crate::note(&format!("not there: {missing}"));
    }
    let sources: Vec<Source> = debian_pdfs::read(&found)?
        .into_iter()
        .map(Source::of_printed)
        .collect();
    let (report, mut rows) = verdicts(judge, options, folder, &sources)?;
    let mut text = report.text();
    if options.only.is_none() {
        let ours = target.join("ours-documents");
        let files: Vec<(String, &Path)> = sources
            .iter()
            .filter_map(|source| {
                Some((source.name.clone(), source.printed.as_ref()?.file.as_path()))
            })
            .collect();
        let mut note = |line: String| crate::note(&line);
        let coded: Vec<&PathBuf> = found
            .iter()
            .filter(|(wanted, _)| wanted.coded)
            .map(|(_, file)| file)
            .collect();
        let readable: Vec<(String, &Path)> = files
            .iter()
            .filter(|(_, file)| !coded.iter().any(|coded| coded.as_path() == *file))
            .cloned()
            .collect();
        rows.extend(word_quality::words(&ours, &readable, &mut note)?);
        rows.extend(word_quality::costs(&ours, &files, folder, &mut note)?);
        let count = if options.quick {
            BROKEN / QUICK
        } else {
            BROKEN
        };
        crate::note(&format!("{count} broken PDFs"));
        let kept = target.join("../pdfs-broken");
        rows.extend(damaged_pdfs::read_damaged_files(
            &ours,
            &files,
            &kept,
            &options.seed,
            count,
        )?);
    }
    text.push('\n');
    text.push_str(&table(&rows));
    Ok((rows.iter().all(|row| row.ok), text))
}

fn named_files(paths: &[PathBuf]) -> Vec<(&'static PackageFile, PathBuf)> {
    static NAMED: PackageFile = PackageFile {
        package: "",
        path: "",
        about: "named",
        coded: false,
    };
    paths.iter().map(|path| (&NAMED, path.clone())).collect()
}

/// Returns the verdicts on all cases, and the rows about them.
fn verdicts(
    judge: &impl Judge,
    options: &Options,
    folder: &Path,
    sources: &[Source],
) -> Result<(Report, Vec<Row>), String> {
    let wanted: Vec<&'static CaseKind> = kinds().filter(|kind| options.wants(kind)).collect();
    let share = if options.quick { QUICK } else { 1 };
    let made: Vec<(usize, Case)> = wanted
        .iter()
        .flat_map(|kind| make(kind, sources, &options.seed, kind.count.div_ceil(share)))
        .collect();
    let report = judge_all(judge, folder, sources, &made, &wanted, options)?;
    let peers = match options.peers {
        true => peers::ask(folder, sources, &made, PEER_CASES.div_ceil(share))?,
        false => Vec::new(),
    };
    let is_honest = |kind: &CaseKind| kind.group != CaseGroup::Dishonest;
    let named = |name: &'static str| move |kind: &CaseKind| kind.name == name;
    let peer_shares = |of: &dyn Fn(&CaseKind) -> bool| {
        let kinds: Vec<&'static CaseKind> =
            wanted.iter().copied().filter(|kind| of(kind)).collect();
        peers::describe_shares(&peers, &kinds)
    };
    let mut rows = Vec::new();
    let mut row = |what: &str, least: f64, of: &dyn Fn(&CaseKind) -> bool| {
        let (count, right) = report.total_of(of);
        let mut row = Row::share(what, right, count, least);
        row.peers = peer_shares(of);
        if count > 0 {
            rows.push(row);
        }
    };
    row(
        "honest quotes, all kinds: verdict and page",
        0.995,
        &is_honest,
    );
    row("verbatim", 0.999, &named("verbatim"));
    for kind in [
        "across a page break",
        "across a column break",
        "with an ellipsis",
    ] {
        row(kind, 0.97, &named(kind));
    }
    let (count, right) = report.total_of(|kind| !is_honest(kind));
    if count > 0 {
        let mut row = Row::none("dishonest quotes that are confirmed", count - right, count);
        row.peers = peer_shares(&|kind| !is_honest(kind));
        rows.push(row);
    }
    Ok((report, rows))
}
