//! Source text as a reader sees it: words on lines on pages, and sentences.

use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memmem;
use unicode_normalization::char::is_combining_mark;

use crate::case::PassagePlace;
use crate::printed_document::PrintedDocument;
use crate::skeleton::{Skeleton, strict};

/// Number of words of a sentence that is used.
const SENTENCE: Range<usize> = 6..61;

/// Text from which cases are generated.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) words: Vec<Word>,
    /// Sentences as ranges of words, none of them across a page end.
    pub(crate) sentences: Vec<Range<usize>>,
    pub(crate) pages: u32,
    /// PDF of which it is the running text, if any.
    pub(crate) printed: Option<PrintedDocument>,
    skeleton: Skeleton,
    strict: String,
}

/// Word between white space, or a character of a script without spaces.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) range: Range<usize>,
    pub(crate) page: u32,
    /// Number of its line among the non-empty lines of the page.
    pub(crate) line: u32,
}

impl Source {
    /// Splits a text; pages end with form feeds.
    pub(crate) fn new(name: impl Into<String>, text: &str) -> Self {
        let text = plain(text);
        let (mut words, mut pages) = (Vec::new(), 0);
        for (page, page_text) in (1..).zip(text.split('\u{c}')) {
            pages = page;
            let start = offset(&text, page_text);
            let lines = page_text.split('\n').filter(|line| !line.trim().is_empty());
            for (line, line_text) in (1..).zip(lines) {
                let at = start + offset(page_text, line_text);
                words.extend(line_text.split_whitespace().flat_map(units).map(|word| {
                    let start = at + offset(line_text, word);
                    let range = start..start + word.len();
                    Word { range, page, line }
                }));
            }
        }
        let sentences = sentences(&text, &words);
        Self {
            name: name.into(),
            skeleton: Skeleton::new(&text),
            strict: strict(&text),
            text,
            words,
            sentences,
            pages,
            printed: None,
        }
    }

    /// Returns the running text of a PDF.
    pub(crate) fn of_printed(printed: PrintedDocument) -> Self {
        let mut source = Self::new(printed.name.clone(), &printed.text);
        source.pages = printed.pages();
        source.printed = Some(printed);
        source
    }

    /// Returns the word that begins at a byte of the text, or the next one.
    pub(crate) fn word_from(&self, at: usize) -> usize {
        self.words.partition_point(|word| word.range.start < at)
    }

    /// Returns a word as it is written.
    pub(crate) fn word(&self, index: usize) -> &str {
        &self.text[self.words[index].range.clone()]
    }

    /// Returns the text of a range of words with its original spacing.
    pub(crate) fn raw(&self, words: Range<usize>) -> &str {
        match self.words.get(words) {
            Some([first, .., last]) => &self.text[first.range.start..last.range.end],
            Some([only]) => &self.text[only.range.clone()],
            _ => "",
        }
    }

    /// Returns a range of words in one line; hyphenated words are joined.
    pub(crate) fn joined(&self, words: Range<usize>) -> String {
        let mut out = String::new();
        for index in words.clone() {
            if index > words.start {
                if self.is_divided_before(index) {
                    out.pop();
                } else if !self.is_glued_before(index) {
                    out.push(' ');
                }
            }
            out.push_str(self.word(index));
        }
        out
    }

    /// Returns true if a word follows the one before it without a space, except for a line end.
    fn is_glued_before(&self, index: usize) -> bool {
        let gap = self.gap(index - 1);
        // "Swap-" and "Partition": the hyphen of a compound at a line end.
        let mut ending = self.word(index - 1).chars().rev();
        let compound = gap == "\n"
            && ending.next() == Some('-')
            && ending.next().is_some_and(char::is_alphanumeric)
            && self.word(index).starts_with(char::is_alphanumeric);
        let spaceless =
            |word: &str, end: fn(&str) -> Option<char>| end(word).is_some_and(is_spaceless);
        gap.is_empty()
            || (compound && self.printed.is_some())
            || (gap == "\n"
                && spaceless(self.word(index - 1), |word| word.chars().next_back())
                && spaceless(self.word(index), |word| word.chars().next()))
    }

    /// Returns true if the hyphen before a word divides one word.
    pub(crate) fn is_divided_before(&self, index: usize) -> bool {
        let Some((before, gap)) = index.checked_sub(1).map(|at| (self.word(at), self.gap(at)))
        else {
            return false;
        };
        let mut ending = before.chars().rev();
        let hyphen = ending.next() == Some('-') && ending.next().is_some_and(char::is_alphabetic);
        // On a printed page, lines of one paragraph may be separate blocks.
        let most = if self.printed.is_some() { 2 } else { 1 };
        let breaks = (1..=most).contains(&gap.matches('\n').count()) && !gap.contains('\u{c}');
        let goes_on = index < self.words.len() && self.word(index).starts_with(char::is_lowercase);
        hyphen && breaks && goes_on
    }

    /// Returns the text between a word and the next one.
    fn gap(&self, index: usize) -> &str {
        let end = self.words.get(index + 1).map(|next| next.range.start);
        &self.text[self.words[index].range.end..end.unwrap_or(self.text.len())]
    }

    /// Returns true if a quote may begin with a word: the word is whole, and no number is split.
    pub(crate) fn may_begin(&self, index: usize) -> bool {
        let word = self.word(index);
        let Some(before) = index.checked_sub(1) else {
            return has_letter(word);
        };
        let number = word.starts_with(|c: char| c.is_ascii_digit() || "%‰€$£¥°".contains(c));
        let open = self.word(before).ends_with(|c: char| !c.is_alphabetic());
        has_letter(word) && self.is_loose_after(before) && !(number && open)
    }

    /// Returns true if a quote may end with a word.
    pub(crate) fn may_end(&self, index: usize) -> bool {
        let word = self.word(index);
        let number = word.ends_with(|c: char| c.is_ascii_digit() || "€$£¥+-−".contains(c));
        let open = self.words.len() > index + 1
            && self
                .word(index + 1)
                .starts_with(|c: char| !c.is_alphabetic());
        has_letter(word) && self.is_loose_after(index) && !(number && open)
    }

    /// Returns true if a word is followed by a space or line end without a hyphen.
    fn is_loose_after(&self, index: usize) -> bool {
        let plain = |c: char| matches!(c, ' ' | '\n' | '\t' | '\u{c}');
        let dashes = ['-', '‐', '‑', '–', '—', '−', '\u{ad}'];
        self.gap(index).chars().all(plain) && !self.word(index).ends_with(dashes)
    }

    /// Returns true if a range of words is on one page.
    pub(crate) fn on_one_page(&self, words: &Range<usize>) -> bool {
        let page = |index: usize| self.words.get(index).map(|word| word.page);
        !words.is_empty() && page(words.start) == page(words.end - 1)
    }

    /// Returns true if a range of words is unambiguous.
    ///
    /// In a PDF all ways of reading the page must agree; text with marks or in another size is
    /// excluded.
    pub(crate) fn is_certain(&self, words: &Range<usize>) -> bool {
        let Some(printed) = &self.printed else {
            return true;
        };
        let page = self.words[words.start].page;
        let bytes = self.words[words.start].range.start..self.words[words.end - 1].range.end;
        printed.is_plain(bytes) && printed.agrees(page, &self.joined(words.clone()))
    }

    /// Returns the lines of a page that a range of words touches.
    pub(crate) fn lines(&self, words: &Range<usize>) -> Vec<u32> {
        let words = &self.words[words.clone()];
        let page = words.first().map_or(1, |word| word.page);
        let here = words.iter().filter(|word| word.page == page);
        let lines: BTreeSet<u32> = here.map(|word| word.line).collect();
        lines.into_iter().collect()
    }

    /// Returns the place of a range of words, without lines for a PDF.
    pub(crate) fn place(&self, words: &Range<usize>) -> PassagePlace {
        PassagePlace {
            page: self.words.get(words.start).map_or(1, |word| word.page),
            lines: match self.printed {
                Some(_) => Vec::new(),
                None => self.lines(words),
            },
        }
    }

    /// Returns every place with the letters and digits of a quote as whole words.
    ///
    /// In a PDF, returns every page with these letters and digits.
    pub(crate) fn places(&self, quote: &str) -> Vec<PassagePlace> {
        if let Some(printed) = &self.printed {
            let mut pages = printed.pages_with(quote);
            // A passage across a page break is on no single page.
            let running = self.skeleton.places(quote).map(|range| {
                let word = self
                    .words
                    .partition_point(|word| word.range.end <= range.start);
                self.words[word].page
            });
            pages.extend(running);
            pages.sort_unstable();
            pages.dedup();
            let place = |page| PassagePlace {
                page,
                lines: Vec::new(),
            };
            return pages.into_iter().map(place).collect();
        }
        let word_at = |at: usize| self.words.partition_point(|word| word.range.end <= at);
        let places = self.skeleton.places(quote).filter_map(|range| {
            let (first, last) = (word_at(range.start), word_at(range.end));
            let before = &self.text[self.words[first].range.start..range.start];
            let after = &self.text[range.end..self.words[last].range.end];
            let mut rest = after.chars().skip(1);
            let rest = rest.find(|c| !is_combining_mark(*c));
            let divided = (before.is_empty() && self.is_divided_before(first))
                || (rest == Some('-') && self.is_divided_before(last + 1));
            let whole = !before.ends_with(char::is_alphanumeric)
                && !rest.is_some_and(char::is_alphanumeric)
                && !divided;
            whole.then(|| self.place(&(first..last + 1)))
        });
        places.collect()
    }

    /// Returns true if the text contains the quote, including signs and units of numbers.
    pub(crate) fn says(&self, quote: &str) -> bool {
        let quote = strict(quote);
        let has = |text: &String| memmem::find(text.as_bytes(), quote.as_bytes()).is_some();
        let witnesses = self.printed.iter().flat_map(PrintedDocument::strict);
        quote.is_empty() || has(&self.strict) || witnesses.into_iter().any(has)
    }
}

/// Returns true for characters of scripts without spaces between words.
pub(crate) fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}')
}

/// Splits a word into parts that may be quoted alone: each character of a script without spaces,
/// and the text between such characters.
fn units(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = match is_spaceless(first) {
            true => first.len_utf8(),
            false => rest.find(is_spaceless).unwrap_or(rest.len()),
        };
        let (unit, after) = rest.split_at(end);
        rest = after;
        Some(unit)
    })
}

/// Returns the position of a part in the text it was cut from.
fn offset(whole: &str, part: &str) -> usize {
    part.as_ptr().addr() - whole.as_ptr().addr()
}

/// Returns the text with plain line ends, without other control characters and without an empty
/// page at the end.
fn plain(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let clean = |c: char| match c {
        '\n' | '\t' | '\u{c}' => c,
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => ' ',
        c => c,
    };
    let text: String = text.chars().map(clean).collect();
    text.trim_end().to_owned()
}

/// Returns true if a word contains a letter or digit.
fn has_letter(word: &str) -> bool {
    word.contains(char::is_alphanumeric)
}

fn sentences(text: &str, words: &[Word]) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1);
        let gap = &text[word.range.end..next.map_or(text.len(), |next| next.range.start)];
        let paragraph_ends = gap.matches('\n').count() > 1 || gap.contains('\u{c}');
        let closing = |c: char| matches!(c, '"' | '\'' | '”' | '’' | ')' | ']');
        let ended = text[word.range.clone()]
            .trim_end_matches(closing)
            .ends_with(['.', '!', '?', '。', '！', '？', '؟']);
        if ended || paragraph_ends || next.is_none() {
            let sentence = start..index + 1;
            let first = &text[words[start].range.clone()];
            let begins = |c: char| c.is_alphabetic() && !c.is_lowercase();
            if ended && SENTENCE.contains(&sentence.len()) && first.starts_with(begins) {
                sentences.push(sentence);
            }
            start = index + 1;
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::Source;
    use crate::case::PassagePlace;

    const TEXT: &str =
        "Title\r\n\r\nOne two three four five co-\noperation six.\n\u{c}\n  Seven eight.\n";

    #[test]
    fn words_have_line_numbers() {
        let source = Source::new("t", TEXT);
        let of = |index: usize| {
            (
                source.word(index),
                source.words[index].page,
                source.words[index].line,
            )
        };
        assert_eq!(of(0), ("Title", 1, 1));
        assert_eq!(of(6), ("co-", 1, 2));
        assert_eq!(of(7), ("operation", 1, 3));
        assert_eq!(of(9), ("Seven", 2, 1));
        assert_eq!(source.pages, 2);
        assert_eq!(source.sentences.as_slice(), std::slice::from_ref(&(1..9)));
        assert_eq!(source.joined(5..9), "five cooperation six.");
        assert!(!source.may_end(6) && !source.may_begin(7) && source.may_begin(6));
    }

    #[test]
    fn finds_the_place_of_a_quote() {
        let source = Source::new("t", TEXT);
        let place = PassagePlace {
            page: 1,
            lines: vec![2, 3],
        };
        assert_eq!(source.places("FIVE cooperation"), [place]);
        assert_eq!(
            source.places("seven"),
            [PassagePlace {
                page: 2,
                lines: vec![1]
            }]
        );
        assert!(source.places("even").is_empty() && source.places("operation six").is_empty());
        assert!(source.says("four five cooperation") && !source.says("four six"));
    }

    #[test]
    fn does_not_split_numbers() {
        let source = Source::new("t", "it rose by 5 % to - 7 now");
        assert!(!source.may_end(3) && !source.may_begin(7) && source.may_begin(0));
    }
}
