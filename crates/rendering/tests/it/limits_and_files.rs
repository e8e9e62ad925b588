//! Image files, cache keys, and limits on rendering.

use std::cell::Cell;

use documents::{ContentId, PageBox, ReadOptions};
use proptest::prelude::*;
use rendering::{
    DocumentRenderer, Highlight, HighlightState, ImageFormat, ImageTheme, PageView, PdfSource,
    RenderError, RenderOptions, RenderStyle,
};

use crate::pdf_pages::*;

#[test]
fn encoded_files_are_exact_and_reproducible() {
    let pdf = open(&[TEXT]);
    let highlights = phrase(HighlightState::Exact, &[part(1, 60.0, 80.0, 180.0, 20.0)]);
    let view = PageView::Strip {
        highlight: &highlights,
    };
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
fn different_pictures_have_different_keys() {
    let document = ContentId::of(b"a");
    let highlights = [phrase(
        HighlightState::Exact,
        &[part(1, 1.0, 2.0, 3.0, 4.0)],
    )];
    let moved = [phrase(
        HighlightState::Exact,
        &[part(1, 1.0, 2.0, 3.0, 4.000_001)],
    )];
    let view = |number, highlights| PageView::Page { number, highlights };
    let style = RenderStyle::default();
    let dark = RenderStyle {
        theme: ImageTheme::Dark,
        ..style
    };
    let key = view(1, &highlights).key(document, &style, ImageFormat::Png);
    assert_eq!(
        key,
        view(1, &highlights).key(document, &style, ImageFormat::Png)
    );
    for other in [
        view(2, &highlights).key(document, &style, ImageFormat::Png),
        view(1, &moved).key(document, &style, ImageFormat::Png),
        view(1, &[]).key(document, &style, ImageFormat::Png),
        view(1, &highlights).key(ContentId::of(b"b"), &style, ImageFormat::Png),
        view(1, &highlights).key(document, &dark, ImageFormat::Png),
        view(1, &highlights).key(document, &style, ImageFormat::WebP),
        PageView::Strip {
            highlight: &highlights[0],
        }
        .key(document, &style, ImageFormat::Png),
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
    let drawn = DocumentRenderer::for_pdf(pdf).draw(view, style, drawing);
    drawn.expect_err("it is refused")
}

#[test]
fn rejects_pages_over_the_limits() {
    let first = PageView::Page {
        number: 1,
        highlights: &[],
    };
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
        let view = PageView::Page {
            number,
            highlights: &[],
        };
        assert_eq!(
            refusal(&pdf, &view, &plain(), &RenderOptions::default()),
            RenderError::NoPage {
                page: number,
                pages: 1
            }
        );
    }
    let nothing = PageView::Strip {
        highlight: &Highlight::default(),
    };
    assert_eq!(
        refusal(&pdf, &nothing, &plain(), &RenderOptions::default()),
        RenderError::EmptyHighlight
    );
}

#[test]
fn rejects_files_that_are_not_pdf() {
    let refused =
        PdfSource::open(b"The tide was high.", &ReadOptions::default()).expect_err("it is refused");
    assert_eq!(refused.to_string(), "this PDF is too damaged to be read");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_boxes_are_accepted(
        boxes in prop::collection::vec((0_u32..4, any::<f32>(), -50.0_f32..500.0, any::<f32>(), 0.0_f32..50.0), 0..6),
        spotlight in any::<bool>(),
        scale in any::<f32>(),
    ) {
        let pdf = open(&[""]);
        let boxes: Vec<PageBox> = boxes
            .into_iter()
            .map(|(page, x, y, width, height)| part(page, x, y, width, height))
            .collect();
        let highlights = phrase(HighlightState::Partial, &boxes);
        let style = RenderStyle { dpi: 20.0, scale, spotlight, ..RenderStyle::default() };
        let mut pictures = DocumentRenderer::for_pdf(&pdf);
        let all = [highlights.clone()];
        let whole = pictures.draw(&PageView::Page { number: 1, highlights: &all }, &style, &RenderOptions::default());
        prop_assert!(whole.is_ok());
        let strip = pictures.draw(&PageView::Strip { highlight: &highlights }, &style, &RenderOptions::default());
        if let Err(error) = strip {
            let expected = matches!(error, RenderError::EmptyHighlight | RenderError::NoPage { .. });
            prop_assert!(expected, "{error}");
        }
    }
}
