//! Reads files into pages, lines and words with boxes, and indexes their text for finding passages.
//!
//! A [`Document`] is built once and does not change. Its lines are numbered per page, as models see them. Its
//! [`TextStream`]s are the texts that are read in one go: the body, the footnotes, hidden text.
//! [`Document::read`] makes a document from the bytes of a file, a [`DocumentBuilder`] from anything else.
//!
//! | file | pages | lines | text streams |
//! |---|---|---|---|
//! | plain text | one; form feeds begin another | those of the file | body |
//! | Markdown | one; form feeds begin another | those of the file, as written | body without markup; front matter and footnotes apart; alternative texts and titles hidden; the lines as written |
//! | HTML | one | blocks, and parts of them between `<br>` or line ends of `<pre>` | body; ruby apart; hidden elements, alternative texts and titles hidden |
//! | DOCX | by explicit page breaks, and by the breaks of the last rendering | paragraphs, and parts of them between breaks; rows of tables | body; notes, comments, text boxes, running headers and footers, ruby apart; hidden text and alternative texts; with numbered lists, the lines with their numbers |
//! | PDF | those of the file | as they are set, in reading order, with words and boxes | body; running headers and footers, page and line numbers, footnotes and captions apart |
//! | PNG, JPEG, WebP, GIF | one | as recognised, with words and boxes | body |
//!
//! Words in images, and on pages of a PDF that are images, are recognised by the caller, who passes them in
//! [`ReadOptions::recognised`]. Each has a confidence; see [`Document::doubtful_word`].
//!
//! Lines are trimmed, and blank lines have no number. A line of a table has a tab between its cells.
//!
//! # Layout
//!
//! Files without positions of words are set on A4 pages by this crate, so that a passage can be shown: headings,
//! lists, quotations, tables, code, and images that are part of the file (boxes for others). Pages and lines keep
//! the numbers of the file; the pages of our layout are called rendered pages. [`Document::rendered_page_count`]
//! counts them, and a [`Word`] and a [`PageBox`] have the number of theirs. For other files the rendered pages are
//! the pages of the file. A page of the file begins on a new rendered page. [`Document::boxes`] returns the boxes of
//! a passage, also through markup; hidden text has none. [`Document::read_with_layout`] also returns what is drawn.
//! Text of more than 16 MB is not laid out.
//!
//! ```
//! use documents::{Document, TextStreamRole, ReadLimits};
//! use passage::Quote;
//!
//! let file = b"<html lang=en><p>Sales rose by <b>1,234</b>&nbsp;%.<p hidden>Not so.";
//! let document = Document::read(file, "report.html", &ReadLimits::default())?;
//!
//! let body = &document.text_streams()[0];
//! let quote = Quote::new("rose by 1234%", body.index.text())?;
//! let found = body.index.find(&quote, None).expect("the quote is in the body");
//! let location = document.locate(body, found.range).expect("the body has lines");
//! assert_eq!(location.first, (1, 1));
//!
//! let hidden = &document.text_streams()[1];
//! assert_eq!(hidden.role, TextStreamRole::Hidden);
//! assert_eq!(hidden.index.text().source(), "Not so.\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Document::to_bytes`] encodes a document with its indexes; decoding it with [`Document::from_bytes`] costs a
//! small part of reading the file.
//!
//! Files are untrusted: [`ReadLimits`] bound their cost, and a refused file is a [`DocumentError`] with a reason and
//! a hint. This crate opens no files and does not panic.

mod builder;
mod content_id;
mod decode;
mod digit_position;
mod document;
mod docx;
mod embedded_image;
mod error;
mod file_kind;
mod geometry;
mod html;
mod image_header;
mod image_reader;
mod layout;
mod markdown;
mod metadata;
mod pdf;
mod plain;
mod read;
mod read_options;
mod recognised;
mod stored;

pub use builder::DocumentBuilder;
pub use content_id::{ContentId, ContentIdError};
pub use decode::decode_text;
pub use document::{
    Document, DoubtfulWord, Line, LineRole, Page, PassageLocation, TextStream, TextStreamRole,
};
pub use error::DocumentError;
pub use file_kind::is_pdf;
pub use geometry::{PageBox, PageSize, Word};
pub use image_header::{ImageHeader, ImageRotation};
pub use layout::{DrawnItem, ImageNumber, InkColour, LayoutFont, PageLayout, PlacedGlyph};
pub use metadata::{DocumentMetadata, MetadataDate, OutlineHeading, ReadWarning};
pub use read::open_pdf;
pub use read_options::{ReadLimits, ReadOptions};
pub use recognised::{MIN_CONFIDENCE, RecognisedLines, RecognisedPages, RecognisedWord};
pub use stored::StoredDocumentError;
