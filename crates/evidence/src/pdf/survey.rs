//! A look at a page before it is drawn: how much there is to draw, and where its images are.
//!
//! The renderer cannot be stopped and decodes images of any size, so the page is gone through once
//! without drawing. What stops the survey leaves the interpreter by unwinding, which the caller catches.

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

use crate::image::Area;
use crate::pictures::Drawing;

/// After so many steps the caller is asked whether to go on.
const ASK_EVERY: u64 = 256;

/// A page with more content is gone through in any case.
const PLAIN: usize = 256 << 10;

/// Whether a page is nothing but letters and lines: then its length says what drawing it costs, and the
/// fonts need not be read twice.
pub(super) fn is_plain(page: &Page<'_>, drawing: &Drawing<'_>) -> bool {
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
        content.len() <= PLAIN
            && content.len() as u64 <= drawing.limits.steps
            // The beginning of an image among the letters; or words that say so.
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

/// Why a survey stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    GivenUp,
    Steps,
    /// The images have at least so many pixels.
    Pixels(u64),
}

pub(super) struct Survey<'s, 'd> {
    drawing: &'s Drawing<'d>,
    steps: u64,
    pixels: u64,
    images: Vec<Area>,
}

impl Survey<'_, '_> {
    /// Where the images of a page are; unwinds with [`Stopped`] if it is too much.
    pub(super) fn of<'a>(
        page: &Page<'a>,
        cache: &InterpreterCache<'a>,
        settings: &InterpreterSettings,
        transform: Affine,
        (width, height): (u16, u16),
        drawing: &Drawing<'_>,
    ) -> Vec<Area> {
        let target = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let mut context = Context::new(transform, target, cache, page.xref(), settings.clone());
        let mut survey = Survey {
            drawing,
            steps: 0,
            pixels: 0,
            images: Vec::new(),
        };
        survey.step(1);
        interpret_page(page, &mut context, &mut survey);
        survey.images
    }

    fn step(&mut self, steps: u64) {
        let before = self.steps / ASK_EVERY;
        self.steps += steps;
        if self.steps > self.drawing.limits.steps {
            resume_unwind(Box::new(Stopped::Steps));
        }
        let ask = self.steps == steps || self.steps / ASK_EVERY > before;
        if ask && (self.drawing.give_up)() {
            resume_unwind(Box::new(Stopped::GivenUp));
        }
    }
}

impl<'a> Survey<'_, '_> {
    fn mask(&mut self, mask: Option<&SoftMask<'a>>) {
        if let Some(mask) = mask {
            self.step(16);
            mask.interpret(self);
        }
    }

    fn paint(&mut self, paint: &Paint<'a>) {
        if let Paint::Pattern(pattern) = paint
            && let Pattern::Tiling(tiling) = &**pattern
        {
            self.step(16);
            tiling.interpret(self, Affine::IDENTITY, false);
        }
    }

    fn props(&mut self, props: &DrawProps<'a>) {
        self.mask(props.soft_mask.as_ref());
        self.paint(&props.paint);
    }
}

impl<'a> Device<'a> for Survey<'_, '_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, _: &DrawMode) {
        self.step(1 + path.elements().len() as u64 / 16);
        self.props(&props);
    }

    fn push_clip_path(&mut self, path: &ClipPath) {
        self.step(1 + path.path.elements().len() as u64 / 16);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.step(1);
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.step(16);
        self.mask(mask.as_ref());
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        self.step(1 + run.glyphs().len() as u64 / 4);
        self.props(&props);
        for positioned in run.glyphs() {
            if let Glyph::Type3(glyph) = &**positioned {
                self.step(1);
                glyph.interpret(self, props.transform, positioned.transform(), &props.paint);
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.step(4);
        self.mask(props.soft_mask.as_ref());
        if let Image::Stencil(stencil) = &image {
            // Its letters and drawings are turned dark like others.
            self.pixels += u64::from(stencil.width()) * u64::from(stencil.height());
        } else {
            let (width, height) = (image.width(), image.height());
            self.pixels += u64::from(width) * u64::from(height);
            let unit = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
            let around = props.transform.transform_rect_bbox(unit);
            self.images.push(Area::new(
                around.x0.floor() as i64,
                around.y0.floor() as i64,
                around.x1.ceil() as i64,
                around.y1.ceil() as i64,
            ));
        }
        if self.pixels > self.drawing.limits.image_pixels {
            resume_unwind(Box::new(Stopped::Pixels(self.pixels)));
        }
    }

    fn draw_rect(&mut self, _: &Rect, props: DrawProps<'a>, _: &DrawMode) {
        self.step(1);
        self.props(&props);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
