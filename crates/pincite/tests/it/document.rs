//! `pincite document`: the text of documents.

use json::Value;

use crate::harness::{pincite, scratch};

#[test]
fn shows_numbered_pages_and_lines() {
    let file = scratch("shown.txt", "One\n\n  two\u{1b}[2J\nthree\u{c}Second page");
    let file = file.to_str().expect("a plain name");
    let ended = pincite(&["document", file], b"").expect(0);
    let text = ended.text();
    assert!(
        text.starts_with("text/plain with 2 pages and 4 lines, drawn on 2 sheets\n"),
        "{text}"
    );
    for line in [
        "page 1",
        "    1  One",
        "    3  two[2J",
        "    4  three",
        "page 2",
        "    1  Second page",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}: {text:?}");
    }
    // Control characters are escaped.
    assert!(!text.contains('\u{1b}'), "{text:?}");
    let page = pincite(&["document", file, "--page", "2"], b"").expect(0);
    assert!(!page.text().contains("three"), "{}", page.text());
    pincite(&["document", file, "--page", "3"], b"").expect_usage_error(&["no page 3", "1 to 2"]);
}

#[test]
fn writes_json_and_deep_text() {
    let file = scratch(
        "shown.html",
        "<title>T &amp; C</title><p>Hello<p hidden>secret",
    );
    let file = file.to_str().expect("a plain name");
    let report = pincite(&["document", file, "--format", "json"], b"")
        .expect(0)
        .json();
    assert_eq!(report["mediaType"].as_str(), Some("text/html"));
    assert_eq!(report["title"].as_str(), Some("T & C"));
    let lines = report["pages"].as_array().expect("pages")[0]["lines"]
        .as_array()
        .expect("lines")
        .to_vec();
    let roles: Vec<(Option<&str>, Option<&str>)> = lines
        .iter()
        .map(|line| (line["text"].as_str(), line["role"].as_str()))
        .collect();
    assert_eq!(roles, [(Some("Hello"), Some("body"))]);
    assert_eq!(report["pageCount"], Value::from(1_usize));
    let deep = pincite(&["document", file, "--deep-text"], b"").expect(0);
    assert!(
        deep.text().starts_with(
            "<attachment id=\"shown.html\"><page_number_1_index_0>\n<line id=\"1\">Hello</line>\n"
        ),
        "{}",
        deep.text()
    );
}

#[test]
fn reports_an_unreadable_document() {
    let file = scratch("broken.bin", b"\x00\x01\x02\x03\xff");
    let ended = pincite(&["document", file.to_str().expect("plain")], b"").expect(1);
    assert!(ended.stderr.contains("cannot read"), "{}", ended.stderr);
    let ended = pincite(&["document", "/nowhere.txt"], b"").expect(1);
    assert!(ended.stderr.contains("/nowhere.txt"), "{}", ended.stderr);
}
