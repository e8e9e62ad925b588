//! Answer that is a DOCX: its text as Markdown, and a copy with comments at the quotes.
//!
//! The sandbox has read the file within its limits before it is opened here, so parts are known to be of bounded size and
//! well formed.

mod comments;
mod marked_xml;
mod notes;
mod package;
mod story_reader;
mod story_text;
mod styles;

use std::ops::Range;

pub(super) use comments::{CommentText, CommentWords};
use marked_xml::MarkedXml;
use notes::NoteTexts;
use package::ManuscriptPackage;
use story_text::StoryText;

/// Reason why a DOCX cannot be used as an answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ManuscriptError {
    #[error("its archive cannot be read: {0}")]
    Archive(#[from] zip::result::ZipError),
    #[error("its archive cannot be read: {0}")]
    Io(#[from] std::io::Error),
    #[error("its XML is not well formed: {0}")]
    Xml(#[from] quick_xml::Error),
    #[error("one of its parts is not written in UTF-8")]
    Encoding,
    #[error("its part {0} is missing")]
    MissingPart(&'static str),
}

/// DOCX whose text was read as Markdown, with the position of every character in the file.
pub(super) struct Manuscript {
    package: ManuscriptPackage,
    story: StoryText,
}

impl Manuscript {
    /// Reads a file. `limit` is the largest size of a part, in bytes.
    pub(super) fn read(bytes: &[u8], limit: usize) -> Result<Self, ManuscriptError> {
        let package = ManuscriptPackage::open(bytes, limit)?;
        let styles = match package.related("styles")? {
            Some(part) => styles::read(&part)?,
            None => styles::ParagraphKinds::default(),
        };
        let mut notes = NoteTexts::default();
        for kind in ["footnotes", "endnotes"] {
            if let Some(part) = package.related(kind)? {
                notes.read(&part, kind)?;
            }
        }
        let story = story_reader::read_main(package.main_text(), &styles, &notes)?;
        Ok(Self { package, story })
    }

    /// Returns the text as Markdown. Notes are footnotes.
    pub(super) fn text(&self) -> &str {
        &self.story.text
    }

    /// Returns a copy of the file with a comment at each of these ranges of the text.
    pub(super) fn with_comments(
        &self,
        comments: &[(Range<usize>, CommentText)],
    ) -> Result<Vec<u8>, ManuscriptError> {
        let prefix = self.story.prefix.clone();
        let existing = self.package.related("comments")?;
        let first_id = existing.as_deref().map_or(Ok(0), comments::next_id)?;
        let mut marked = MarkedXml::new(self.package.main_text());
        let mut texts = Vec::new();
        for (range, text) in comments {
            let id = first_id + texts.len();
            if self.story.mark_comment(range.clone(), id, &mut marked) {
                texts.push((id, text));
            }
        }
        let main = marked.finish();
        let is_strict = self.story.is_strict;
        let part = comments::part(existing.as_deref(), &prefix, is_strict, &texts)?;
        self.package.write(main, part, is_strict)
    }
}
