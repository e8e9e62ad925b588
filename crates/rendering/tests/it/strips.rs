//! Crops around passages.

use documents::{Document, ReadOptions};
use passage::Quote;
use rendering::{Highlight, HighlightState, PageView, PdfSource, RenderStyle};

use crate::pdf_pages::*;
use crate::sample_pdf;

#[test]
fn a_strip_equals_its_part_of_the_page() {
    let file = sample_pdf::pdf((400, 300), &[TEXT], None);
    let pdf = PdfSource::open(&file, &ReadOptions::default()).expect("it is a PDF");
    let document =
        Document::read_as(&file, "tide.pdf", &ReadOptions::default()).expect("it is a PDF");
    let body = &document.text_streams()[0];
    let quote = Quote::new("tide was high", body.index.text()).expect("it has words");
    let found = body.index.find(&quote, None).expect("it says so");
    let highlights = Highlight::new(&document, body, found.range, None, HighlightState::Exact);
    let around = highlights.phrase[0];
    let strip = draw(
        &pdf,
        &PageView::Strip {
            highlight: &highlights,
        },
        &plain(),
    );
    let whole = page(&pdf, std::slice::from_ref(&highlights), &plain());
    let (left, top) = (around.x.floor() as u32 - 60, around.y.floor() as u32 - 60);
    let right = ((around.x + around.width).ceil() as u32 + 60).min(400);
    let bottom = (around.y + around.height).ceil() as u32 + 60;
    assert_eq!(
        (strip.width(), strip.height()),
        (right - left, bottom - top)
    );
    for y in 0..strip.height() {
        for x in 0..strip.width() {
            assert_eq!(
                pixel(&strip, x, y),
                pixel(&whole, left + x, top + y),
                "{x} {y}"
            );
        }
    }
    assert!(
        whole.pixels().chunks(4).any(|pixel| pixel[..3] == [0; 3]),
        "letters are drawn"
    );
}

#[test]
fn cuts_a_strip_between_lines_and_words() {
    let text = "BT /F 12 Tf 20 TL 60 250 Td (Far above, and cut off if it were shown at all) Tj T* \
                (The ferry was late again) Tj T* (and the tide was high at nine, as it was said) Tj T* \
                (but fell) Tj T* (The harbour fell dry at noon) Tj T* (Far below) Tj ET";
    let file = sample_pdf::pdf((400, 300), &[text], None);
    let pdf = PdfSource::open(&file, &ReadOptions::default()).expect("it is a PDF");
    let document =
        Document::read_as(&file, "tide.pdf", &ReadOptions::default()).expect("it is a PDF");
    let body = &document.text_streams()[0];
    let quote = Quote::new("tide was high", body.index.text()).expect("it has words");
    let found = body.index.find(&quote, None).expect("it says so");
    let highlights = Highlight::new(&document, body, found.range, None, HighlightState::Exact)
        .with_nearby_rows(&document);
    for (padding, lines) in [(3, 2..3), (9, 2..3), (20, 1..4), (25, 1..4), (36, 0..5)] {
        for scale in [1.0, 2.0] {
            let style = RenderStyle {
                padding,
                scale,
                ..plain()
            };
            let view = PageView::Strip {
                highlight: &highlights,
            };
            let strip = draw(&pdf, &view, &style);
            assert_eq!(
                view.size(&document, &style),
                Some((strip.width(), strip.height()))
            );
            // The width is that of the longest visible line with a margin.
            let seen = &document.lines()[lines.clone()];
            let ends = seen.iter().flat_map(|line| document.words_of(line));
            let ends = ends.map(|word| word.x + word.width).fold(0.0, f32::max);
            let wide = ((ends.ceil() - 60.0 + 48.0) * scale) as i64;
            assert!((i64::from(strip.width()) - wide).abs() <= 3, "{padding}");
            // No letter is cut: all edges are paper.
            let (right, bottom) = (strip.width() - 1, strip.height() - 1);
            for x in 0..=right {
                assert_eq!(pixel(&strip, x, 0), WHITE, "{padding}");
                assert_eq!(pixel(&strip, x, bottom), WHITE, "{padding}");
            }
            for y in 0..=bottom {
                assert_eq!(pixel(&strip, 0, y), WHITE, "{padding}");
                assert_eq!(pixel(&strip, right, y), WHITE, "{padding}");
            }
        }
    }
}

#[test]
fn a_strip_ends_before_the_next_column() {
    let pdf = open(&[""]);
    let lines =
        |x: f32, width: f32| (0..4).map(move |n| part(1, x, 100.0 + 20.0 * n as f32, width, 12.0));
    let mut highlights = phrase(HighlightState::Exact, &[part(1, 60.0, 120.0, 40.0, 12.0)]);
    highlights
        .rows
        .extend(lines(50.0, 140.0).chain(lines(200.0, 150.0)));
    // A heading over both columns.
    highlights.rows.push(part(1, 50.0, 80.0, 300.0, 12.0));
    let strip = draw(
        &pdf,
        &PageView::Strip {
            highlight: &highlights,
        },
        &plain(),
    );
    // The strip reaches from the margin to the middle between the columns, without the heading.
    assert_eq!((strip.width(), strip.height()), (195 - 26, 192 - 96));
}

#[test]
fn does_not_tint_an_anchor_that_is_nearly_the_whole_passage() {
    let file = sample_pdf::pdf((400, 300), &[TEXT], None);
    let document =
        Document::read_as(&file, "tide.pdf", &ReadOptions::default()).expect("it is a PDF");
    let body = &document.text_streams()[0];
    let find = |words: &str| {
        let quote = Quote::new(words, body.index.text()).expect("it has words");
        body.index.find(&quote, None).expect("it says so").range
    };
    let marked = |phrase: &str, anchor: &str| {
        let highlights = Highlight::new(
            &document,
            body,
            find(phrase),
            Some(find(anchor)),
            HighlightState::Exact,
        );
        !highlights.anchor.is_empty()
    };
    assert!(marked("the tide was high", "tide was"));
    assert!(!marked("the tide was", "tide was"));
    assert!(marked("the tide", "tide"));
    assert!(!marked("tide", "tide"));
}

#[test]
fn stacks_parts_from_several_pages() {
    let pdf = open(&["", "1 0 0 rg 0 0 400 300 re f"]);
    let lines = [
        part(1, 100.0, 200.0, 80.0, 10.0),
        part(2, 20.0, 100.0, 80.0, 10.0),
    ];
    let highlights = phrase(HighlightState::Exact, &lines);
    assert_eq!(highlights.pages(), [1, 2]);
    let strip = draw(
        &pdf,
        &PageView::Strip {
            highlight: &highlights,
        },
        &plain(),
    );
    assert_eq!((strip.width(), strip.height()), (200, 130 + 6 + 130));
    assert_eq!(pixel(&strip, 0, 0), WHITE);
    assert_eq!(pixel(&strip, 0, 132), [0xd8, 0xd6, 0xd1]);
    assert_eq!(pixel(&strip, 0, 136), [255, 0, 0]);
    // The second part would be 20 + 80 + 60 wide, but is as wide as the first.
    assert_eq!(pixel(&strip, 199, 140), [255, 0, 0]);
    let on_the_page = page(&pdf, &[highlights], &plain());
    assert_eq!(pixel(&on_the_page, 18, 105), WHITE);
}
