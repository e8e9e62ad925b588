//! Pictures as sources: what is drawn is what they show.

use documents::{Limits, PageBox, ReadError, Reading};
use evidence::{
    Drawing, Format, Image, Marks, PictureError, Pictures, Source, State, Style, Theme, View,
};

/// Red on the left, blue on the right, 64 by 32 pixels.
const HALVES: &[u8] = include_bytes!("data/halves.jpg");

fn draw(bytes: &[u8], marks: &[Marks], style: &Style) -> Result<Image, PictureError> {
    let source = Source::open(bytes, "picture", &Reading::default())?;
    let view = View::Page { number: 1, marks };
    Pictures::of(&source).draw(&view, style, &Drawing::default())
}

fn pixel(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let at = (y * image.width() + x) as usize * 4;
    [0, 1, 2].map(|part| image.pixels()[at + part])
}

/// A page of text as an image.
fn page() -> Image {
    let text = "The harbour mouth is closed by a bar of sand.\n".repeat(30);
    let source = Source::open(text.as_bytes(), "a.txt", &Reading::default()).expect("text");
    let view = View::Page {
        number: 1,
        marks: &[],
    };
    let drawn = Pictures::of(&source).draw(&view, &Style::default(), &Drawing::default());
    drawn.expect("a page")
}

#[test]
fn a_picture_of_a_page_is_drawn_like_the_page() {
    let page = page();
    for format in [Format::Png, Format::WebP] {
        let file = page.encode(format).expect("a file");
        let again = draw(&file, &[], &Style::default()).expect("a picture");
        assert_eq!(again.width(), page.width(), "{format:?}");
        // At the same size nearly every pixel is the same.
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
        let style = Style {
            scale,
            ..Style::default()
        };
        let image = draw(HALVES, &[], &style).expect("a picture");
        let (right, bottom) = (image.width() - 1, image.height() - 1);
        let [red, _, blue] = pixel(&image, 0, bottom);
        assert!(red > 200 && blue < 60, "{scale}");
        let [red, _, blue] = pixel(&image, right, 0);
        assert!(blue > 200 && red < 60, "{scale}");
    }
    let dark = Style {
        theme: Theme::Dark,
        ..Style::default()
    };
    let light = draw(HALVES, &[], &Style::default()).expect("a picture");
    assert_ne!(draw(HALVES, &[], &dark).expect("a picture"), light);
}

#[test]
fn marks_stand_on_pictures_too() {
    let marks = Marks {
        state: State::Exact,
        phrase: vec![PageBox {
            page: 1,
            x: 10.0,
            y: 5.0,
            width: 20.0,
            height: 8.0,
        }],
        ..Marks::default()
    };
    let style = Style::default();
    let marked = draw(HALVES, std::slice::from_ref(&marks), &style).expect("a picture");
    assert_ne!(marked, draw(HALVES, &[], &style).expect("a picture"));
    let source = Source::open(HALVES, "picture", &Reading::default()).expect("a picture");
    let view = View::Page {
        number: 2,
        marks: &[],
    };
    let none = Pictures::of(&source).draw(&view, &style, &Drawing::default());
    assert_eq!(none, Err(PictureError::NoPage { page: 2, pages: 1 }));
}

#[test]
fn broken_and_huge_pictures_are_errors() {
    let page = page();
    for whole in [
        HALVES.to_vec(),
        page.encode(Format::Png).expect("a file"),
        page.encode(Format::WebP).expect("a file"),
    ] {
        for part in [1, 2, 3] {
            // Whatever comes of it, nothing panics, and what cannot be decoded is said.
            let cut = &whole[..whole.len() * part / 4];
            if let Err(error) = Source::open(cut, "picture", &Reading::default()) {
                assert!(!error.hint().is_empty());
            }
        }
        let reading = Reading {
            limits: Limits {
                pixels: 64 * 32 - 1,
                ..Limits::default()
            },
            ..Reading::default()
        };
        let refused = Source::open(&whole, "picture", &reading).expect_err("too many pixels");
        assert!(
            matches!(refused, PictureError::Read(ReadError::TooManyPixels { .. })),
            "{refused}"
        );
    }
}
