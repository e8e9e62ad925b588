//! Letters that no font has: they are read, found and highlighted, and shown as boxes.

use crate::sample_pdf;
use documents::{Document, PageBox, ReadOptions};
use passage::Quote;
use rendering::{
    DocumentRenderer, Highlight, HighlightState, Image, PageView, RenderOptions, RenderSource,
    RenderStyle,
};

/// Draws a file with and without a highlighted quote, one pixel per point. Returns also the box of the quote.
fn shown(file: &[u8], name: &str, quote: &str) -> (Image, Image, PageBox) {
    let read = Document::read_as(file, name, &ReadOptions::default());
    let document = read.expect("it is read");
    let body = &document.text_streams()[0];
    let found = Quote::new(quote, body.index.text())
        .ok()
        .and_then(|quote| body.index.find(&quote, None))
        .unwrap_or_else(|| panic!("it says {:?}", body.index.text().source()));
    let highlights = Highlight::new(&document, body, found.range, None, HighlightState::Exact);
    let [part] = highlights.phrase[..] else {
        panic!("one line: {highlights:?}");
    };
    let source = RenderSource::open(file, name, &ReadOptions::default()).expect("it is opened");
    let style = RenderStyle {
        dpi: 72.0,
        ..RenderStyle::default()
    };
    let draw = |highlights: &[Highlight]| {
        let view = PageView::Page {
            number: 1,
            highlights,
        };
        let drawn = DocumentRenderer::new(&source).draw(&view, &style, &RenderOptions::default());
        drawn.expect("it is drawn")
    };
    (draw(&[highlights]), draw(&[]), part)
}

/// Counts the pixels in a box that are not white.
fn inked(image: &Image, part: &PageBox) -> usize {
    let range = |from: f32, length: f32| from as u32..(from + length) as u32;
    let mut count = 0;
    for y in range(part.y, part.height) {
        for x in range(part.x, part.width) {
            let at = (y * image.width() + x) as usize * 4;
            count += usize::from(image.pixels()[at..at + 3] != [255; 3]);
        }
    }
    count
}

#[test]
fn draws_boxes_for_letters_that_no_font_has() {
    let text = "The signs 𐤀𐤁𐤂 mean ox, house and staff.";
    let (marked, plain, part) = shown(text.as_bytes(), "a.txt", "𐤀𐤁𐤂");
    assert!(part.width > 15.0, "{part:?}");
    let (boxes, area) = (inked(&plain, &part), part.width * part.height);
    // Only the outlines of the boxes are not white.
    assert!(
        boxes > 30 && (boxes as f32) < area * 0.5,
        "{boxes} of {area}"
    );
    assert_ne!(marked, plain);
    let (_, _, around) = shown(text.as_bytes(), "a.txt", "signs 𐤀𐤁𐤂 mean");
    assert!(around.x < part.x && around.x + around.width > part.x + part.width);
}

#[test]
fn a_letter_missing_in_a_pdf_font_leaves_the_rest_visible() {
    // Hebrew letters, which no replacement font has, and an invalid font file.
    let lacking = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 65 /LastChar 66 /Widths [600 600] \
                   /Encoding << /Type /Encoding /Differences [65 /afii57664 /afii57665] >> >>";
    let broken = "<< /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+Gone /FirstChar 65 /LastChar 66 /Widths [600 600] \
                  /Encoding << /Type /Encoding /Differences [65 /afii57664 /afii57665] >> \
                  /FontDescriptor << /Type /FontDescriptor /FontName /ABCDEF+Gone /Flags 4 /FontFile2 4 0 R >> >>";
    for font in [lacking, broken] {
        let page = "BT /F 20 Tf 50 200 Td (ABA) Tj ET 0 0 1 rg 50 100 20 20 re f";
        let file = sample_pdf::pdf_with_font((400, 300), &[page], None, font);
        let (marked, plain, part) = shown(&file, "a.pdf", "אבא");
        assert!((part.width - 36.0).abs() < 2.0, "{part:?}");
        assert_ne!(marked, plain, "it is marked");
        // The rest of the page is drawn.
        let square = PageBox {
            rendered_page: 1,
            x: 52.0,
            y: 182.0,
            width: 16.0,
            height: 16.0,
        };
        assert_eq!(inked(&plain, &square), 256);
    }
}
