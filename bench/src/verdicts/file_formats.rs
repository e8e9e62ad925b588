//! Texts converted to Markdown, HTML and DOCX. Verdicts must be as good as on plain text.
//!
//! Places are ignored, because pages and lines of these files differ.

use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use serde_json::Value;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::case::{self, Case, CaseKind, ExpectedVerdict};
use crate::judge::{GivenVerdict, Judge, is_right, judge};
use crate::source::Source;
use crate::table::{Row, table};

/// Number of cases of each kind.
const COUNT: usize = 40;
/// Permitted loss in the share of right verdicts.
const SLACK: f64 = 0.001;

/// File format into which a text is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileFormat {
    Plain,
    Markdown,
    Html,
    Docx,
}

impl FileFormat {
    const ALL: [Self; 4] = [Self::Plain, Self::Markdown, Self::Html, Self::Docx];

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "txt",
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Docx => "docx",
        }
    }

    fn write(self, text: &str) -> Vec<u8> {
        match self {
            Self::Plain => text.as_bytes().to_vec(),
            Self::Markdown => markdown(text).into_bytes(),
            Self::Html => html(text).into_bytes(),
            Self::Docx => docx(text),
        }
    }
}

/// Judge that converts the text to another format and ignores places.
struct FormatJudge<'j, J>(&'j J, FileFormat);

impl<J: Judge> Judge for FormatJudge<'_, J> {
    fn verify(&self, source: &Path, citations: &Path) -> Result<String, String> {
        let to_text = |error: std::io::Error| error.to_string();
        let text = fs::read_to_string(source).map_err(to_text)?;
        let file = source.with_extension(self.1.name());
        fs::write(&file, self.1.write(&text)).map_err(to_text)?;
        let read = fs::read_to_string(citations).map_err(to_text)?;
        let mut all: Value = serde_json::from_str(&read).map_err(|error| error.to_string())?;
        for (_, citation) in all.as_object_mut().into_iter().flatten() {
            if let Some(citation) = citation.as_object_mut() {
                citation.remove("pageNumber");
                citation.remove("lineIds");
            }
        }
        fs::write(citations, all.to_string()).map_err(to_text)?;
        self.0.verify(&file, citations)
    }
}

/// Returns true if a verdict is right, regardless of the place.
fn is_right_anywhere(case: &Case, given: &GivenVerdict) -> bool {
    match &case.expected {
        ExpectedVerdict::Exactly(..) | ExpectedVerdict::ElsewhereWithProblem(..) => {
            matches!(
                given.status.as_str(),
                "found" | "found_phrase_missed_anchor_text"
            )
        }
        ExpectedVerdict::FoundOrPartial | ExpectedVerdict::NotConfirmed => is_right(case, given),
    }
}

/// Compares the formats. Returns true if all are as good as plain text, and the table.
pub(crate) fn compare(
    by: &impl Judge,
    folder: &Path,
    sources: &[Source],
    kinds: &[&'static CaseKind],
    seed: &str,
) -> Result<(bool, String), String> {
    let made: Vec<(usize, Case)> = kinds
        .iter()
        .flat_map(|kind| case::make(kind, sources, seed, COUNT.min(kind.count)))
        .collect();
    let mut rows: Vec<Row> = Vec::new();
    let mut least = 0.0;
    for form in FileFormat::ALL {
        crate::note(&format!(
            "{} cases on the texts as {}",
            made.len(),
            form.name()
        ));
        let mut right = 0;
        for (number, source) in sources.iter().enumerate() {
            let own = made.iter().filter(|made| made.0 == number);
            let cases: Vec<&Case> = own.map(|made| &made.1).collect();
            let given = judge(&FormatJudge(by, form), folder, source, &cases)?;
            let good = |(case, given): &(&&Case, &GivenVerdict)| is_right_anywhere(case, given);
            right += cases.iter().zip(&given).filter(good).count();
        }
        let what = format!("the texts as {}, places left aside", form.name());
        rows.push(Row::share(what, right, made.len(), least));
        if form == FileFormat::Plain {
            least = (right as f64 / made.len().max(1) as f64 - SLACK).max(0.0);
        }
    }
    let ok = rows.iter().all(|row| row.ok);
    Ok((ok, format!("\n{}", table(&rows))))
}

/// Returns the paragraphs of lines, separated by a blank line or the end of a page.
fn paragraphs(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut lines = text.split(['\n', '\u{c}']).map(str::trim);
    std::iter::from_fn(move || {
        let own: Vec<&str> = lines
            .by_ref()
            .skip_while(|line| line.is_empty())
            .take_while(|line| !line.is_empty())
            .collect();
        (!own.is_empty()).then_some(own)
    })
}

/// Converts a text to Markdown and escapes all signs that could be markup.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for lines in paragraphs(text) {
        for line in lines {
            for char in line.chars() {
                if char.is_ascii_punctuation() {
                    out.push('\\');
                }
                out.push(char);
            }
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

fn html(text: &str) -> String {
    let mut out = "<!doctype html><meta charset=\"utf-8\"><title>text</title>\n".to_owned();
    for lines in paragraphs(text) {
        let lines: Vec<String> = lines.iter().map(|line| citations::escaped(line)).collect();
        let _ = writeln!(out, "<p>{}</p>", lines.join("<br>\n"));
    }
    out
}

fn docx(text: &str) -> Vec<u8> {
    let mut body = String::new();
    for lines in paragraphs(text) {
        let run = |line: &&str| {
            format!(
                "<w:t xml:space=\"preserve\">{}</w:t>",
                citations::escaped(line)
            )
        };
        let runs: Vec<String> = lines.iter().map(run).collect();
        let _ = write!(body, "<w:p><w:r>{}</w:r></w:p>", runs.join("<w:br/>"));
    }
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><w:document xmlns:w=\"http://schemas.openxmlformats.org/\
         wordprocessingml/2006/main\"><w:body>{body}</w:body></w:document>"
    );
    let types = "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/><Default Extension=\"rels\" ContentType=\
         \"application/vnd.openxmlformats-package.relationships+xml\"/><Override PartName=\"/word/document.xml\" \
         ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/></Types>";
    let relations = "<?xml version=\"1.0\"?><Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/\
         relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/\
         relationships/officeDocument\" Target=\"word/document.xml\"/></Relationships>";
    archive(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", relations.as_bytes()),
        ("word/document.xml", document.as_bytes()),
    ])
    .expect("memory takes what is written")
}

/// Returns a ZIP archive with uncompressed entries.
fn archive(entries: &[(&str, &[u8])]) -> ZipResult<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, data) in entries {
        archive.start_file(*name, stored)?;
        archive.write_all(data)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use documents::{Document, ReadLimits};

    use super::*;

    #[test]
    fn every_format_has_the_same_text() {
        let text = "1. A *list* of <things> & more\nover two lines\n\n# Not a heading_\n\u{c}Next page 10 %\n";
        let words = |form: FileFormat| {
            let name = format!("a.{}", form.name());
            let read = Document::read(&form.write(text), &name, &ReadLimits::default());
            let document = read.expect("a document");
            let body = document.text_streams()[0].index.text().source();
            body.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        for form in FileFormat::ALL {
            assert_eq!(words(form), words(FileFormat::Plain), "{form:?}");
        }
    }
}
