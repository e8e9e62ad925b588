//! Sources as they are shown.

use citations::dialects::SourceReference;

use super::value;

#[test]
fn sources_are_shown_in_words() {
    let source = |pages: &[i64], uri: &str, title: Option<&str>| SourceReference {
        page_numbers: pages.to_vec(),
        document_uri: uri.to_owned(),
        document_title: title.map(str::to_owned),
        ..SourceReference::default()
    };
    for (pages, specification, better) in [
        (&[][..], None, None),
        (&[5], Some("p.5"), Some("p.5")),
        (&[3, 1, 2], Some("p.1-3"), Some("p.1-3")),
        (&[10, 1, 5], Some("p.1, 5, 10"), Some("p.1, 5, 10")),
        (&[5, 5, 6], Some("p.5, 5, 6"), Some("p.5-6")),
        (&[1, 2, 3, 7], Some("p.1, 2, 3, 7"), Some("p.1-3, 7")),
        (
            &[i64::MAX, i64::MIN],
            Some("p.-9223372036854775808, 9223372036854775807"),
            Some("p.-9223372036854775808, 9223372036854775807"),
        ),
    ] {
        let source = source(pages, "", None);
        assert_eq!(source.formatted_page_numbers().as_deref(), specification);
        assert_eq!(source.page_label().as_deref(), better);
    }
    for (uri, title, specification, newer, pdf) in [
        (
            "s3://b/f/file.pdf",
            Some("My Document"),
            "My Document",
            "file.pdf",
            true,
        ),
        ("s3://b/f/file.PDF", Some(""), "file.PDF", "file.PDF", true),
        (
            "https://x.example/a%20b.txt?q#f",
            None,
            "a%20b.txt",
            "a b.txt",
            false,
        ),
        ("https://x.example/folder/", Some(" T "), " T ", "T", false),
        ("", None, "Unknown Document", "Unknown Document", false),
        (
            "5dd3c74a-8f7f-49c8-825f-84702e3ebc19",
            Some("T"),
            "T",
            "T",
            false,
        ),
        (
            "s3://b/a.pdf#attachment=x%2Fy.txt",
            None,
            "a.pdf",
            "x/y.txt",
            false,
        ),
        ("s3://b/a%zz.txt", None, "a%zz.txt", "a%zz.txt", false),
    ] {
        let source = source(&[], uri, title);
        assert_eq!(source.display_title(), specification, "{uri}");
        assert_eq!(source.file_title(), newer, "{uri}");
        assert_eq!(source.is_pdf(), pdf, "{uri}");
    }
    assert_eq!(source(&[], "", None).badge(4), 5);
    for url in ["file:///x", "s3://b/x", "https://", "http:///x", "7"] {
        let json = format!(
            r#"{{"chunk_id":"a","document_id":"d","document_uri":"u","content":"c","document_meta":{{"source_url":"{url}"}},"page_numbers":[1,"x",2.5],"index":"1","headings":["h",5]}}"#
        );
        let source = SourceReference::from_json(&value(&json)).expect("only the optional is wrong");
        assert_eq!(source.source_url, None, "{url}");
        assert_eq!((source.page_numbers, source.index), (vec![1], None));
        assert_eq!(source.headings, ["h"]);
    }
}
