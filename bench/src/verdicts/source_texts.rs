//! Texts from which cases are generated.

use std::fs;
use std::path::{Path, PathBuf};

use crate::generated_texts;
use crate::source::Source;

/// Size of a text on this machine that is used, in bytes.
const USEFUL: std::ops::Range<u64> = 8_000..400_000;
/// Number of texts from each folder.
const EACH: usize = 6;
/// Number of lines of a page when a text is cut into pages.
const PAGE: usize = 45;
/// Minimum number of sentences of a text.
const FEWEST_SENTENCES: usize = 40;

/// Reads the given files.
pub(crate) fn named(paths: &[PathBuf]) -> Result<Vec<Source>, String> {
    let read = |path: &PathBuf| {
        let bytes = fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Source::new(path.display().to_string(), &text))
    };
    paths.iter().map(read).collect()
}

/// Returns generated texts, and prose found on this machine.
pub(crate) fn usual(seed: &str) -> Vec<Source> {
    let generated = generated_texts::texts(seed).into_iter();
    let mut sources: Vec<Source> = generated
        .map(|(name, text)| Source::new(name, &text))
        .collect();
    let registry = std::env::home_dir().map(|home| home.join(".cargo/registry/src"));
    let packages: Vec<PathBuf> = registry
        .iter()
        .flat_map(|registry| entries(registry))
        .collect();
    let packages: Vec<PathBuf> = packages
        .iter()
        .flat_map(|registry| entries(registry))
        .collect();
    let in_packages = |name: &str| packages.iter().map(|package| package.join(name)).collect();
    let licences = entries(Path::new("/usr/share/common-licenses"));
    let places = [
        licences,
        in_packages("CHANGELOG.md"),
        in_packages("README.md"),
    ];
    for candidates in places {
        // The files are spread over the whole folder, not only its beginning.
        let step = (candidates.len() / (EACH * 3)).max(1);
        let found = candidates
            .iter()
            .step_by(step)
            .filter_map(|path| found(path));
        sources.extend(found.take(EACH));
    }
    sources
}

/// Lists a folder in the order of names, without links.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let own = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    let mut paths: Vec<PathBuf> = own.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Reads a text of this machine if it is prose. Every second text is cut into pages.
fn found(path: &Path) -> Option<Source> {
    let size = fs::metadata(path).ok()?.len();
    let text = fs::read_to_string(path)
        .ok()
        .filter(|_| USEFUL.contains(&size))?;
    // A text that looks like HTML would be read as HTML.
    let markup = text.trim_start().starts_with('<') || text.contains("<!--");
    let pages = size % 2 == 0;
    let text = if pages { paged(&text) } else { text };
    let source = Source::new(path.display().to_string(), &text);
    (!markup && source.sentences.len() >= FEWEST_SENTENCES).then_some(source)
}

/// Inserts a form feed after every page of lines.
fn paged(text: &str) -> String {
    let text = text.replace(['\u{c}', '\r'], "");
    let lines: Vec<&str> = text.lines().collect();
    let pages: Vec<String> = lines.chunks(PAGE).map(|page| page.join("\n")).collect();
    pages.join("\n\u{c}")
}
