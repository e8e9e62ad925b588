//! Documents read from built PDF files, and questions about them.

use documents::{Document, LineRole, PageBox, ReadLimits, TextStream, TextStreamRole};
use passage::Quote;
use testkit::pdf_builder::PdfBuilder;

/// Reads a file that must be readable.
pub(crate) fn read(pdf: &PdfBuilder) -> Document {
    Document::read(&pdf.file(), "a.pdf", &ReadLimits::default()).expect("the PDF is valid")
}

/// Reads a file with one page.
pub(crate) fn read_page(content: &str) -> Document {
    let mut pdf = PdfBuilder::new();
    pdf.page(content);
    read(&pdf)
}

/// Returns the texts of the lines.
pub(crate) fn texts(document: &Document) -> Vec<&str> {
    let lines = document.lines().iter();
    lines.map(|line| line.text.as_str()).collect()
}

/// Returns the roles and texts of the lines.
pub(crate) fn roles(document: &Document) -> Vec<(LineRole, &str)> {
    let lines = document.lines().iter();
    lines.map(|line| (line.role, line.text.as_str())).collect()
}

/// Returns the role of the line with this text.
pub(crate) fn role_of(document: &Document, text: &str) -> Option<LineRole> {
    let line = document.lines().iter().find(|line| line.text == text)?;
    Some(line.role)
}

/// Returns the text stream of a role.
pub(crate) fn stream(document: &Document, role: TextStreamRole) -> Option<&TextStream> {
    let mut streams = document.text_streams().iter();
    streams.find(|stream| stream.role == role)
}

/// Returns the boxes of a quote in a text stream, if it is found.
pub(crate) fn find_boxes(
    document: &Document,
    role: TextStreamRole,
    quote: &str,
) -> Option<Vec<PageBox>> {
    let stream = stream(document, role)?;
    let quote = Quote::new(quote, stream.index.text()).expect("the quote is short");
    let found = stream.index.find(&quote, None)?;
    let boxes = document.boxes(stream, found.range.clone());
    let location = document.locate(stream, found.range);
    let pages = location.expect("a passage has a location").pages;
    assert!(boxes.iter().all(|part| pages.contains(&part.rendered_page)));
    Some(boxes)
}

/// Returns true if a quote is in a text stream.
pub(crate) fn finds(document: &Document, role: TextStreamRole, quote: &str) -> bool {
    find_boxes(document, role, quote).is_some()
}

#[track_caller]
pub(crate) fn assert_near(actual: f32, expected: f32) {
    assert!((actual - expected).abs() < 0.01, "{actual} for {expected}");
}

/// Lines of a column.
pub(crate) const FILLER: [&str; 6] = [
    "The harbour lies open to the north and is",
    "closed by a bar of sand on the eastern side",
    "where the current of the river meets the sea",
    "and boats wait for the flood before they go",
    "into the inner basin to unload their catch",
    "at the long wooden pier below the old town",
];
