//! Titles, pages and numbers of sources.

use citations::dialects::{SourceFigure, SourceReference};
use json::Number;

use super::value;

#[test]
fn sources_have_titles_and_page_labels() {
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
            "a b.txt",
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
        // Bytes that are not UTF-8 become replacement characters, and the rest is read.
        (
            "s3://b/caf%C3%A9%FF.pdf",
            None,
            "café\u{fffd}.pdf",
            "café\u{fffd}.pdf",
            true,
        ),
        ("s3://b/100%.txt", None, "100%.txt", "100%.txt", false),
        // The innermost file that has a name.
        (
            "s3://b/a.pdf#attachment=b.txt#attachment=c.pdf",
            None,
            "a.pdf",
            "c.pdf",
            true,
        ),
        (
            "s3://b/a.txt#attachment=b.pdf#attachment=",
            None,
            "a.txt",
            "b.pdf",
            true,
        ),
        ("s3://b/a.pdf#attachment=", None, "a.pdf", "a.pdf", true),
        // A blank name counts as none.
        ("s3://b/a.pdf#attachment=%20", Some("T"), "T", "T", false),
        (
            "s3://b/a.pdf#attachment=%20",
            None,
            "a.pdf",
            "Unknown Document",
            false,
        ),
        ("s3://b/%20", Some("T"), "T", "T", false),
        ("s3://b/a.pdf#page=3", None, "a.pdf", "a.pdf", true),
        ("s3://b/a.PDF?x", None, "a.PDF", "a.PDF", true),
        ("s3://b/a.txt?x.pdf", None, "a.txt", "a.txt", true),
        ("s3://b/a.pdf.txt", None, "a.pdf.txt", "a.pdf.txt", false),
        (
            "s3://b/5dd3c74a-8f7f-49c8-825f-84702e3ebc19",
            Some("T"),
            "T",
            "5dd3c74a-8f7f-49c8-825f-84702e3ebc19",
            false,
        ),
    ] {
        let source = source(&[], uri, title);
        assert_eq!(source.display_title(), specification, "{uri}");
        assert_eq!(source.file_title(), newer, "{uri}");
        assert_eq!(source.is_pdf(), pdf, "{uri}");
    }
    let mut source = source(&[], "", None);
    assert_eq!(source.badge(4), 5);
    source.index = Some(9);
    assert_eq!(source.badge(4), 9);
}

#[test]
fn invalid_fields_of_a_source_are_left_out() {
    for url in [
        "file:///x",
        "s3://b/x",
        "https://",
        "http:///x",
        "https:x",
        " https://x",
        "https://user@/x",
        "https://@/x",
        "https:// x/y",
        "https://a b/y",
        "https://\\\\x",
        "https://?x",
        "https://#x",
        "https://:80/x",
        "https://x:y/",
        "https://x:99999/",
        "https://[x]/",
        "https://[::1/",
        "https://<x>/",
        "7",
        "",
    ] {
        let json = format!(
            r#"{{"chunk_id":"a","document_id":"d","document_uri":"u","content":"c","document_meta":{{"source_url":"{url}"}},"page_numbers":[1,"x",2.5],"index":"1","headings":["h",5]}}"#
        );
        let source = SourceReference::from_json(&value(&json)).expect("only the optional is wrong");
        assert_eq!(source.source_url, None, "{url}");
        assert_eq!((source.page_numbers, source.index), (vec![1], None));
        assert_eq!(source.headings, ["h"]);
    }
    for url in [
        "https://x.example/a b?c#d",
        "HTTP://x.example",
        "http://user:word@x.example:8080/",
        "https://[::1]:443/x",
        "https://x.example:/",
        "https://bücher.example",
        "https://127.0.0.1/x",
    ] {
        let json = format!(
            r#"{{"chunk_id":"a","document_id":"d","document_uri":"u","content":"c","document_meta":{{"source_url":"{url}"}}}}"#
        );
        let source = SourceReference::from_json(&value(&json)).expect("complete");
        assert_eq!(source.source_url.as_deref(), Some(url));
    }
}

#[test]
fn ids_address_and_content_are_required() {
    let fields = ["chunk_id", "document_id", "document_uri", "content"];
    let source = |wrong: &str, instead: Option<&str>| {
        let members = fields.iter().filter_map(|field| match *field == wrong {
            true => instead.map(|instead| format!(r#""{field}":{instead}"#)),
            false => Some(format!(r#""{field}":"x""#)),
        });
        let members: Vec<String> = members.collect();
        SourceReference::from_json(&value(&format!("{{{}}}", members.join(","))))
    };
    assert!(source("", None).is_some());
    for field in fields {
        for instead in [None, Some("null"), Some("7"), Some("[]")] {
            assert_eq!(source(field, instead), None, "{field} {instead:?}");
        }
        assert!(source(field, Some("\"\"")).is_some(), "{field}");
    }
}

#[test]
fn equality_ignores_the_bytes_of_pictures() {
    let figure = |reference: &str, data: &str, caption: Option<&str>| SourceReference {
        figures: vec![SourceFigure {
            reference: reference.to_owned(),
            data: data.to_owned(),
            caption: caption.map(str::to_owned),
        }],
        ..SourceReference::default()
    };
    let one = figure("#/p/1", "AAAA", Some("A pump"));
    assert_eq!(one, figure("#/p/1", "BBBB", Some("A pump")));
    assert_ne!(one, figure("#/p/2", "AAAA", Some("A pump")));
    assert_ne!(one, figure("#/p/1", "AAAA", None));
    assert_ne!(one, SourceReference::default());
}

#[test]
fn pages_below_one_are_not_cited() {
    for (pages, claimed) in [
        (&[-4][..], None),
        (&[0], None),
        (&[-4, 0, 5, 6], Some(5)),
        (&[3, 1], Some(3)),
    ] {
        let source = SourceReference {
            page_numbers: pages.to_vec(),
            document_uri: "s3://b/a%20b.pdf".to_owned(),
            document_title: Some("T".to_owned()),
            ..SourceReference::default()
        };
        let (citation, names) = source.to_citation();
        assert_eq!(citation.page_number, claimed.map(Number::Int), "{pages:?}");
        assert_eq!(names, ["s3://b/a%20b.pdf", "a b.pdf", "T"]);
    }
}
