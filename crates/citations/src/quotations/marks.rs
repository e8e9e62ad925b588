//! Quotation marks of many languages.

use std::ops::Range;

/// Words between quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkedQuote {
    /// Range with the marks.
    pub(super) range: Range<usize>,
    /// Range of the words, trimmed.
    pub(super) words: Range<usize>,
    /// End of the paragraph.
    pub(super) paragraph_end: usize,
}

/// Marks that close a quotation, by the mark that opens it.
///
/// A mark that also closes opens a quotation only before a word and after white space or a bracket.
const PAIRS: &[(char, &[char])] = &[
    ('“', &['”', '“']),
    ('„', &['“', '”', '‟']),
    ('”', &['”']),
    ('«', &['»']),
    ('»', &['«', '»']),
    ('‹', &['›']),
    ('›', &['‹', '›']),
    ('‚', &['‘', '’']),
    ('‘', &['’']),
    ('\'', &['\'']),
    ('"', &['"']),
    ('＂', &['＂']),
    ('「', &['」']),
    ('『', &['』']),
    ('〝', &['〞', '〟']),
];

/// Marks that always open a quotation.
const ALWAYS_OPEN: &[char] = &['„', '«', '‹', '‚', '「', '『', '〝'];

/// Character with its neighbours.
#[derive(Clone, Copy)]
struct MarkContext {
    at: usize,
    char: char,
    before: Option<char>,
    after: Option<char>,
    /// Character after that.
    second: Option<char>,
}

impl MarkContext {
    fn end(self) -> usize {
        self.at + self.char.len_utf8()
    }

    /// Returns the marks that close the quotation that begins here.
    fn opens(self) -> Option<&'static [char]> {
        let (_, closing) = PAIRS.iter().find(|(open, _)| *open == self.char)?;
        if ALWAYS_OPEN.contains(&self.char) {
            return Some(closing);
        }
        let is_word_before = self.before.is_some_and(char::is_alphanumeric);
        let is_space_after = self.after.is_none_or(char::is_whitespace);
        // Chinese has no spaces between words.
        (self.char == '“' || (!is_word_before && !is_space_after)).then_some(closing)
    }

    /// Returns true if the quotation that `closing` closes may end here.
    fn closes(self, closing: &[char]) -> bool {
        if !closing.contains(&self.char) {
            return false;
        }
        match self.char {
            // Apostrophes are inside of words.
            '\'' | '’' => {
                !self.before.is_none_or(char::is_whitespace)
                    && !self.after.is_some_and(char::is_alphanumeric)
            }
            // These also open quotations.
            '“' | '‘' | '»' | '›' if closing.len() > 1 => {
                !self.before.is_none_or(char::is_whitespace)
            }
            _ => true,
        }
    }

    /// Returns true for an apostrophe that may mark a plural: the dogs’ bowl.
    fn may_be_apostrophe(self) -> bool {
        matches!(self.char, '\'' | '’')
            && self
                .before
                .is_some_and(|char| matches!(char, 's' | 'S' | 'x' | 'z'))
            && self.after == Some(' ')
            && self.second.is_some_and(char::is_lowercase)
    }
}

/// Finds the quotations of a text. The end of a paragraph ends a quotation.
pub(super) fn find(text: &str) -> Vec<MarkedQuote> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = paragraph_end(text, start);
        find_in_paragraph(text, start..end, &mut found);
        start = end;
    }
    found
}

/// Returns the end of the paragraph: after the line break before a blank line.
fn paragraph_end(text: &str, start: usize) -> usize {
    let mut at = start;
    let mut has_words = false;
    for line in text[start..].split_inclusive('\n') {
        let is_blank = line
            .trim_matches(|char: char| char.is_whitespace() || char == '>')
            .is_empty();
        if is_blank && has_words {
            return at;
        }
        has_words |= !is_blank;
        at += line.len();
    }
    text.len()
}

fn find_in_paragraph(text: &str, range: Range<usize>, found: &mut Vec<MarkedQuote>) {
    let marks = mark_contexts(text, range.clone());
    // Position of the last mark that may close each kind of quotation: an opening mark after it opens nothing.
    let last_close: Vec<Option<usize>> = PAIRS
        .iter()
        .map(|(_, closing)| {
            marks
                .iter()
                .rev()
                .find(|mark| mark.closes(closing))
                .map(|mark| mark.at)
        })
        .collect();
    let can_close = |mark: &MarkContext| {
        let kind = PAIRS.iter().position(|(open, _)| *open == mark.char);
        kind.and_then(|kind| last_close[kind])
            .is_some_and(|last| last > mark.at)
    };
    let mut open: Option<OpenQuote> = None;
    for mark in marks {
        let Some(quote) = &mut open else {
            open = mark
                .opens()
                .filter(|_| can_close(&mark))
                .map(|closing| OpenQuote::new(mark, closing));
            continue;
        };
        if mark.char == quote.open.char && !mark.closes(quote.closing) && mark.opens().is_some() {
            match quote.fallback {
                // A new quotation begins, so the last apostrophe closed the one before.
                Some(close) => {
                    found.extend(marked(text, quote.open, close, range.end));
                    open = Some(OpenQuote::new(mark, quote.closing)).filter(|_| can_close(&mark));
                }
                None => quote.depth += 1,
            }
            continue;
        }
        if !mark.closes(quote.closing) {
            continue;
        }
        if mark.may_be_apostrophe() {
            quote.fallback = Some(mark);
        } else if quote.depth > 0 {
            quote.depth -= 1;
            quote.fallback = Some(mark);
        } else {
            found.extend(marked(text, quote.open, mark, range.end));
            open = None;
        }
    }
    if let Some(quote) = open
        && let Some(close) = quote.fallback
    {
        found.extend(marked(text, quote.open, close, range.end));
    }
}

/// Quotation that is not closed yet.
struct OpenQuote {
    open: MarkContext,
    closing: &'static [char],
    /// Number of quotations with the same marks inside it.
    depth: usize,
    /// Last mark that may have closed it.
    fallback: Option<MarkContext>,
}

impl OpenQuote {
    fn new(open: MarkContext, closing: &'static [char]) -> Self {
        Self {
            open,
            closing,
            depth: 0,
            fallback: None,
        }
    }
}

/// Returns the quotation marks of a paragraph.
fn mark_contexts(text: &str, range: Range<usize>) -> Vec<MarkContext> {
    let is_mark = |char: char| {
        PAIRS
            .iter()
            .any(|(open, closing)| *open == char || closing.contains(&char))
    };
    let mut marks = Vec::new();
    let mut before = None;
    for (at, char) in text[range.clone()].char_indices() {
        let at = range.start + at;
        if (char == '"' || char == '\'' || !char.is_ascii()) && is_mark(char) {
            let mut rest = text[at + char.len_utf8()..range.end].chars();
            marks.push(MarkContext {
                at,
                char,
                before,
                after: rest.next(),
                second: rest.next(),
            });
        }
        before = Some(char);
    }
    marks
}

/// Returns the quotation between two marks, unless it has no words.
fn marked(
    text: &str,
    open: MarkContext,
    close: MarkContext,
    paragraph_end: usize,
) -> Option<MarkedQuote> {
    let inside = text.get(open.end()..close.at)?;
    let words = inside.trim();
    let start = open.end() + inside.len() - inside.trim_start().len();
    (!words.is_empty()).then(|| MarkedQuote {
        range: open.at..close.end(),
        words: start..start + words.len(),
        paragraph_end,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotes(text: &str) -> Vec<&str> {
        find(text)
            .into_iter()
            .map(|quote| &text[quote.words])
            .collect()
    }

    #[test]
    fn quotations_are_found_in_every_style() {
        let text = "He said “one two”, „drei vier“, «cinq» and \"six\". An open \" ends\n\nhere \"seven\".";
        assert_eq!(
            quotes(text),
            ["one two", "drei vier", "cinq", "six", "seven"]
        );
    }

    #[test]
    fn apostrophes_and_inches_are_not_quotation_marks() {
        assert_eq!(
            quotes("It’s the dogs’ bowl. ‘The dogs’ bowl’ isn’t here."),
            ["The dogs’ bowl"]
        );
        assert_eq!(
            quotes("‘the dogs’ sleep and ‘the cats’ eat"),
            ["the dogs", "the cats"]
        );
        assert_eq!(
            quotes("'Tis a 6\" pipe, and \"a wide one\"."),
            ["a wide one"]
        );
        assert_eq!(quotes("rock 'n' roll isn't 'quite it'"), ["n", "quite it"]);
    }

    #[test]
    fn inner_quotations_belong_to_the_outer_one() {
        assert_eq!(
            quotes("“He said ‘yes’ to us” and left"),
            ["He said ‘yes’ to us"]
        );
        assert_eq!(
            quotes("‘He said “yes” to us’ and left"),
            ["He said “yes” to us"]
        );
        assert_eq!(
            quotes("« Il dit « oui » hier » et"),
            ["Il dit « oui » hier"]
        );
        assert_eq!(quotes("他说「我『好』了」。"), ["我『好』了"]);
        assert_eq!(quotes("他说“港口很好”。"), ["港口很好"]);
    }

    #[test]
    fn an_unclosed_quotation_does_not_hide_the_next() {
        assert_eq!(quotes("“one\n\n“two”"), ["two"]);
        assert_eq!(quotes("» first “two”"), ["two"]);
        assert_eq!(quotes("\"\" and “”"), Vec::<&str>::new());
    }
}
