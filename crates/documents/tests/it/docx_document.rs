//! Documents read from built DOCX files.

use documents::{Document, ReadLimits, TextStreamRole};

use crate::docx_builder::DocxBuilder;

/// Reads a file that must be readable.
pub(crate) fn read(docx: &DocxBuilder) -> Document {
    let read = Document::read(&docx.file(), "a.bin", &ReadLimits::default());
    read.expect("the DOCX is valid")
}

/// Reads a file with these elements in its body.
pub(crate) fn read_body(inside: &str) -> Document {
    read(&DocxBuilder::new(inside))
}

/// Returns the texts of the lines.
pub(crate) fn lines(document: &Document) -> Vec<&str> {
    let lines = document.lines().iter();
    lines.map(|line| line.text.as_str()).collect()
}

/// Returns the text of a text stream; empty if there is none.
pub(crate) fn stream_text(document: &Document, role: TextStreamRole) -> &str {
    let mut streams = document.text_streams().iter();
    let stream = streams.find(|stream| stream.role == role);
    stream.map_or("", |stream| stream.index.text().source())
}

/// Returns a row of a table with these cells.
pub(crate) fn table_row(cells: &[&str]) -> String {
    let cells: String = cells
        .iter()
        .map(|cell| format!("<w:tc><w:tcPr><w:tcW w:w=\"1\"/></w:tcPr>{cell}</w:tc>"))
        .collect();
    format!("<w:tr>{cells}</w:tr>")
}

/// Styles with headings.
pub(crate) const STYLES: &str = "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"><w:name w:val=\"Normal\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/><w:basedOn w:val=\"N\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Mine\"><w:name w:val=\"Mine\"/><w:basedOn w:val=\"berschrift1\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"TOC\"><w:name w:val=\"TOC Heading\"/><w:basedOn w:val=\"berschrift1\"/>\
    <w:pPr><w:outlineLvl w:val=\"9\"/></w:pPr></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"T\"><w:name w:val=\"Title\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Loop\"><w:basedOn w:val=\"Loop\"/></w:style>";
