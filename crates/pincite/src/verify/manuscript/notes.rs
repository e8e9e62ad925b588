//! Footnotes and endnotes of a manuscript.

use std::collections::HashMap;

use super::ManuscriptError;
use super::story_reader::{ManuscriptReader, StoryEvent};
use super::styles::{ParagraphKinds, attribute};

/// Texts of footnotes and endnotes by kind and id.
#[derive(Debug, Default)]
pub(super) struct NoteTexts(HashMap<(NoteKind, String), String>);

/// Kind of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum NoteKind {
    Footnote,
    Endnote,
}

impl NoteTexts {
    /// Returns the text of a note.
    pub(super) fn get(&self, kind: NoteKind, id: String) -> Option<String> {
        self.0.get(&(kind, id)).cloned()
    }

    /// Reads a part of notes.
    pub(super) fn read(&mut self, text: &str, part: &str) -> Result<(), ManuscriptError> {
        let (kind, element) = match part {
            "footnotes" => (NoteKind::Footnote, "footnote"),
            _ => (NoteKind::Endnote, "endnote"),
        };
        let kinds = ParagraphKinds::default();
        let mut reader = ManuscriptReader::new(text, &kinds, None);
        let mut current: Option<String> = None;
        reader.read(|reader, event| match event {
            StoryEvent::Open(start) if start.local_name().into_inner() == element => {
                reader.story.text.clear();
                current = attribute(start, "id");
            }
            StoryEvent::Close(name) if name == element => {
                let words: Vec<&str> = reader.story.text.split_whitespace().collect();
                if let Some(id) = current.take() {
                    self.0.insert((kind, id), words.join(" "));
                }
                reader.story.text.clear();
            }
            _ => {}
        })?;
        Ok(())
    }
}
