//! Rendering of pages and crops with highlights.

use documents::PageLayout;

use crate::dark_theme::darken;
use crate::error::RenderError;
use crate::highlight::Highlight;
use crate::highlight_drawing::draw_highlights;
use crate::image::{Image, PixelArea};
use crate::layout_renderer::LayoutRenderer;
use crate::page_view::{PageView, page_area, strip_parts};
use crate::pdf_renderer::{PdfPart, PdfRenderer, PdfSource};
use crate::raster_page::RasterPage;
use crate::render_options::{RenderLimits, RenderOptions};
use crate::render_source::RenderSource;
use crate::style::{GAP, GAP_COLOURS, ImageTheme, RenderStyle};

/// Renderer of a document's pages. Fonts are cached between pictures.
///
/// ```no_run
/// use rendering::{
///     DocumentRenderer, Highlight, ImageFormat, PageView, RenderOptions, RenderSource, RenderStyle,
/// };
/// # fn show(bytes: &[u8], highlight: &Highlight) -> Result<(), rendering::RenderError> {
/// let source = RenderSource::open(bytes, "tides.md", &documents::ReadOptions::default())?;
/// let mut renderer = DocumentRenderer::new(&source);
/// let (style, options) = (RenderStyle::default(), RenderOptions::default());
/// let strip = renderer.draw(&PageView::Strip { highlight }, &style, &options)?;
/// let file = strip.encode(ImageFormat::Avif)?;
/// # Ok(())
/// # }
/// ```
pub struct DocumentRenderer<'a> {
    pages: PageRenderer<'a>,
}

enum PageRenderer<'a> {
    Pdf(Box<PdfRenderer<'a>>),
    Layout(Box<LayoutRenderer<'a>>),
    Raster(&'a RasterPage),
}

impl<'a> DocumentRenderer<'a> {
    /// Creates a renderer for a file.
    pub fn new(source: &'a RenderSource) -> Self {
        match source {
            RenderSource::Pdf(pdf) => Self::for_pdf(pdf),
            RenderSource::Layout(layout) => Self::for_layout(layout),
            RenderSource::Raster(raster) => Self {
                pages: PageRenderer::Raster(raster),
            },
        }
    }

    /// Creates a renderer for a laid-out document.
    pub fn for_layout(layout: &'a PageLayout) -> Self {
        Self {
            pages: PageRenderer::Layout(Box::new(LayoutRenderer::new(layout))),
        }
    }

    /// Creates a renderer for a PDF file.
    pub fn for_pdf(pdf: &'a PdfSource) -> Self {
        Self {
            pages: PageRenderer::Pdf(Box::new(PdfRenderer::new(pdf))),
        }
    }

    /// Draws a picture.
    pub fn draw(
        &mut self,
        view: &PageView<'_>,
        style: &RenderStyle,
        options: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        match view {
            PageView::Page { number, highlights } => {
                self.draw_page(*number, highlights, style, options)
            }
            PageView::Strip { highlight } => self.draw_strip(highlight, style, options),
        }
    }

    fn draw_page(
        &mut self,
        number: u32,
        highlights: &[Highlight],
        style: &RenderStyle,
        options: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        let all = self.page_area(number, style)?;
        self.draw_part(number, all, highlights, style, options)
    }

    fn draw_strip(
        &mut self,
        highlight: &Highlight,
        style: &RenderStyle,
        options: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        let (parts, around) =
            strip_parts(highlight, style, |number| self.page_area(number, style))?;
        let (first, rest) = parts.split_first().ok_or(RenderError::EmptyHighlight)?;
        let gap = style.pixels(GAP);
        check_size(around, &options.limits)?;
        if rest.is_empty() {
            return self.draw_part(
                first.0,
                first.1,
                std::slice::from_ref(highlight),
                style,
                options,
            );
        }
        let between = match style.theme {
            ImageTheme::Light => GAP_COLOURS.0,
            ImageTheme::Dark => GAP_COLOURS.1,
        };
        let mut stack = Image::filled(around.width() as u32, around.height() as u32, between);
        let mut top = 0;
        for (number, area) in parts {
            let part = self.draw_part(
                number,
                area,
                std::slice::from_ref(highlight),
                style,
                options,
            )?;
            stack.paste(&part, 0, top);
            top += area.height() + gap;
        }
        Ok(stack)
    }

    /// Returns the area of a whole page in pixels.
    fn page_area(&self, number: u32, style: &RenderStyle) -> Result<PixelArea, RenderError> {
        let (size, pages) = match &self.pages {
            PageRenderer::Pdf(pages) => (pages.pdf().size(number), pages.pdf().pages()),
            PageRenderer::Layout(pages) => {
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
        Ok(page_area(size, style))
    }

    /// Draws a part of a page with its highlights.
    fn draw_part(
        &mut self,
        number: u32,
        area: PixelArea,
        highlights: &[Highlight],
        style: &RenderStyle,
        options: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        check_size(area, &options.limits)?;
        let scale = style.pixels_per_point();
        let mut image = match &mut self.pages {
            PageRenderer::Pdf(pages) => {
                let PdfPart { mut image, images } = pages.draw(number, area, scale, options)?;
                if style.theme == ImageTheme::Dark {
                    darken(&mut image, &images);
                }
                image
            }
            PageRenderer::Layout(pages) => pages.draw(number, area, scale, style.theme, options)?,
            PageRenderer::Raster(raster) => {
                let mut image = raster.draw(area, scale);
                if style.theme == ImageTheme::Dark {
                    let whole = image.area();
                    darken(&mut image, &[whole]);
                }
                image
            }
        };
        draw_highlights(&mut image, number, (area.left, area.top), highlights, style);
        Ok(image)
    }
}

impl std::fmt::Debug for DocumentRenderer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DocumentRenderer").finish_non_exhaustive()
    }
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
