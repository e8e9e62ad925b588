//! Attributes of `<cite …/>` tags.

use std::borrow::Cow;
use std::ops::Range;

use crate::citation::{Citation, SourceKind, WebSource};
use crate::field_aliases::{CitationField, field_in_any_case};
use crate::line_ids::{LineIds, parse_list};
use crate::page_id::PageId;

/// Tag in the text.
#[derive(Debug)]
pub(crate) struct CitationTag {
    pub(crate) range: Range<usize>,
    pub(crate) content: TagContent,
}

/// Content of a tag.
#[derive(Debug)]
pub(crate) enum TagContent {
    Citation(Box<Citation>),
    /// The tag has attributes but no quote.
    NoPhrase,
    /// A closing tag, or a tag without attributes.
    Nothing,
}

/// Returns the end of a tag that does not end before `from`: after `/>`, or after a `>` that follows a
/// quotation mark.
pub(crate) fn find_end(text: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'>', &text[from..])
        .map(|found| from + found)
        .find_map(|at| {
            let before = &text[..at];
            let blank = before
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            let closes = before.ends_with(b"/")
                || before[..at - blank].ends_with(b"'")
                || before[..at - blank].ends_with(b"\"");
            closes.then_some(at + 1)
        })
}

/// Reads the text between `<cite` and the end of the tag.
pub(crate) fn parse(inside: &str) -> TagContent {
    let inside: Cow<'_, str> = if inside.contains("\\_") {
        Cow::Owned(inside.replace("\\_", "_"))
    } else {
        Cow::Borrowed(inside)
    };
    let mut attributes = TagAttributes {
        rest: inside.trim_end_matches('>').trim_end_matches('/'),
    };
    let mut citation = Citation::default();
    let mut web = WebSource::default();
    let (mut value, mut page, mut page_number) = (None, None, None);
    let (mut lines, mut any) = (None, false);
    while let Some((name, given)) = attributes.next() {
        any = true;
        let slot = match field_in_any_case(&name) {
            Some(CitationField::Attachment) => &mut citation.attachment_id,
            Some(CitationField::Phrase) => &mut citation.full_phrase,
            Some(CitationField::Anchor) => &mut citation.anchor_text,
            Some(CitationField::Claim) => &mut citation.claim_text,
            Some(CitationField::Reasoning) => &mut citation.reasoning,
            Some(CitationField::Value) => &mut value,
            Some(CitationField::PageId) => &mut page,
            Some(CitationField::PageNumber) => &mut page_number,
            Some(CitationField::Lines) => &mut lines,
            Some(CitationField::Url) => &mut web.url,
            Some(CitationField::Domain) => &mut web.domain,
            Some(CitationField::Title) => &mut web.title,
            Some(CitationField::Description) => &mut web.description,
            Some(CitationField::Favicon) => &mut web.favicon_url,
            Some(CitationField::SiteName) => &mut web.site_name,
            Some(CitationField::SourceType) => &mut web.source_type,
            _ => continue,
        };
        // Of two attributes for one field the first one counts.
        if slot.is_none() && !given.is_empty() {
            *slot = Some(given);
        }
    }
    if citation.full_phrase.is_none() {
        return if any {
            TagContent::NoPhrase
        } else {
            TagContent::Nothing
        };
    }
    citation.anchor_text = citation.anchor_text.or(value);
    if web.url.is_some() && citation.attachment_id.is_none() {
        citation.kind = SourceKind::Url;
        citation.web = Some(Box::new(web));
        return TagContent::Citation(Box::new(citation));
    }
    // There is always a page id, even if the tag names no page, because the key depends on it.
    let page = page.or_else(|| page_number.as_deref().and_then(page_id_of_number));
    let (number, id) = PageId::of_tag(page.as_deref().unwrap_or_default());
    citation.start_page_id = Some(id);
    citation.page_number = number;
    citation.line_ids = LineIds::new(parse_list(lines.as_deref().unwrap_or_default()));
    TagContent::Citation(Box::new(citation))
}

/// Returns the page id of the page with a number.
fn page_id_of_number(number: &str) -> Option<String> {
    let number: u32 = number.trim().parse().ok().filter(|number| *number > 0)?;
    Some(format!("page_number_{number}_index_{}", number - 1))
}

struct TagAttributes<'a> {
    rest: &'a str,
}

impl TagAttributes<'_> {
    /// Returns the name and the value of the next attribute.
    fn next(&mut self) -> Option<(String, String)> {
        loop {
            let equals = self.rest.find('=')?;
            let before = self.rest[..equals].trim_end();
            let start = before
                .rfind(|char: char| !is_name(char))
                .map_or(0, |at| at + last_width(before, at));
            let name = before[start..].to_owned();
            let after = self.rest[equals + 1..].trim_start();
            self.rest = after;
            if name.is_empty() {
                continue;
            }
            let Some(quote @ ('\'' | '"')) = after.chars().next() else {
                let end = after.find(char::is_whitespace).unwrap_or(after.len());
                self.rest = &after[end..];
                return Some((name, unescape(&after[..end])));
            };
            let inside = &after[1..];
            let is_text = matches!(
                field_in_any_case(&name),
                Some(
                    CitationField::Phrase
                        | CitationField::Anchor
                        | CitationField::Reasoning
                        | CitationField::Value
                        | CitationField::Claim
                )
            );
            if is_text {
                let end = text_end(inside);
                self.rest = &inside[end..];
                let content = inside[..end].strip_suffix(quote).unwrap_or(&inside[..end]);
                return Some((name, unescape(&cleaned(content))));
            }
            let end = value_end(inside, quote);
            self.rest = &inside[end.min(inside.len())..];
            return Some((name, unescape(&inside[..end])));
        }
    }
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-')
}

fn last_width(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// Returns the end of a quoted value.
fn value_end(inside: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, char) in inside.char_indices() {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            char if char == quote => return at,
            _ => {}
        }
    }
    inside.len()
}

/// Returns the end of a value with words: before the next known attribute, or with the tag. The words may
/// contain the quotation mark themselves.
fn text_end(inside: &str) -> usize {
    let mut from = 0;
    while let Some(found) = inside[from..].find('=') {
        let equals = from + found;
        from = equals + 1;
        let before = inside[..equals].trim_end();
        let name_length = before
            .chars()
            .rev()
            .take_while(|char| is_name(*char))
            .count();
        let (words, name) = before.split_at(before.len() - name_length);
        if words.ends_with(char::is_whitespace) && field_in_any_case(name).is_some() {
            return words.trim_end().len();
        }
    }
    inside.trim_end().len()
}

/// Removes line breaks, Markdown and entities from the words, as the SDK's parser does.
fn cleaned(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(char) = rest.chars().next() {
        let run =
            |matches: fn(char) -> bool| rest.find(|char| !matches(char)).unwrap_or(rest.len());
        let breaks = line_breaks(rest);
        let marks = run(|char| char == '*' || char == '_');
        let taken = if breaks > 0 {
            out.push(' ');
            breaks
        } else if marks >= 2 || char == '*' {
            marks
        } else if let Some((entity, meaning)) = entity(rest) {
            out.push(meaning);
            entity.len()
        } else {
            out.push(char);
            char.len_utf8()
        };
        rest = &rest[taken..];
    }
    // Quotation marks may have been escaped once or twice.
    out.replace("\\\\'", "'")
        .replace("\\'", "'")
        .replace("\\\\\"", "\"")
        .replace("\\\"", "\"")
}

fn line_breaks(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        length += match (rest.starts_with("\r\n"), rest.starts_with('\n')) {
            (true, _) => 2,
            (_, true) => 1,
            _ => return length,
        };
    }
}

fn entity(text: &str) -> Option<(&'static str, char)> {
    const ENTITIES: [(&str, char); 5] = [
        ("&quot;", '"'),
        ("&apos;", '\''),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&amp;", '&'),
    ];
    ENTITIES
        .into_iter()
        .find(|(name, _)| text.starts_with(name))
}

/// Unescapes a value with the replacements of the SDK's parser, in their order.
fn unescape(value: &str) -> String {
    if !value.contains('\\') {
        return value.to_owned();
    }
    value
        .replace("\\\"", "\"")
        .replace("\\'", "'")
        .replace("\\n", " ")
        .replace("\\\\", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citation(inside: &str) -> Citation {
        match parse(inside) {
            TagContent::Citation(citation) => *citation,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_may_contain_their_quotation_mark() {
        let read = citation(" full_phrase='the patient's file' anchor_text='file' line_ids='1' /");
        assert_eq!(read.full_phrase.as_deref(), Some("the patient's file"));
        assert_eq!(read.anchor_text.as_deref(), Some("file"));
        assert_eq!(read.line_ids.ids(), [1]);
    }

    #[test]
    fn words_are_cleaned() {
        let read = citation(" full_phrase='**bold** a_b\n\nc &lt; d * e' /");
        assert_eq!(read.full_phrase.as_deref(), Some("bold a_b c < d  e"));
    }

    #[test]
    fn the_end_of_a_tag_is_found() {
        for (text, end) in [
            ("<cite a='1' />x", Some(14)),
            ("<cite a='b > c'>x", Some(16)),
            ("<cite a='1' >x", Some(13)),
            ("<cite a='b > c", None),
            ("<cite a", None),
        ] {
            assert_eq!(find_end(text.as_bytes(), 5), end, "{text}");
        }
    }
}
