//! Small DOCX files.

use std::io::{Cursor, Read, Write};

use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const KINDS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Returns a DOCX with this body and these footnotes, which have the ids 1, 2, ….
pub(crate) fn docx(body: &str, footnotes: &[&str]) -> Vec<u8> {
    let notes: String = (1..)
        .zip(footnotes)
        .map(|(id, note)| {
            format!("<w:footnote w:id=\"{id}\"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space=\"preserve\"> {note}</w:t></w:r></w:p></w:footnote>")
        })
        .collect();
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
        <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
        <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
        <Override PartName=\"/word/document.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/>\
        <Override PartName=\"/word/footnotes.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml\"/></Types>";
    let relationship = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{KINDS}/{kind}\" Target=\"{target}\"/>")
    };
    let relationships = |inside: String| {
        format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{inside}</Relationships>"
        )
    };
    let parts = [
        ("[Content_Types].xml", types.to_owned()),
        (
            "_rels/.rels",
            relationships(relationship("rId1", "officeDocument", "word/document.xml")),
        ),
        (
            "word/document.xml",
            format!(
                "<?xml version=\"1.0\"?><w:document xmlns:w=\"{WORD}\"><w:body>{body}</w:body></w:document>"
            ),
        ),
        (
            "word/_rels/document.xml.rels",
            relationships(relationship("rId1", "footnotes", "footnotes.xml")),
        ),
        (
            "word/footnotes.xml",
            format!("<w:footnotes xmlns:w=\"{WORD}\">{notes}</w:footnotes>"),
        ),
        ("word/media/picture.bin", "unchanged bytes".to_owned()),
    ];
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(name, SimpleFileOptions::default())
            .expect("memory is writable");
        zip.write_all(text.as_bytes()).expect("memory is writable");
    }
    zip.finish().expect("memory is writable").into_inner()
}

/// Returns the names and contents of the parts of a DOCX.
pub(crate) fn parts(bytes: &[u8]) -> Vec<(String, String)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    (0..zip.len())
        .map(|at| {
            let mut file = zip.by_index(at).expect("a part");
            let mut text = String::new();
            file.read_to_string(&mut text).expect("the part is text");
            (file.name().expect("a name").into_owned(), text)
        })
        .collect()
}

/// Returns a paragraph with one run.
pub(crate) fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}
