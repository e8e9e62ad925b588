//! Body of the fuzz target `documents`, which `fuzz/fuzz_targets/documents.rs` includes.
//!
//! It takes any bytes and panics if a document breaks an invariant. The first byte chooses the name of the
//! file and the meaning of the rest: the file itself, or choices of fragments.

use documents::{Document, ReadLimits, TextStream, TextStreamRole};

/// Fragments of files: every construct, complete and broken.
const FRAGMENTS: &[&str] = &[
    "word ",
    "two words",
    "-\n",
    "\n",
    "\n\n",
    "  \n",
    "\t",
    "\u{c}",
    "\r\n",
    "\r",
    "\u{a0}",
    "\u{ad}",
    "\u{85}",
    "\u{1b}",
    "\u{301}",
    "1,234",
    "12",
    " 34",
    "# ",
    "===\n",
    "---\n",
    "+++\n",
    "title: x\n",
    "lang: de\n",
    "*",
    "**",
    "_",
    "`",
    "``",
    "```\n",
    "~~",
    "~~~\n",
    "> ",
    "- ",
    "1. ",
    "    ",
    "[",
    "]",
    "](",
    ")",
    "![",
    "[^1]",
    "[^1]: ",
    "[a]: b 'c'\n",
    "| a ",
    "|\n",
    "|-|-|\n",
    "\\",
    "&amp;",
    "&#0;",
    "&#27;",
    "&",
    "&nbsp;",
    "&shy;",
    "<",
    ">",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<!doctype html>",
    "<html lang=de>",
    "<head>",
    "<title>",
    "</title>",
    "<body>",
    "</body>",
    "<p>",
    "</p>",
    "<p hidden>",
    "<div>",
    "</div>",
    "<div style='display:none'>",
    "<span style=visibility:hidden>",
    "<i style=visibility:visible>",
    "</span>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<a href=x title=t>",
    "</a>",
    "<br>",
    "<pre>",
    "</pre>",
    "<sup>",
    "</sup>",
    "<sub>2</sub>",
    "<table>",
    "<tr>",
    "<td>",
    "<th>",
    "</table>",
    "<ul><li>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<template>",
    "</template>",
    "<noscript>",
    "</noscript>",
    "<textarea>",
    "</textarea>",
    "<svg>",
    "</svg>",
    "<math><mn>",
    "<ruby>a<rt>",
    "<rp>",
    "<img alt='a b'>",
    "<input type=hidden value=x>",
    "<input value=y>",
    "<select><option>",
    "<dialog>",
    "<button>",
    "<plaintext>",
    "<frameset>",
    "<a\nb='",
    "'",
    "\"",
    "<meta charset=utf-16>",
];

/// Returns a file made of fragments, one for each byte.
fn file_of(choices: &[u8]) -> String {
    choices
        .iter()
        .map(|choice| FRAGMENTS[*choice as usize % FRAGMENTS.len()])
        .collect()
}

/// Reads a file and checks the invariants of every document.
pub(crate) fn check_bytes(data: &[u8]) {
    let Some((mode, rest)) = data.split_first() else {
        return;
    };
    let name = ["a.txt", "a.md", "a.html", ""][*mode as usize % 4];
    let fragments;
    let file = if mode & 4 == 0 {
        rest
    } else {
        fragments = file_of(rest);
        fragments.as_bytes()
    };
    if let Ok(document) = Document::read(file, name, &ReadLimits::default()) {
        check(&document);
    }
}

fn check(document: &Document) {
    check_lines(document);
    check_words(document);
    let roles: Vec<TextStreamRole> = document
        .text_streams()
        .iter()
        .map(|stream| stream.role)
        .collect();
    assert_eq!(roles[0], TextStreamRole::Body);
    for (at, role) in roles.iter().enumerate() {
        assert!(!roles[..at].contains(role), "{roles:?}");
    }
    for stream in document.text_streams() {
        check_stream(document, stream);
    }
}

/// Checks that the numbers of lines ascend on each page, and that lines are trimmed, and free of control characters.
fn check_lines(document: &Document) {
    let mut at = 0;
    for (number, page) in (1..).zip(document.pages()) {
        assert_eq!((page.number, page.lines.start), (number, at));
        let mut before = 0;
        for line in &document.lines()[page.lines.start as usize..page.lines.end as usize] {
            assert!(line.page == page.number && line.number > before, "{line:?}");
            before = line.number;
            assert!(
                !line.text.is_empty() && line.text.trim() == line.text,
                "{:?}",
                line.text
            );
            let hostile = |c: char| c == '\n' || (c.is_control() && !c.is_whitespace());
            assert!(!line.text.contains(hostile), "{:?}", line.text);
        }
        at = page.lines.end;
    }
    assert_eq!(at as usize, document.lines().len());
}

/// Checks that every word is a part of its line with visible characters, and has a finite box.
pub(crate) fn check_words(document: &Document) {
    let mut count = 0;
    for line in document.lines() {
        for word in document.words_of(line) {
            let text = line
                .text
                .get(word.range.start as usize..word.range.end as usize);
            assert!(
                text.is_some_and(|text| !text.trim().is_empty()),
                "the word {text:?} of {:?} is blank",
                line.text
            );
            let sides = [word.x, word.y, word.width, word.height];
            assert!(sides.iter().all(|side| side.is_finite()), "{word:?}");
            assert!(word.width >= 0.0 && word.height >= 0.0, "{word:?}");
            count += 1;
        }
    }
    assert_eq!(count, document.words().len());
}

/// Checks that every piece of a text stream lies on its line, and that pieces follow the order of the
/// lines, or at least of the pages.
fn check_stream(document: &Document, stream: &TextStream) {
    let text = stream.index.text();
    let is_markdown = document.media_type() == "text/markdown";
    let mut last = 0;
    for piece in text.pieces() {
        let page = |id: u32| document.lines().get(id as usize).map(|line| line.page);
        let in_order = match stream.role {
            TextStreamRole::Alternative => page(piece.id) >= page(last),
            _ => piece.id >= last,
        };
        assert!(in_order, "pieces of {:?} go back", stream.role);
        last = piece.id;
        let written = &text.source()[piece.range.clone()];
        assert!(
            !written.is_empty() && !written.contains('\n'),
            "{written:?}"
        );
        let Some(line) = document.lines().get(piece.id as usize) else {
            // Hidden text of a page that shows nothing.
            assert!(document.lines().is_empty() && stream.role != TextStreamRole::Body);
            continue;
        };
        let place = document
            .locate(stream, piece.range.clone())
            .expect("a piece has a place");
        assert_eq!(
            (place.first, place.pages),
            ((line.page, line.number), line.page..line.page + 1)
        );
        match stream.role {
            TextStreamRole::Body if is_markdown => {
                assert!(is_on(written, &line.text), "{written:?} {line:?}");
            }
            // A line that continues on another page is cut after a space.
            TextStreamRole::Body | TextStreamRole::Markup => {
                assert_eq!(written.trim_end(), line.text);
            }
            TextStreamRole::Alternative => {
                assert!(line.text.contains(written), "{written:?} {line:?}");
            }
            TextStreamRole::Apart | TextStreamRole::Hidden => {}
        }
    }
}

/// Returns true if a text could come from a line whose markup was removed.
///
/// Character references and raised digits differ from the characters of the line.
fn is_on(text: &str, line: &str) -> bool {
    let mut rest = line.chars();
    let same = |c: char| c == '\u{fffd}' || "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉".contains(c);
    line.contains('&')
        || text
            .chars()
            .all(|c| same(c) || rest.any(|there| there == c))
}
