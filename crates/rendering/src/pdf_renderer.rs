//! Rendering of PDF pages.

mod drawing_work;
mod page_survey;
mod simplified_page;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use documents::{PageSize, ReadOptions};
use hayro::hayro_interpret::{InterpreterCache, InterpreterSettings, TransformExt};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, hayro_syntax, render_into};

use self::page_survey::{PageSurvey, SurveyStop, is_plain};
use self::simplified_page::SimplifiedPage;
use crate::error::RenderError;
use crate::image::{Image, PixelArea};
use crate::render_options::RenderOptions;

/// PDF file that pages are drawn from.
pub struct PdfSource(hayro_syntax::Pdf);

impl PdfSource {
    /// Opens a file with the limits and the password that reading uses.
    pub fn open(bytes: &[u8], reading: &ReadOptions<'_>) -> Result<Self, RenderError> {
        Ok(Self(documents::open_pdf(bytes, reading)?))
    }

    /// Returns the number of pages.
    pub fn pages(&self) -> u32 {
        u32::try_from(self.0.pages().len()).unwrap_or(u32::MAX)
    }

    fn page(&self, number: u32) -> Option<&Page<'_>> {
        self.0.pages().get(number.checked_sub(1)? as usize)
    }

    /// Returns the size of a page, counted from 1.
    pub fn size(&self, number: u32) -> Option<PageSize> {
        let (width, height) = self.page(number)?.render_dimensions();
        Some(PageSize { width, height })
    }
}

impl std::fmt::Debug for PdfSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PdfSource")
            .field("pages", &self.pages())
            .finish()
    }
}

/// Picture of a part of a page without highlights.
pub(crate) struct PdfPart {
    pub(crate) image: Image,
    /// Areas of raster images.
    pub(crate) images: Vec<PixelArea>,
}

/// Renderer of a PDF with a cache of its fonts.
pub(crate) struct PdfRenderer<'a> {
    pdf: &'a PdfSource,
    cache: RenderCache<'a>,
    survey: InterpreterCache<'a>,
}

impl<'a> PdfRenderer<'a> {
    pub(crate) fn new(pdf: &'a PdfSource) -> Self {
        Self {
            pdf,
            cache: RenderCache::new(),
            survey: InterpreterCache::new(),
        }
    }

    pub(crate) fn pdf(&self) -> &'a PdfSource {
        self.pdf
    }

    /// Draws a part of a page. A page that exceeds the limits is simplified.
    pub(crate) fn draw(
        &mut self,
        number: u32,
        area: PixelArea,
        scale: f32,
        options: &RenderOptions<'_>,
    ) -> Result<PdfPart, RenderError> {
        let failed = RenderError::Renderer { page: number };
        for is_simplified in [false, true] {
            // The renderer runs on hostile input; a panic counts as a damaged file.
            let drawn = catch_unwind(AssertUnwindSafe(|| {
                self.try_draw(number, area, scale, options, is_simplified)
            }));
            let cause = match drawn {
                Ok(drawn) => return drawn.ok_or(failed),
                Err(cause) => cause,
            };
            // Caches may be inconsistent after a panic.
            *self = Self::new(self.pdf);
            match cause.downcast_ref::<SurveyStop>() {
                Some(SurveyStop::GivenUp) => return Err(RenderError::GivenUp { page: number }),
                Some(SurveyStop::Steps | SurveyStop::Pixels) => {}
                None => return Err(failed),
            }
        }
        Err(failed)
    }

    fn try_draw(
        &self,
        number: u32,
        area: PixelArea,
        scale: f32,
        options: &RenderOptions<'_>,
        is_simplified: bool,
    ) -> Option<PdfPart> {
        let page = self.pdf.page(number)?;
        let size = (
            u16::try_from(area.width()).ok()?,
            u16::try_from(area.height()).ok()?,
        );
        let transform = Affine::translate((-area.left as f64, -area.top as f64))
            * Affine::scale(f64::from(scale))
            * page.initial_transform(true).to_kurbo();
        let settings = InterpreterSettings::default();
        let (mut context, images) = match is_simplified {
            true => SimplifiedPage::draw(page, &self.survey, &settings, transform, size, options),
            false => self.draw_fully(page, &settings, transform, size, options),
        };
        context.flush();
        let mut pixmap = Pixmap::new(size.0, size.1);
        let on_white = RasterizerSettings {
            target_init: TargetInit::Clear(WHITE),
            ..RasterizerSettings::default()
        };
        context.render_with(&mut pixmap, &mut Resources::default(), on_white);
        let mut pixels = pixmap.data_as_u8_slice().to_vec();
        for pixel in pixels.as_chunks_mut::<4>().0 {
            pixel[3] = 255;
        }
        let mut image = Image::from_pixels(size.0.into(), size.1.into(), pixels)?;
        if is_simplified {
            image.mark_simplified();
        }
        Some(PdfPart { image, images })
    }

    /// Draws everything on a page. Unwinds with [`SurveyStop`] before drawing if a limit is exceeded.
    fn draw_fully(
        &self,
        page: &'a Page<'a>,
        settings: &InterpreterSettings,
        transform: Affine,
        size: (u16, u16),
        options: &RenderOptions<'_>,
    ) -> (RenderContext, Vec<PixelArea>) {
        let images = match is_plain(page, options) {
            true if (options.give_up)() => resume_unwind(Box::new(SurveyStop::GivenUp)),
            true => Vec::new(),
            false => PageSurvey::run(page, &self.survey, settings, transform, size, options),
        };
        let mut context = RenderContext::new(size.0, size.1);
        let render = RenderSettings {
            // Small images would be striped without interpolation.
            force_image_interpolation: true,
            ..RenderSettings::default()
        };
        render_into(
            page,
            &self.cache,
            settings,
            &render,
            &mut context,
            transform,
        );
        (context, images)
    }
}
