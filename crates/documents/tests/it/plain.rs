//! Reader of plain text.

use crate::text_dump::{lines, read, stream_text};
use documents::{ContentId, Document, DocumentBuilder, DocumentError, ReadLimits, TextStreamRole};
use passage::Quote;

#[test]
fn lines_are_trimmed_and_have_the_numbers_of_an_editor() {
    let cases: [(&str, &str, &[u32]); 6] = [
        ("one\ntwo", "one|two", &[1, 2]),
        (
            "  one \r\n\r\n\t two\r three\n",
            "one|two|three",
            &[1, 3, 4],
        ),
        ("\n\none\u{a0}\n\u{2003}\ntwo", "one|two", &[3, 5]),
        ("\n\n", "", &[]),
        ("", "", &[]),
        ("no end", "no end", &[1]),
    ];
    for (text, expected, numbers) in cases {
        let document = read(text, "a.txt");
        assert_eq!(lines(&document), expected, "{text:?}");
        assert_eq!(document.media_type(), "text/plain");
        assert_eq!(document.text_streams().len(), 1);
        let shown: Vec<u32> = document.lines().iter().map(|line| line.number).collect();
        assert_eq!(shown, numbers, "{text:?}");
        let stored = Document::from_bytes(&document.to_bytes()).expect("it was stored");
        assert_eq!(stored, document);
    }
}

#[test]
fn form_feeds_end_pages() {
    let document = read("one\ntwo\u{c}three\n\u{c}\n\u{c}four\n\u{c}\n", "a.txt");
    let places: Vec<(u32, u32, &str)> = document
        .lines()
        .iter()
        .map(|line| (line.page, line.number, line.text.as_str()))
        .collect();
    assert_eq!(
        places,
        [
            (1, 1, "one"),
            (1, 2, "two"),
            (2, 1, "three"),
            (4, 1, "four")
        ]
    );
    assert_eq!(document.pages().len(), 4);
    assert_eq!(document.pages()[1].lines, 2..3);
    assert_eq!(document.pages()[2].lines, 3..3);
    let positions = [(1, 1), (1, 2), (2, 1), (4, 1), (4, 9)]
        .map(|(page, number)| document.line_position(page, number));
    assert_eq!(positions, [Some(0), Some(1), Some(2), Some(3), Some(3)]);
    assert_eq!(document.line_position(5, 1), None);
}

#[test]
fn a_passage_runs_on_over_lines_and_pages() {
    let document = read(
        "A word may be di-\nvided, and a sentence\u{c}may go on.\n",
        "a.txt",
    );
    let body = &document.text_streams()[0];
    let quote = Quote::new("divided, and a sentence may go on", body.index.text()).expect("short");
    let found = body.index.find(&quote, None).expect("it is there");
    let place = document.locate(body, found.range).expect("it has a place");
    assert_eq!(
        (place.pages, place.first, place.lines),
        (1..3, (1, 1), vec![1, 2])
    );
}

#[test]
fn the_id_is_the_hash_of_the_bytes() {
    let id = |text: &str, name| read(text, name).id();
    assert_eq!(id("one\n", "a.txt"), ContentId::of(b"one\n"));
    assert_eq!(id("one\n", "a.txt"), id("one\n", "b.md"));
    assert_ne!(id("one\n", "a.txt"), id("one", "a.txt"));
    // The published BLAKE3 hash of the empty input.
    let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    assert_eq!(id("", "").to_string(), empty);
    assert_eq!(
        "af13"
            .parse::<ContentId>()
            .map_err(|error| error.to_string()),
        Err("a content id has 64 hexadecimal digits".to_owned())
    );
}

#[test]
fn the_id_of_a_document_without_a_file_is_the_hash_of_its_lines() {
    let build = |text: &str| {
        let mut builder = DocumentBuilder::new("text/plain");
        builder.add_line(text);
        builder.finish().expect("short").id()
    };
    assert_eq!(build("one"), build("one"));
    assert_ne!(build("one"), build("two"));
}

#[test]
fn errors_have_messages_and_hints() {
    let limits = ReadLimits {
        bytes: 100,
        lines: 3,
        pages: 2,
        nesting: 5,
        ..ReadLimits::default()
    };
    for (bytes, name, message) in [
        (&b"{\\rtf1 a}"[..], "a.txt", "RTF is not read yet"),
        (
            b"seventeen letters\0",
            "a.txt",
            "this is not text: byte 17 is 0x00",
        ),
        (
            &[b'a'; 101],
            "a.txt",
            "the file has 101 bytes; at most 100 are read",
        ),
        (b"a\nb\nc\nd", "a.txt", "the file has more than 3 lines"),
        (b"a\nb\nc\nd", "a.md", "the file has more than 3 lines"),
        (
            b"<p>a<p>b<p>c<p>d",
            "a.html",
            "the file has more than 3 lines",
        ),
        (b"a\x0cb\x0cc", "a.txt", "the file has more than 2 pages"),
        (
            b"> > > > > a",
            "a.md",
            "the file nests more than 5 levels deep",
        ),
        (
            b"<b><b><b><b><b>a",
            "a.html",
            "the file nests more than 5 levels deep",
        ),
    ] {
        let error = Document::read(bytes, name, &limits).expect_err(message);
        assert_eq!(error.to_string(), message);
        assert!(error.hint().ends_with('.'));
    }
    let few = ReadLimits {
        elements: 15,
        ..ReadLimits::default()
    };
    let elements = |count| {
        let file = "<i></i>".repeat(count);
        let result = Document::read(file.as_bytes(), "a.html", &few);
        result.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(elements(11), Ok(()));
    let message = "the file has more than 15 elements and texts";
    assert_eq!(elements(12), Err(message.to_owned()));
    let fits = Document::read(b"<b><b>a", "a.html", &limits);
    assert_eq!(fits.map(|document| lines(&document)), Ok("a".to_owned()));
    assert_eq!(
        DocumentError::Tangled.to_string(),
        "the elements of the file are too tangled to be read"
    );
}

#[test]
fn the_body_is_the_lines() {
    let document = read(" a  b\n\nc", "a.txt");
    assert_eq!(stream_text(&document, TextStreamRole::Body), "1:a  b|2:c");
}
