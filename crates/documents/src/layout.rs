//! Layout of text on pages, for files without positions of words.
//!
//! ```text
//! reader ──▶ sketch ──▶ atoms ──▶ rows ──▶ pages ──▶ words with boxes, and marks to be drawn
//!            sketch     text_atoms rows    pages, table, images, canvas
//! ```
//!
//! A reader sketches its document while it makes lines and text streams. The text is then set on A4 pages, in
//! fonts that are part of this crate; characters that no font has are boxes. The same file always gives the same
//! pages.

mod canvas;
mod fonts;
mod images;
mod pages;
mod rows;
mod sketch;
mod table;
mod text_atoms;

use crate::geometry::{A4, PageSize};
use crate::image_header::{ImageHeader, ImageRotation};

pub(crate) use canvas::PlacedWord;
pub use fonts::{LayoutFont, PlacedGlyph};
pub(crate) use sketch::{
    BaselineLevel, BlockParent, BlockShape, DocumentSketch, FontFace, SketchedHeading,
};
pub(crate) use text_atoms::MAX_COLUMNS;

use canvas::{LayoutCanvas, PageMark, sides};
use fonts::{letter, shape};
use pages::PageSetter;
use sketch::ShownImage;

/// Colour of a drawn item, by its purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InkColour {
    /// Letters.
    Text,
    /// Letters that are no part of the text, such as numbers of list items.
    Faint,
    /// Letters of a link and the line below them.
    Link,
    /// Lines of tables and beside quotations.
    Rule,
    /// Background of code and of table headings.
    Ground,
}

/// Item drawn on a page. Lengths are in points from the top left of the page.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DrawnItem {
    /// Text in one font.
    Text {
        /// Font.
        font: LayoutFont,
        /// Font size.
        size: f32,
        /// Left edge.
        x: f32,
        /// Position of the baseline.
        y: f32,
        /// Glyphs with their positions.
        glyphs: Vec<PlacedGlyph>,
        /// Colour.
        ink: InkColour,
    },
    /// Filled box.
    Fill {
        /// Left edge.
        x: f32,
        /// Top edge.
        y: f32,
        /// Width.
        width: f32,
        /// Height.
        height: f32,
        /// Colour.
        ink: InkColour,
    },
    /// Image.
    Image {
        /// Number for [`PageLayout::image`].
        image: ImageNumber,
        /// Left edge.
        x: f32,
        /// Top edge.
        y: f32,
        /// Width.
        width: f32,
        /// Height.
        height: f32,
        /// Fractions that are cropped before the rotation: left, top, right, bottom.
        crop: [f32; 4],
        /// Rotation.
        rotation: ImageRotation,
        /// Items that are drawn if the image is broken: a box with its label.
        fallback: Vec<DrawnItem>,
    },
}

/// Number of an image of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageNumber(u32);

/// Drawn pages of a document that was laid out.
#[derive(Debug)]
pub struct PageLayout {
    sketch: DocumentSketch,
    pages: Vec<Vec<PageMark>>,
    /// File that contains the images, if there are any.
    archive: Vec<u8>,
}

impl PageLayout {
    /// Returns the number of pages.
    pub fn pages(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }

    /// Returns the size of each page.
    pub fn size(&self) -> PageSize {
        A4
    }

    /// Returns the items of a page, counted from 1, in the order of drawing.
    pub fn page(&self, number: u32) -> impl Iterator<Item = DrawnItem> {
        let at = (number as usize).checked_sub(1);
        let marks = at.and_then(|at| self.pages.get(at));
        marks
            .into_iter()
            .flatten()
            .flat_map(|mark| self.drawn_items(mark))
    }

    /// Returns the header of an image.
    pub fn image_header(&self, image: ImageNumber) -> Option<ImageHeader> {
        self.sketch.image_header(Some(image.0)).copied()
    }

    /// Returns the file of an image, which may be broken.
    pub fn image(&self, image: ImageNumber) -> Option<Vec<u8>> {
        let image = self.sketch.images.get(image.0 as usize)?;
        image.bytes(&self.archive)
    }

    /// Keeps the file if images are parts of it.
    pub(crate) fn keep_archive(&mut self, file: &[u8]) {
        if !self.sketch.images.is_empty() {
            self.archive = file.to_vec();
        }
    }

    /// Returns the items of an image in a box at `place`.
    fn image_items(
        &self,
        shown: &ShownImage,
        place: (f32, f32),
        size: (f32, f32),
    ) -> Vec<DrawnItem> {
        let mut fallback: Vec<DrawnItem> = sides(place.0, place.1, size.0, size.1)
            .into_iter()
            .map(|(x, y, width, height)| DrawnItem::Fill {
                x,
                y,
                width,
                height,
                ink: InkColour::Rule,
            })
            .collect();
        if let Some((text, gap)) = images::label(&self.sketch, &shown.label, size) {
            fallback.extend(self.drawn_items(&PageMark::Text {
                text,
                font: LayoutFont::of(FontFace::default()),
                size: images::LABEL_SIZE,
                x: place.0 + gap,
                y: place.1 + size.1 / 2.0 + 3.0,
                is_rtl: false,
                ink: InkColour::Faint,
            }));
        }
        let (Some(number), Some(header)) = (shown.image, self.sketch.image_header(shown.image))
        else {
            return fallback;
        };
        vec![DrawnItem::Image {
            image: ImageNumber(number),
            x: place.0,
            y: place.1,
            width: size.0,
            height: size.1,
            crop: shown.display.crop,
            rotation: shown.display.rotation(header),
            fallback,
        }]
    }

    fn drawn_items(&self, mark: &PageMark) -> Vec<DrawnItem> {
        match mark {
            PageMark::Image {
                shown,
                x,
                y,
                width,
                height,
            } => {
                let shown = self.sketch.shown_images.get(*shown as usize);
                shown.map_or_else(Vec::new, |shown| {
                    self.image_items(shown, (*x, *y), (*width, *height))
                })
            }
            PageMark::Fill {
                x,
                y,
                width,
                height,
                ink,
            } => vec![DrawnItem::Fill {
                x: *x,
                y: *y,
                width: *width,
                height: *height,
                ink: *ink,
            }],
            PageMark::Text {
                text,
                font,
                size,
                x,
                y,
                is_rtl,
                ink,
            } => {
                let text = self.sketch.shown(text);
                let place = (*x, *y);
                if font.is_missing() {
                    return text
                        .chars()
                        .scan(place.0, |x, c| {
                            let width = letter(*font, c).advance * size;
                            *x += width;
                            Some((*x - width, width))
                        })
                        .flat_map(|(x, width)| missing_glyph(x, place.1, width, *size, *ink))
                        .collect();
                }
                let glyphs = match text.chars().any(fonts::is_shaped) || *is_rtl {
                    true => shape(*font, text, *is_rtl, *size).0,
                    false => place_glyphs(*font, text, *size),
                };
                vec![DrawnItem::Text {
                    font: *font,
                    size: *size,
                    x: place.0,
                    y: place.1,
                    glyphs,
                    ink: *ink,
                }]
            }
        }
    }
}

/// Places the glyphs of a text one after the other.
fn place_glyphs(font: LayoutFont, text: &str, size: f32) -> Vec<PlacedGlyph> {
    let mut x = 0.0;
    let mut glyphs = Vec::with_capacity(text.len());
    for c in text.chars() {
        let c = if c.is_whitespace() { ' ' } else { c };
        let letter = letter(font, c);
        if !letter.font.is_invisible() {
            let (id, y) = (letter.glyph, 0.0);
            glyphs.push(PlacedGlyph { id, x, y });
        }
        x += letter.advance * size;
    }
    glyphs
}

/// Returns the box that replaces a character that no font has.
fn missing_glyph(x: f32, base: f32, width: f32, size: f32, ink: InkColour) -> [DrawnItem; 4] {
    const LINE: f32 = 0.6;
    let (left, right) = (x + size * 0.06, x + width - size * 0.06);
    let (top, bottom) = (base - size * 0.7, base);
    let fill = |x: f32, y: f32, width: f32, height: f32| DrawnItem::Fill {
        x,
        y,
        width,
        height,
        ink,
    };
    [
        fill(left, top, right - left, LINE),
        fill(left, bottom - LINE, right - left, LINE),
        fill(left, top, LINE, bottom - top),
        fill(right - LINE, top, LINE, bottom - top),
    ]
}

/// Result of laying out a document.
pub(crate) struct LaidOutDocument {
    /// Number of pages.
    pub(crate) pages: usize,
    /// Words, sorted by line and position in it.
    pub(crate) words: Vec<PlacedWord>,
    /// Number of images that are part of the file and cannot be shown.
    pub(crate) missing_images: u32,
    /// Drawn pages, if they are kept.
    pub(crate) layout: Option<PageLayout>,
}

/// Lays out a sketch. Returns `None` if it is empty or too large.
pub(crate) fn lay_out(mut sketch: DocumentSketch, keeps_marks: bool) -> Option<LaidOutDocument> {
    sketch.finish();
    if !sketch.can_be_laid_out() {
        return None;
    }
    let mut setter = PageSetter::new(&sketch, keeps_marks);
    setter.set_all();
    let LayoutCanvas {
        pages, mut words, ..
    } = setter.canvas;
    words.sort_by_key(|word| (word.line, word.range.start));
    Some(LaidOutDocument {
        pages: pages.len(),
        words,
        missing_images: sketch.missing_images,
        layout: keeps_marks.then_some(PageLayout {
            sketch,
            pages,
            archive: Vec::new(),
        }),
    })
}
