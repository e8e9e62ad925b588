//! What is drawn where, and what is refused.

use crate::sample_pdf;
use std::cell::Cell;

use documents::{ContentId, Document, PageBox, ReadOptions};
use passage::Quote;
use proptest::prelude::*;
use rendering::{
    DocumentRenderer, Highlight, HighlightState, Image, ImageFormat, ImageTheme, PageView,
    PdfSource, RenderError, RenderLimits, RenderOptions, RenderStyle,
};

const WHITE: [u8; 3] = [255; 3];
const BLUE: [u8; 3] = [0x00, 0x55, 0x95];

/// A pixel per point.
fn plain() -> RenderStyle {
    RenderStyle {
        dpi: 72.0,
        ..RenderStyle::default()
    }
}

fn open(pages: &[&str]) -> PdfSource {
    let file = sample_pdf::pdf((400, 300), pages, None);
    PdfSource::open(&file, &ReadOptions::default()).expect("it is a PDF")
}

fn part(page: u32, x: f32, y: f32, width: f32, height: f32) -> PageBox {
    PageBox {
        page,
        x,
        y,
        width,
        height,
    }
}

fn phrase(state: HighlightState, phrase: &[PageBox]) -> Highlight {
    Highlight {
        state,
        phrase: phrase.to_vec(),
        ..Highlight::default()
    }
}

fn draw(pdf: &PdfSource, view: &PageView<'_>, style: &RenderStyle) -> Image {
    let drawn = DocumentRenderer::of_pdf(pdf).draw(view, style, &RenderOptions::default());
    drawn.expect("it can be drawn")
}

fn page(pdf: &PdfSource, marks: &[Highlight], style: &RenderStyle) -> Image {
    draw(pdf, &PageView::Page { number: 1, marks }, style)
}

fn pixel(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let at = (y * image.width() + x) as usize * 4;
    assert_eq!(image.pixels()[at + 3], 255);
    [
        image.pixels()[at],
        image.pixels()[at + 1],
        image.pixels()[at + 2],
    ]
}

/// How many pixels from a place on, to the right or downwards, have a colour.
fn run(image: &Image, (x, y): (u32, u32), (right, down): (u32, u32), colour: [u8; 3]) -> u32 {
    (0..)
        .take_while(|step| {
            let (x, y) = (x + right * step, y + down * step);
            x < image.width() && y < image.height() && pixel(image, x, y) == colour
        })
        .count() as u32
}

#[test]
fn brackets_stand_around_a_phrase() {
    let pdf = open(&[""]);
    let marks = [phrase(
        HighlightState::Exact,
        &[part(1, 100.0, 50.0, 80.0, 36.0)],
    )];
    let image = page(&pdf, &marks, &plain());
    assert_eq!((image.width(), image.height()), (400, 300));
    // Two pixels of room; the arms are a fifth of the height of 40.
    assert_eq!(pixel(&image, 97, 48), WHITE);
    assert_eq!(run(&image, (98, 48), (0, 1), BLUE), 40);
    assert_eq!(run(&image, (98, 60), (1, 0), BLUE), 2);
    assert_eq!(run(&image, (98, 48), (1, 0), BLUE), 8);
    assert_eq!(run(&image, (98, 86), (1, 0), BLUE), 8);
    assert_eq!(run(&image, (174, 48), (1, 0), BLUE), 8);
    assert_eq!(run(&image, (180, 60), (1, 0), BLUE), 2);
    assert_eq!(pixel(&image, 182, 60), WHITE);
    // A single line is not washed.
    assert_eq!(pixel(&image, 140, 60), WHITE);
}

#[test]
fn arms_are_neither_short_nor_long() {
    let pdf = open(&[""]);
    for (height, arm) in [(6.0, 4), (26.0, 6), (200.0, 12)] {
        let marks = [phrase(
            HighlightState::Exact,
            &[part(1, 100.0, 50.0, 80.0, height)],
        )];
        let image = page(&pdf, &marks, &plain());
        assert_eq!(run(&image, (98, 48), (1, 0), BLUE), arm, "{height}");
    }
}

#[test]
fn marks_grow_with_the_scale() {
    let pdf = open(&[""]);
    let marks = [phrase(
        HighlightState::Exact,
        &[part(1, 100.0, 50.0, 80.0, 36.0)],
    )];
    let twice = RenderStyle {
        scale: 2.0,
        ..plain()
    };
    let image = page(&pdf, &marks, &twice);
    assert_eq!((image.width(), image.height()), (800, 600));
    assert_eq!(run(&image, (196, 120), (1, 0), BLUE), 4);
    assert_eq!(run(&image, (196, 96), (1, 0), BLUE), 16);
    assert_eq!(run(&image, (196, 96), (0, 1), BLUE), 80);
}

#[test]
fn states_have_colours() {
    let pdf = open(&[""]);
    for (state, colour) in [
        (HighlightState::Exact, BLUE),
        (HighlightState::Partial, [0xfb, 0xbf, 0x24]),
        (HighlightState::Missed, [0xef, 0x44, 0x44]),
    ] {
        let marks = [phrase(state, &[part(1, 100.0, 50.0, 80.0, 20.0)])];
        assert_eq!(pixel(&page(&pdf, &marks, &plain()), 98, 60), colour);
    }
}

#[test]
fn the_anchor_is_tinted_and_letters_stay_black() {
    let pdf = open(&["0 g 120 230 10 10 re f"]);
    let marks = [Highlight {
        state: HighlightState::Exact,
        phrase: vec![part(1, 100.0, 50.0, 80.0, 20.0)],
        anchor: vec![part(1, 110.0, 50.0, 40.0, 20.0)],
        ..Highlight::default()
    }];
    let image = page(&pdf, &marks, &plain());
    // A fifth of (251, 191, 36) over white.
    assert_eq!(pixel(&image, 112, 55), [255, 243, 212]);
    assert_eq!(pixel(&image, 125, 65), [0, 0, 0]);
    assert_eq!(pixel(&image, 105, 55), WHITE);
}

#[test]
fn a_spotlight_dims_the_rest() {
    let pdf = open(&[""]);
    let style = RenderStyle {
        spotlight: true,
        ..plain()
    };
    let two = [
        part(1, 100.0, 50.0, 80.0, 20.0),
        part(1, 300.0, 250.0, 40.0, 10.0),
    ];
    let image = page(&pdf, &[phrase(HighlightState::Exact, &two)], &style);
    // A quarter of (26, 26, 26) over white.
    let dim = [198; 3];
    for (place, colour) in [
        ((69, 60), dim),
        ((70, 60), WHITE),
        ((100, 19), dim),
        ((100, 20), WHITE),
        ((209, 99), WHITE),
        ((210, 99), dim),
        ((209, 100), dim),
        ((269, 250), dim),
        ((270, 250), WHITE),
        ((0, 0), dim),
        ((399, 299), dim),
    ] {
        assert_eq!(pixel(&image, place.0, place.1), colour, "{place:?}");
    }
    let unmarked = page(&pdf, &[], &style);
    assert_eq!(pixel(&unmarked, 0, 0), WHITE);
}

#[test]
fn lines_that_stand_together_share_their_brackets() {
    let pdf = open(&[""]);
    let lines = [
        part(1, 150.0, 50.0, 50.0, 12.0),
        part(1, 20.0, 64.0, 100.0, 12.0),
        // The next column.
        part(1, 250.0, 20.0, 100.0, 12.0),
    ];
    let image = page(&pdf, &[phrase(HighlightState::Exact, &lines)], &plain());
    assert_eq!(run(&image, (18, 48), (0, 1), BLUE), 30);
    assert_eq!(pixel(&image, 200, 50), BLUE);
    assert_eq!(run(&image, (248, 18), (0, 1), BLUE), 16);
    // Several lines are washed, so that one sees where they begin and end.
    let washed = pixel(&image, 160, 55);
    assert_eq!(washed, [235, 242, 247]);
    assert_eq!(pixel(&image, 100, 55), WHITE);
    assert_eq!(pixel(&image, 60, 70), washed);
}

#[test]
fn dark_turns_paper_round_and_keeps_hues() {
    let pdf = open(&["0 g 0 0 100 100 re f 1 0 0 rg 100 0 100 100 re f"]);
    let style = RenderStyle {
        theme: ImageTheme::Dark,
        ..plain()
    };
    let image = page(&pdf, &[], &style);
    assert_eq!(pixel(&image, 300, 50), [26; 3]);
    assert_eq!(pixel(&image, 50, 250), [232; 3]);
    let [red, green, blue] = pixel(&image, 150, 250);
    assert!(
        red > 200 && green == 26 && blue == 26,
        "{red} {green} {blue}"
    );
}

#[test]
fn dark_keeps_photographs() {
    let grey = sample_pdf::pdf(
        (400, 300),
        &["q 200 0 0 200 100 50 cm /I Do Q"],
        Some((4, 4)),
    );
    let pdf = PdfSource::open(&grey, &ReadOptions::default()).expect("it is a PDF");
    let light = page(&pdf, &[], &plain());
    let dark = RenderStyle {
        theme: ImageTheme::Dark,
        ..plain()
    };
    let dark = page(&pdf, &[], &dark);
    // The image is of the grey 48; turned round it would be light.
    assert_eq!(pixel(&light, 200, 150), [48; 3]);
    assert_eq!(pixel(&dark, 200, 150), [40; 3]);
    assert_eq!(pixel(&dark, 10, 10), [26; 3]);
}

const TEXT: &str =
    "BT /F 14 Tf 60 200 Td (The tide was high at nine) Tj 0 -18 Td (and fell by noon.) Tj ET";

#[test]
fn a_strip_is_a_part_of_the_page() {
    let file = sample_pdf::pdf((400, 300), &[TEXT], None);
    let pdf = PdfSource::open(&file, &ReadOptions::default()).expect("it is a PDF");
    let document =
        Document::read_as(&file, "tide.pdf", &ReadOptions::default()).expect("it is a PDF");
    let body = &document.flows()[0];
    let quote = Quote::new("tide was high", body.index.text()).expect("it has words");
    let found = body.index.find(&quote, None).expect("it says so");
    let marks = Highlight::of(&document, body, found.range, None, HighlightState::Exact);
    let around = marks.phrase[0];
    let strip = draw(&pdf, &PageView::Strip { marks: &marks }, &plain());
    let whole = page(&pdf, std::slice::from_ref(&marks), &plain());
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
fn a_strip_is_cut_between_lines_and_words() {
    let text = "BT /F 12 Tf 20 TL 60 250 Td (Far above, and cut off if it were shown at all) Tj T* \
                (The ferry was late again) Tj T* (and the tide was high at nine, as it was said) Tj T* \
                (but fell) Tj T* (The harbour fell dry at noon) Tj T* (Far below) Tj ET";
    let file = sample_pdf::pdf((400, 300), &[text], None);
    let pdf = PdfSource::open(&file, &ReadOptions::default()).expect("it is a PDF");
    let document =
        Document::read_as(&file, "tide.pdf", &ReadOptions::default()).expect("it is a PDF");
    let body = &document.flows()[0];
    let quote = Quote::new("tide was high", body.index.text()).expect("it has words");
    let found = body.index.find(&quote, None).expect("it says so");
    let marks =
        Highlight::of(&document, body, found.range, None, HighlightState::Exact).among(&document);
    for (padding, lines) in [(3, 2..3), (9, 2..3), (20, 1..4), (25, 1..4), (36, 0..5)] {
        for scale in [1.0, 2.0] {
            let style = RenderStyle {
                padding,
                scale,
                ..plain()
            };
            let view = PageView::Strip { marks: &marks };
            let strip = draw(&pdf, &view, &style);
            assert_eq!(
                view.size(&document, &style),
                Some((strip.width(), strip.height()))
            );
            // As wide as the longest line that is seen, and a margin.
            let seen = &document.lines()[lines.clone()];
            let ends = seen.iter().flat_map(|line| document.words_of(line));
            let ends = ends.map(|word| word.x + word.width).fold(0.0, f32::max);
            let wide = ((ends.ceil() - 60.0 + 48.0) * scale) as i64;
            assert!((i64::from(strip.width()) - wide).abs() <= 3, "{padding}");
            // Nothing is cut: all around there is paper.
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
    let mut marks = phrase(HighlightState::Exact, &[part(1, 60.0, 120.0, 40.0, 12.0)]);
    marks
        .rows
        .extend(lines(50.0, 140.0).chain(lines(200.0, 150.0)));
    // A head over both columns.
    marks.rows.push(part(1, 50.0, 80.0, 300.0, 12.0));
    let strip = draw(&pdf, &PageView::Strip { marks: &marks }, &plain());
    // From the margin to the middle between the columns; below the head, and its own column whole.
    assert_eq!((strip.width(), strip.height()), (195 - 26, 192 - 96));
}

#[test]
fn anchors_that_are_nearly_all_are_not_marked() {
    let file = sample_pdf::pdf((400, 300), &[TEXT], None);
    let document =
        Document::read_as(&file, "tide.pdf", &ReadOptions::default()).expect("it is a PDF");
    let body = &document.flows()[0];
    let find = |words: &str| {
        let quote = Quote::new(words, body.index.text()).expect("it has words");
        body.index.find(&quote, None).expect("it says so").range
    };
    let marked = |phrase: &str, anchor: &str| {
        let marks = Highlight::of(
            &document,
            body,
            find(phrase),
            Some(find(anchor)),
            HighlightState::Exact,
        );
        !marks.anchor.is_empty()
    };
    assert!(marked("the tide was high", "tide was"));
    assert!(!marked("the tide was", "tide was"));
    assert!(marked("the tide", "tide"));
    assert!(!marked("tide", "tide"));
}

#[test]
fn parts_on_several_pages_are_set_below_each_other() {
    let pdf = open(&["", "1 0 0 rg 0 0 400 300 re f"]);
    let lines = [
        part(1, 100.0, 200.0, 80.0, 10.0),
        part(2, 20.0, 100.0, 80.0, 10.0),
    ];
    let marks = phrase(HighlightState::Exact, &lines);
    assert_eq!(marks.pages(), [1, 2]);
    let strip = draw(&pdf, &PageView::Strip { marks: &marks }, &plain());
    assert_eq!((strip.width(), strip.height()), (200, 130 + 6 + 130));
    assert_eq!(pixel(&strip, 0, 0), WHITE);
    assert_eq!(pixel(&strip, 0, 132), [0xd8, 0xd6, 0xd1]);
    assert_eq!(pixel(&strip, 0, 136), [255, 0, 0]);
    // The second part would be 20 + 80 + 60 wide, and is as wide as the first.
    assert_eq!(pixel(&strip, 199, 140), [255, 0, 0]);
    let on_the_page = page(&pdf, &[marks], &plain());
    assert_eq!(pixel(&on_the_page, 18, 105), WHITE);
}

#[test]
fn files_are_exact_and_always_the_same() {
    let pdf = open(&[TEXT]);
    let marks = phrase(HighlightState::Exact, &[part(1, 60.0, 80.0, 180.0, 20.0)]);
    let view = PageView::Strip { marks: &marks };
    let image = draw(&pdf, &view, &RenderStyle::default());
    assert_eq!(image, draw(&pdf, &view, &RenderStyle::default()));
    let rgb: Vec<u8> = image
        .pixels()
        .chunks(4)
        .flat_map(|pixel| pixel[..3].to_vec())
        .collect();
    for format in [ImageFormat::Png, ImageFormat::WebP, ImageFormat::Avif] {
        let file = image.encode(format).expect("it can be written");
        assert_eq!(file, image.encode(format).expect("it can be written"));
        assert_eq!(ImageFormat::named(format.extension()), Some(format));
        let mut read = vec![0; rgb.len()];
        match format {
            ImageFormat::Png => {
                let decoder = png::Decoder::new(std::io::Cursor::new(&file));
                let mut reader = decoder.read_info().expect("it is a PNG");
                reader.next_frame(&mut read).expect("it has pixels");
                assert_eq!(read, rgb);
            }
            ImageFormat::WebP => {
                let mut decoder =
                    image_webp::WebPDecoder::new(std::io::Cursor::new(&file)).expect("a WebP");
                decoder.read_image(&mut read).expect("it has pixels");
                assert_eq!(read, rgb);
            }
            _ => {
                assert_eq!(&file[4..12], b"ftypavif");
                let place = file
                    .windows(4)
                    .position(|name| name == b"ispe")
                    .expect("a size");
                let number = |at: usize| {
                    u32::from_be_bytes([0, 1, 2, 3].map(|byte| file[place + at + byte]))
                };
                assert_eq!((number(8), number(12)), (image.width(), image.height()));
                assert!(file.len() < rgb.len() / 10);
            }
        }
    }
}

#[test]
fn keys_tell_pictures_apart() {
    let document = ContentId::of(b"a");
    let marks = [phrase(
        HighlightState::Exact,
        &[part(1, 1.0, 2.0, 3.0, 4.0)],
    )];
    let moved = [phrase(
        HighlightState::Exact,
        &[part(1, 1.0, 2.0, 3.0, 4.000_001)],
    )];
    let view = |number, marks| PageView::Page { number, marks };
    let style = RenderStyle::default();
    let dark = RenderStyle {
        theme: ImageTheme::Dark,
        ..style
    };
    let key = view(1, &marks).key(document, &style, ImageFormat::Png);
    assert_eq!(key, view(1, &marks).key(document, &style, ImageFormat::Png));
    for other in [
        view(2, &marks).key(document, &style, ImageFormat::Png),
        view(1, &moved).key(document, &style, ImageFormat::Png),
        view(1, &[]).key(document, &style, ImageFormat::Png),
        view(1, &marks).key(ContentId::of(b"b"), &style, ImageFormat::Png),
        view(1, &marks).key(document, &dark, ImageFormat::Png),
        view(1, &marks).key(document, &style, ImageFormat::WebP),
        PageView::Strip { marks: &marks[0] }.key(document, &style, ImageFormat::Png),
    ] {
        assert_ne!(key, other);
    }
}

fn refusal(
    pdf: &PdfSource,
    view: &PageView<'_>,
    style: &RenderStyle,
    drawing: &RenderOptions<'_>,
) -> RenderError {
    let drawn = DocumentRenderer::of_pdf(pdf).draw(view, style, drawing);
    drawn.expect_err("it is refused")
}

#[test]
fn what_is_too_much_is_refused() {
    let first = PageView::Page {
        number: 1,
        marks: &[],
    };
    let huge = sample_pdf::pdf(
        (400, 300),
        &["q 100 0 0 100 0 0 cm /I Do Q"],
        Some((10_000, 10_000)),
    );
    let huge = PdfSource::open(&huge, &ReadOptions::default()).expect("it is a PDF");
    let refused = refusal(&huge, &first, &plain(), &RenderOptions::default());
    assert_eq!(
        refused.to_string(),
        "the images on page 1 have 100000000 pixels; at most 80000000 are drawn"
    );

    let pdf = open(&["0 0 5 5 re f 9 9 5 5 re f 20 20 5 5 re f"]);
    let large = RenderStyle {
        dpi: 2400.0,
        scale: 8.0,
        ..RenderStyle::default()
    };
    assert!(matches!(
        refusal(&pdf, &first, &large, &RenderOptions::default()),
        RenderError::TooLarge {
            limit: 40_000_000,
            ..
        }
    ));
    let few = RenderOptions {
        limits: RenderLimits {
            steps: 3,
            ..RenderLimits::default()
        },
        ..RenderOptions::default()
    };
    assert_eq!(
        refusal(&pdf, &first, &plain(), &few),
        RenderError::TooManySteps { page: 1, limit: 3 }
    );
    let asked = Cell::new(0);
    let give_up = || {
        asked.set(asked.get() + 1);
        true
    };
    let impatient = RenderOptions {
        give_up: &give_up,
        ..RenderOptions::default()
    };
    assert_eq!(
        refusal(&pdf, &first, &plain(), &impatient),
        RenderError::GivenUp { page: 1 }
    );
    assert_eq!(asked.get(), 1);
    for number in [0, 2, u32::MAX] {
        let view = PageView::Page { number, marks: &[] };
        assert_eq!(
            refusal(&pdf, &view, &plain(), &RenderOptions::default()),
            RenderError::NoPage {
                page: number,
                pages: 1
            }
        );
    }
    let nothing = PageView::Strip {
        marks: &Highlight::default(),
    };
    assert_eq!(
        refusal(&pdf, &nothing, &plain(), &RenderOptions::default()),
        RenderError::NothingMarked
    );
}

#[test]
fn every_step_of_a_page_is_counted() {
    let mut content = String::new();
    for _ in 0..3000 {
        content += "0 0 1 1 re f\n";
    }
    let pdf = open(&[&content]);
    let few = RenderOptions {
        limits: RenderLimits {
            steps: 2999,
            ..RenderLimits::default()
        },
        ..RenderOptions::default()
    };
    let first = PageView::Page {
        number: 1,
        marks: &[],
    };
    assert!(matches!(
        refusal(&pdf, &first, &plain(), &few),
        RenderError::TooManySteps { .. }
    ));
    page(&pdf, &[], &plain());
}

#[test]
fn files_that_are_no_pdf_are_refused() {
    let refused =
        PdfSource::open(b"The tide was high.", &ReadOptions::default()).expect_err("it is refused");
    assert_eq!(refused.to_string(), "this PDF is too damaged to be read");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_boxes_can_be_asked_for(
        boxes in prop::collection::vec((0_u32..4, any::<f32>(), -50.0_f32..500.0, any::<f32>(), 0.0_f32..50.0), 0..6),
        spotlight in any::<bool>(),
        scale in any::<f32>(),
    ) {
        let pdf = open(&[""]);
        let boxes: Vec<PageBox> = boxes
            .into_iter()
            .map(|(page, x, y, width, height)| part(page, x, y, width, height))
            .collect();
        let marks = phrase(HighlightState::Partial, &boxes);
        let style = RenderStyle { dpi: 20.0, scale, spotlight, ..RenderStyle::default() };
        let mut pictures = DocumentRenderer::of_pdf(&pdf);
        let all = [marks.clone()];
        let whole = pictures.draw(&PageView::Page { number: 1, marks: &all }, &style, &RenderOptions::default());
        prop_assert!(whole.is_ok());
        let strip = pictures.draw(&PageView::Strip { marks: &marks }, &style, &RenderOptions::default());
        if let Err(error) = strip {
            let expected = matches!(error, RenderError::NothingMarked | RenderError::NoPage { .. });
            prop_assert!(expected, "{error}");
        }
    }
}
