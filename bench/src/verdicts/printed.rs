//! PDFs as `pdftotext` reads them: places of words, running text, continuations over columns and pages.
//!
//! All of it comes from `pdftotext` (poppler), none from the product. A passage counts as read
//! only where three ways of reading the page agree: in order of layout, in the order of the
//! file, and block by block with boxes.

mod layout;
mod margins;
mod running;

pub(crate) use layout::{Area, PrintedWord, turned, words_with_boxes};

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
pub(crate) struct Gap {
    /// The byte of the text where the line before it begins.
    pub(crate) line: usize,
    /// The byte where that line ends.
    pub(crate) before: usize,
    /// Byte of the text at which reading continues.
    pub(crate) after: usize,
    /// True if that is on the next page.
    pub(crate) turns_page: bool,
}

/// Two lines at the same height in columns beside each other, by the bytes where they begin and end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Abreast {
    pub(crate) left: (usize, usize),
    pub(crate) right: (usize, usize),
}

/// A PDF as `pdftotext` reads it.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    /// The running text: lines, an empty line between blocks, a form feed between pages.
    pub(crate) text: String,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) abreast: Vec<Abreast>,
    /// Bytes of the text that no passage runs over: the next line is no continuation.
    barriers: Vec<usize>,
    /// Words that are printed with a letter for a bracket.
    brackets: HashSet<String>,
    /// First bytes of words that are raised, lowered, smaller than the rest or cut off.
    odd: Vec<usize>,
    /// Output of `pdftotext`, for the peers.
    pub(crate) plain: String,
    /// Letters and digits of each page, read in several ways; an empty one says nothing.
    witnesses: Vec<[String; 2]>,
    strict: Vec<String>,
}

impl Printed {
    /// Reads a PDF with `pdftotext`; the name is for the report.
    pub(crate) fn read(name: &str, file: &Path) -> Result<Self, String> {
        let plain = pdftotext(&[], file)?;
        let raw = pdftotext(&["-raw"], file)?;
        let boxes = pdftotext(&["-bbox-layout"], file)?;
        Ok(Self::new(name, file, &plain, &raw, &layout::pages(&boxes)))
    }

    fn new(name: &str, file: &Path, plain: &str, raw: &str, pages: &[Page]) -> Self {
        let running = running::text(pages);
        let texts = plain.split('\u{c}').zip(raw.split('\u{c}'));
        let witnesses = pages.iter().zip(texts).map(|(page, (plain, raw))| {
            // In the order of the file, lines from right to left are not in the order of reading.
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

    /// Returns the number of pages it has.
    pub(crate) fn pages(&self) -> u32 {
        u32::try_from(self.witnesses.len()).unwrap_or(u32::MAX)
    }

    /// Returns true if a part of the text has nothing that readers take in different ways: other lines than
    /// those that follow, raised letters, formulas, marks of footnotes.
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

    /// Returns true if every way of reading a page has these words in a row.
    pub(crate) fn agrees(&self, page: u32, words: &str) -> bool {
        let words = marked(words);
        let has = |text: &String| {
            text.is_empty() || memmem::find(text.as_bytes(), words.as_bytes()).is_some()
        };
        self.witnesses
            .get(page as usize - 1)
            .is_some_and(|ways| !ways[0].is_empty() && ways.iter().all(has))
    }

    /// The pages that have these words in a row, in any way of reading.
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

    /// Letters, digits and signs of the whole file.
    pub(crate) fn strict(&self) -> &[String] {
        &self.strict
    }

    /// Returns true if every way of reading has both sides of a gap, and the order of the file continues over one
    /// between columns. (The order of layout often takes columns in parts.)
    fn goes_on(&self, gap: &Gap) -> bool {
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
    // "word.1" is the mark of a footnote, "1.1" a number.
    let marked = digits.len() < word.len()
        && digits.ends_with(marks)
        && digits
            .trim_end_matches(marks)
            .ends_with(char::is_alphabetic);
    // A letter alone is of a formula or of a sign that was drawn, but for words of one letter; a
    // capital with a point is of a name.
    let mut letters = word.chars().filter(|c| c.is_alphanumeric());
    let alone = letters.next().is_some_and(|c| {
        letters.next().is_none()
            && (c.is_lowercase() && !"aeoyéàó".contains(c)
                || c.is_uppercase() && !"AIOYÉÀÓ".contains(c) && !word.ends_with('.'))
    });
    // Code and markup are no prose; a comma alone stands after something that was not printed, a
    // circumflex between letters is an accent that was not put on its letter, and "ÿ" is a quotation mark
    // in old fonts.
    let code = word.contains(['\\', '#', '|', '$', '^', 'ÿ'])
        || matches!(word, "*" | "," | ".")
        || word.contains("“”")
        || word.contains("..");
    word.chars().all(usual) && !marked && !alone && !code
}

/// The letters and digits of a word without what stands between them.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_alphanumeric())
}

/// The words of a text that are printed with a letter for a bracket: "⟨two words⟩" as "htwo wordsi" where
/// a font of TeX does not say what its brackets are.
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
