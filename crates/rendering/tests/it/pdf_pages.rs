//! Pages of sample PDFs for tests, and helpers to look at their pixels.

use crate::sample_pdf;

use documents::{PageBox, ReadOptions};
use rendering::{
    DocumentRenderer, Highlight, HighlightState, Image, PageView, PdfSource, RenderOptions,
    RenderStyle,
};

pub(crate) const TEXT: &str =
    "BT /F 14 Tf 60 200 Td (The tide was high at nine) Tj 0 -18 Td (and fell by noon.) Tj ET";
pub(crate) const WHITE: [u8; 3] = [255; 3];
pub(crate) const BLUE: [u8; 3] = [0x00, 0x55, 0x95];

/// Returns a style with one pixel per point.
pub(crate) fn plain() -> RenderStyle {
    RenderStyle {
        dpi: 72.0,
        ..RenderStyle::default()
    }
}

pub(crate) fn open(pages: &[&str]) -> PdfSource {
    let file = sample_pdf::pdf((400, 300), pages, None);
    PdfSource::open(&file, &ReadOptions::default()).expect("it is a PDF")
}

pub(crate) fn part(page: u32, x: f32, y: f32, width: f32, height: f32) -> PageBox {
    PageBox {
        rendered_page: page,
        x,
        y,
        width,
        height,
    }
}

pub(crate) fn phrase(state: HighlightState, phrase: &[PageBox]) -> Highlight {
    Highlight {
        state,
        phrase: phrase.to_vec(),
        ..Highlight::default()
    }
}

pub(crate) fn draw(pdf: &PdfSource, view: &PageView<'_>, style: &RenderStyle) -> Image {
    let drawn = DocumentRenderer::for_pdf(pdf).draw(view, style, &RenderOptions::default());
    drawn.expect("it can be drawn")
}

pub(crate) fn page(pdf: &PdfSource, highlights: &[Highlight], style: &RenderStyle) -> Image {
    draw(
        pdf,
        &PageView::Page {
            number: 1,
            highlights,
        },
        style,
    )
}

pub(crate) fn pixel(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let at = (y * image.width() + x) as usize * 4;
    assert_eq!(image.pixels()[at + 3], 255);
    [
        image.pixels()[at],
        image.pixels()[at + 1],
        image.pixels()[at + 2],
    ]
}

/// Counts the pixels of a colour from a position to the right or downwards.
pub(crate) fn run(
    image: &Image,
    (x, y): (u32, u32),
    (right, down): (u32, u32),
    colour: [u8; 3],
) -> u32 {
    (0..)
        .take_while(|step| {
            let (x, y) = (x + right * step, y + down * step);
            x < image.width() && y < image.height() && pixel(image, x, y) == colour
        })
        .count() as u32
}
