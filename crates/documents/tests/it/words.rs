//! Words of all readers: each has at least one visible character.

use std::collections::BTreeMap;

use documents::{
    Document, ReadLimits, ReadOptions, RecognisedLines, RecognisedPages, RecognisedWord,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::docx_builder::{DocxBuilder, p};
use crate::fuzz_target::check_words;
use testkit::pdf_builder::{PdfBuilder, any as any_script};

/// Returns the words of a document as texts, line by line.
fn words(document: &Document) -> Vec<&str> {
    let of_line = |line| {
        let words = document.words_of(line).iter();
        words.map(|word| &line.text[word.range.start as usize..word.range.end as usize])
    };
    document.lines().iter().flat_map(of_line).collect()
}

/// Reads the same text as a file of each kind.
fn read_as_each_kind(text: &str) -> Vec<(&'static str, Document)> {
    let mut pdf = PdfBuilder::new();
    pdf.page(&any_script("U", 72.0, 700.0, 10.0, text));
    let files = [
        ("a.txt", text.as_bytes().to_vec()),
        ("a.md", text.as_bytes().to_vec()),
        ("a.html", format!("<!doctype html><p>{text}").into_bytes()),
        (
            "pre.html",
            format!("<!doctype html><pre>{text}").into_bytes(),
        ),
        ("a.docx", DocxBuilder::new(&p(text)).file()),
        ("a.pdf", pdf.file()),
    ];
    let read = |(name, file): (&'static str, Vec<u8>)| {
        let document = Document::read(&file, name, &ReadLimits::default());
        (
            name,
            document.unwrap_or_else(|error| panic!("{name}: {error}")),
        )
    };
    files.into_iter().map(read).collect()
}

/// Returns the options for a picture or page with these recognised words.
fn recognised(lines: &[Vec<String>]) -> RecognisedPages {
    let word = |text: &String| RecognisedWord {
        text: text.clone(),
        x: 10.0,
        y: 10.0,
        width: 20.0,
        height: 10.0,
        confidence: 90,
    };
    let lines: RecognisedLines = lines
        .iter()
        .map(|line| line.iter().map(word).collect())
        .collect();
    RecognisedPages {
        pages: BTreeMap::from([(1, Some(lines))]),
    }
}

/// Reads recognised words as those of a picture and as those of a PDF page without text.
fn read_recognised(lines: &[Vec<String>]) -> [Document; 2] {
    let recognised = recognised(lines);
    let options = ReadOptions {
        recognised: Some(&recognised),
        ..ReadOptions::default()
    };
    let gif = b"GIF89a\x40\x01\xf0\0\0\0";
    let mut pdf = PdfBuilder::new();
    pdf.page(&any_script("N", 72.0, 700.0, 10.0, "unreadable"));
    [(&gif[..], "a.gif"), (&pdf.file(), "a.pdf")]
        .map(|(file, name)| Document::read_as(file, name, &options).expect("it is read"))
}

#[test]
fn a_no_break_space_between_spaces_is_no_word() {
    for (name, document) in read_as_each_kind("High \u{a0} tide \u{202f}\u{2007} 12\u{a0}m") {
        check_words(&document);
        let words = words(&document);
        assert_eq!(words[..2], ["High", "tide"], "{name}");
        assert_eq!(words[2..].concat().replace('\u{a0}', ""), "12m", "{name}");
    }
    for (name, text) in [
        ("a.md", "High &nbsp; tide **&nbsp;**"),
        ("a.html", "<p>High &nbsp; tide <b>&nbsp;</b>"),
    ] {
        let document = Document::read(text.as_bytes(), name, &ReadLimits::default());
        let document = document.expect("it is read");
        assert_eq!(words(&document), ["High", "tide"], "{name}");
    }
}

#[test]
fn blank_recognised_words_are_left_out() {
    let line = ["High", "\u{a0}", "", " tide\u{2003}"].map(str::to_owned);
    for document in read_recognised(&[line.to_vec(), vec![" ".to_owned()]]) {
        assert_eq!(words(&document), ["High", "tide"]);
        assert_eq!(document.lines().len(), 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn words_of_every_reader_have_visible_characters(
        text in "([a-z1,.-]{1,4}|[ \t\u{a0}\u{1680}\u{2003}\u{2007}\u{202f}\u{3000}\u{200b}\u{ad}]|[東京]|[אב]){0,40}",
    ) {
        for (_, document) in read_as_each_kind(&text) {
            check_words(&document);
        }
    }

    #[test]
    fn recognised_words_have_visible_characters(
        lines in vec(vec("[a-z \t\n\u{a0}\u{2003}\u{3000}]{0,4}", 0..5), 0..5),
    ) {
        for document in read_recognised(&lines) {
            check_words(&document);
        }
    }
}
