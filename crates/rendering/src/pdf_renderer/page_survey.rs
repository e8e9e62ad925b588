//! Survey of a page before it is drawn: amount of work and areas of images.
//!
//! The renderer can neither be interrupted nor limited in the size of images, so the page is interpreted once
//! without drawing. A survey that exceeds a limit leaves the interpreter by unwinding, which the caller catches.

use std::collections::HashSet;
use std::panic::resume_unwind;

use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::pattern::Pattern;
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, Paint, SoftMask, StencilImage, interpret_page,
};
use hayro::hayro_syntax::object::{Array, Dict, Name};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Rect, Shape};

use super::drawing_work::{
    covered_area, group_steps, mask_steps, paint_steps, path_steps, tile_copies,
};
use crate::image::PixelArea;
use crate::render_options::RenderOptions;

/// Number of steps between two calls of the cancel callback.
const CANCEL_INTERVAL: u64 = 256;

/// Size of content in bytes above which a page is always surveyed.
const MAX_PLAIN_BYTES: usize = 256 << 10;

/// Maximum number of pixels of a stencil that is decoded by the survey.
const MAX_DECODED_STENCIL: u64 = 1 << 14;

/// Returns true if a page consists of letters and solid lines only. Its length then bounds the cost of options,
/// and fonts need not be read twice.
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
            && !may_dash(content)
    };
    !embeds
        && parts(&all.ext_g_states, |state| {
            !state.contains_key(b"SMask") && !state.contains_key(b"D")
        })
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

/// Returns true if content may contain the operator `d`, which sets a dash pattern. In text it only causes an
/// unnecessary survey.
fn may_dash(content: &[u8]) -> bool {
    let padded = |at: Option<usize>| at.and_then(|at| content.get(at)).copied();
    content.iter().enumerate().any(|(at, byte)| {
        *byte == b'd'
            && padded(at.checked_sub(1)).is_none_or(|before| !before.is_ascii_alphabetic())
            && padded(at.checked_add(1)).is_none_or(|after| !after.is_ascii_alphanumeric())
    })
}

/// Reason for the early end of a survey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SurveyStop {
    GivenUp,
    /// The page has more steps than the limit.
    Steps,
    /// The images have more pixels than the limit.
    Pixels,
}

/// Device that counts the steps and pixels of a page instead of drawing it.
pub(super) struct PageSurvey<'s, 'd> {
    options: &'s RenderOptions<'d>,
    target: Rect,
    steps: u64,
    pixels: u64,
    images: Vec<PixelArea>,
    /// Keys of the soft masks so far. The renderer draws each only once.
    masks: HashSet<u128>,
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
            target,
            steps: 0,
            pixels: 0,
            images: Vec::new(),
            masks: HashSet::new(),
        };
        survey.step(1);
        interpret_page(page, &mut context, &mut survey);
        survey.images
    }

    fn step(&mut self, steps: u64) {
        let before = self.steps / CANCEL_INTERVAL;
        self.steps = self.steps.saturating_add(steps);
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
        if let Some(mask) = mask
            && self.masks.insert(mask.cache_key())
        {
            self.step(mask_steps(self.target));
            mask.interpret(self);
        }
    }

    fn visit_paint(&mut self, paint: &Paint<'a>, area: Rect) {
        self.step(paint_steps(paint, area));
        if let Paint::Pattern(pattern) = paint
            && let Pattern::Tiling(tiling) = &**pattern
        {
            let before = self.steps;
            self.step(16);
            tiling.interpret(self, Affine::IDENTITY, false);
            let copies = tile_copies(tiling, area).saturating_sub(1);
            self.step((self.steps - before).saturating_mul(copies));
        }
    }

    fn visit_props(&mut self, props: &DrawProps<'a>, area: Rect) {
        self.visit_mask(props.soft_mask.as_ref());
        self.visit_paint(&props.paint, area);
    }

    /// Counts the dashes around stroked letters.
    fn visit_dashes(&mut self, run: &GlyphRun<'_, 'a>, props: &DrawProps<'a>, mode: &DrawMode) {
        let (DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke)) = mode else {
            return;
        };
        if stroke.dash_array.is_empty() {
            return;
        }
        for positioned in run.glyphs() {
            if let Glyph::Outline(glyph) = &**positioned {
                let path = positioned.transform() * glyph.outline();
                self.step(path_steps(&path, props.transform, mode, self.target));
            }
        }
    }

    /// Counts the paint of a stencil. It is known only with the decoded stencil, so large ones are assumed to
    /// be painted with a pattern.
    fn visit_stencil(&mut self, stencil: &StencilImage<'a, '_>) {
        let pixels = u64::from(stencil.width()) * u64::from(stencil.height());
        if pixels > MAX_DECODED_STENCIL {
            self.step(group_steps(self.target));
            return;
        }
        let mut paint = None;
        stencil.with_stencil(|_, found| paint = Some(found.clone()), None);
        if let Some(paint @ Paint::Pattern(_)) = paint {
            self.step(group_steps(self.target));
            self.visit_paint(&paint, self.target);
        }
    }
}

impl<'a> Device<'a> for PageSurvey<'_, '_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.step(path_steps(path, props.transform, mode, self.target));
        let area = covered_area(path, props.transform, self.target);
        self.visit_props(&props, area);
    }

    fn push_clip_path(&mut self, path: &ClipPath) {
        self.step(1 + path.path.elements().len() as u64 / 16);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.step(1);
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.step(group_steps(self.target));
        self.visit_mask(mask.as_ref());
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.step(1 + run.glyphs().len() as u64 / 4);
        self.visit_props(&props, self.target);
        self.visit_dashes(run, &props, mode);
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
            self.visit_stencil(stencil);
            // Stencil masks are inverted like letters.
            self.pixels += u64::from(stencil.width()) * u64::from(stencil.height());
        } else {
            let (width, height) = (image.width(), image.height());
            self.pixels += u64::from(width) * u64::from(height);
            let unit = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
            let around = props.transform.transform_rect_bbox(unit);
            self.images.push(PixelArea::covering(around));
        }
        if self.pixels > self.options.limits.image_pixels {
            resume_unwind(Box::new(SurveyStop::Pixels));
        }
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.draw_path(&rect.to_path(0.1), props, mode);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
