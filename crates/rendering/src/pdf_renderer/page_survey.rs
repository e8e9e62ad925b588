//! Survey of a page before it is drawn: amount of work and areas of images.
//!
//! The renderer can neither be interrupted nor limited in the size of images, so the page is interpreted once
//! without drawing. A survey that exceeds a limit leaves the interpreter by unwinding, which the caller catches.

use std::panic::resume_unwind;

use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::pattern::Pattern;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, Paint, SoftMask, interpret_page,
};
use hayro::hayro_syntax::object::{Array, Dict, Name};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Rect};

use crate::image::PixelArea;
use crate::render_options::RenderOptions;

/// Number of steps between two calls of the cancel callback.
const CANCEL_INTERVAL: u64 = 256;

/// Size of content in bytes above which a page is always surveyed.
const MAX_PLAIN_BYTES: usize = 256 << 10;

/// Returns true if a page consists of letters and lines only. Its length then bounds the cost of options, and
/// fonts need not be read twice.
pub(super) fn is_plain(page: &Page<'_>, options: &RenderOptions<'_>) -> bool {
    let all = page.resources();
    let embeds = [&all.x_objects, &all.patterns, &all.shadings]
        .iter()
        .any(|part| !part.is_empty());
    let parts = |of: &Dict<'_>, plain: fn(&Dict<'_>) -> bool| {
        of.keys()
            .all(|name| of.get::<Dict<'_>>(name).is_some_and(|part| plain(&part)))
    };
    let notes = page.raw().get::<Array<'_>>(b"Annots");
    let short = |content: &[u8]| {
        content.len() <= MAX_PLAIN_BYTES
            && content.len() as u64 <= options.limits.steps
            // `BI` begins an inline image; in text it only causes an unnecessary survey.
            && !content.windows(2).any(|pair| pair == b"BI")
    };
    !embeds
        && parts(&all.ext_g_states, |state| !state.contains_key(b"SMask"))
        && parts(&all.fonts, |font| {
            font.get::<Name<'_>>(b"Subtype")
                .is_some_and(|kind| &*kind != b"Type3")
        })
        && notes.is_none_or(|notes| {
            notes
                .iter::<Dict<'_>>()
                .all(|note| !note.contains_key(b"AP"))
        })
        && page.page_stream().is_some_and(short)
}

/// Reason for the early end of a survey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SurveyStop {
    GivenUp,
    Steps,
    /// The images have at least this many pixels.
    Pixels(u64),
}

/// Device that counts the steps and pixels of a page instead of drawing it.
pub(super) struct PageSurvey<'s, 'd> {
    options: &'s RenderOptions<'d>,
    steps: u64,
    pixels: u64,
    images: Vec<PixelArea>,
}

impl PageSurvey<'_, '_> {
    /// Returns the areas of images on a page. Unwinds with [`SurveyStop`] if a limit is exceeded.
    pub(super) fn run<'a>(
        page: &Page<'a>,
        cache: &InterpreterCache<'a>,
        settings: &InterpreterSettings,
        transform: Affine,
        (width, height): (u16, u16),
        options: &RenderOptions<'_>,
    ) -> Vec<PixelArea> {
        let target = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let mut context = Context::new(transform, target, cache, page.xref(), settings.clone());
        let mut survey = PageSurvey {
            options,
            steps: 0,
            pixels: 0,
            images: Vec::new(),
        };
        survey.step(1);
        interpret_page(page, &mut context, &mut survey);
        survey.images
    }

    fn step(&mut self, steps: u64) {
        let before = self.steps / CANCEL_INTERVAL;
        self.steps += steps;
        if self.steps > self.options.limits.steps {
            resume_unwind(Box::new(SurveyStop::Steps));
        }
        let ask = self.steps == steps || self.steps / CANCEL_INTERVAL > before;
        if ask && (self.options.give_up)() {
            resume_unwind(Box::new(SurveyStop::GivenUp));
        }
    }
}

impl<'a> PageSurvey<'_, '_> {
    fn visit_mask(&mut self, mask: Option<&SoftMask<'a>>) {
        if let Some(mask) = mask {
            self.step(16);
            mask.interpret(self);
        }
    }

    fn visit_paint(&mut self, paint: &Paint<'a>) {
        if let Paint::Pattern(pattern) = paint
            && let Pattern::Tiling(tiling) = &**pattern
        {
            self.step(16);
            tiling.interpret(self, Affine::IDENTITY, false);
        }
    }

    fn visit_props(&mut self, props: &DrawProps<'a>) {
        self.visit_mask(props.soft_mask.as_ref());
        self.visit_paint(&props.paint);
    }
}

impl<'a> Device<'a> for PageSurvey<'_, '_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, _: &DrawMode) {
        self.step(1 + path.elements().len() as u64 / 16);
        self.visit_props(&props);
    }

    fn push_clip_path(&mut self, path: &ClipPath) {
        self.step(1 + path.path.elements().len() as u64 / 16);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.step(1);
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.step(16);
        self.visit_mask(mask.as_ref());
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        self.step(1 + run.glyphs().len() as u64 / 4);
        self.visit_props(&props);
        for positioned in run.glyphs() {
            if let Glyph::Type3(glyph) = &**positioned {
                self.step(1);
                glyph.interpret(self, props.transform, positioned.transform(), &props.paint);
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.step(4);
        self.visit_mask(props.soft_mask.as_ref());
        if let Image::Stencil(stencil) = &image {
            // Stencil masks are inverted like letters.
            self.pixels += u64::from(stencil.width()) * u64::from(stencil.height());
        } else {
            let (width, height) = (image.width(), image.height());
            self.pixels += u64::from(width) * u64::from(height);
            let unit = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
            let around = props.transform.transform_rect_bbox(unit);
            self.images.push(PixelArea::new(
                around.x0.floor() as i64,
                around.y0.floor() as i64,
                around.x1.ceil() as i64,
                around.y1.ceil() as i64,
            ));
        }
        if self.pixels > self.options.limits.image_pixels {
            resume_unwind(Box::new(SurveyStop::Pixels(self.pixels)));
        }
    }

    fn draw_rect(&mut self, _: &Rect, props: DrawProps<'a>, _: &DrawMode) {
        self.step(1);
        self.visit_props(&props);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
