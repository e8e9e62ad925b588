//! From a page and marks to a picture.

use documents::{ContentId, Document, Layout, PageSize};

use crate::around::cut;
use crate::dark::darken;
use crate::encode::Format;
use crate::error::PictureError;
use crate::image::{Area, Image};
use crate::laid::LaidPages;
use crate::marks::{self, Marks, area};
use crate::pdf::{Pdf, PdfPages};
use crate::raster::Raster;
use crate::source::Source;
use crate::style::{GAP, GAP_COLOURS, Style, Theme};

/// How much is drawn before a page is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of a picture; its sides have at most 65,535.
    pub pixels: u64,
    /// Pixels of all images on a page, as often as they are drawn. In a document that was laid out, boxes stand
    /// for those that are too many.
    pub image_pixels: u64,
    /// Steps that a page is drawn in.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pixels: 40_000_000,
            image_pixels: 80_000_000,
            steps: 2_000_000,
        }
    }
}

/// How a picture is made.
#[derive(Clone, Copy)]
pub struct Drawing<'a> {
    /// How much is drawn.
    pub limits: Limits,
    /// Asked now and then before a page is drawn: whether to give up, because it takes too long.
    pub give_up: &'a dyn Fn() -> bool,
}

impl Default for Drawing<'_> {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            give_up: &|| false,
        }
    }
}

impl std::fmt::Debug for Drawing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drawing")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// What a picture shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum View<'m> {
    /// A page.
    Page {
        /// Which, from 1.
        number: u32,
        /// What is marked on it; what is on other pages is left out.
        marks: &'m [Marks],
    },
    /// What is around a passage. Parts of it that stand far apart, as in two columns or on two pages, are
    /// set below each other.
    Strip {
        /// The passage.
        marks: &'m Marks,
    },
}

impl View<'_> {
    /// What a picture can be kept under: the same for the same document, view, style and format.
    pub fn key(&self, document: ContentId, style: &Style, format: Format) -> ContentId {
        use std::fmt::Write as _;
        // The debug form of numbers is exact.
        let mut all = format!("{DRAWN_AS} {document} {style:?} {format:?} ");
        // Writing to a string does not fail.
        let _ = write!(all, "{self:?}");
        ContentId::of(all.as_bytes())
    }

    /// How large its picture is, in pixels: known before it is drawn. `None` if it cannot be drawn.
    pub fn size(&self, document: &Document, style: &Style) -> Option<(u32, u32)> {
        let whole = |number: u32| {
            let size = document.sheet_size(number);
            let pages = document.sheets();
            let size = size.ok_or(PictureError::NoPage {
                page: number,
                pages,
            })?;
            Ok(whole_of(size, style))
        };
        let area = match self {
            Self::Page { number, .. } => whole(*number),
            Self::Strip { marks } => strip_of(marks, style, whole).map(|(_, around)| around),
        };
        let area = area.ok()?;
        Some((
            u32::try_from(area.width()).ok()?,
            u32::try_from(area.height()).ok()?,
        ))
    }
}

/// Part of every key; grows when pictures are drawn in another way.
const DRAWN_AS: u32 = 3;

/// A picture of a part of a page, before it is marked.
pub(crate) struct Drawn {
    pub(crate) image: Image,
    /// Where raster images are on it.
    pub(crate) images: Vec<Area>,
}

/// Makes pictures of a document's pages; what it learns about fonts is used again.
///
/// ```no_run
/// use evidence::{Drawing, Format, Marks, Pictures, Source, Style, View};
/// # fn show(bytes: &[u8], marks: &Marks) -> Result<(), evidence::PictureError> {
/// let source = Source::open(bytes, "tides.md", &documents::Reading::default())?;
/// let mut pictures = Pictures::of(&source);
/// let strip = pictures.draw(&View::Strip { marks }, &Style::default(), &Drawing::default())?;
/// let file = strip.encode(Format::Avif)?;
/// # Ok(())
/// # }
/// ```
pub struct Pictures<'a> {
    pages: Pages<'a>,
}

enum Pages<'a> {
    Pdf(Box<PdfPages<'a>>),
    Laid(Box<LaidPages<'a>>),
    Raster(&'a Raster),
}

impl<'a> Pictures<'a> {
    /// Pictures of a file.
    pub fn of(source: &'a Source) -> Self {
        match source {
            Source::Pdf(pdf) => Self::of_pdf(pdf),
            Source::Laid(layout) => Self::of_layout(layout),
            Source::Raster(raster) => Self {
                pages: Pages::Raster(raster),
            },
        }
    }

    /// Pictures of a document that was laid out.
    pub fn of_layout(layout: &'a Layout) -> Self {
        Self {
            pages: Pages::Laid(Box::new(LaidPages::new(layout))),
        }
    }

    /// Pictures of a PDF file.
    pub fn of_pdf(pdf: &'a Pdf) -> Self {
        Self {
            pages: Pages::Pdf(Box::new(PdfPages::new(pdf))),
        }
    }

    /// Draws a picture.
    pub fn draw(
        &mut self,
        view: &View<'_>,
        style: &Style,
        drawing: &Drawing<'_>,
    ) -> Result<Image, PictureError> {
        match view {
            View::Page { number, marks } => self.page(*number, marks, style, drawing),
            View::Strip { marks } => self.strip(marks, style, drawing),
        }
    }

    fn page(
        &mut self,
        number: u32,
        marks: &[Marks],
        style: &Style,
        drawing: &Drawing<'_>,
    ) -> Result<Image, PictureError> {
        let all = self.whole(number, style)?;
        self.part(number, all, marks, style, drawing)
    }

    fn strip(
        &mut self,
        marks: &Marks,
        style: &Style,
        drawing: &Drawing<'_>,
    ) -> Result<Image, PictureError> {
        let (parts, around) = strip_of(marks, style, |number| self.whole(number, style))?;
        let (first, rest) = parts.split_first().ok_or(PictureError::NothingMarked)?;
        let gap = style.pixels(GAP);
        check_size(around, &drawing.limits)?;
        if rest.is_empty() {
            return self.part(
                first.0,
                first.1,
                std::slice::from_ref(marks),
                style,
                drawing,
            );
        }
        let between = match style.theme {
            Theme::Light => GAP_COLOURS.0,
            Theme::Dark => GAP_COLOURS.1,
        };
        let mut stack = Image::filled(around.width() as u32, around.height() as u32, between);
        let mut top = 0;
        for (number, area) in parts {
            let part = self.part(number, area, std::slice::from_ref(marks), style, drawing)?;
            stack.paste(&part, 0, top);
            top += area.height() + gap;
        }
        Ok(stack)
    }

    /// All of a page, in pixels.
    fn whole(&self, number: u32, style: &Style) -> Result<Area, PictureError> {
        let (size, pages) = match &self.pages {
            Pages::Pdf(pages) => (pages.pdf().size(number), pages.pdf().pages()),
            Pages::Laid(pages) => {
                let (layout, count) = (pages.layout(), pages.layout().pages());
                let size = (1..=count).contains(&number).then(|| layout.size());
                (size, count)
            }
            Pages::Raster(raster) => ((number == 1).then(|| raster.size()), 1),
        };
        let size = size.ok_or(PictureError::NoPage {
            page: number,
            pages,
        })?;
        Ok(whole_of(size, style))
    }

    /// Draws a part of a page with its marks.
    fn part(
        &mut self,
        number: u32,
        area: Area,
        marks: &[Marks],
        style: &Style,
        drawing: &Drawing<'_>,
    ) -> Result<Image, PictureError> {
        check_size(area, &drawing.limits)?;
        let scale = style.pixels_per_point();
        let mut image = match &mut self.pages {
            Pages::Pdf(pages) => {
                let Drawn { mut image, images } = pages.draw(number, area, scale, drawing)?;
                if style.theme == Theme::Dark {
                    darken(&mut image, &images);
                }
                image
            }
            Pages::Laid(pages) => pages.draw(number, area, scale, style.theme, drawing)?,
            Pages::Raster(raster) => {
                let mut image = raster.draw(area, scale);
                if style.theme == Theme::Dark {
                    let whole = image.area();
                    darken(&mut image, &[whole]);
                }
                image
            }
        };
        marks::draw(&mut image, number, (area.left, area.top), marks, style);
        Ok(image)
    }
}

impl std::fmt::Debug for Pictures<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pictures").finish_non_exhaustive()
    }
}

/// All of a page, in pixels.
fn whole_of(size: PageSize, style: &Style) -> Area {
    let scale = f64::from(style.pixels_per_point());
    let pixels = |points: f32| ((f64::from(points) * scale).round() as i64).clamp(1, 1 << 31);
    Area::new(0, 0, pixels(size.width), pixels(size.height))
}

/// The parts of pages that a strip is made of, and how large it is.
fn strip_of(
    marks: &Marks,
    style: &Style,
    whole: impl Fn(u32) -> Result<Area, PictureError>,
) -> Result<(Vec<(u32, Area)>, Area), PictureError> {
    let mut parts = Vec::new();
    for number in marks.pages() {
        let whole = whole(number)?;
        for area in parts_around(marks, number, style) {
            let area = area.intersection(whole);
            // What a file places beyond the page cannot be shown.
            if !area.is_empty() {
                parts.push((number, area));
            }
        }
    }
    // Parts are as wide as the widest, as far as their pages are.
    let widest = parts.iter().map(|(_, area)| area.width()).max();
    for (number, area) in &mut parts {
        let whole = whole(*number)?;
        let missing = widest.unwrap_or_default() - area.width();
        let right = (area.right + missing).min(whole.right);
        let left = area.left - (missing - (right - area.right));
        *area = Area::new(left.max(0), area.top, right, area.bottom);
    }
    let (first, rest) = parts.split_first().ok_or(PictureError::NothingMarked)?;
    let first = first.1.moved(-first.1.left, -first.1.top);
    let around = rest.iter().fold(first, |all, (_, part)| {
        let bottom = all.bottom + style.pixels(GAP) + part.height();
        all.union(Area::new(0, 0, part.width(), bottom))
    });
    Ok((parts, around))
}

/// The parts of a page that a passage stands on, with room around them; those that touch are one.
fn parts_around(marks: &Marks, page: u32, style: &Style) -> Vec<Area> {
    let rows: Vec<Area> = marks
        .rows
        .iter()
        .filter(|row| row.page == page)
        .map(|row| area(row, style))
        .collect();
    let mut parts: Vec<Area> = Vec::new();
    for block in marks.blocks(page, style) {
        let mut area = cut(&block, &rows, style);
        // A part that grew may touch another.
        while let Some(at) = parts
            .iter()
            .position(|part| !part.intersection(area).is_empty())
        {
            area = area.union(parts.remove(at));
        }
        parts.push(area);
    }
    parts
}

fn check_size(area: Area, limits: &Limits) -> Result<(), PictureError> {
    let (width, height) = (area.width().max(0) as u64, area.height().max(0) as u64);
    let side = u64::from(u16::MAX);
    if width > side || height > side || width * height > limits.pixels {
        return Err(PictureError::TooLarge {
            width: u32::try_from(width).unwrap_or(u32::MAX),
            height: u32::try_from(height).unwrap_or(u32::MAX),
            limit: limits.pixels,
        });
    }
    Ok(())
}
