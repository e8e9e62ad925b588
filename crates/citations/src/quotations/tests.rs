//! Tests of quotations and their attributions.

use super::*;

/// Returns words, source and page of each quotation.
fn parts(text: &str) -> Vec<(String, Option<String>, Option<String>)> {
    let part = |quote: Quotation| {
        let reference = quote.attribution.map(|found| found.reference);
        let (source, page) = reference.map_or((None, None), |found| (found.source, found.page));
        (text[quote.words].to_owned(), source, page)
    };
    find_quotations(text).into_iter().map(part).collect()
}

#[track_caller]
fn check(text: &str, words: &str, source: Option<&str>, page: Option<&str>) {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let expected = (words.to_owned(), owned(source), owned(page));
    assert_eq!(parts(text), [expected], "{text}");
}

#[test]
fn attributions_follow_in_brackets_or_after_a_dash() {
    for (text, source, page) in [
        (
            "“High tide” (harbour.pdf, p. 3)",
            Some("harbour.pdf"),
            Some("3"),
        ),
        (
            "“High tide”. (harbour.pdf, pp. 3–5).",
            Some("harbour.pdf"),
            Some("3"),
        ),
        (
            "“High tide”, (see Larsen 2015, p. 14)",
            Some("Larsen 2015"),
            Some("14"),
        ),
        (
            "“High tide” (Larsen 2015: 14)",
            Some("Larsen 2015"),
            Some("14"),
        ),
        (
            "“High tide” (Larsen 2015, 14–15)",
            Some("Larsen 2015"),
            Some("14"),
        ),
        ("“High tide” (Larsen, 2015)", Some("Larsen, 2015"), None),
        ("“High tide” (harbour)", Some("harbour"), None),
        (
            "“High tide” — harbour.pdf, p. 3",
            Some("harbour.pdf"),
            Some("3"),
        ),
        (
            "“High tide”\n— harbour.pdf, p. xiv\nMore.",
            Some("harbour.pdf"),
            Some("xiv"),
        ),
        (
            "> “High tide”\n> -- harbour.pdf, S. 3 f.",
            Some("harbour.pdf"),
            Some("3"),
        ),
        (
            "“High tide” [harbour.pdf, p. 3]",
            Some("harbour.pdf"),
            Some("3"),
        ),
        (
            "“High tide” came early (Larsen 2015, p. 3).",
            Some("Larsen 2015"),
            Some("3"),
        ),
        ("“High tide” (p. 3)", None, Some("3")),
        ("“High tide” came. Then (Larsen 2015, p. 3).", None, None),
        ("“High tide” came (early)", None, None),
        ("“High tide” [1]", None, None),
    ] {
        check(text, "High tide", source, page);
    }
}

#[test]
fn every_kind_of_quotation_mark_is_read() {
    for text in [
        "“High tide” (a, p. 3)",
        "\"High tide\" (a, p. 3)",
        "‘High tide’ (a, p. 3)",
        "'High tide' (a, p. 3)",
        "„High tide“ (a, S. 3)",
        "„High tide” (a, s. 3)",
        "‚High tide‘ (a, S. 3)",
        "«High tide» (a, p. 3)",
        "« High tide » (a, p. 3)",
        "»High tide« (a, S. 3)",
        "‹High tide› (a, p. 3)",
        "›High tide‹ (a, S. 3)",
        "”High tide” (a, s. 3)",
        "「High tide」（a、3頁）",
        "『High tide』（a，第3页）",
        "«High tide» (a، ص ۳)",
        "\"High tide\" (a, עמ' 3)",
    ] {
        check(text, "High tide", Some("a"), Some("3"));
    }
}

#[test]
fn footnotes_name_the_source_of_the_quotation_before_their_mark() {
    let text = "He wrote “High tide.”[^1] She said “Low tide” at noon.[^b] Then “Ebb”.[^3]\n\n\
                [^1]: See Larsen, *History* (Oslo, 2015), p. 14. It is old.\n[^b]: Ibid., p. 15.\n[^3]: \"Ebb and flow\" x.pdf, p. 2\n";
    let found = parts(text);
    let source = Some("Larsen, *History* (Oslo, 2015)".to_owned());
    assert_eq!(
        found[0],
        (
            "High tide.".to_owned(),
            source.clone(),
            Some("14".to_owned())
        )
    );
    assert_eq!(
        found[1],
        ("Low tide".to_owned(), source, Some("15".to_owned()))
    );
    // A footnote with words of its own is a citation by itself.
    assert_eq!(found[2], ("Ebb".to_owned(), None, None));
}

#[test]
fn quotations_of_one_sentence_share_an_attribution() {
    let found = parts(
        "She wrote “one” and “two” (Larsen 2015, p. 3). “Three” is mine. “Four” (Berg 2001).",
    );
    let sources: Vec<Option<&str>> = found
        .iter()
        .map(|(_, source, _)| source.as_deref())
        .collect();
    assert_eq!(
        sources,
        [
            Some("Larsen 2015"),
            Some("Larsen 2015"),
            None,
            Some("Berg 2001")
        ]
    );
}

#[test]
fn any_text_is_read_without_loss_of_position() {
    let strange = [
        "“",
        "”",
        "(",
        "‘a’ (",
        "’ s’ b",
        "[^",
        "— p. 3",
        "\"\"",
        "“” (p. 3)",
        "“a”—",
        "（第页）",
        "“é” (ß, p. ٣",
    ];
    for one in strange {
        for other in strange {
            let text = format!("{one}{other} {one}");
            for quote in find_quotations(&text) {
                assert!(text.get(quote.range.clone()).is_some(), "{text}");
                assert!(text.get(quote.words.clone()).is_some(), "{text}");
                let end = quote.attribution.map(|found| found.end);
                assert!(end.is_none_or(|end| text.is_char_boundary(end)), "{text}");
            }
        }
    }
}

#[test]
fn sentences_name_their_source_before_the_quotation() {
    for (text, source, page) in [
        (
            "Larsen (2015, p. 14) writes: “High tide”.",
            Some("Larsen 2015"),
            Some("14"),
        ),
        (
            "It rained. As Larsen and Berg (2015: xiv) wrote, “High tide”.",
            Some("Larsen and Berg 2015"),
            Some("xiv"),
        ),
        (
            "According to Larsen (2015), “High tide” (p. 14).",
            Some("Larsen 2015"),
            Some("14"),
        ),
        (
            "“High tide”, writes Larsen (2015, 14).",
            Some("Larsen 2015"),
            Some("14"),
        ),
        (
            "Laut Larsen et al. (2015a, S. 3 f.) gilt: „High tide“",
            Some("Larsen et al. 2015a"),
            Some("3"),
        ),
        (
            "لارسن (۲۰۱۵، ص ۱۴) می‌نویسد: «High tide»",
            Some("لارسن ۲۰۱۵"),
            Some("14"),
        ),
        (
            "In report.pdf (p. 3) we read: “High tide”.",
            Some("report.pdf"),
            Some("3"),
        ),
        (
            "On page 3 of report.pdf it says “High tide”.",
            Some("report.pdf"),
            Some("3"),
        ),
        // The source after the quotation counts.
        (
            "Larsen (2015) agrees: “High tide” (Berg 2001, p. 3).",
            Some("Berg 2001"),
            Some("3"),
        ),
        // Another sentence, and no author.
        ("Larsen (2015, p. 14) came. “High tide”", None, None),
        (
            "Larsen (2015, p. 14) came.\n\nHe says “High tide”",
            None,
            None,
        ),
        ("The quay (1911) has “High tide”", None, None),
    ] {
        check(text, "High tide", source, page);
    }
    let found = parts("Larsen (2015, p. 14) wrote “one” and “two”. “Three” is mine.");
    let sources: Vec<Option<&str>> = found.iter().map(|part| part.1.as_deref()).collect();
    assert_eq!(sources, [Some("Larsen 2015"), Some("Larsen 2015"), None]);
}

#[test]
fn numbers_mean_the_list_of_references() {
    let list = "\n\n## References\n\n[1] log.txt\n[3] report.pdf\n";
    for (mark, source, page) in [
        ("[3, p. 7]", Some("report.pdf"), Some("7")),
        ("[3]", Some("report.pdf"), None),
        ("(3, S. 7)", Some("report.pdf"), Some("7")),
        ("came early [3: 7].", Some("report.pdf"), Some("7")),
        ("[9]", None, None),
    ] {
        let text = format!("“High tide” {mark}{list}");
        check(&text, "High tide", source, page);
        let found = find_quotations(&text).remove(0).attribution;
        assert_eq!(
            found.is_some_and(|found| found.is_certain()),
            source.is_some()
        );
    }
}

#[test]
fn brackets_may_name_several_sources() {
    for (text, expected) in [
        (
            "“High tide” (Larsen 2015, p. 14; Berg 2001, p. 3)",
            vec![("Larsen 2015", Some("14")), ("Berg 2001", Some("3"))],
        ),
        (
            "“High tide” (see Larsen 2015; Berg 2001)",
            vec![("Larsen 2015", None), ("Berg 2001", None)],
        ),
        (
            "“High tide” (log.txt, p. 1; p. 3)",
            vec![("log.txt", Some("1")), ("log.txt", Some("3"))],
        ),
        (
            "“High tide” (log.txt, p. 1; emphasis mine)",
            vec![("log.txt", Some("1"))],
        ),
        (
            "“High tide”[^1]\n\n[^1]: Larsen 2015, p. 14; Berg 2001, p. 3.\n",
            vec![("Larsen 2015", Some("14")), ("Berg 2001", Some("3"))],
        ),
        (
            "“High tide” [1, 2]\n\n[1] log.txt\n[2] report.pdf\n",
            vec![("log.txt", None), ("report.pdf", None)],
        ),
    ] {
        let found = find_quotations(text).remove(0).attribution;
        let found = found.expect("an attribution");
        let all = [vec![found.reference], found.others].concat();
        let named: Vec<(&str, Option<&str>)> = all
            .iter()
            .map(|found| (found.source.as_deref().unwrap_or(""), found.page.as_deref()))
            .collect();
        assert_eq!(named, expected, "{text}");
    }
}
