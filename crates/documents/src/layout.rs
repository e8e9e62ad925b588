//! Text set on pages, for files that have none of their own.
//!
//! ```text
//! reader ──▶ Sketch ──▶ atoms ──▶ rows ──▶ pages ──▶ words with boxes, and what is drawn
//!            sketch     atoms     rows     pages, table
//! ```
//!
//! A reader says how its text looks, beside making lines and flows of it. The text is then set on pages of
//! one size, in fonts that come with this crate; letters that no font has are boxes. The same file always
//! gives the same pages.

mod atoms;
mod fonts;
mod images;
mod pages;
mod rows;
mod sketch;
mod table;

use crate::geometry::PageSize;
use crate::picture::{ImageHeader, ImageRotation};

pub(crate) use atoms::MAX_COLUMNS;
pub use fonts::{LayoutFont, PlacedGlyph};
pub(crate) use pages::PlacedWord;
pub(crate) use sketch::{BaselineLevel, BlockParent, BlockShape, DocumentSketch, FontFace};

use fonts::{letter, shape};
use pages::{PageMark, PageSetter, sides};
use sketch::ShownImage;

/// The size of pages: A4.
pub(crate) const PAGE: PageSize = PageSize {
    width: 595.0,
    height: 842.0,
};

/// What something is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InkColour {
    /// Letters.
    Text,
    /// Letters that are no part of the text, such as the numbers of list items.
    Faint,
    /// Letters of a link, and the line below them.
    Link,
    /// Lines: of tables, beside quotations.
    Rule,
    /// What is behind code and the headings of tables.
    Ground,
}

/// Something that is drawn on a page. Lengths are in points from its top left.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DrawnItem {
    /// Letters of one font.
    Text {
        /// The font.
        font: LayoutFont,
        /// Its size.
        size: f32,
        /// Where the text begins on the left.
        x: f32,
        /// Where its base line is.
        y: f32,
        /// Its glyphs.
        glyphs: Vec<PlacedGlyph>,
        /// What it is drawn with.
        ink: InkColour,
    },
    /// A filled box.
    Fill {
        /// The left edge.
        x: f32,
        /// The top edge.
        y: f32,
        /// How wide it is.
        width: f32,
        /// How high it is.
        height: f32,
        /// What it is filled with.
        ink: InkColour,
    },
    /// An image.
    Image {
        /// Which; see [`PageLayout::image`].
        image: ImageNumber,
        /// The left edge.
        x: f32,
        /// The top edge.
        y: f32,
        /// How wide it is.
        width: f32,
        /// How high it is.
        height: f32,
        /// What is cut off before it is turned: left, top, right, bottom, as parts of its sides.
        cut: [f32; 4],
        /// How it is turned.
        turn: ImageRotation,
        /// What is drawn if the image is broken: a box with what it is called.
        instead: Vec<DrawnItem>,
    },
}

/// Which image of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageNumber(u32);

/// The pages of a document that was laid out, as they are drawn.
#[derive(Debug)]
pub struct PageLayout {
    sketch: DocumentSketch,
    pages: Vec<Vec<PageMark>>,
    /// The file, if images are parts of it.
    archive: Vec<u8>,
}

impl PageLayout {
    /// How many pages there are.
    pub fn pages(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }

    /// How large they are.
    pub fn size(&self) -> PageSize {
        PAGE
    }

    /// What is drawn on a page, given from 1, in order.
    pub fn page(&self, number: u32) -> impl Iterator<Item = DrawnItem> {
        let at = (number as usize).checked_sub(1);
        let marks = at.and_then(|at| self.pages.get(at));
        marks
            .into_iter()
            .flatten()
            .flat_map(|mark| self.drawn(mark))
    }

    /// What the head of an image's file says; nothing of it was decoded.
    pub fn image_file(&self, image: ImageNumber) -> Option<ImageHeader> {
        self.sketch.image_file(Some(image.0)).copied()
    }

    /// The file of an image. It may be broken.
    pub fn image(&self, image: ImageNumber) -> Option<Vec<u8>> {
        let image = self.sketch.images.get(image.0 as usize)?;
        image.bytes(&self.archive)
    }

    /// Keeps the file for the images that are parts of it.
    pub(crate) fn keep_archive(&mut self, file: &[u8]) {
        if !self.sketch.images.is_empty() {
            self.archive = file.to_vec();
        }
    }

    fn shown_image(
        &self,
        shown: &ShownImage,
        place: (f32, f32),
        size: (f32, f32),
    ) -> Vec<DrawnItem> {
        let mut instead: Vec<DrawnItem> = sides(place.0, place.1, size.0, size.1)
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
            instead.extend(self.drawn(&PageMark::Text {
                text,
                font: LayoutFont::of(FontFace::default()),
                size: images::LABEL,
                x: place.0 + gap,
                y: place.1 + size.1 / 2.0 + 3.0,
                leftwards: false,
                ink: InkColour::Faint,
            }));
        }
        let (Some(number), Some(file)) = (shown.image, self.sketch.image_file(shown.image)) else {
            return instead;
        };
        vec![DrawnItem::Image {
            image: ImageNumber(number),
            x: place.0,
            y: place.1,
            width: size.0,
            height: size.1,
            cut: shown.wish.cut,
            turn: shown.wish.turn(file),
            instead,
        }]
    }

    fn drawn(&self, mark: &PageMark) -> Vec<DrawnItem> {
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
                    self.shown_image(shown, (*x, *y), (*width, *height))
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
                leftwards,
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
                        .flat_map(|(x, width)| missing(x, place.1, width, *size, *ink))
                        .collect();
                }
                let glyphs = match text.chars().any(fonts::is_shaped) || *leftwards {
                    true => shape(*font, text, *leftwards, *size).0,
                    false => set(*font, text, *size),
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

/// Glyphs one after the other.
fn set(font: LayoutFont, text: &str, size: f32) -> Vec<PlacedGlyph> {
    let mut x = 0.0;
    let mut glyphs = Vec::with_capacity(text.len());
    for c in text.chars() {
        let c = if c.is_whitespace() { ' ' } else { c };
        let letter = letter(font, c);
        if !letter.font.is_unseen() {
            let (id, y) = (letter.glyph, 0.0);
            glyphs.push(PlacedGlyph { id, x, y });
        }
        x += letter.advance * size;
    }
    glyphs
}

/// The box that stands for a letter that no font has.
fn missing(x: f32, base: f32, width: f32, size: f32, ink: InkColour) -> [DrawnItem; 4] {
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

/// A document that was set on pages.
pub(crate) struct LaidOutDocument {
    /// How many pages it has.
    pub(crate) pages: usize,
    /// By line, and by place in the line.
    pub(crate) words: Vec<PlacedWord>,
    /// How many images are part of the file and cannot be shown.
    pub(crate) unshown: u32,
    /// What is drawn, if that was asked for.
    pub(crate) layout: Option<PageLayout>,
}

/// Sets a sketch on pages; `None` if there is nothing in it, or too much.
pub(crate) fn lay_out(mut sketch: DocumentSketch, keeps_marks: bool) -> Option<LaidOutDocument> {
    sketch.finish();
    if !sketch.is_complete() {
        return None;
    }
    let mut setting = PageSetter::new(&sketch, keeps_marks);
    setting.all();
    let PageSetter {
        pages, mut words, ..
    } = setting;
    words.sort_by_key(|word| (word.line, word.range.start));
    Some(LaidOutDocument {
        pages: pages.len(),
        words,
        unshown: sketch.unshown,
        layout: keeps_marks.then_some(PageLayout {
            sketch,
            pages,
            archive: Vec::new(),
        }),
    })
}
