//! Image files as sources.

use documents::{DocumentError, PageBox, ReadLimits, ReadOptions};
use rendering::{
    DocumentRenderer, Highlight, HighlightState, Image, ImageFormat, ImageTheme, PageView,
    RenderError, RenderOptions, RenderSource, RenderStyle,
};

/// Returns an image of 64 by 32 pixels, red on the left and blue on the right.
const HALVES: &[u8] = include_bytes!("../data/halves.jpg");

fn draw(bytes: &[u8], highlights: &[Highlight], style: &RenderStyle) -> Result<Image, RenderError> {
    let source = RenderSource::open(bytes, "picture", &ReadOptions::default())?;
    let view = PageView::Page {
        number: 1,
        highlights,
    };
    DocumentRenderer::new(&source).draw(&view, style, &RenderOptions::default())
}

fn pixel(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let at = (y * image.width() + x) as usize * 4;
    [0, 1, 2].map(|part| image.pixels()[at + part])
}

/// Returns a page of text as an image.
fn page() -> Image {
    let text = "The harbour mouth is closed by a bar of sand.\n".repeat(30);
    let source =
        RenderSource::open(text.as_bytes(), "a.txt", &ReadOptions::default()).expect("text");
    let view = PageView::Page {
        number: 1,
        highlights: &[],
    };
    let drawn = DocumentRenderer::new(&source).draw(
        &view,
        &RenderStyle::default(),
        &RenderOptions::default(),
    );
    drawn.expect("a page")
}

#[test]
fn draws_an_image_of_a_page_like_the_page() {
    let page = page();
    for format in [ImageFormat::Png, ImageFormat::WebP] {
        let file = page.encode(format).expect("a file");
        let again = draw(&file, &[], &RenderStyle::default()).expect("a picture");
        assert_eq!(again.width(), page.width(), "{format:?}");
        // At the same size nearly every pixel is equal.
        let pairs = page.pixels().iter().zip(again.pixels());
        let differing = pairs
            .filter(|(one, other)| one.abs_diff(**other) > 8)
            .count();
        assert!(
            differing * 50 < page.pixels().len(),
            "{format:?}: {differing}"
        );
    }
}

#[test]
fn photographs_keep_their_colours_at_every_scale() {
    for scale in [0.5, 1.0, 3.0] {
        let style = RenderStyle {
            scale,
            ..RenderStyle::default()
        };
        let image = draw(HALVES, &[], &style).expect("a picture");
        let (right, bottom) = (image.width() - 1, image.height() - 1);
        let [red, _, blue] = pixel(&image, 0, bottom);
        assert!(red > 200 && blue < 60, "{scale}");
        let [red, _, blue] = pixel(&image, right, 0);
        assert!(blue > 200 && red < 60, "{scale}");
    }
    let dark = RenderStyle {
        theme: ImageTheme::Dark,
        ..RenderStyle::default()
    };
    let light = draw(HALVES, &[], &RenderStyle::default()).expect("a picture");
    assert_ne!(draw(HALVES, &[], &dark).expect("a picture"), light);
}

#[test]
fn draws_highlights_on_images() {
    let highlights = Highlight {
        state: HighlightState::Exact,
        phrase: vec![PageBox {
            rendered_page: 1,
            x: 10.0,
            y: 5.0,
            width: 20.0,
            height: 8.0,
        }],
        ..Highlight::default()
    };
    let style = RenderStyle::default();
    let marked = draw(HALVES, std::slice::from_ref(&highlights), &style).expect("a picture");
    assert_ne!(marked, draw(HALVES, &[], &style).expect("a picture"));
    let source = RenderSource::open(HALVES, "picture", &ReadOptions::default()).expect("a picture");
    let view = PageView::Page {
        number: 2,
        highlights: &[],
    };
    let none = DocumentRenderer::new(&source).draw(&view, &style, &RenderOptions::default());
    assert_eq!(none, Err(RenderError::NoPage { page: 2, pages: 1 }));
}

#[test]
fn rejects_broken_and_huge_images() {
    let page = page();
    for whole in [
        HALVES.to_vec(),
        page.encode(ImageFormat::Png).expect("a file"),
        page.encode(ImageFormat::WebP).expect("a file"),
    ] {
        for part in [1, 2, 3] {
            // Damaged data is drawn or rejected, but never panics.
            let cut = &whole[..whole.len() * part / 4];
            if let Err(error) = RenderSource::open(cut, "picture", &ReadOptions::default()) {
                assert!(!error.hint().is_empty());
            }
        }
        let reading = ReadOptions {
            limits: ReadLimits {
                pixels: 64 * 32 - 1,
                ..ReadLimits::default()
            },
            ..ReadOptions::default()
        };
        let refused = RenderSource::open(&whole, "picture", &reading).expect_err("too many pixels");
        assert!(
            matches!(
                refused,
                RenderError::Read(DocumentError::TooManyPixels { .. })
            ),
            "{refused}"
        );
    }
}
