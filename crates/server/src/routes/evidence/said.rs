//! What a source says around a passage: whole sentences of its paragraph, as far as there is room.

use std::ops::Range;

use documents::{Document, Line, LineRole, TextStream};

/// So much is shown before a passage and after it, in bytes.
const ROOM: usize = 160;
/// Lines of one paragraph stand closer to each other than this share of their height.
const MAX_GAP: f32 = 0.8;
/// And differ in height by less than this.
const MAX_GROWTH: f32 = 1.2;

/// A passage with what stands around it; a space between them is part of that.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PassageContext {
    pub(super) before: String,
    pub(super) passage: String,
    pub(super) after: String,
}

impl PassageContext {
    /// What a flow says at a place.
    pub(super) fn of(document: &Document, flow: &TextStream, range: &Range<usize>) -> Self {
        let source = flow.index.text().source();
        let part = |range: Range<usize>| source.get(range).unwrap_or_default();
        let around = paragraph(document, flow, range);
        let (before, after) = (part(around.start..range.start), part(range.end..around.end));
        let space = |there: bool| if there { " " } else { "" };
        let apart = space(before.ends_with(char::is_whitespace));
        let then = space(after.starts_with(char::is_whitespace));
        Self {
            before: format!("{}{apart}", last_of(before)),
            passage: plain(part(range.clone())),
            after: format!("{then}{}", first_of(after)),
        }
    }
}

/// The paragraph around a passage, or more of it than is shown.
fn paragraph(document: &Document, flow: &TextStream, range: &Range<usize>) -> Range<usize> {
    let (source, pieces) = (flow.index.text().source(), flow.index.text().pieces());
    // Whether a piece and the next one belong to one paragraph; cells of a table do not.
    let go_on = |at: usize| {
        let (first, second) = (&pieces[at], &pieces[at + 1]);
        let line = |id: u32| document.lines().get(id as usize);
        let apart = source.get(first.range.end..second.range.start) == Some("│");
        let is_one = |(first, second)| is_one(document, first, second);
        let lines = line(first.id).zip(line(second.id));
        !apart && (first.id == second.id || lines.is_some_and(is_one))
    };
    let Some(end) = pieces.len().checked_sub(1) else {
        return range.clone();
    };
    let first = pieces.partition_point(|piece| piece.range.end <= range.start);
    let mut first = first.min(end);
    let room = |first: usize| range.start.saturating_sub(pieces[first].range.start) <= ROOM;
    while first > 0 && room(first) && go_on(first - 1) {
        first -= 1;
    }
    let last = pieces.partition_point(|piece| piece.range.start < range.end);
    let mut last = last.max(1) - 1;
    let room = |last: usize| pieces[last].range.end.saturating_sub(range.end) <= ROOM;
    while last < end && room(last) && go_on(last) {
        last += 1;
    }
    pieces[first].range.start.min(range.start)..pieces[last].range.end.max(range.end)
}

/// Whether two lines belong to one paragraph, by how they are set.
fn is_one(document: &Document, first: &Line, second: &Line) -> bool {
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
        // The next page or column: it goes on there unless a sentence has ended.
        return !first.text.trim_end().ends_with(ENDS);
    }
    let (small, large) = match above.height < below.height {
        true => (above.height, below.height),
        false => (below.height, above.height),
    };
    large <= small * MAX_GROWTH && below.y - (above.y + above.height) <= large * MAX_GAP
}

/// What ends a sentence.
const ENDS: [char; 7] = ['.', '!', '?', '…', '。', '！', '？'];

/// The end of a text from the beginning of a sentence on, if one begins there; else from a word on.
fn last_of(text: &str) -> String {
    let mut from = text.len().saturating_sub(ROOM);
    if from == 0 {
        return plain(text);
    }
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let room = &text[from..];
    if let Some(start) = sentences(room).next() {
        return plain(&room[start..]);
    }
    let word = room.find(char::is_whitespace).unwrap_or_default();
    format!("… {}", plain(&room[word..]))
}

/// The beginning of a text up to the end of a sentence, if one ends there; else up to a word.
fn first_of(text: &str) -> String {
    if text.len() <= ROOM {
        return plain(text);
    }
    let mut to = ROOM;
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let room = &text[..to];
    if let Some(end) = sentences(room).last() {
        return plain(&room[..end]);
    }
    let word = room.rfind(char::is_whitespace).unwrap_or(to);
    format!("{} …", plain(&room[..word]))
}

/// Where sentences begin after others.
fn sentences(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices(ENDS).filter_map(|(at, end)| {
        let rest = &text[at + end.len()..];
        let closed = rest.trim_start_matches(['"', '”', '’', '»', ')', ']']);
        let next = closed.trim_start();
        let apart = next.len() < closed.len() || !end.is_ascii();
        let begins = next.starts_with(|first: char| !first.is_lowercase());
        (apart && begins).then(|| text.len() - next.len())
    })
}

/// A text on one line. A word that the end of a line divides keeps its hyphen.
fn plain(text: &str) -> String {
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

    fn said(text: &str, name: &str, passage: &str) -> PassageContext {
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
    fn a_paragraph_is_told_from_its_heading_and_from_the_next() {
        let text = "# The harbour\n\nThe first quay was of oak. It was built in 1911. It burnt.\n\nLater they built anew.\n";
        let said = said(text, "a.md", "It was built in 1911.");
        assert_eq!(said.before, "The first quay was of oak. ");
        assert_eq!(said.passage, "It was built in 1911.");
        assert_eq!(said.after, " It burnt.");
    }

    #[test]
    fn sentences_are_whole_where_there_is_room() {
        let filler =
            "Nobody knows why the pilots of that year wrote so little about it. ".repeat(6);
        let text = format!("{filler}The quay stood for\neighteen years. {filler}");
        let said = said(&text, "a.txt", "stood for\neighteen");
        assert!(said.before.starts_with("Nobody knows"), "{said:?}");
        assert!(said.before.ends_with("about it. The quay "), "{said:?}");
        assert!(said.before.len() <= ROOM + 4);
        assert_eq!(said.passage, "stood for eighteen");
        assert!(said.after.starts_with(" years. Nobody"), "{said:?}");
        assert!(said.after.ends_with("about it."), "{said:?}");
    }

    #[test]
    fn what_is_cut_says_so() {
        let filler = "and again ".repeat(60);
        let text = format!("{filler}the quay {filler}");
        let said = said(&text, "a.txt", "the quay");
        assert!(said.before.starts_with("… again and"), "{said:?}");
        assert!(said.after.ends_with("again and …"), "{said:?}");
    }

    #[test]
    fn a_divided_word_keeps_its_hyphen() {
        assert_eq!(
            plain("of co-\noperation  and\nco - 5"),
            "of co-operation and co - 5"
        );
        assert_eq!(plain("5-\n Minute"), "5- Minute");
    }
}
