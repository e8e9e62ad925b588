//! Appearance of highlights and themes.

use documents::ReadOptions;
use rendering::{Highlight, HighlightState, ImageTheme, PdfSource, RenderStyle};

use crate::pdf_pages::*;
use crate::sample_pdf;

#[test]
fn draws_brackets_around_a_passage() {
    let pdf = open(&[""]);
    let highlights = [phrase(
        HighlightState::Exact,
        &[part(1, 100.0, 50.0, 80.0, 36.0)],
    )];
    let image = page(&pdf, &highlights, &plain());
    assert_eq!((image.width(), image.height()), (400, 300));
    // The padding is two pixels; the arms are a fifth of the height of 40.
    assert_eq!(pixel(&image, 97, 48), WHITE);
    assert_eq!(run(&image, (98, 48), (0, 1), BLUE), 40);
    assert_eq!(run(&image, (98, 60), (1, 0), BLUE), 2);
    assert_eq!(run(&image, (98, 48), (1, 0), BLUE), 8);
    assert_eq!(run(&image, (98, 86), (1, 0), BLUE), 8);
    assert_eq!(run(&image, (174, 48), (1, 0), BLUE), 8);
    assert_eq!(run(&image, (180, 60), (1, 0), BLUE), 2);
    assert_eq!(pixel(&image, 182, 60), WHITE);
    // A single line is not tinted.
    assert_eq!(pixel(&image, 140, 60), WHITE);
}

#[test]
fn limits_the_length_of_bracket_arms() {
    let pdf = open(&[""]);
    for (height, arm) in [(6.0, 4), (26.0, 6), (200.0, 12)] {
        let highlights = [phrase(
            HighlightState::Exact,
            &[part(1, 100.0, 50.0, 80.0, height)],
        )];
        let image = page(&pdf, &highlights, &plain());
        assert_eq!(run(&image, (98, 48), (1, 0), BLUE), arm, "{height}");
    }
}

#[test]
fn highlights_grow_with_the_scale() {
    let pdf = open(&[""]);
    let highlights = [phrase(
        HighlightState::Exact,
        &[part(1, 100.0, 50.0, 80.0, 36.0)],
    )];
    let twice = RenderStyle {
        scale: 2.0,
        ..plain()
    };
    let image = page(&pdf, &highlights, &twice);
    assert_eq!((image.width(), image.height()), (800, 600));
    assert_eq!(run(&image, (196, 120), (1, 0), BLUE), 4);
    assert_eq!(run(&image, (196, 96), (1, 0), BLUE), 16);
    assert_eq!(run(&image, (196, 96), (0, 1), BLUE), 80);
}

#[test]
fn each_state_has_its_colour() {
    let pdf = open(&[""]);
    for (state, colour) in [
        (HighlightState::Exact, BLUE),
        (HighlightState::Partial, [0xfb, 0xbf, 0x24]),
        (HighlightState::Missed, [0xef, 0x44, 0x44]),
    ] {
        let highlights = [phrase(state, &[part(1, 100.0, 50.0, 80.0, 20.0)])];
        assert_eq!(pixel(&page(&pdf, &highlights, &plain()), 98, 60), colour);
    }
}

#[test]
fn tints_the_anchor_and_keeps_letters_black() {
    let pdf = open(&["0 g 120 230 10 10 re f"]);
    let highlights = [Highlight {
        state: HighlightState::Exact,
        phrase: vec![part(1, 100.0, 50.0, 80.0, 20.0)],
        anchor: vec![part(1, 110.0, 50.0, 40.0, 20.0)],
        ..Highlight::default()
    }];
    let image = page(&pdf, &highlights, &plain());
    // An opacity of one fifth of (251, 191, 36) over white.
    assert_eq!(pixel(&image, 112, 55), [255, 243, 212]);
    assert_eq!(pixel(&image, 125, 65), [0, 0, 0]);
    assert_eq!(pixel(&image, 105, 55), WHITE);
}

#[test]
fn spotlight_dims_the_rest() {
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
    // An opacity of one quarter of (26, 26, 26) over white.
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
fn adjacent_lines_share_brackets() {
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
    // Several lines are tinted to show their beginning and end.
    let washed = pixel(&image, 160, 55);
    assert_eq!(washed, [235, 242, 247]);
    assert_eq!(pixel(&image, 100, 55), WHITE);
    assert_eq!(pixel(&image, 60, 70), washed);
}

#[test]
fn dark_theme_inverts_lightness_and_keeps_hues() {
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
fn dark_theme_keeps_photographs() {
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
    // The image has the grey 48; inverted it would be light.
    assert_eq!(pixel(&light, 200, 150), [48; 3]);
    assert_eq!(pixel(&dark, 200, 150), [40; 3]);
    assert_eq!(pixel(&dark, 10, 10), [26; 3]);
}
