//! Pages of PDF files.

mod survey;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use documents::{PageSize, Reading};
use hayro::hayro_interpret::{InterpreterCache, InterpreterSettings, TransformExt};
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, hayro_syntax, render_into};

use self::survey::{Stopped, Survey, is_plain};
use crate::error::PictureError;
use crate::image::{Area, Image};
use crate::pictures::{Drawing, Drawn};

/// A PDF file that pictures are made of.
pub struct Pdf(hayro_syntax::Pdf);

impl Pdf {
    /// Opens a file, as reading it does: the same limits, the same password.
    pub fn open(bytes: &[u8], reading: &Reading<'_>) -> Result<Self, PictureError> {
        Ok(Self(documents::open_pdf(bytes, reading)?))
    }

    /// How many pages it has.
    pub fn pages(&self) -> u32 {
        u32::try_from(self.0.pages().len()).unwrap_or(u32::MAX)
    }

    fn page(&self, number: u32) -> Option<&hayro_syntax::page::Page<'_>> {
        self.0.pages().get(number.checked_sub(1)? as usize)
    }

    /// The size of a page, given from 1.
    pub fn size(&self, number: u32) -> Option<PageSize> {
        let (width, height) = self.page(number)?.render_dimensions();
        Some(PageSize { width, height })
    }
}

impl std::fmt::Debug for Pdf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pdf").field("pages", &self.pages()).finish()
    }
}

/// What drawing a file's pages has learnt: its fonts and their outlines.
pub(crate) struct PdfPages<'a> {
    pdf: &'a Pdf,
    cache: RenderCache<'a>,
    survey: InterpreterCache<'a>,
}

impl<'a> PdfPages<'a> {
    pub(crate) fn new(pdf: &'a Pdf) -> Self {
        Self {
            pdf,
            cache: RenderCache::new(),
            survey: InterpreterCache::new(),
        }
    }

    pub(crate) fn pdf(&self) -> &'a Pdf {
        self.pdf
    }

    /// Draws a part of a page that is within the limits.
    pub(crate) fn draw(
        &mut self,
        number: u32,
        area: Area,
        scale: f32,
        drawing: &Drawing<'_>,
    ) -> Result<Drawn, PictureError> {
        let failed = PictureError::Renderer { page: number };
        // The renderer works on hostile input: should it panic, that is a fault of the file.
        let drawn = catch_unwind(AssertUnwindSafe(|| {
            self.try_draw(number, area, scale, drawing)
        }));
        if drawn.is_err() {
            // What was half done when it stopped must not be used again.
            *self = Self::new(self.pdf);
        }
        match drawn {
            Ok(drawn) => drawn.ok_or(failed),
            Err(cause) => Err(stopped(&*cause, number, drawing).unwrap_or(failed)),
        }
    }

    fn try_draw(
        &self,
        number: u32,
        area: Area,
        scale: f32,
        drawing: &Drawing<'_>,
    ) -> Option<Drawn> {
        let page = self.pdf.page(number)?;
        let (width, height) = (
            u16::try_from(area.width()).ok()?,
            u16::try_from(area.height()).ok()?,
        );
        let transform = Affine::translate((-area.left as f64, -area.top as f64))
            * Affine::scale(f64::from(scale))
            * page.initial_transform(true).to_kurbo();
        let settings = InterpreterSettings::default();
        let images = match is_plain(page, drawing) {
            true if (drawing.give_up)() => resume_unwind(Box::new(Stopped::GivenUp)),
            true => Vec::new(),
            false => Survey::of(
                page,
                &self.survey,
                &settings,
                transform,
                (width, height),
                drawing,
            ),
        };
        let mut context = RenderContext::new(width, height);
        let render = RenderSettings {
            // Small images are striped without.
            force_image_interpolation: true,
            ..RenderSettings::default()
        };
        render_into(
            page,
            &self.cache,
            &settings,
            &render,
            &mut context,
            transform,
        );
        context.flush();
        let mut pixmap = Pixmap::new(width, height);
        let on_white = RasterizerSettings {
            target_init: TargetInit::Clear(WHITE),
            ..RasterizerSettings::default()
        };
        context.render_with(&mut pixmap, &mut Resources::default(), on_white);
        let mut pixels = pixmap.data_as_u8_slice().to_vec();
        for pixel in pixels.as_chunks_mut::<4>().0 {
            pixel[3] = 255;
        }
        let image = Image::from_pixels(width.into(), height.into(), pixels)?;
        Some(Drawn { image, images })
    }
}

/// Why the survey stopped, if it did.
fn stopped(cause: &(dyn Any + Send), page: u32, drawing: &Drawing<'_>) -> Option<PictureError> {
    Some(match cause.downcast_ref::<Stopped>()? {
        Stopped::GivenUp => PictureError::GivenUp { page },
        Stopped::Steps => PictureError::TooManySteps {
            page,
            limit: drawing.limits.steps,
        },
        Stopped::Pixels(pixels) => PictureError::ImagesTooLarge {
            page,
            pixels: *pixels,
            limit: drawing.limits.image_pixels,
        },
    })
}
