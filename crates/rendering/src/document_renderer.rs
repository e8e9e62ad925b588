//! Rendering of pages and crops with highlights.

use documents::{ContentId, Document, PageLayout, PageSize};

use crate::crop::cut;
use crate::dark::darken;
use crate::encode::ImageFormat;
use crate::error::RenderError;
use crate::highlight::{self, Highlight, area};
use crate::image::{Image, PixelArea};
use crate::pdf::{PdfRenderer, PdfSource};
use crate::raster::RasterPage;
use crate::render_layout::LayoutRenderer;
use crate::source::RenderSource;
use crate::style::{GAP, GAP_COLOURS, ImageTheme, RenderStyle};

/// Limits on rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderLimits {
    /// Pixels of a picture; its sides have at most 65,535.
    pub pixels: u64,
    /// Pixels of all images on a page, counted as often as they are drawn. In a laid-out document boxes replace
    /// images beyond the limit.
    pub image_pixels: u64,
    /// Drawing steps of a page.
    pub steps: u64,
}

impl Default for RenderLimits {
    fn default() -> Self {
        Self {
            pixels: 40_000_000,
            image_pixels: 80_000_000,
            steps: 2_000_000,
        }
    }
}

/// Options of rendering.
#[derive(Clone, Copy)]
pub struct RenderOptions<'a> {
    /// Limits.
    pub limits: RenderLimits,
    /// Callback that is asked now and then before a page is drawn; true cancels.
    pub give_up: &'a dyn Fn() -> bool,
}

impl Default for RenderOptions<'_> {
    fn default() -> Self {
        Self {
            limits: RenderLimits::default(),
            give_up: &|| false,
        }
    }
}

impl std::fmt::Debug for RenderOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drawing")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Part of a document that a picture shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PageView<'m> {
    /// Whole page.
    Page {
        /// Page, from 1.
        number: u32,
        /// Highlights. Parts on other pages are left out.
        marks: &'m [Highlight],
    },
    /// Crop around a passage. Parts that are far apart, such as two columns or two pages, are placed below each
    /// other.
    Strip {
        /// Passage.
        marks: &'m Highlight,
    },
}

impl PageView<'_> {
    /// Returns the cache key: equal for the same document, view, style and format.
    pub fn key(&self, document: ContentId, style: &RenderStyle, format: ImageFormat) -> ContentId {
        use std::fmt::Write as _;
        // The debug format of numbers is exact.
        let mut all = format!("{DRAWN_AS} {document} {style:?} {format:?} ");
        // Writing to a string does not fail.
        let _ = write!(all, "{self:?}");
        ContentId::of(all.as_bytes())
    }

    /// Returns the size of the picture in pixels before it is drawn, or `None` if it cannot be drawn.
    pub fn size(&self, document: &Document, style: &RenderStyle) -> Option<(u32, u32)> {
        let whole = |number: u32| {
            let size = document.sheet_size(number);
            let pages = document.sheets();
            let size = size.ok_or(RenderError::NoPage {
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

/// Version of the drawing, part of every cache key. It grows when pictures change.
const DRAWN_AS: u32 = 3;

/// Picture of a part of a page without highlights.
pub(crate) struct RenderedPart {
    pub(crate) image: Image,
    /// Areas of raster images.
    pub(crate) images: Vec<PixelArea>,
}

/// Renderer of a document's pages. Fonts are cached between pictures.
///
/// ```no_run
/// use rendering::{
///     DocumentRenderer, Highlight, ImageFormat, PageView, RenderOptions, RenderSource, RenderStyle,
/// };
/// # fn show(bytes: &[u8], marks: &Highlight) -> Result<(), rendering::RenderError> {
/// let source = RenderSource::open(bytes, "tides.md", &documents::ReadOptions::default())?;
/// let mut renderer = DocumentRenderer::of(&source);
/// let (style, options) = (RenderStyle::default(), RenderOptions::default());
/// let strip = renderer.draw(&PageView::Strip { marks }, &style, &options)?;
/// let file = strip.encode(ImageFormat::Avif)?;
/// # Ok(())
/// # }
/// ```
pub struct DocumentRenderer<'a> {
    pages: PageRenderer<'a>,
}

enum PageRenderer<'a> {
    Pdf(Box<PdfRenderer<'a>>),
    Laid(Box<LayoutRenderer<'a>>),
    Raster(&'a RasterPage),
}

impl<'a> DocumentRenderer<'a> {
    /// Creates a renderer for a file.
    pub fn of(source: &'a RenderSource) -> Self {
        match source {
            RenderSource::Pdf(pdf) => Self::of_pdf(pdf),
            RenderSource::Laid(layout) => Self::of_layout(layout),
            RenderSource::Raster(raster) => Self {
                pages: PageRenderer::Raster(raster),
            },
        }
    }

    /// Creates a renderer for a laid-out document.
    pub fn of_layout(layout: &'a PageLayout) -> Self {
        Self {
            pages: PageRenderer::Laid(Box::new(LayoutRenderer::new(layout))),
        }
    }

    /// Creates a renderer for a PDF file.
    pub fn of_pdf(pdf: &'a PdfSource) -> Self {
        Self {
            pages: PageRenderer::Pdf(Box::new(PdfRenderer::new(pdf))),
        }
    }

    /// Draws a picture.
    pub fn draw(
        &mut self,
        view: &PageView<'_>,
        style: &RenderStyle,
        drawing: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        match view {
            PageView::Page { number, marks } => self.page(*number, marks, style, drawing),
            PageView::Strip { marks } => self.strip(marks, style, drawing),
        }
    }

    fn page(
        &mut self,
        number: u32,
        marks: &[Highlight],
        style: &RenderStyle,
        drawing: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        let all = self.whole(number, style)?;
        self.part(number, all, marks, style, drawing)
    }

    fn strip(
        &mut self,
        marks: &Highlight,
        style: &RenderStyle,
        drawing: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        let (parts, around) = strip_of(marks, style, |number| self.whole(number, style))?;
        let (first, rest) = parts.split_first().ok_or(RenderError::NothingMarked)?;
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
            ImageTheme::Light => GAP_COLOURS.0,
            ImageTheme::Dark => GAP_COLOURS.1,
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

    /// Returns the area of a whole page in pixels.
    fn whole(&self, number: u32, style: &RenderStyle) -> Result<PixelArea, RenderError> {
        let (size, pages) = match &self.pages {
            PageRenderer::Pdf(pages) => (pages.pdf().size(number), pages.pdf().pages()),
            PageRenderer::Laid(pages) => {
                let (layout, count) = (pages.layout(), pages.layout().pages());
                let size = (1..=count).contains(&number).then(|| layout.size());
                (size, count)
            }
            PageRenderer::Raster(raster) => ((number == 1).then(|| raster.size()), 1),
        };
        let size = size.ok_or(RenderError::NoPage {
            page: number,
            pages,
        })?;
        Ok(whole_of(size, style))
    }

    /// Draws a part of a page with its highlights.
    fn part(
        &mut self,
        number: u32,
        area: PixelArea,
        marks: &[Highlight],
        style: &RenderStyle,
        drawing: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        check_size(area, &drawing.limits)?;
        let scale = style.pixels_per_point();
        let mut image = match &mut self.pages {
            PageRenderer::Pdf(pages) => {
                let RenderedPart { mut image, images } =
                    pages.draw(number, area, scale, drawing)?;
                if style.theme == ImageTheme::Dark {
                    darken(&mut image, &images);
                }
                image
            }
            PageRenderer::Laid(pages) => pages.draw(number, area, scale, style.theme, drawing)?,
            PageRenderer::Raster(raster) => {
                let mut image = raster.draw(area, scale);
                if style.theme == ImageTheme::Dark {
                    let whole = image.area();
                    darken(&mut image, &[whole]);
                }
                image
            }
        };
        highlight::draw(&mut image, number, (area.left, area.top), marks, style);
        Ok(image)
    }
}

impl std::fmt::Debug for DocumentRenderer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pictures").finish_non_exhaustive()
    }
}

/// Returns the area of a whole page in pixels.
fn whole_of(size: PageSize, style: &RenderStyle) -> PixelArea {
    let scale = f64::from(style.pixels_per_point());
    let pixels = |points: f32| ((f64::from(points) * scale).round() as i64).clamp(1, 1 << 31);
    PixelArea::new(0, 0, pixels(size.width), pixels(size.height))
}

/// Returns the parts of pages that a crop consists of, and its size.
fn strip_of(
    marks: &Highlight,
    style: &RenderStyle,
    whole: impl Fn(u32) -> Result<PixelArea, RenderError>,
) -> Result<(Vec<(u32, PixelArea)>, PixelArea), RenderError> {
    let mut parts = Vec::new();
    for number in marks.pages() {
        let whole = whole(number)?;
        for area in parts_around(marks, number, style) {
            let area = area.intersection(whole);
            // Text outside of the page cannot be shown.
            if !area.is_empty() {
                parts.push((number, area));
            }
        }
    }
    // Parts are as wide as the widest, up to the width of their pages.
    let widest = parts.iter().map(|(_, area)| area.width()).max();
    for (number, area) in &mut parts {
        let whole = whole(*number)?;
        let missing = widest.unwrap_or_default() - area.width();
        let right = (area.right + missing).min(whole.right);
        let left = area.left - (missing - (right - area.right));
        *area = PixelArea::new(left.max(0), area.top, right, area.bottom);
    }
    let (first, rest) = parts.split_first().ok_or(RenderError::NothingMarked)?;
    let first = first.1.moved(-first.1.left, -first.1.top);
    let around = rest.iter().fold(first, |all, (_, part)| {
        let bottom = all.bottom + style.pixels(GAP) + part.height();
        all.union(PixelArea::new(0, 0, part.width(), bottom))
    });
    Ok((parts, around))
}

/// Returns the parts of a page around a passage, with a margin. Parts that touch are merged.
fn parts_around(marks: &Highlight, page: u32, style: &RenderStyle) -> Vec<PixelArea> {
    let rows: Vec<PixelArea> = marks
        .rows
        .iter()
        .filter(|row| row.page == page)
        .map(|row| area(row, style))
        .collect();
    let mut parts: Vec<PixelArea> = Vec::new();
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

fn check_size(area: PixelArea, limits: &RenderLimits) -> Result<(), RenderError> {
    let (width, height) = (area.width().max(0) as u64, area.height().max(0) as u64);
    let side = u64::from(u16::MAX);
    if width > side || height > side || width * height > limits.pixels {
        return Err(RenderError::TooLarge {
            width: u32::try_from(width).unwrap_or(u32::MAX),
            height: u32::try_from(height).unwrap_or(u32::MAX),
            limit: limits.pixels,
        });
    }
    Ok(())
}
