//! Words and boxes compared with `pdftotext`, and the cost of reading.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use pincite_bench::harness::Sample;
use unicode_normalization::UnicodeNormalization;

use crate::generated_pdf;
use crate::printed_document::{PageArea, PrintedWord, pdftotext, turned, words_with_boxes};
use crate::source::is_spaceless;
use crate::table::{Bound, Row};

/// Number of rounds of time measurements.
const ROUNDS: usize = 3;
/// CPU seconds of one of our measurements.
const MIN_SECONDS: &str = "0.2";

/// Counts of words of a file: common, ours, of the other program; and overlap of boxes.
#[derive(Clone, Debug, Default)]
struct WordAgreement {
    both: usize,
    ours: usize,
    theirs: usize,
    overlaps: Vec<f64>,
}

impl WordAgreement {
    fn precision(&self) -> f64 {
        self.both as f64 / self.ours.max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.both as f64 / self.theirs.max(1) as f64
    }
}

/// Returns rows about words and boxes. A line for each file goes to `note`.
pub(crate) fn words(
    ours: &Path,
    files: &[(String, &Path)],
    note: &mut dyn FnMut(String),
) -> Result<Vec<Row>, String> {
    let mut all = WordAgreement::default();
    let mut worst: Option<(f64, &str)> = None;
    for (name, file) in files {
        let theirs = words_with_boxes(&pdftotext(&["-bbox"], file)?);
        let own = read_words(&run(ours, &["words"], file)?);
        let one = agreement(&own, &theirs);
        let lower = one.precision().min(one.recall());
        note(format!(
            "{name}: words precision {:.4}, recall {:.4}; boxes {:.3}",
            one.precision(),
            one.recall(),
            median(one.overlaps.clone())
        ));
        if worst.is_none_or(|worst| lower < worst.0) {
            worst = Some((lower, name));
        }
        all.both += one.both;
        all.ours += one.ours;
        all.theirs += one.theirs;
        all.overlaps.extend(one.overlaps);
    }
    let (lowest, name) = worst.ok_or("there is no PDF")?;
    Ok(vec![
        Row::bound(
            "words, precision, all files",
            all.precision(),
            Bound::AtLeast(0.99),
        ),
        Row::bound(
            "words, recall, all files",
            all.recall(),
            Bound::AtLeast(0.99),
        ),
        Row::bound(
            format!("words, lowest: {name}"),
            lowest,
            Bound::AtLeast(0.97),
        ),
        Row::bound(
            "boxes, overlap, median",
            median(all.overlaps),
            Bound::AtLeast(0.85),
        ),
    ])
}

/// Returns rows about time and memory.
pub(crate) fn costs(
    ours: &Path,
    files: &[(String, &Path)],
    folder: &Path,
    note: &mut dyn FnMut(String),
) -> Result<Vec<Row>, String> {
    let (mut own, mut theirs) = (0.0, 0.0);
    let mut peak: f64 = 0.0;
    for (name, file) in files {
        let (mut us, mut them) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let sample = sample(ours, file)?;
            us.push(sample.cpu_seconds / sample.iterations as f64);
            peak = peak.max(sample.peak_rss_mb);
            them.push(cpu_of_pdftotext(file)?);
        }
        let (us, them) = (median(us), median(them));
        note(format!(
            "{name}: {:.0} ms, pdftotext -bbox {:.0} ms",
            us * 1e3,
            them * 1e3
        ));
        own += us;
        theirs += them;
    }
    let per_page = |pages: usize| {
        let file = folder.join(format!("made-{pages}.pdf"));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&file, generated_pdf::pdf(pages)))
            .map_err(|e| format!("cannot write {}: {e}", file.display()))?;
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let sample = sample(ours, &file)?;
            times.push(1.0 / sample.rate());
            if pages == 1000 {
                peak = peak.max(sample.peak_rss_mb);
            }
        }
        Ok::<f64, String>(median(times))
    };
    let [few, many] = [10, 1000].map(per_page);
    let growth = many? / few?;
    Ok(vec![
        Row::bound(
            "CPU time, as a share of pdftotext -bbox",
            own / theirs,
            Bound::AtMost(0.5),
        ),
        Row::bound(
            "time per page, 1,000 pages against 10",
            growth,
            Bound::AtMost(1.5),
        ),
        Row::bound("highest memory, MB", peak, Bound::AtMost(300.0)),
    ])
}

fn sample(ours: &Path, file: &Path) -> Result<Sample, String> {
    let output = Command::new(ours)
        .arg("read")
        .arg(file)
        .arg(MIN_SECONDS)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {}: {e}", ours.display()))?;
    Sample::from_line(String::from_utf8_lossy(&output.stdout).trim())
}

/// Returns the CPU seconds of one call of `pdftotext`.
fn cpu_of_pdftotext(file: &Path) -> Result<f64, String> {
    let used = || {
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| e.to_string())?;
        let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        Ok::<f64, String>(micros as f64 / 1e6)
    };
    let before = used()?;
    Command::new("pdftotext")
        .arg("-bbox")
        .arg(file)
        .arg("/dev/null")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|e| format!("cannot start pdftotext: {e}"))?;
    Ok(used()? - before)
}

fn run(program: &Path, args: &[&str], file: &Path) -> Result<String, String> {
    let output = Command::new(program)
        .args(args)
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot start {}: {e}", program.display()))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

fn read_words(lines: &str) -> Vec<Vec<PrintedWord>> {
    let mut pages: Vec<Vec<PrintedWord>> = Vec::new();
    for line in lines.lines() {
        let fields: Vec<&str> = line.splitn(6, '\t').collect();
        let [page, left, top, right, bottom, text] = fields.as_slice() else {
            continue;
        };
        let number = |field: &str| field.parse().unwrap_or_default();
        let page: usize = page.parse().unwrap_or_default();
        if pages.len() < page {
            pages.resize(page, Vec::new());
        }
        if let Some(page) = page.checked_sub(1).and_then(|page| pages.get_mut(page)) {
            page.push(PrintedWord {
                area: PageArea {
                    left: number(left),
                    top: number(top),
                    right: number(right),
                    bottom: number(bottom),
                },
                text: (*text).to_owned(),
            });
        }
    }
    pages
}

fn agreement(ours: &[Vec<PrintedWord>], theirs: &[Vec<PrintedWord>]) -> WordAgreement {
    let mut all = WordAgreement::default();
    for page in 0..ours.len().max(theirs.len()) {
        let own = ours.get(page).map_or(&[][..], Vec::as_slice);
        let other = theirs.get(page).map_or(&[][..], Vec::as_slice);
        let (mut own_parts, other_parts) = (counted(own, same), counted(other, turned));
        all.ours += own_parts.values().sum::<usize>();
        all.theirs += other_parts.values().sum::<usize>();
        for (part, count) in other_parts {
            let own = own_parts.remove(&part).unwrap_or(0);
            all.both += own.min(count);
        }
        let mut places: HashMap<String, Vec<PageArea>> = HashMap::new();
        for word in own {
            places.entry(same(&word.text)).or_default().push(word.area);
        }
        all.overlaps.extend(other.iter().map(|word| {
            let same = places.get(&turned(&word.text)).into_iter().flatten();
            same.map(|area| area.overlap(&word.area))
                .fold(0.0, f64::max)
        }));
    }
    all
}

/// Counts the parts of words, split at punctuation. Each mark is a part, dots are dropped.
fn counted(words: &[PrintedWord], form: fn(&str) -> String) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in words {
        let text = form(&word.text);
        let mut part = String::new();
        let mut end = |part: &mut String| {
            if !part.is_empty() {
                *counts.entry(std::mem::take(part)).or_insert(0) += 1;
            }
        };
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            let joins = (c.is_alphanumeric() || c == '_') && !is_spaceless(c);
            if !joins {
                end(&mut part);
            }
            if !matches!(c, '.' | '·' | '…') {
                part.push(c);
            }
            if !joins {
                end(&mut part);
            }
        }
        end(&mut part);
    }
    counts
}

/// Returns a word in the form in which words are compared.
fn same(word: &str) -> String {
    word.nfkc().collect()
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{agreement, read_words};
    use crate::printed_document::words_with_boxes;

    #[test]
    fn compares_words_and_boxes() {
        let theirs = "<page height=\"9\">\n\
            <word xMin=\"0\" yMin=\"0\" xMax=\"4\" yMax=\"1\">ﬁne,day</word>\n\
            <word xMin=\"5\" yMin=\"0\" xMax=\"6\" yMax=\"1\">....</word>\n\
            <word xMin=\"7\" yMin=\"0\" xMax=\"9\" yMax=\"1\">gone</word>";
        let ours = "1\t0\t0\t2\t1\tfine,\n1\t2\t0\t4\t1\tday\n";
        let found = agreement(&read_words(ours), &words_with_boxes(theirs));
        assert_eq!((found.both, found.ours, found.theirs), (3, 3, 4));
        assert_eq!(found.overlaps, [0.0, 0.0, 0.0]);
        let whole = agreement(
            &read_words("1\t0\t0\t2\t1\tfine,day"),
            &words_with_boxes(theirs),
        );
        assert_eq!(whole.overlaps, [0.5, 0.0, 0.0]);
    }
}
