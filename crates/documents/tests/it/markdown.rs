//! Reader of Markdown.

use crate::text_dump::{lines, read, stream_text};
use documents::TextStreamRole;
use passage::{CommaMeaning, Quote};

#[test]
fn the_body_is_the_text_without_markup() {
    for (markdown, expected) in [
        (
            "one *two* __three__ `four` ~~five~~",
            "1:one two three four 1:five",
        ),
        ("# One\n\nTwo\nthree\n===\n", "1:One|2:Two|3:three"),
        (
            "[label](http://a.example) <http://b.example> [x][r]\n\n[r]: /r",
            "1:label http://b.example x",
        ),
        ("- a\n  - b\n- c\n\n1. d\n", "1:a|2:b|3:c|4:d"),
        ("- [x] done\n- [ ] open", "1:done|2:open"),
        ("> a\n> b\nc", "1:a|2:b|3:c"),
        ("|a|b|\n|-|-|\n|1|2 `x`|", "1:a 1:b|3:1 3:2 x"),
        ("```rust\nlet a;\n\n  b\n```\nc", "2:let a;|3:b|5:c"),
        ("    code\n      more\n\nc", "1:code|2:more|3:c"),
        ("> ```\n> a\n> b\n> ```\nc", "2:a|3:b|5:c"),
        ("a &amp; &eacute;&#8212;\\*b\\*", "1:a & é—*b*"),
        ("a&#27;b", "1:ab"),
        ("one\\\ntwo  \nthree", "1:one|2:two|3:three"),
        ("a **b\nc** d", "1:a b|2:c d"),
        ("a `b\nc` d", "1:a b|2:c d"),
        ("> a ``b\n> `c`\n> d`` e", "1:a b|2:`c`|3:d e"),
        ("a `b\n    > c` d", "1:a b|2:> c d"),
        ("a\n\n---\n\nb", "1:a|3:b"),
        ("un**break**able", "1:unbreakable"),
        ("a\u{c}b", "1:a|2:b"),
        ("", ""),
    ] {
        assert_eq!(
            stream_text(&read(markdown, "a.md"), TextStreamRole::Body),
            expected,
            "{markdown:?}"
        );
    }
}

#[test]
fn lines_are_those_of_the_file() {
    let markdown = "# *One*\n\n  two\nthree\n\n```\nx\n```\n\u{c}four\n";
    let (document, text) = (read(markdown, "a.md"), read(markdown, "a.txt"));
    assert_eq!(lines(&document), "# *One*|two|three|```|x|```|four");
    assert_eq!(lines(&document), lines(&text));
    assert_eq!(document.pages(), text.pages());
    assert_eq!(
        stream_text(&document, TextStreamRole::Markup),
        stream_text(&text, TextStreamRole::Body)
    );
}

#[test]
fn a_quote_is_found_with_and_without_its_markup() {
    let document = read(
        "It was *very* `dark` in the well-\nlit [hall](h.html).",
        "a.md",
    );
    let found = |role, quote: &str| {
        let stream = document
            .text_streams()
            .iter()
            .find(|stream| stream.role == role)
            .expect("it is there");
        let quote = Quote::new(quote, stream.index.text()).expect("short");
        let found = stream.index.find(&quote, None)?;
        Some(document.locate(stream, found.range)?.lines)
    };
    assert_eq!(
        found(TextStreamRole::Body, "very dark in the well-lit hall"),
        Some(vec![1, 2])
    );
    assert_eq!(
        found(TextStreamRole::Body, "very dark in the welllit hall"),
        Some(vec![1, 2])
    );
    assert_eq!(found(TextStreamRole::Body, "*very* `dark`"), None);
    assert_eq!(
        found(TextStreamRole::Markup, "was *very* `dark` in"),
        Some(vec![1])
    );
    assert_eq!(
        found(TextStreamRole::Markup, "[hall](h.html)"),
        Some(vec![2])
    );
}

#[test]
fn embedded_html_is_read() {
    for (markdown, body, hidden) in [
        ("<div>\n<b>a</b> b\n<p>c</div>\n\nd", "2:a b|3:c|4:d", ""),
        (
            "<details>\n<summary>a</summary>\n\n**b**\n\n</details>",
            "2:a|3:b",
            "",
        ),
        (
            "a<br>b H<sub>2</sub>O 10<sup>6</sup>",
            "1:a|1:b H₂O 10⁶",
            "",
        ),
        (
            "<table>\n<tr><td>1</td><td>2</td></tr>\n</table>",
            "2:1 2:2",
            "",
        ),
        ("<script>\na\n</script>\n\nb", "4:b", ""),
        ("a <script>b</script> c", "1:a  c", ""),
        ("<!-- a -->\n\nb <!-- c --> d", "2:b  d", ""),
        ("<div hidden>\n\na\n\n</div>\n\nb", "4:b", "2:a"),
        ("<div hidden><div>a</div>b</div>c", "1:c", "1:a|1:b"),
        ("<p hidden>a\n\nb", "2:b", "1:a"),
        ("<span style='display:none'>a</span>b", "1:b", "1:a"),
        (
            "<p align=center>\n<img alt='a cat' src=x>\n</p>\n\nb",
            "4:b",
            "2:a cat",
        ),
        ("<template>\na\n</template>\n\nb", "4:b", "2:a"),
        ("<a href=x\ntitle='t'>a</a>", "2:a", "2:t"),
        ("&lt;b&gt; <b>&lt;</b>", "1:<b> <", ""),
    ] {
        let document = read(markdown, "a.md");
        assert_eq!(
            stream_text(&document, TextStreamRole::Body),
            body,
            "{markdown:?}"
        );
        assert_eq!(
            stream_text(&document, TextStreamRole::Hidden),
            hidden,
            "{markdown:?}"
        );
    }
}

#[test]
fn notes_and_images_do_not_interrupt_the_text() {
    let markdown = "a[^1] b ![a *cat*](c.png \"its title\") c [d](e \"f\").\n\n[^1]: The note\n    continues.\n\ng";
    let document = read(markdown, "a.md");
    assert_eq!(
        stream_text(&document, TextStreamRole::Body),
        "1:a 1:b 1:c d.|4:g"
    );
    assert_eq!(
        stream_text(&document, TextStreamRole::Apart),
        "2:The note|3:continues."
    );
    assert_eq!(
        stream_text(&document, TextStreamRole::Hidden),
        "1:its title|1:a cat|1:f"
    );
}

#[test]
fn front_matter_is_a_stream_of_its_own() {
    let document = read(
        "---\ntitle: 'The title'\nlang: de-AT\n---\n\n# Other\n\n1,234\n",
        "a.md",
    );
    assert_eq!(document.title(), Some("The title"));
    assert_eq!(
        stream_text(&document, TextStreamRole::Apart),
        "2:title: 'The title'|3:lang: de-AT"
    );
    assert_eq!(
        stream_text(&document, TextStreamRole::Body),
        "5:Other|6:1,234"
    );
    assert_eq!(
        document.text_streams()[0].index.text().comma(),
        CommaMeaning::Decimal
    );
    assert_eq!(
        lines(&document),
        "---|title: 'The title'|lang: de-AT|---|# Other|1,234"
    );
}

#[test]
fn the_first_heading_is_the_title() {
    for (markdown, title) in [
        ("## a\n\n# *b* c\n\n# d", Some("b c")),
        ("a\nb\n===", Some("a b")),
        ("#\n\n# a", Some("a")),
        ("## a", None),
        ("a", None),
    ] {
        assert_eq!(read(markdown, "a.md").title(), title, "{markdown:?}");
    }
}
