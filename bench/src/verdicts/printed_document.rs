//! PDFs as `pdftotext` reads them: positions of words, running text, continuations across columns
//! and pages.
//!
//! Everything comes from `pdftotext` (poppler), nothing from the product. A passage is used only if
//! three ways of reading the page agree: layout order, file order, and blocks with boxes.

mod layout;
mod margins;
mod running_text;

pub(crate) use layout::{PageArea, PrintedWord, turned, words_with_boxes};

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memchr::memmem;
use unicode_normalization::char::is_combining_mark;

use crate::skeleton::{marked, strict};
use layout::Page;

/// Continuation of running text in the next column or on the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Continuation {
    /// Byte of the text at which the line before the gap begins.
    pub(crate) line: usize,
    /// Byte at which that line ends.
    pub(crate) before: usize,
    /// Byte of the text at which reading continues.
    pub(crate) after: usize,
    /// True if the continuation is on the next page.
    pub(crate) turns_page: bool,
}

/// Two lines at the same height in neighbouring columns, as byte ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SideBySideLines {
    pub(crate) left: (usize, usize),
    pub(crate) right: (usize, usize),
}

/// A PDF as `pdftotext` reads it.
#[derive(Clone, Debug)]
pub(crate) struct PrintedDocument {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    /// RunningText text: lines, an empty line between blocks, a form feed between pages.
    pub(crate) text: String,
    pub(crate) gaps: Vec<Continuation>,
    pub(crate) abreast: Vec<SideBySideLines>,
    /// Bytes of the text that no passage crosses, because the next line is no continuation.
    barriers: Vec<usize>,
    /// Words that are printed with a letter in place of a bracket.
    brackets: HashSet<String>,
    /// First bytes of words that are raised, lowered, smaller than the rest or cut off.
    odd: Vec<usize>,
    /// Output of `pdftotext`, for the peers.
    pub(crate) plain: String,
    /// Letters and digits of each page in several ways of reading; an empty one is ignored.
    witnesses: Vec<[String; 2]>,
    strict: Vec<String>,
}

impl PrintedDocument {
    /// Reads a PDF with `pdftotext`. The name is used in the report.
    pub(crate) fn read(name: &str, file: &Path) -> Result<Self, String> {
        let plain = pdftotext(&[], file)?;
        let raw = pdftotext(&["-raw"], file)?;
        let boxes = pdftotext(&["-bbox-layout"], file)?;
        Ok(Self::new(name, file, &plain, &raw, &layout::pages(&boxes)))
    }

    fn new(name: &str, file: &Path, plain: &str, raw: &str, pages: &[Page]) -> Self {
        let running = running_text::text(pages);
        let texts = plain.split('\u{c}').zip(raw.split('\u{c}'));
        let witnesses = pages.iter().zip(texts).map(|(page, (plain, raw))| {
            // In file order, right-to-left lines are not in reading order.
            let raw = if page.is_right_to_left() {
                String::new()
            } else {
                marked(raw)
            };
            [marked(plain), raw]
        });
        let mut printed = Self {
            name: name.to_owned(),
            file: file.to_owned(),
            witnesses: witnesses.collect(),
            text: running.text,
            gaps: Vec::new(),
            abreast: running.abreast,
            barriers: running.barriers,
            brackets: HashSet::new(),
            odd: running.odd,
            plain: plain.to_owned(),
            strict: vec![strict(plain), strict(raw)],
        };
        printed.brackets = brackets(&printed.text);
        printed.gaps = running
            .gaps
            .into_iter()
            .filter(|gap| printed.goes_on(gap))
            .collect();
        printed
    }

    /// Returns the number of pages.
    pub(crate) fn pages(&self) -> u32 {
        u32::try_from(self.witnesses.len()).unwrap_or(u32::MAX)
    }

    /// Returns true if a part of the text is read in the same way by all readers: no interruption,
    /// no raised letters, formulas or footnote marks.
    pub(crate) fn is_plain(&self, range: Range<usize>) -> bool {
        let inside = |places: &[usize], first: usize| {
            let next = places.partition_point(|&at| at < first);
            places.get(next).is_some_and(|&at| at < range.end)
        };
        !inside(&self.barriers, range.start + 1)
            && !inside(&self.odd, range.start)
            && self.text[range].split_whitespace().all(|word| {
                is_plain_word(word) && parts(word).all(|part| !self.brackets.contains(part))
            })
    }

    /// Returns true if every way of reading a page has these words in sequence.
    pub(crate) fn agrees(&self, page: u32, words: &str) -> bool {
        let words = marked(words);
        let has = |text: &String| {
            text.is_empty() || memmem::find(text.as_bytes(), words.as_bytes()).is_some()
        };
        self.witnesses
            .get(page as usize - 1)
            .is_some_and(|ways| !ways[0].is_empty() && ways.iter().all(has))
    }

    /// Returns the pages that have these words in sequence in any way of reading.
    pub(crate) fn pages_with(&self, quote: &str) -> Vec<u32> {
        let quote = marked(quote);
        let finder = memmem::Finder::new(quote.as_bytes());
        let has = |text: &String| finder.find(text.as_bytes()).is_some();
        let pages = (1..).zip(&self.witnesses);
        pages
            .filter(|(_, ways)| !quote.is_empty() && ways.iter().any(has))
            .map(|(page, _)| page)
            .collect()
    }

    /// Returns the letters, digits and signs of the whole file.
    pub(crate) fn strict(&self) -> &[String] {
        &self.strict
    }

    /// Returns true if every way of reading has both sides of a gap, and file order continues
    /// across a gap between columns. (Layout order often splits columns.)
    fn goes_on(&self, gap: &Continuation) -> bool {
        let page = |at: usize| 1 + self.text[..at].matches('\u{c}').count() as u32;
        let end = self.text[gap.after..].find('\n');
        let end = end.map_or(self.text.len(), |end| gap.after + end);
        let (before, after) = (&self.text[gap.line..gap.before], &self.text[gap.after..end]);
        let over = || {
            let [_, raw] = &self.witnesses[page(gap.before) as usize - 1];
            let words = marked(&format!("{before} {after}"));
            memmem::find(raw.as_bytes(), words.as_bytes()).is_some()
        };
        self.agrees(page(gap.before), before)
            && self.agrees(page(gap.after), after)
            && (gap.turns_page || over())
    }
}

fn is_plain_word(word: &str) -> bool {
    let usual = |c: char| {
        (c.is_alphabetic() && !is_combining_mark(c))
            || c.is_ascii_digit()
            || matches!(c, '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}')
            || c.is_ascii_punctuation()
            || "“”‘’«»„‚–—‐…•●§°€£،؛؟、。，：；（）？！《》「」『』".contains(c)
    };
    let marks = ['.', ',', ';', ':', '!', '?', ')', '”', '’', '。', '，'];
    let digits = word.trim_end_matches(|c: char| c.is_ascii_digit());
    // "word.1" has a footnote mark, "1.1" is a number.
    let marked = digits.len() < word.len()
        && digits.ends_with(marks)
        && digits
            .trim_end_matches(marks)
            .ends_with(char::is_alphabetic);
    // A single letter belongs to a formula or a drawn sign, unless it is a word. A capital with a
    // point belongs to a name.
    let mut letters = word.chars().filter(|c| c.is_alphanumeric());
    let alone = letters.next().is_some_and(|c| {
        letters.next().is_none()
            && (c.is_lowercase() && !"aeoyéàó".contains(c)
                || c.is_uppercase() && !"AIOYÉÀÓ".contains(c) && !word.ends_with('.'))
    });
    // Code and markup are not prose. A single comma follows something that was not printed, a
    // circumflex between letters is a separate accent, and "ÿ" is a quotation mark in old fonts.
    let code = word.contains(['\\', '#', '|', '$', '^', 'ÿ'])
        || matches!(word, "*" | "," | ".")
        || word.contains("“”")
        || word.contains("..");
    word.chars().all(usual) && !marked && !alone && !code
}

/// Returns the parts of a word between punctuation.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_alphanumeric())
}

/// Returns the words that are printed with letters in place of brackets: "⟨two words⟩" as "htwo
/// wordsi", if a TeX font does not identify its brackets.
fn brackets(text: &str) -> HashSet<String> {
    let words: HashSet<&str> = text.split_whitespace().flat_map(parts).collect();
    let opens = |word: &&str| {
        word.strip_prefix('h')
            .is_some_and(|rest| words.contains(rest))
    };
    let closes = |word: &&str| {
        word.strip_suffix('i')
            .is_some_and(|rest| words.contains(rest))
    };
    let inside = |word: &&str| {
        let inner = word
            .strip_prefix('h')
            .and_then(|rest| rest.strip_suffix('i'));
        word.len() > 4 && inner.is_some()
    };
    let known = |word: &&&str| inside(word) && words.contains(&word[1..word.len() - 1]);
    let count = words.iter().filter(known).count();
    let bracketed = |word: &&str| match count {
        0..3 => inside(word),
        _ => inside(word) || word.len() > 3 && (opens(word) || closes(word)),
    };
    let found = words.iter().copied().filter(bracketed);
    found.map(str::to_owned).collect()
}

/// Returns the output of `pdftotext` for a file.
pub(crate) fn pdftotext(options: &[&str], file: &Path) -> Result<String, String> {
    let output = Command::new("pdftotext")
        .args(["-enc", "UTF-8"])
        .args(options)
        .arg(file)
        .arg("-")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("pdftotext is needed (package poppler-utils): {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("pdftotext cannot read {}", file.display())),
    }
}
