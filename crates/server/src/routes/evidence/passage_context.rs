//! Context of a passage: whole sentences of its paragraph before and after it, within a limit.

use std::ops::Range;

use documents::{Document, Line, LineRole, TextStream};

/// Bytes of context before and after a passage.
const MAX_CONTEXT: usize = 160;
/// Maximum gap between two lines of a paragraph, as a share of their height.
const MAX_GAP: f32 = 0.8;
/// Maximum ratio of the heights of two lines of a paragraph.
const MAX_HEIGHT_RATIO: f32 = 1.2;

/// Passage with the text before and after it, including the spaces between them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PassageContext {
    pub(super) before: String,
    pub(super) passage: String,
    pub(super) after: String,
}

impl PassageContext {
    /// Returns the context of a range of a text stream.
    pub(super) fn of(document: &Document, flow: &TextStream, range: &Range<usize>) -> Self {
        let source = flow.index.text().source();
        let part = |range: Range<usize>| source.get(range).unwrap_or_default();
        let around = paragraph(document, flow, range);
        let (before, after) = (part(around.start..range.start), part(range.end..around.end));
        let space = |is_there: bool| if is_there { " " } else { "" };
        let space_before = space(before.ends_with(char::is_whitespace));
        let space_after = space(after.starts_with(char::is_whitespace));
        Self {
            before: format!("{}{space_before}", last_sentences(before)),
            passage: on_one_line(part(range.clone())),
            after: format!("{space_after}{}", first_sentences(after)),
        }
    }
}

/// Returns the range of the paragraph around a passage, at least as far as its context is shown.
fn paragraph(document: &Document, flow: &TextStream, range: &Range<usize>) -> Range<usize> {
    let (source, pieces) = (flow.index.text().source(), flow.index.text().pieces());
    // True if a piece and the next one belong to one paragraph. Cells of a table do not.
    let continues = |at: usize| {
        let (first, second) = (&pieces[at], &pieces[at + 1]);
        let line = |id: u32| document.lines().get(id as usize);
        let is_cell_border = source.get(first.range.end..second.range.start) == Some("│");
        let is_same = |(first, second)| is_same_paragraph(document, first, second);
        let lines = line(first.id).zip(line(second.id));
        !is_cell_border && (first.id == second.id || lines.is_some_and(is_same))
    };
    let Some(end) = pieces.len().checked_sub(1) else {
        return range.clone();
    };
    let first = pieces.partition_point(|piece| piece.range.end <= range.start);
    let mut first = first.min(end);
    let is_within =
        |first: usize| range.start.saturating_sub(pieces[first].range.start) <= MAX_CONTEXT;
    while first > 0 && is_within(first) && continues(first - 1) {
        first -= 1;
    }
    let last = pieces.partition_point(|piece| piece.range.start < range.end);
    let mut last = last.max(1) - 1;
    let is_within = |last: usize| pieces[last].range.end.saturating_sub(range.end) <= MAX_CONTEXT;
    while last < end && is_within(last) && continues(last) {
        last += 1;
    }
    pieces[first].range.start.min(range.start)..pieces[last].range.end.max(range.end)
}

/// Returns true if two lines belong to one paragraph, by their position and height.
fn is_same_paragraph(document: &Document, first: &Line, second: &Line) -> bool {
    if first.role != second.role || first.role == LineRole::Heading {
        return false;
    }
    let (Some(above), Some(below)) = (
        document.words_of(first).last(),
        document.words_of(second).first(),
    ) else {
        return true;
    };
    if above.rendered_page != below.rendered_page || below.y < above.y {
        // The second line is in the next column or page: the paragraph continues unless a sentence has ended.
        return !first.text.trim_end().ends_with(SENTENCE_ENDS);
    }
    let (small, large) = match above.height < below.height {
        true => (above.height, below.height),
        false => (below.height, above.height),
    };
    large <= small * MAX_HEIGHT_RATIO && below.y - (above.y + above.height) <= large * MAX_GAP
}

/// Characters that end a sentence.
const SENTENCE_ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];

/// Returns the end of a text, from the first sentence or else the first word that begins within the limit.
fn last_sentences(text: &str) -> String {
    let mut from = text.len().saturating_sub(MAX_CONTEXT);
    if from == 0 {
        return on_one_line(text);
    }
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let room = &text[from..];
    if let Some(start) = sentence_starts(room).next() {
        return on_one_line(&room[start..]);
    }
    let word = room.find(char::is_whitespace).unwrap_or_default();
    format!("… {}", on_one_line(&room[word..]))
}

/// Returns the beginning of a text, up to the last sentence or else the last word that ends within the limit.
fn first_sentences(text: &str) -> String {
    if text.len() <= MAX_CONTEXT {
        return on_one_line(text);
    }
    let mut to = MAX_CONTEXT;
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let room = &text[..to];
    if let Some(end) = sentence_starts(room).last() {
        return on_one_line(&room[..end]);
    }
    let word = room.rfind(char::is_whitespace).unwrap_or(to);
    format!("{} …", on_one_line(&room[..word]))
}

/// Returns the positions at which sentences begin, except for the first.
fn sentence_starts(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(SENTENCE_ENDS).filter_map(|(at, end)| {
        let rest = &text[at + end.len()..];
        let closed = rest.trim_start_matches(['"', '”', '’', '»', ')', ']']);
        let next = closed.trim_start();
        let apart = next.len() < closed.len() || !end.is_ascii();
        let begins = next.starts_with(|first: char| !first.is_lowercase());
        (apart && begins).then(|| text.len() - next.len())
    })
}

/// Returns a text on one line. A word that is divided at the end of a line keeps its hyphen.
fn on_one_line(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.lines() {
        let mut joins =
            plain.is_empty() || (plain.ends_with('-') && line.starts_with(char::is_lowercase));
        for word in line.split_whitespace() {
            if !joins {
                plain.push(' ');
            }
            plain.push_str(word);
            joins = false;
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use documents::ReadLimits;

    use super::*;

    fn context(text: &str, name: &str, passage: &str) -> PassageContext {
        let document =
            Document::read(text.as_bytes(), name, &ReadLimits::default()).expect("a text");
        let flow = &document.text_streams()[0];
        let start = flow
            .index
            .text()
            .source()
            .find(passage)
            .expect("it is there");
        PassageContext::of(&document, flow, &(start..start + passage.len()))
    }

    #[test]
    fn context_ends_at_headings_and_other_paragraphs() {
        let text = "# The harbour\n\nThe first quay was of oak. It was built in 1911. It burnt.\n\nLater they built anew.\n";
        let context = context(text, "a.md", "It was built in 1911.");
        assert_eq!(context.before, "The first quay was of oak. ");
        assert_eq!(context.passage, "It was built in 1911.");
        assert_eq!(context.after, " It burnt.");
    }

    #[test]
    fn context_consists_of_whole_sentences_if_they_fit() {
        let filler =
            "Historians ask why the pilots of that year wrote so little about it. ".repeat(6);
        let text = format!("{filler}The quay stood for\neighteen years. {filler}");
        let context = context(&text, "a.txt", "stood for\neighteen");
        assert!(context.before.starts_with("Historians ask"), "{context:?}");
        assert!(
            context.before.ends_with("about it. The quay "),
            "{context:?}"
        );
        assert!(context.before.len() <= MAX_CONTEXT + 4);
        assert_eq!(context.passage, "stood for eighteen");
        assert!(
            context.after.starts_with(" years. Historians"),
            "{context:?}"
        );
        assert!(context.after.ends_with("about it."), "{context:?}");
    }

    #[test]
    fn cut_context_has_an_ellipsis() {
        let filler = "and again ".repeat(60);
        let text = format!("{filler}the quay {filler}");
        let context = context(&text, "a.txt", "the quay");
        assert!(context.before.starts_with("… again and"), "{context:?}");
        assert!(context.after.ends_with("again and …"), "{context:?}");
    }

    #[test]
    fn divided_words_keep_their_hyphen() {
        assert_eq!(
            on_one_line("of co-\noperation  and\nco - 5"),
            "of co-operation and co - 5"
        );
        assert_eq!(on_one_line("5-\n Minute"), "5- Minute");
    }
}
