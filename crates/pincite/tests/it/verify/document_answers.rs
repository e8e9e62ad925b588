//! Answers that are DOCX, PDF and HTML documents, and copies with comments.

use super::{path_text, verify};
use crate::harness::{docx, paragraph, parts, scratch};
use testkit::pdf_builder::{PdfBuilder, lines};

const LOG: &str =
    "High tide is at noon on Sunday.\nThe first quay was built in 1911 & paid by the town.\n";

/// Returns the result and the words of each line of the report.
#[track_caller]
fn check(name: &str, answer: &[u8], code: i32) -> String {
    let source = scratch(&format!("{name}-log.txt"), LOG);
    let source = format!("log={}", path_text(&source));
    let answer = scratch(name, answer);
    let ended = verify(&[path_text(&answer), "--source", &source], "").expect(code);
    ended.text().to_owned()
}

const NOTE_MARK: &str = "<w:r><w:footnoteReference w:id=\"1\"/></w:r>";

#[test]
fn footnotes_of_a_docx_name_the_source() {
    let body = format!(
        "<w:p><w:r><w:t xml:space=\"preserve\">He wrote “High tide is </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>at noon</w:t></w:r>\
         <w:r><w:t>”</w:t></w:r>{NOTE_MARK}<w:r><w:t>.</w:t></w:r></w:p>\
         <w:p><w:r><w:t>“High tide is at ten”</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
         <w:p><w:del><w:r><w:delText>“Deleted words” (log, p. 1)</w:delText></w:r></w:del></w:p>"
    );
    let text = check("footnotes.docx", &docx(&body, &["log, p. 1.", "Ibid."]), 1);
    assert!(
        text.contains("✓ verified   “High tide is at noon”  log, page 1, line 1"),
        "{text}"
    );
    assert!(
        text.contains("✗ not found  “High tide is at ten”"),
        "{text}"
    );
    assert!(text.contains("1 of 2 quotes verified"), "{text}");
}

#[test]
fn pdf_and_html_answers_are_read_with_their_footnotes() {
    let mut pdf = PdfBuilder::new();
    let body = [
        "It is known when the tide comes, and he wrote about it at great length, as in \"High tide is",
        "at noon on Sunday\" (log, p. 1), which was true in his time and is still true in our own days.",
    ];
    pdf.page(&lines(72.0, 700.0, &body));
    let text = check("answer.pdf", &pdf.file(), 0);
    assert!(text.contains("1 of 1 quote verified"), "{text}");
    let html = "<!doctype html><title>T</title><p>He wrote “High tide is at <b>noon</b>”.<sup><a href=\"#fn1\" id=\"r1\">1</a></sup></p>\
                <ol><li id=\"fn1\"><p>log, p. 1 <a href=\"#r1\">↩</a></p></li></ol>";
    let text = check("answer.html", html.as_bytes(), 0);
    assert!(
        text.contains("✓ verified  “High tide is at noon”  log, page 1, line 1"),
        "{text}"
    );
}

#[test]
fn a_docx_answer_is_returned_with_comments() {
    let body = format!(
        "<w:p><w:r><w:rPr><w:i/></w:rPr><w:t>He wrote “High tide is at noon” (log, p. 1) and left.</w:t></w:r></w:p>{}",
        paragraph("“The first quay was built in 1912 &amp; paid by the town” (log, p. 1)")
    );
    let original = docx(&body, &[]);
    let answer = scratch("commented.docx", &original);
    let source = scratch("commented-log.txt", LOG);
    let source = format!("log={}", path_text(&source));
    let args = [path_text(&answer), "--source", &source, "--format", "docx"];
    let copy = verify(&args, "").expect(1).stdout;
    let (before, after) = (parts(&original), parts(&copy));
    let part = |parts: &[(String, String)], name: &str| {
        let found = parts.iter().find(|(own, _)| own == name);
        found.unwrap_or_else(|| panic!("{name}")).1.clone()
    };
    let document = part(&after, "word/document.xml");
    // The run is split around the quotation and keeps its properties.
    assert!(
        document.contains(
            "<w:r><w:rPr><w:i/></w:rPr><w:t xml:space=\"preserve\">He wrote </w:t></w:r><w:commentRangeStart w:id=\"0\"/>\
             <w:r><w:rPr><w:i/></w:rPr><w:t xml:space=\"preserve\">“High tide is at noon”</w:t></w:r>\
             <w:commentRangeEnd w:id=\"0\"/><w:r><w:commentReference w:id=\"0\"/></w:r>\
             <w:r><w:rPr><w:i/></w:rPr><w:t xml:space=\"preserve\"> (log, p. 1) and left.</w:t></w:r>"
        ),
        "{document}"
    );
    let comments = part(&after, "word/comments.xml");
    for words in [
        "✓ verified",
        "log, page 1, line 1",
        "✗ not found: a number differs",
        "<w:strike/>",
        ">1912<",
        ">1911<",
    ] {
        assert!(comments.contains(words), "{words}: {comments}");
    }
    assert!(part(&after, "[Content_Types].xml").contains("/word/comments.xml"));
    assert!(part(&after, "word/_rels/document.xml.rels").contains("Target=\"comments.xml\""));
    // All other parts are the same, and so is the text.
    for name in [
        "_rels/.rels",
        "word/footnotes.xml",
        "word/media/picture.bin",
    ] {
        assert_eq!(part(&before, name), part(&after, name), "{name}");
    }
    // A copy that is checked again keeps its comments and gets more.
    let again = scratch("commented-again.docx", &copy);
    let args = [path_text(&again), "--source", &source, "--format", "docx"];
    let twice = parts(&verify(&args, "").expect(1).stdout);
    assert_eq!(
        part(&twice, "word/comments.xml")
            .matches("<w:comment ")
            .count(),
        4
    );
    assert!(part(&twice, "word/document.xml").contains("<w:commentRangeStart w:id=\"3\"/>"));
    assert_eq!(
        part(&twice, "[Content_Types].xml"),
        part(&after, "[Content_Types].xml")
    );
}

#[test]
fn comments_on_footnotes_are_at_their_marks() {
    let body = format!("<w:p><w:r><w:t>He wrote so.</w:t></w:r>{NOTE_MARK}</w:p>");
    let answer = scratch(
        "noted.docx",
        docx(&body, &["“High tide is at noon” log, p. 1"]),
    );
    let source = scratch("noted-log.txt", LOG);
    let source = format!("log={}", path_text(&source));
    let args = [path_text(&answer), "--source", &source, "--format", "docx"];
    let copy = parts(&verify(&args, "").expect(0).stdout);
    let document = copy
        .iter()
        .find(|(name, _)| name == "word/document.xml")
        .expect("a part");
    assert!(
        document.1.contains(&format!(
            "<w:commentRangeStart w:id=\"0\"/>{NOTE_MARK}<w:commentRangeEnd w:id=\"0\"/>"
        )),
        "{}",
        document.1
    );
}

#[test]
fn only_a_docx_answer_has_a_docx_report() {
    let source = scratch("only-log.txt", LOG);
    let args = ["-", "--source", path_text(&source), "--format", "docx"];
    verify(&args, "text").expect_usage_error(&["--format docx", "DOCX"]);
    let answer = scratch(
        "only.docx",
        docx(&paragraph("“High tide is at noon” (only-log, p. 1)"), &[]),
    );
    let args = [
        path_text(&answer),
        "--source",
        path_text(&source),
        "-o",
        path_text(&answer),
    ];
    verify(&args, "").expect_usage_error(&["name another file"]);
}

#[test]
fn copies_of_a_checked_answer_are_no_sources() {
    let answer = docx(
        &paragraph("He wrote “Low tide is at six in the morning” (log, p. 1)."),
        &[],
    );
    let answer = scratch("self.docx", answer);
    let log = scratch("self-log.txt", LOG);
    let log = format!("log={}", path_text(&log));
    let args = [path_text(&answer), "--source", &log, "--format", "docx"];
    let copy = scratch("self-checked.docx", verify(&args, "").expect(1).stdout);
    verify(
        &[path_text(&answer), "--source", path_text(&copy), "--quotes"],
        "",
    )
    .expect_usage_error(&["the answer itself"]);
}
