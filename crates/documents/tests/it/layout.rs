//! Layout of files without positions of words.

use crate::fuzz_target::check_words;
use documents::{
    Document, DrawnItem, InkColour, PageBox, PageLayout, ReadLimits, ReadOptions, TextStreamRole,
};
use passage::Quote;
use proptest::prelude::*;

fn read(text: &str, name: &str) -> Document {
    Document::read(text.as_bytes(), name, &ReadLimits::default()).expect("it is read")
}

fn laid(text: &str, name: &str) -> (Document, PageLayout) {
    let read = Document::read_with_layout(text.as_bytes(), name, &ReadOptions::default());
    let (document, layout) = read.expect("it is read");
    (document, layout.expect("it is laid out"))
}

/// Returns the boxes of a quote in a text stream.
fn boxes(document: &Document, role: TextStreamRole, words: &str) -> Vec<PageBox> {
    let stream = document
        .text_streams()
        .iter()
        .find(|stream| stream.role == role);
    let stream = stream.expect("there is such a stream");
    let quote = Quote::new(words, stream.index.text()).expect("it has words");
    let found = stream.index.find(&quote, None).expect("it says so");
    document.boxes(stream, found.range)
}

/// Returns the words inside a box of a passage, as written.
fn words_in(document: &Document, part: &PageBox) -> Vec<String> {
    let lines = document.lines().iter();
    let words = lines.flat_map(|line| document.words_of(line).iter().map(move |word| (line, word)));
    let on_page = words.filter(|(_, word)| word.rendered_page == part.rendered_page);
    let inside = on_page.filter(|(_, word)| {
        let (x, y) = (word.x + word.width / 2.0, word.y + word.height / 2.0);
        (part.x..part.x + part.width).contains(&x) && (part.y..part.y + part.height).contains(&y)
    });
    inside
        .map(|(line, word)| {
            line.text[word.range.start as usize..word.range.end as usize].to_owned()
        })
        .collect()
}

/// Checks the invariants of every document that was laid out.
fn check(document: &Document) {
    check_words(document);
    let mut next = 0;
    for page in document.pages() {
        assert_eq!(page.lines.start, next);
        next = page.lines.end;
        let lines = &document.lines()[page.lines.start as usize..page.lines.end as usize];
        let mut before = 0;
        for line in lines {
            assert!(line.page == page.number && line.number > before, "{line:?}");
            before = line.number;
            assert_eq!(line.text.trim_end(), line.text);
            let mut end = 0;
            for word in document.words_of(line) {
                assert!(word.range.start >= end && word.range.start < word.range.end);
                end = word.range.end;
                let size = document
                    .rendered_page_size(word.rendered_page)
                    .expect("rendered pages have sizes");
                assert!(word.x >= 0.0 && word.y >= 0.0 && word.width >= 0.0 && word.height > 0.0);
                assert!(word.y + word.height <= size.height, "{word:?}");
                assert!(word.x + word.width <= size.width, "{word:?}");
            }
        }
    }
    assert_eq!(next as usize, document.lines().len());
    assert!(document.rendered_page_count() as usize >= document.pages().len());
    assert_eq!(document.rendered_page_word(), "sheet");
    for stream in document.text_streams() {
        let pieces = stream.index.text().pieces();
        assert!(pieces.is_sorted_by_key(|piece| piece.id));
        let last = pieces.last().map_or(0, |piece| piece.id as usize);
        assert!(last == 0 || last < document.lines().len());
    }
}

#[test]
fn a_long_text_has_several_rendered_pages_and_keeps_its_lines() {
    let text: String = (1..=150)
        .map(|number| format!("This is line {number}.\n"))
        .collect();
    let document = read(&text, "lines.txt");
    check(&document);
    assert_eq!(document.lines().len(), 150);
    assert_eq!(
        (document.pages().len(), document.rendered_page_count()),
        (1, 3)
    );
    assert_eq!(document.lines()[148].number, 149);
    assert_eq!(document.rendered_page_size(0), None);
    assert_eq!(document.rendered_page_size(4), None);
    assert_eq!(document.text_streams()[0].index.text().source(), text);
    let found = boxes(&document, TextStreamRole::Body, "line 60");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rendered_page, 2);
    assert_eq!(words_in(&document, &found[0]), ["line", "60."]);
    let below = boxes(&document, TextStreamRole::Body, "line 61")[0];
    assert!(below.y >= found[0].y + found[0].height);
}

#[test]
fn form_feeds_begin_pages() {
    let document = read("One.\n\u{c}Two.\n\u{c}\u{c}Four.\n", "pages.txt");
    check(&document);
    let pages: Vec<u32> = document.lines().iter().map(|line| line.page).collect();
    assert_eq!(pages, [1, 2, 4]);
    let document = read("One\n\u{c}two *three*\n", "pages.md");
    check(&document);
    assert_eq!(document.pages().len(), 2);
    assert_eq!(
        boxes(&document, TextStreamRole::Body, "three")[0].rendered_page,
        2
    );
    // A page may fill several rendered pages; the next page begins on a new one.
    let document = read(&format!("{}\u{c}Two.\n", "One.\n".repeat(150)), "long.txt");
    check(&document);
    assert_eq!(
        (document.pages().len(), document.rendered_page_count()),
        (2, 4)
    );
    assert_eq!(
        boxes(&document, TextStreamRole::Body, "Two")[0].rendered_page,
        4
    );
    let last = document.lines().last().expect("it has lines");
    assert_eq!((last.page, last.number), (2, 1));
}

#[test]
fn a_line_that_wraps_is_one_line_with_a_box_for_each_row() {
    let text = "word ".repeat(60) + "the end of it\nnext\n";
    let document = read(&text, "wrapped.txt");
    check(&document);
    assert_eq!(document.lines().len(), 2);
    assert_eq!(document.lines()[1].number, 2);
    let all = boxes(
        &document,
        TextStreamRole::Body,
        text.lines().next().expect("a line"),
    );
    assert!(all.len() > 2, "{all:?}");
    assert!(all.is_sorted_by(|one, other| one.y + one.height <= other.y));
    assert_eq!(
        boxes(&document, TextStreamRole::Body, "the end of it").len(),
        1
    );
}

#[test]
fn a_line_may_continue_on_the_next_rendered_page() {
    let text: String = (1..=3000).map(|number| format!("word{number}  ")).collect();
    let document = read(&text, "long.txt");
    check(&document);
    assert!(
        document.rendered_page_count() > 2,
        "{}",
        document.rendered_page_count()
    );
    assert_eq!(document.lines().len(), 1);
    let line = &document.lines()[0];
    let words = document.words_of(line);
    let next = words.partition_point(|word| word.rendered_page == 1);
    let said = |at: usize| {
        let range = &words[at].range;
        &line.text[range.start as usize..range.end as usize]
    };
    let (end, start) = (said(next - 1), said(next));
    let across = boxes(&document, TextStreamRole::Body, &format!("{end} {start}"));
    let rendered_pages: Vec<u32> = across.iter().map(|part| part.rendered_page).collect();
    assert_eq!(rendered_pages, [1, 2]);
    assert_eq!(words_in(&document, &across[0]), [end]);
    assert_eq!(words_in(&document, &across[1]), [start]);
}

#[test]
fn boxes_are_found_through_markup() {
    let text = "# Tides\n\nThe **highest** tide, says [the *port*](http://highest.example \"says\"), was `16.3 m`\n\
                &amp; it fell by noon.[^1]\n\n[^1]: A note.\n";
    let document = read(text, "tides.md");
    check(&document);
    for (words, expected) in [
        ("highest", vec!["highest"]),
        (
            "says the port",
            vec!["says", "the", "port*](http://highest.example \"says\"),"],
        ),
        ("16.3 m", vec!["16.3", "m"]),
        ("it fell by noon", vec!["it", "fell", "by", "noon."]),
        ("Tides", vec!["Tides"]),
    ] {
        let found = boxes(&document, TextStreamRole::Body, words);
        assert_eq!(found.len(), 1, "{words} {found:?}");
        let shown = words_in(&document, &found[0]);
        let first = |words: &[String]| {
            words
                .iter()
                .map(|word| word.split('*').next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>()
        };
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(first(&shown), first(&expected), "{words}");
    }
    // The stream with the markup has boxes, too.
    assert_eq!(
        boxes(&document, TextStreamRole::Markup, "The **highest** tide").len(),
        1
    );
    assert_eq!(boxes(&document, TextStreamRole::Apart, "A note").len(), 1);
    assert_eq!(boxes(&document, TextStreamRole::Hidden, "says"), []);
}

#[test]
fn cells_of_a_row_are_side_by_side() {
    for (text, name) in [
        (
            "| Place | Height |\n|---|---|\n| Avonmouth | 16.3 m |\n| Sharpness | 9.8 m |\n",
            "a.md",
        ),
        (
            "<table><tr><th>Place<th>Height<tr><td>Avonmouth<td>16.3 m<tr><td>Sharpness<td><b>9.8</b> m</table>",
            "a.html",
        ),
    ] {
        let document = read(text, name);
        check(&document);
        let place = |words: &str| boxes(&document, TextStreamRole::Body, words)[0];
        let (avonmouth, height) = (place("Avonmouth"), place("16.3 m"));
        assert!((avonmouth.y - height.y).abs() < 1.0, "{name}");
        assert!(avonmouth.x + avonmouth.width < height.x, "{name}");
        assert!((height.x - place("9.8 m").x).abs() < 0.1, "{name}");
        assert!(
            place("Sharpness").y > avonmouth.y + avonmouth.height,
            "{name}"
        );
    }
}

#[test]
fn a_table_row_may_be_higher_than_a_page() {
    let cell = "word ".repeat(4000);
    let document = read(
        &format!("<table><tr><td>{cell}<td>{cell}</table><p>After."),
        "a.html",
    );
    check(&document);
    assert!(document.rendered_page_count() > 4);
    let words: usize = document
        .lines()
        .iter()
        .map(|line| document.words_of(line).len())
        .sum();
    assert_eq!(words, 8001);
}

#[test]
fn arabic_and_japanese_text_is_laid_out() {
    let document = read("كان المد في ذلك اليوم أعلى مد", "a.txt");
    check(&document);
    let words = document.words_of(&document.lines()[0]);
    assert_eq!(words.len(), 7);
    assert!(words.is_sorted_by(|one, other| other.x + other.width <= one.x + 0.1));
    // Shaped letters join: the word is narrower than the sum of its letters.
    let apart: f32 = "كان"
        .chars()
        .map(|c| {
            let document = read(&c.to_string(), "a.txt");
            document.words()[0].width
        })
        .sum();
    assert!(words[0].width < apart, "{} {apart}", words[0].width);

    let document = read("吾輩は猫である。名前はまだ無い。", "a.md");
    check(&document);
    let cat = boxes(&document, TextStreamRole::Body, "猫である");
    let all = boxes(
        &document,
        TextStreamRole::Body,
        "吾輩は猫である。名前はまだ無い",
    );
    assert!(cat[0].width * 3.0 < all[0].width);
    assert!((cat[0].x - all[0].x - 31.5).abs() < 1.0, "{cat:?} {all:?}");
}

#[test]
fn characters_without_a_font_are_boxes() {
    let (document, layout) = laid("A हिन्दी word", "a.txt");
    check(&document);
    assert_eq!(document.words().len(), 3);
    let fills = layout
        .page(1)
        .filter(|drawn| matches!(drawn, DrawnItem::Fill { .. }))
        .count();
    assert_eq!(fills % 4, 0);
    assert!(fills >= 16);
    assert_eq!(boxes(&document, TextStreamRole::Body, "हिन्दी").len(), 1);
}

#[test]
fn drawn_text_is_at_the_position_of_its_words() {
    let (document, layout) = laid("# One\n\ntwo\n", "a.md");
    assert_eq!(layout.pages(), document.rendered_page_count());
    let texts: Vec<(f32, f32, usize)> = layout
        .page(1)
        .filter_map(|drawn| match drawn {
            DrawnItem::Text { x, y, glyphs, .. } => Some((x, y, glyphs.len())),
            _ => None,
        })
        .collect();
    assert_eq!(texts.len(), 2);
    for ((x, y, glyphs), word) in texts.iter().zip(document.words()) {
        assert_eq!(*glyphs, 3);
        assert!((x - word.x).abs() < 0.1);
        assert!((word.y..word.y + word.height).contains(y));
    }
    assert_eq!(layout.page(0).count() + layout.page(2).count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_text_is_laid_out_within_its_pages(
        text in "([a-zA-Z *_`#>|\\-1.\\[\\]()<>&;\n\t\u{c}]|[^\\x00]|word |[ابجد] |漢字|<td>|<p>|<b>|<pre>|<li>| \u{a0} |&nbsp;){0,160}",
        kind in 0_usize..3,
    ) {
        let name = ["a.txt", "a.md", "a.html"][kind];
        let text = if kind == 2 { format!("<html>{text}") } else { text };
        let read = Document::read_with_layout(text.as_bytes(), name, &ReadOptions::default());
        if let Ok((document, Some(layout))) = read {
            check(&document);
            prop_assert_eq!(layout.pages(), document.rendered_page_count());
            let again = Document::read(text.as_bytes(), name, &ReadLimits::default());
            prop_assert_eq!(again.as_ref(), Ok(&document));
            for page in 1..=layout.pages() {
                prop_assert!(layout.page(page).count() < 100_000);
            }
        }
    }
}

#[test]
fn right_to_left_lists_and_quotations_are_indented_from_the_right() {
    let marks = |text: &str| {
        let (document, layout) = laid(text, "a.md");
        let word = &document.words()[0];
        let mut marker = None;
        let mut bar = None;
        for drawn in layout.page(1) {
            match drawn {
                DrawnItem::Text {
                    x,
                    ink: InkColour::Faint,
                    ..
                } => marker = Some(x),
                DrawnItem::Fill { x, .. } => bar = Some(x),
                _ => {}
            }
        }
        (word.x, word.x + word.width, marker.or(bar).expect("a mark"))
    };
    for (leftwards, rightwards) in [("- عشرة", "- ten"), ("> عشرة", "> ten")] {
        let (_, right, mark) = marks(leftwards);
        let (left, _, other) = marks(rightwards);
        assert!(right < mark && other < left, "{leftwards}");
        // The indents from both sides are equal.
        assert!((right + left - 595.0).abs() < 1.0, "{right} {left}");
    }
}
