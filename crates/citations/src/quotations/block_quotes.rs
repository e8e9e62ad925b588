//! Block quotes of Markdown with an attribution at their end.

use std::ops::Range;

use super::footnote_texts::footnote_mark;
use super::reference;
use super::{Attribution, Quotation, ReferenceTargets, bracketed};

/// Lines of a block quote that precede a possible attribution.
struct QuoteBlock {
    /// Range of its content, from the first word to the last.
    range: Range<usize>,
    /// Start of the last line's content.
    last_line: usize,
}

/// Finds the block quotes that end with an attribution. Those in quotation marks are found by their marks.
pub(super) fn find(text: &str, targets: &ReferenceTargets<'_>) -> Vec<Quotation> {
    blocks(text)
        .into_iter()
        .filter_map(|block| quotation(text, &block, targets))
        .collect()
}

fn blocks(text: &str) -> Vec<QuoteBlock> {
    let mut blocks: Vec<QuoteBlock> = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start_matches(' ');
        let words = content.trim_start_matches(['>', ' ', '\t']).trim_end();
        let from = start + line.trim_end().len() - words.len();
        let is_quoted = line.len() - content.len() < 4 && content.starts_with('>');
        if !is_quoted || words.is_empty() {
            is_open &= line.trim().is_empty() || (is_quoted && words.is_empty());
            continue;
        }
        let is_next_line = text[..start]
            .trim_end_matches(['>', ' ', '\t'])
            .ends_with('\n')
            && !text[..start]
                .trim_end_matches(['>', ' ', '\t'])
                .ends_with("\n\n");
        let is_attribution = begins_with_dash(words);
        match blocks
            .last_mut()
            .filter(|_| is_open && (is_next_line || is_attribution))
        {
            Some(block) => {
                block.range.end = from + words.len();
                block.last_line = from;
            }
            None => blocks.push(QuoteBlock {
                range: from..from + words.len(),
                last_line: from,
            }),
        }
        is_open = true;
    }
    blocks
}

fn begins_with_dash(words: &str) -> bool {
    words.starts_with(['—', '–', '―', '⸺']) || words.starts_with("--")
}

fn quotation(text: &str, block: &QuoteBlock, targets: &ReferenceTargets<'_>) -> Option<Quotation> {
    let content = text.get(block.range.clone())?;
    if content.starts_with([
        '"', '“', '„', '«', '»', '‘', '‚', '‹', '›', '「', '『', '\'',
    ]) {
        return None;
    }
    let start = block.range.start;
    let last_line = text.get(block.last_line..block.range.end)?;
    let (words_end, references) = if begins_with_dash(last_line) && block.last_line > start {
        let name = last_line.trim_start_matches(['—', '–', '―', '⸺', '-']);
        (block.last_line, reference::read_all(name))
    } else if let Some(mark) = last_line.rfind("[^")
        && let Some((label, length)) = footnote_mark(&last_line[mark..])
        && last_line[mark + length..]
            .trim_matches(['.', ' '])
            .is_empty()
    {
        (block.last_line + mark, targets.in_footnote(label))
    } else {
        let open = last_line.rfind(['(', '（', '['])?;
        let (inside, length) = bracketed(&last_line[open..])?;
        if !last_line[open + length..]
            .trim_matches(['.', ' '])
            .is_empty()
        {
            return None;
        }
        (block.last_line + open, targets.in_brackets(inside))
    };
    let words = text.get(start..words_end)?;
    let words = words.trim_end_matches(|char: char| char.is_whitespace() || char == '>');
    let attribution = Attribution::to_first(references, block.range.end, true)?;
    (!words.is_empty()).then(|| Quotation {
        range: start..start + words.len(),
        words: start..start + words.len(),
        attribution: Some(attribution),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_quotes_end_with_their_attribution() {
        for (text, words, source, page) in [
            (
                "> High tide\n> at noon\n> — Larsen 2015, p. 3\n",
                "High tide\n> at noon",
                "Larsen 2015",
                Some("3"),
            ),
            (
                "> High tide\n\n> — Larsen 2015, p. 3\n",
                "High tide",
                "Larsen 2015",
                Some("3"),
            ),
            (
                "> High tide.[^1]\n\n[^1]: Larsen, S. xii\n",
                "High tide.",
                "Larsen",
                Some("xii"),
            ),
            (
                "> High tide (Larsen 2015, S. 3).\n\nMore",
                "High tide",
                "Larsen 2015",
                Some("3"),
            ),
            (
                "> High tide\n\n> Low tide (log, p. 3)",
                "Low tide",
                "log",
                Some("3"),
            ),
        ] {
            let found = find(text, &ReferenceTargets::find(text));
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(&text[found[0].words.clone()], words, "{text}");
            let reference = &found[0]
                .attribution
                .as_ref()
                .expect("an attribution")
                .reference;
            assert_eq!(
                (reference.source.as_deref(), reference.page.as_deref()),
                (Some(source), page),
                "{text}"
            );
        }
        for text in [
            "> High tide",
            "> — Larsen",
            "> “High tide” (log, p. 3)",
            "> [^1]",
            ">",
        ] {
            assert!(
                find(text, &ReferenceTargets::find(text)).is_empty(),
                "{text}"
            );
        }
    }
}
