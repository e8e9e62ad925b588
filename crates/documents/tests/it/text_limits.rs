//! Text files made to take long: each is read or refused within a bounded time.
//!
//! A reader that needs more than linear time takes minutes for these; the bound leaves room for a slow machine.

use std::time::Duration;

use crate::cpu_time::cpu_time;

use documents::{Document, ReadLimits};

const BOUND: Duration = Duration::from_secs(30);
const MEGABYTE: usize = 1 << 20;

/// Reads a file. Returns the error, or an empty text if it was read.
fn fault(file: &[u8], name: &str) -> String {
    let start = cpu_time();
    let result = Document::read(file, name, &ReadLimits::default());
    let time = cpu_time() - start;
    let beginning = String::from_utf8_lossy(&file[..file.len().min(40)]).into_owned();
    assert!(time < BOUND, "{beginning:?} as {name} took {time:?}");
    result
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

/// Repeats a text up to a size.
fn much(part: &str, size: usize) -> String {
    part.repeat(size / part.len())
}

/// Joins texts that are made of a number each.
fn numbered(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

const DEEP: &str = "the file nests more than 16384 levels deep";
const MARKS: &str = "the file nests more than 256 levels deep";
const TANGLED: &str = "the elements of the file are too tangled to be read";
const ATTRIBUTES: &str = "the file has an element with more than 512 attributes";

#[test]
fn fifty_megabytes_of_one_character() {
    assert_eq!(fault(&vec![b'<'; 50 * MEGABYTE], ""), "");
    assert_eq!(
        fault(&vec![0; 50 * MEGABYTE], "a.html"),
        "this is not text: byte 0 is 0x00"
    );
    assert_eq!(fault(&vec![b'\n'; 50 * MEGABYTE], "a.md"), "");
    assert_eq!(fault(&vec![0x0c; 50 * MEGABYTE], "a.txt"), "");
}

#[test]
fn deep_html() {
    for (file, expected) in [
        ("<div>".repeat(10_000) + "x", ""),
        ("<i>".repeat(5_000) + "x" + &"</i>".repeat(5_000), ""),
        ("<svg><g>".repeat(5_000) + "x", ""),
        ("<table><td>".repeat(2_000) + "x", ""),
        (much("<div>", MEGABYTE), TANGLED),
        (much("<span>", MEGABYTE), DEEP),
        (much("<b>", MEGABYTE), TANGLED),
        (much("<svg><g>", MEGABYTE), DEEP),
        (much("<table><td>", MEGABYTE), DEEP),
        ("<div>".repeat(5_000) + &much("</p></x>", MEGABYTE), TANGLED),
        (
            numbered(20_000, |n| format!("<b a={n}>")) + &much("<p>", MEGABYTE),
            TANGLED,
        ),
    ] {
        assert_eq!(
            fault(file.as_bytes(), "a.html"),
            expected,
            "{:?}",
            &file[..40]
        );
    }
}

#[test]
fn tangled_html() {
    for (file, expected) in [
        (numbered(60_000, |n| format!("<p><b a={n}>x</p>")), TANGLED),
        (much("<nobr><div>", MEGABYTE), TANGLED),
        (much("<a><p>x", MEGABYTE), ""),
        (much("<table><a>x", MEGABYTE), ""),
        (much("<a href=x><b><i></p>", MEGABYTE), TANGLED),
        (
            format!("<p {}>", numbered(200_000, |n| format!("a{n} "))),
            ATTRIBUTES,
        ),
        (
            format!("<p {}>", numbered(200_000, |n| format!("a{n}=<'/ "))),
            ATTRIBUTES,
        ),
        (format!("<p a='{}'>", much("b c=< ", MEGABYTE)), ""),
        (format!("<!-- {} -->", much("a b=< ", MEGABYTE)), ""),
        (
            much(
                &format!("<b {}>", numbered(500, |n| format!("a{n} "))),
                4 * MEGABYTE,
            ),
            TANGLED,
        ),
    ] {
        let fault = fault(file.as_bytes(), "a.html");
        assert_eq!(fault, expected, "{:?}", &file[..40]);
    }
}

#[test]
fn html_that_nothing_ends() {
    for part in [
        "<",
        "</",
        "<!",
        "<!--",
        "<![CDATA[",
        "<?",
        "<p",
        "<p a",
        "<p a='",
        "&",
        "&am",
        "&#",
        "&#x",
        "&#x0",
        "<p>",
        "</p>",
        "<li>a",
        "<template>",
        "<textarea>",
        "<script>",
        "<script><!--<script ",
        "<select><option>",
        "<button>",
        "<frameset>",
        "<p style='/*'>",
        "<p hidden>a<p>b",
        "<br>",
        "<style>",
        "<title>",
        "<plaintext>",
        "<math><mn>",
        "<ruby>a<rt>b",
        "<table>",
        "<table>x",
        "<form><input value=a>",
        "\u{c}",
        "<p>\u{ad}",
        "<x-y>",
        "<p lang=",
        "<img alt=a>",
    ] {
        let fault = fault(much(part, MEGABYTE / 4).as_bytes(), "a.html");
        let known = fault.is_empty() || fault == DEEP || fault == TANGLED || fault == ATTRIBUTES;
        assert!(known, "{part}: {fault}");
    }
}

#[test]
fn markdown_that_nothing_ends() {
    for part in [
        "<",
        "*a ",
        "**a *b ",
        "_",
        "*a**a ",
        "[",
        "]",
        "[a](",
        "![[]()",
        "[a](<b",
        "`a``b",
        "a <b",
        "a <!-- ",
        "a <?",
        "a <!A ",
        "a <![CDATA[",
        "[a]: b\n",
        "[^a]: b\n",
        "[^a] ",
        "[^a]:",
        "|a",
        "|a|\n|-|\n",
        "~a ",
        "&amp",
        "<a@b",
        "<http:",
        "# a\n",
        "#",
        "a\n",
        "```\n",
        "<div>\n",
        "<div hidden>a\n\n",
        "\\",
        "[a](b \"",
        "[a][",
        "- a\n",
        "1. a\n\n",
        "a\n===\n",
        "    a\n",
        "* * ",
        "- - ",
        "\u{c}a\n",
        "a&#0;",
        "---\n",
        "<p a='",
        "[a](b 'c')",
        "![",
        "a  \n",
        "\t",
    ] {
        let fault = fault(much(part, MEGABYTE / 4).as_bytes(), "a.md");
        let known = fault.is_empty()
            || fault == DEEP
            || fault == ATTRIBUTES
            || fault == "the file has more than 100000 pages";
        assert!(known, "{part}: {fault}");
    }
}

#[test]
fn tangled_markdown() {
    let lazy = much("a\n", MEGABYTE / 4);
    for (file, expected) in [
        ("> ".repeat(200) + &lazy, ""),
        ("- ".repeat(200) + &lazy, ""),
        ("> ".repeat(20_000) + &lazy, MARKS),
        (">".repeat(20_000) + &lazy, MARKS),
        ("- ".repeat(20_000) + "a\n" + &lazy, MARKS),
        ("1. ".repeat(20_000) + "a\n" + &lazy, MARKS),
        ("- ".repeat(20_000), ""),
        (format!("a {}", much("<b>", 4 * MEGABYTE)), ""),
        ("*a ".repeat(100_000) + &"b* ".repeat(100_000), DEEP),
        ("[".repeat(100_000) + "a" + &"](b)".repeat(100_000), ""),
        ("![".repeat(100_000) + "a" + &"](b)".repeat(100_000), DEEP),
        (numbered(1_000, |n| " ".repeat(n) + "- a\n") + &lazy, ""),
        (numbered(2_000, |n| "e".to_owned() + &"`".repeat(n)), ""),
        (
            numbered(50_000, |n| format!("[a{n}]: b\n"))
                + "\n"
                + &numbered(50_000, |n| format!("[a{n}] ")),
            "",
        ),
        (format!("`{lazy}`"), ""),
        (format!("> `{}`", much("> > a\n", MEGABYTE / 4)), ""),
        (
            format!("<p {}>", numbered(200_000, |n| format!("a{n} "))),
            ATTRIBUTES,
        ),
        (
            format!("a <p {}>", numbered(200_000, |n| format!("a{n} "))),
            ATTRIBUTES,
        ),
        (
            much("|a", 200_000) + "\n" + &much("|-", 200_000) + "\n" + &much("a\n", 20_000),
            "",
        ),
    ] {
        assert_eq!(
            fault(file.as_bytes(), "a.md"),
            expected,
            "{:?}",
            &file[..40]
        );
    }
}
