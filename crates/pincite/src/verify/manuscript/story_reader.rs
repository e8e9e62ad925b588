//! Reader of a story: the paragraphs of a part as Markdown.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::ManuscriptError;
use super::notes::{NoteKind, NoteTexts};
use super::story_text::{ManuscriptPiece, PiecePlace, RunRange, StoryText};
use super::styles::{ParagraphKind, ParagraphKinds, attribute};

/// Elements whose content is not text of the story.
const SKIPPED: &[&str] = &[
    "del",
    "moveFrom",
    "delText",
    "instrText",
    "delInstrText",
    "sdtPr",
    "sectPr",
    "tblPr",
    "tblGrid",
    "trPr",
    "tcPr",
    "tblPrEx",
    "annotationRef",
    "footnoteRef",
    "endnoteRef",
    "Fallback",
    "rt",
];

/// Reads the main part. Notes become footnotes of the text.
pub(super) fn read_main(
    text: &str,
    kinds: &ParagraphKinds,
    notes: &NoteTexts,
) -> Result<StoryText, ManuscriptError> {
    let mut reader = ManuscriptReader::new(text, kinds, Some(notes));
    reader.read(|_, _| {})?;
    reader.add_notes();
    Ok(reader.story)
}

/// Event that a caller of [`ManuscriptReader::read`] sees.
pub(super) enum StoryEvent<'e> {
    Open(&'e BytesStart<'e>),
    Close(&'e str),
}

/// Paragraph that is being read.
#[derive(Debug, Default)]
struct OpenParagraph {
    /// Run that is open.
    run: Option<usize>,
    /// Kind of the paragraph.
    kind: Option<ParagraphKind>,
    /// True after the first piece of its text.
    has_text: bool,
}

/// Text element that is open.
#[derive(Debug, Clone, Copy)]
struct TextElement {
    /// End of its start tag.
    tag_end: usize,
    /// True if white space at its ends counts.
    keeps_space: bool,
    /// True for text in formulas and drawings.
    is_foreign: bool,
}

/// Reader of a story.
pub(super) struct ManuscriptReader<'t, 'k> {
    xml: &'t str,
    kinds: &'k ParagraphKinds,
    notes: Option<&'k NoteTexts>,
    pub(super) story: StoryText,
    /// Open paragraphs: text boxes are inside of paragraphs.
    open: Vec<OpenParagraph>,
    /// Depth of the element whose content is skipped.
    skipped: Option<usize>,
    depth: usize,
    text_element: Option<TextElement>,
    /// Notes in the order of their marks: label, text, and the piece of the mark.
    marked_notes: Vec<(String, String, ManuscriptPiece)>,
}

impl<'t, 'k> ManuscriptReader<'t, 'k> {
    pub(super) fn new(
        xml: &'t str,
        kinds: &'k ParagraphKinds,
        notes: Option<&'k NoteTexts>,
    ) -> Self {
        Self {
            xml,
            kinds,
            notes,
            story: StoryText::default(),
            open: Vec::new(),
            skipped: None,
            depth: 0,
            text_element: None,
            marked_notes: Vec::new(),
        }
    }

    /// Reads the whole part and passes its elements to `see`.
    pub(super) fn read(
        &mut self,
        mut see: impl FnMut(&mut Self, StoryEvent<'_>),
    ) -> Result<(), ManuscriptError> {
        let xml = self.xml;
        let mut reader = Reader::from_str(xml);
        reader.config_mut().allow_dangling_amp = true;
        loop {
            let from = position(&reader);
            let event = reader.read_event()?;
            let range = from..position(&reader);
            match event {
                Event::Start(start) => {
                    see(self, StoryEvent::Open(&start));
                    self.depth += 1;
                    self.start(&start, range, false);
                }
                Event::Empty(start) => {
                    self.depth += 1;
                    self.start(&start, range.clone(), true);
                    self.end(start.name().into_inner(), range);
                }
                Event::End(end) => {
                    self.end(end.name().into_inner(), range);
                    see(self, StoryEvent::Close(end.local_name().into_inner()));
                }
                Event::Text(text) => self.text(&text.into_inner(), range),
                Event::CData(text) => self.text(&text.into_inner(), range),
                Event::GeneralRef(reference) => {
                    let char = reference.resolve_char_ref().ok().flatten();
                    let named = || {
                        let name = reference.clone().into_inner();
                        quick_xml::escape::resolve_predefined_entity(&name).map(str::to_owned)
                    };
                    let text = char.map(|char| char.to_string()).or_else(named);
                    self.text(&text.unwrap_or_default(), range);
                }
                Event::Eof => return Ok(()),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }

    fn start(&mut self, start: &BytesStart<'_>, range: Range<usize>, is_empty: bool) {
        if self.depth == 1 {
            self.read_root(start);
        }
        if self.skipped.is_some() {
            return;
        }
        if SKIPPED.contains(&start.local_name().into_inner()) {
            self.skipped = Some(self.depth);
            return;
        }
        let name = start.name();
        let Some(name) = name.into_inner().strip_prefix(&self.story.prefix) else {
            // Formulas and drawings have text elements of their own, which comments cannot split.
            if start.local_name().into_inner() == "t" && !is_empty {
                self.text_element = Some(TextElement {
                    tag_end: range.end,
                    keeps_space: true,
                    is_foreign: true,
                });
            }
            return;
        };
        match name {
            "p" => self.open.push(OpenParagraph::default()),
            "r" => {
                let end = range.end;
                self.story.runs.push(RunRange {
                    range,
                    properties: end..end,
                    content: end..end,
                });
                let run = self.story.runs.len() - 1;
                if let Some(paragraph) = self.open.last_mut() {
                    paragraph.run = Some(run);
                }
            }
            "rPr" | "pPr" => self.text_element = None,
            "pStyle" => {
                let kind = attribute(start, "val").and_then(|style| self.kinds.get(&style));
                if let Some(paragraph) = self.open.last_mut() {
                    paragraph.kind = kind;
                }
            }
            "t" if !is_empty => {
                let keeps_space = attribute(start, "space").as_deref() == Some("preserve");
                self.text_element = Some(TextElement {
                    tag_end: range.end,
                    keeps_space,
                    is_foreign: false,
                });
            }
            "tab" | "ptab" => self.push_element(" ", range),
            "br" | "cr" => self.push_element("\n", range),
            "noBreakHyphen" => self.push_element("\u{2011}", range),
            "footnoteReference" => self.push_note(NoteKind::Footnote, start, range),
            "endnoteReference" => self.push_note(NoteKind::Endnote, start, range),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, range: Range<usize>) {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        if let Some(skipped) = self.skipped {
            if skipped == depth {
                self.skipped = None;
            }
            return;
        }
        let Some(name) = name.strip_prefix(&self.story.prefix) else {
            self.text_element = None;
            return;
        };
        match name {
            "p" => {
                let has_text = self.open.pop().is_some_and(|paragraph| paragraph.has_text);
                let end = if has_text { "\n\n" } else { "" };
                self.story.text.push_str(end);
            }
            "r" => {
                if let Some(paragraph) = self.open.last_mut()
                    && let Some(run) = paragraph.run.take()
                {
                    self.story.runs[run].range.end = range.end;
                }
            }
            "rPr" => {
                let run = self.open.last().and_then(|paragraph| paragraph.run);
                if let Some(run) = run.and_then(|run| self.story.runs.get_mut(run)) {
                    run.properties = run.content.start..range.end;
                }
            }
            "t" => self.text_element = None,
            _ => {}
        }
    }

    /// Reads the prefix of the names of elements from the root.
    fn read_root(&mut self, start: &BytesStart<'_>) {
        let prefix = start.name();
        let prefix = prefix.prefix().map(|prefix| prefix.into_inner().to_owned());
        self.story.prefix = prefix.map_or(String::new(), |prefix| format!("{prefix}:"));
        let mut attributes = start.attributes();
        let mut attributes = attributes.with_checks(false).flatten();
        self.story.is_strict = attributes.any(|attribute| {
            attribute.value.as_ref() == "http://purl.oclc.org/ooxml/wordprocessingml/main"
        });
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        if let Some(element) = self.text_element
            && self.skipped.is_none()
        {
            // Line breaks of the XML are spaces of the text.
            let text = text.replace(['\n', '\r', '\t'], " ");
            let TextElement {
                tag_end,
                keeps_space,
                is_foreign,
            } = element;
            let place = match is_foreign {
                true => PiecePlace::Outside,
                false => PiecePlace::Text {
                    tag_end,
                    keeps_space,
                },
            };
            self.push(&text, range, place);
        }
    }

    fn push_element(&mut self, text: &str, range: Range<usize>) {
        // Tabs are also elements of properties of paragraphs.
        if self
            .open
            .last()
            .is_some_and(|paragraph| paragraph.run.is_some())
        {
            self.push(text, range, PiecePlace::Element);
        }
    }

    fn push_note(&mut self, kind: NoteKind, start: &BytesStart<'_>, range: Range<usize>) {
        let Some(id) = attribute(start, "id") else {
            return;
        };
        let Some(note) = self.notes.and_then(|notes| notes.get(kind, id)) else {
            return;
        };
        let sign = match kind {
            NoteKind::Footnote => "",
            NoteKind::Endnote => "e",
        };
        let is_same = |label: &str| label.starts_with('e') == (kind == NoteKind::Endnote);
        let number = self
            .marked_notes
            .iter()
            .filter(|(label, _, _)| is_same(label))
            .count()
            + 1;
        let label = format!("{sign}{number}");
        self.push_element(&format!("[^{label}]"), range);
        if let Some(piece) = self.story.pieces.last() {
            self.marked_notes.push((label, note, piece.clone()));
        }
    }

    fn push(&mut self, text: &str, xml: Range<usize>, place: PiecePlace) {
        let is_inner = self.open.len() > 1;
        // A text box begins a paragraph of its own.
        let breaks_outer = is_inner
            && self
                .open
                .last()
                .is_some_and(|paragraph| !paragraph.has_text)
            && !self.story.text.is_empty()
            && !self.story.text.ends_with("\n\n");
        if breaks_outer {
            self.story.text.push_str("\n\n");
        }
        let outer_run = self.open.first().and_then(|paragraph| paragraph.run);
        let Some(paragraph) = self.open.last_mut() else {
            return;
        };
        let run = if is_inner { outer_run } else { paragraph.run };
        let place = if is_inner { PiecePlace::Outside } else { place };
        if !paragraph.has_text {
            paragraph.has_text = true;
            match paragraph.kind {
                Some(ParagraphKind::Heading(level)) => {
                    self.story.text.push_str(&"#".repeat(level.min(6)));
                    self.story.text.push(' ');
                }
                Some(ParagraphKind::BlockQuote) => self.story.text.push_str("> "),
                None => {}
            }
        }
        let start = self.story.text.len();
        self.story.text.push_str(text);
        let Some(run) = run else {
            return;
        };
        let text = start..self.story.text.len();
        self.story.pieces.push(ManuscriptPiece {
            text,
            xml,
            run,
            place,
        });
    }

    /// Adds the texts of the notes after the story. Their comments are at their marks.
    fn add_notes(&mut self) {
        for (label, note, piece) in std::mem::take(&mut self.marked_notes) {
            let start = self.story.text.len();
            self.story.text.push_str(&format!("[^{label}]: {note}\n"));
            let text = start..self.story.text.len();
            self.story.notes.push(ManuscriptPiece { text, ..piece });
        }
    }
}

/// Returns the number of bytes that were read.
fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}
