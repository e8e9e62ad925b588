//! Files as pages and lines, with the texts to look for passages in.
//!
//! A [`Document`] is built once and does not change. Its lines are numbered per page, as a model is
//! shown them; its [`TextStream`]s are what is read in one go: the body, and what stands apart from it.
//! [`Document::read`] makes one from the bytes of a file, and a [`DocumentBuilder`] from anything else.
//!
//! | file | pages | lines | flows |
//! |---|---|---|---|
//! | plain text | one; form feeds begin another | those of the file | body |
//! | Markdown | one; form feeds begin another | those of the file, as written | body without markup; front matter and footnotes apart; texts and titles of images and links, hidden; the lines as written |
//! | HTML | one | blocks, and parts of them between `<br>` or line ends of `<pre>` | body; ruby apart; hidden elements, alternative texts and titles |
//! | DOCX | where the writer broke them, and where they ended when the text was last set | paragraphs, and parts of them between breaks; rows of tables | body; notes, comments, text boxes, running heads and feet, ruby apart; hidden text and alternative texts; with numbered lists, the lines with their numbers |
//! | PDF | those of the file | as they are set, in reading order, with their words and boxes | body; running heads and feet, page and line numbers, footnotes and captions apart |
//! | PNG, JPEG, WebP, GIF | one | those that were recognised, with their words and boxes | body |
//!
//! Words in pictures, and on pages of a PDF that are pictures, are recognised by the caller, who hands them
//! over in [`ReadOptions::recognised`]; each has a confidence ([`Document::doubt`]).
//!
//! Lines are trimmed, and empty ones have no number. A line of a table has a tab between its cells.
//!
//! # Laid out
//!
//! Files that do not say where words stand are set on sheets of A4 by us, so that a passage has a place to be
//! shown: headings, lists, quotations, tables, code, and the images that are part of the file (boxes for
//! others). Pages and lines stay those of the file, for nobody but us knows the sheets: [`Document::sheets`] counts them, and a [`Word`] and a [`PageBox`]
//! name theirs. Of other files the pages are the sheets. A page begins on a new sheet.
//! [`Document::boxes`] finds the rows that a passage takes up, through any markup; what is hidden has no
//! boxes. [`Document::read_with_layout`] gives what is drawn, too. Text of more than 16 MB is not laid out.
//!
//! ```
//! use documents::{Document, TextStreamRole, ReadLimits};
//! use passage::Quote;
//!
//! let file = b"<html lang=en><p>Sales rose by <b>1,234</b>&nbsp;%.<p hidden>Not so.";
//! let document = Document::read(file, "report.html", &ReadLimits::default())?;
//!
//! let body = &document.flows()[0];
//! let quote = Quote::new("rose by 1234%", body.index.text())?;
//! let found = body.index.find(&quote, None).expect("it says so");
//! let place = document.place(body, found.range).expect("it stands on a line");
//! assert_eq!(place.first, (1, 1));
//!
//! let hidden = &document.flows()[1];
//! assert_eq!(hidden.role, TextStreamRole::Hidden);
//! assert_eq!(hidden.index.text().source(), "Not so.\n");
//! # Ok::<(), documents::ReadError>(())
//! ```
//!
//! [`Document::to_bytes`] stores what was read, indexes included; opening that again with
//! [`Document::from_bytes`] costs a small part of reading the file.
//!
//! Files come from anywhere: [`ReadLimits`] bound what they may cost, and every way to refuse one is a
//! [`DocumentError`] that says why and what to do. Nothing here opens files, and nothing panics.

mod about;
mod align;
mod content_id;
mod decode;
mod document;
mod docx;
mod draft;
mod error;
mod figure;
mod geometry;
mod html;
mod kind;
mod layout;
mod markdown;
mod pdf;
mod picture;
mod plain;
mod read;
mod recognised;
mod stored;

pub use about::{DocumentMetadata, MetadataDate, OutlineHeading, ReadWarning};
pub use content_id::{ContentId, ContentIdError};
pub use document::{
    Document, DocumentBuilder, Line, LineRole, Page, PassageLocation, TextStream, TextStreamRole,
};
pub use error::DocumentError;
pub use geometry::DoubtfulWord;
pub use geometry::{PageBox, PageSize, Word};
pub use kind::is_pdf;
pub use layout::{DrawnItem, ImageNumber, InkColour, LayoutFont, PageLayout, PlacedGlyph};
pub use picture::{ImageHeader, ImageRotation};
pub use read::{ReadLimits, ReadOptions, open_pdf};
pub use recognised::{RecognisedLines, RecognisedPages, RecognisedWord, SURE};
pub use stored::StoredDocumentError;
