//! Part of a DOCX with comments.

use quick_xml::Reader;
use quick_xml::escape::escape;
use quick_xml::events::Event;

use super::ManuscriptError;
use super::package::with_last_child;
use super::styles::attribute;

/// Author of the comments.
const AUTHOR: &str = "Pincite";

/// Text of a comment: paragraphs of words.
#[derive(Debug, Clone, Default)]
pub(in crate::verify) struct CommentText {
    pub(in crate::verify) paragraphs: Vec<Vec<CommentWords>>,
}

/// Words of a comment in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::verify) enum CommentWords {
    Plain(String),
    /// Words that should be in the quote.
    Inserted(String),
    /// Words that should not.
    Deleted(String),
}

/// Returns the first id that no comment has.
pub(super) fn next_id(part: &str) -> Result<usize, ManuscriptError> {
    let mut next = 0;
    let mut reader = Reader::from_str(part);
    loop {
        match reader.read_event()? {
            Event::Start(start) | Event::Empty(start)
                if start.local_name().into_inner() == "comment" =>
            {
                let id = attribute(&start, "id").and_then(|id| id.trim().parse::<usize>().ok());
                next = next.max(id.map_or(0, |id| id.saturating_add(1)));
            }
            Event::Eof => return Ok(next),
            _ => {}
        }
    }
}

/// Returns the part with more comments.
pub(super) fn part(
    existing: Option<&str>,
    prefix: &str,
    is_strict: bool,
    comments: &[(usize, &CommentText)],
) -> Result<String, ManuscriptError> {
    let prefix = match existing {
        Some(part) => root_prefix(part)?,
        None => prefix.to_owned(),
    };
    let mut out = String::new();
    for (id, comment) in comments {
        write_comment(*id, comment, &prefix, &mut out);
    }
    let part = existing.map_or_else(|| empty_part(&prefix, is_strict), str::to_owned);
    Ok(with_last_child(&part, &out))
}

/// Returns a part without comments.
fn empty_part(prefix: &str, is_strict: bool) -> String {
    let namespace = match is_strict {
        true => "http://purl.oclc.org/ooxml/wordprocessingml/main",
        false => "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    };
    let declaration = match prefix.strip_suffix(':') {
        Some(prefix) => format!("xmlns:{prefix}"),
        None => "xmlns".to_owned(),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <{prefix}comments {declaration}=\"{namespace}\"></{prefix}comments>"
    )
}

/// Returns the prefix of the name of the root, with a colon.
fn root_prefix(part: &str) -> Result<String, ManuscriptError> {
    let mut reader = Reader::from_str(part);
    loop {
        match reader.read_event()? {
            Event::Start(start) | Event::Empty(start) => {
                let name = start.name();
                let prefix = name.prefix().map(|prefix| prefix.into_inner());
                return Ok(prefix.map_or(String::new(), |prefix| format!("{prefix}:")));
            }
            Event::Eof => return Ok(String::new()),
            _ => {}
        }
    }
}

fn write_comment(id: usize, comment: &CommentText, prefix: &str, out: &mut String) {
    out.push_str(&format!(
        "<{prefix}comment {prefix}id=\"{id}\" {prefix}author=\"{AUTHOR}\" {prefix}initials=\"P\">"
    ));
    for words in &comment.paragraphs {
        out.push_str(&format!("<{prefix}p>"));
        for words in words {
            let (text, properties) = match words {
                CommentWords::Plain(text) => (text, String::new()),
                CommentWords::Inserted(text) => {
                    (text, format!("<{prefix}rPr><{prefix}b/></{prefix}rPr>"))
                }
                CommentWords::Deleted(text) => (
                    text,
                    format!("<{prefix}rPr><{prefix}strike/></{prefix}rPr>"),
                ),
            };
            // XML cannot contain other control characters.
            let text: String = text.chars().filter(|char| !char.is_control()).collect();
            out.push_str(&format!(
                "<{prefix}r>{properties}<{prefix}t xml:space=\"preserve\">{}</{prefix}t></{prefix}r>",
                escape(&text)
            ));
        }
        out.push_str(&format!("</{prefix}p>"));
    }
    out.push_str(&format!("</{prefix}comment>"));
}
