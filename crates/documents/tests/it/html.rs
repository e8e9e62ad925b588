//! Reader of HTML.

use crate::text_dump::{lines, read, stream_text};
use documents::{Document, ReadLimits, TextStreamRole};
use passage::{CommaMeaning, Quote};

#[test]
fn blocks_and_breaks_end_lines() {
    for (html, expected) in [
        ("<p>one<p>two", "one|two"),
        ("<div>one<div>two</div>three</div>", "one|two|three"),
        ("a<br>b<br/><br>c", "a|b|c"),
        ("<p>one <b>bold</b>, <i>it</i>alic", "one bold, italic"),
        ("<p>  one\n\t two  </p>  ", "one two"),
        ("<p>one<span> two </span>three", "one two three"),
        ("<p>un<b>break</b>able", "unbreakable"),
        ("<ul><li>a<ul><li>b</ul><li>c</ul>", "a|b|c"),
        ("<h1>a</h1>b<hr>c", "a|b|c"),
        ("<dl><dt>a<dd>b</dl>", "a|b"),
        ("<select><option>a<option>b</select>", "a|b"),
        ("<details><summary>a</summary>b</details>", "a|b"),
        ("<p>a<wbr>b&shy;c", "abc"),
        ("<p>a<img src=x>b<button>c</button>d", "a b c d"),
        (
            "<p><input value=a><input type=checkbox value=b> <input type=submit value=c>",
            "a c",
        ),
        ("<p>&nbsp;<p>\u{200a}<p>a", "a"),
        ("<p>one<!-- two -->three", "onethree"),
        ("", ""),
        ("<html></html>", ""),
    ] {
        assert_eq!(lines(&read(html, "a.html")), expected, "{html}");
    }
}

#[test]
fn headings_make_the_outline() {
    let html = "<h1>The <i>quay</i></h1><p>text<h2></h2><h3>Length\nand depth</h3><p>more";
    let document = read(html, "a.html");
    let outline = document.outline().iter();
    let outline: Vec<_> = outline
        .map(|heading| (heading.title.as_str(), heading.page, heading.depth))
        .collect();
    assert_eq!(
        outline,
        [("The quay", Some(1), 0), ("Length and depth", Some(1), 2)]
    );
}

#[test]
fn cells_are_separate_and_rows_are_lines() {
    for (html, expected) in [
        ("<table><tr><th>a<th>b<tr><td>1<td>2</table>", "a\tb|1\t2"),
        (
            "<table><tr><td> a </td> <td></td> <td> b </td></tr></table>c",
            "a\tb|c",
        ),
        (
            "<table><caption>t</caption><tr><td>a<td><p>b</p><p>c</p></table>",
            "t|a|b|c",
        ),
        // Text that is misplaced in a table comes before it.
        ("<table>x<tr><td>a</table>", "x|a"),
    ] {
        assert_eq!(lines(&read(html, "a.html")), expected, "{html}");
    }
    let document = read(
        "<table><tr><td>12<td>34<td>well-<td>known</table>",
        "a.html",
    );
    let body = &document.text_streams()[0].index;
    let found = |quote| {
        body.find(&Quote::new(quote, body.text()).expect("short"), None)
            .is_some()
    };
    assert!(found("12 34"));
    assert!(!found("1234"));
}

#[test]
fn preformatted_lines_stay() {
    for (html, expected) in [
        ("<pre>\na  b\n\n\tc\td\n</pre>e", "a  b|c\td|e"),
        ("x<pre>a\nb</pre>", "x|a|b"),
        ("<textarea>a\nb</textarea>", "a|b"),
        ("<pre>a<b>b\nc</b>d</pre>", "ab|cd"),
        ("<xmp>a <b>\nc</xmp>", "a <b>|c"),
    ] {
        assert_eq!(lines(&read(html, "a.html")), expected, "{html}");
    }
}

#[test]
fn character_references_are_resolved() {
    for (html, expected) in [
        (
            "<p>&lt;a&gt; &amp;amp; &eacute;&#x2014;&#8364;",
            "<a> &amp; é—€",
        ),
        ("<p>5&nbsp;000", "5\u{a0}000"),
        (
            "<p>a&#0;b&#x110000;c&#xd800;d",
            "a\u{fffd}b\u{fffd}c\u{fffd}d",
        ),
        ("<p>a&#27;b&#8;c&#x85;d", "abc…d"),
        ("<p>&unknown; &amp &; &#; &#x;", "&unknown; & &; &#; &#x;"),
        ("<p>&notit; &not;", "¬it; ¬"),
    ] {
        assert_eq!(lines(&read(html, "a.html")), expected, "{html}");
    }
}

#[test]
fn scripts_and_styles_are_ignored() {
    for html in [
        "<p>a<script>b</script><style>b</style><template><p>b</template><p>c",
        "<p>a<noscript>b<p>b</noscript><iframe>b</iframe><!-- b --><p>c",
        "<head><title>t</title><meta content=b><script>b</script></head><p>a<p>c",
        "<title>t</title><p>a<p>c<title>b</title>",
        "<p>a<svg><style>b</style><metadata>b</metadata></svg><p>c",
        "<p>a<?php b ?><p>c</p><![CDATA[b]]>",
    ] {
        let document = read(html, "a.html");
        assert_eq!(lines(&document), "a|c", "{html}");
        assert_eq!(document.text_streams().len(), 1, "{html}");
        let title = html.contains("<title>t").then_some("t");
        assert_eq!(document.title(), title, "{html}");
    }
}

#[test]
fn hidden_text_belongs_to_its_line() {
    for (html, body, hidden) in [
        ("<p>a<p hidden>b<p>c", "1:a|2:c", "1:b"),
        ("<p>a<span hidden> b </span>c<p>d", "1:ac|2:d", "1:b"),
        (
            "<p>a<div style='display: none'>b<p style='visibility:visible'>c</div>d",
            "1:a|2:d",
            "1:b|1:c",
        ),
        (
            "<div style='visibility:hidden'>a<p style='visibility: visible'>b</div>c",
            "1:b|2:c",
            "1:a",
        ),
        ("1<i style=visibility:hidden>x</i>2", "1:1 2", "1:x"),
        ("<p hidden>before<p>a", "1:a", "1:before"),
        (
            "<p>a<input type=hidden value=secret><p>b",
            "1:a|2:b",
            "1:secret",
        ),
        (
            "<p>x<p>see <img alt='a  cat' title=t> now",
            "1:x|2:see now",
            "2:a cat|2:t",
        ),
        ("<p title='tip'>a", "1:a", "1:tip"),
        (
            "<p>a<dialog>b</dialog><dialog open>c</dialog>",
            "1:a|2:c",
            "1:b",
        ),
        ("<p>a<video>b</video><canvas>c</canvas>", "1:a", "1:b|1:c"),
        (
            "<p>a<math><mi>x</mi><annotation>\\x</annotation></math>",
            "1:a x",
            "1:\\x",
        ),
        (
            "<p>a<svg><title>b</title><text>c</text></svg>",
            "1:a|2:c",
            "1:b",
        ),
        ("<p aria-hidden=true>a", "1:a", ""),
        ("<p hidden>a<p hidden>b", "", "1:a|1:b"),
        ("<p hidden><pre>a\nb</pre>", "1:a|2:b", ""),
    ] {
        let document = read(html, "a.html");
        assert_eq!(stream_text(&document, TextStreamRole::Body), body, "{html}");
        assert_eq!(
            stream_text(&document, TextStreamRole::Hidden),
            hidden,
            "{html}"
        );
    }
}

#[test]
fn adjacent_numbers_are_separated() {
    for (html, expected) in [
        ("<p>10<sup>6</sup> and 10<sup>-6</sup>", "10⁶ and 10⁻⁶"),
        ("<p>CO<sub>2</sub>, said<sup>12</sup>", "CO₂, said¹²"),
        ("<p>the 1<sup>st</sup>", "the 1st"),
        ("<p><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "1 2"),
        ("<p>10<del>0</del>", "10 0"),
    ] {
        assert_eq!(lines(&read(html, "a.html")), expected, "{html}");
    }
}

#[test]
fn ruby_is_a_stream_of_its_own() {
    let document = read(
        "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>",
        "a.html",
    );
    assert_eq!(stream_text(&document, TextStreamRole::Body), "1:漢字");
    assert_eq!(stream_text(&document, TextStreamRole::Apart), "1:かん|1:じ");
}

#[test]
fn the_language_decides_the_meaning_of_a_comma() {
    for (html, comma) in [
        ("<html lang=de><p>1,234", CommaMeaning::Decimal),
        ("<html lang=' en-GB '><p>1,234", CommaMeaning::Thousands),
        ("<html xml:lang=fr><p>1,234", CommaMeaning::Decimal),
        ("<html><body lang=de><p>1,234", CommaMeaning::Decimal),
        ("<html><p lang=de>1,234", CommaMeaning::Unsure),
        ("<html lang=xx><p>1,234", CommaMeaning::Unsure),
    ] {
        assert_eq!(
            read(html, "a.html").text_streams()[0].index.text().comma(),
            comma,
            "{html}"
        );
    }
}

#[test]
fn the_title_comes_from_the_head() {
    for (html, title) in [
        ("<title> A\n title&amp; </title>", Some("A title&")),
        ("<title></title><p>a", None),
        ("<title>a</title><title>b</title>", Some("a")),
        ("<svg><title>a</title></svg><p>b", None),
        ("<h1>a</h1>", None),
    ] {
        assert_eq!(read(html, "a.html").title(), title, "{html}");
    }
}

#[test]
fn declared_encodings_are_used() {
    let file = b"<!doctype html><meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2";
    let document = Document::read(file, "a.txt", &ReadLimits::default()).expect("it is HTML");
    assert_eq!(
        (lines(&document).as_str(), document.media_type()),
        ("Привет", "text/html")
    );
}
