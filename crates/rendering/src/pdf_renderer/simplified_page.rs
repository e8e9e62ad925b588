//! Simplified drawing of pages that exceed the limits.
//!
//! The usual renderer cannot leave anything out. This one shows letters, lines, areas and images as far as the
//! limits allow: dashes beyond the limit become solid lines, patterns and shadings plain areas, and images
//! beyond the limit boxes. Transparency and masks are ignored.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, FillRule, Image, ImageData,
    ImageDrawProps, InterpreterCache, InterpreterSettings, LumaData, Paint, RasterImage, RectExt,
    SoftMask, StencilImage, StrokeProps, interpret_page,
};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Rect, Shape, Stroke};
use hayro::vello_cpu::color::{AlphaColor, Srgb};
use hayro::vello_cpu::peniko::{Fill, ImageQuality, ImageSampler};
use hayro::vello_cpu::{Image as ImagePaint, ImageSource, PixelMetadata, Pixmap, RenderContext};

use super::drawing_work::dash_count;
use super::page_survey::SurveyStop;
use crate::image::PixelArea;
use crate::render_options::RenderOptions;

/// Number of dashes of a page that are drawn.
const MAX_DASHES: u64 = 20_000;

/// Number of steps between two calls of the cancel callback.
const CANCEL_INTERVAL: u64 = 256;

/// Colour of patterns and shadings.
const PATTERN_COLOUR: [u8; 4] = [128, 128, 128, 96];

/// Colour of boxes in place of images.
const BOX_COLOUR: [u8; 4] = [225, 225, 225, 255];

/// Device that draws a page within limits.
pub(super) struct SimplifiedPage<'s, 'd> {
    options: &'s RenderOptions<'d>,
    context: RenderContext,
    target: Rect,
    steps: u64,
    dashes: u64,
    pixels: u64,
    images: Vec<PixelArea>,
    /// Number of open clips.
    clips: usize,
}

impl SimplifiedPage<'_, '_> {
    /// Draws a page as far as the limits allow. Returns the drawing and the areas of images. Unwinds with
    /// [`SurveyStop::GivenUp`] if the caller cancels.
    pub(super) fn draw<'a>(
        page: &Page<'a>,
        cache: &InterpreterCache<'a>,
        settings: &InterpreterSettings,
        transform: Affine,
        (width, height): (u16, u16),
        options: &RenderOptions<'_>,
    ) -> (RenderContext, Vec<PixelArea>) {
        let target = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let mut drawing = SimplifiedPage {
            options,
            context: RenderContext::new(width, height),
            target,
            steps: 0,
            dashes: 0,
            pixels: 0,
            images: Vec::new(),
            clips: 0,
        };
        let crop = page.intersected_crop_box().to_kurbo();
        drawing.push_clip_rect(&transform.transform_rect_bbox(crop));
        let interpreted = catch_unwind(AssertUnwindSafe(|| {
            let mut context = Context::new(transform, target, cache, page.xref(), settings.clone());
            interpret_page(page, &mut context, &mut drawing);
        }));
        if let Err(cause) = interpreted
            && cause.downcast_ref::<SurveyStop>() != Some(&SurveyStop::Steps)
        {
            resume_unwind(cause);
        }
        for _ in 0..drawing.clips {
            drawing.context.pop_clip();
        }
        (drawing.context, drawing.images)
    }

    fn step(&mut self, steps: u64) {
        let before = self.steps / CANCEL_INTERVAL;
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.options.limits.steps {
            resume_unwind(Box::new(SurveyStop::Steps));
        }
        if self.steps / CANCEL_INTERVAL > before && (self.options.give_up)() {
            resume_unwind(Box::new(SurveyStop::GivenUp));
        }
    }

    fn set_paint(&mut self, transform: Affine, paint: &Paint<'_>) {
        let [red, green, blue, alpha] = match paint {
            Paint::Color(colour) => colour.to_rgba().to_rgba8(),
            Paint::Pattern(_) => PATTERN_COLOUR,
        };
        let colour: AlphaColor<Srgb> = AlphaColor::from_rgba8(red, green, blue, alpha);
        self.context.set_transform(transform);
        self.context.set_paint(colour);
    }

    fn fill(&mut self, path: &BezPath, rule: FillRule) {
        self.context.set_fill_rule(fill_rule(rule));
        self.context.fill_path(path);
    }

    fn stroke(&mut self, path: &BezPath, transform: Affine, stroke: &StrokeProps) {
        let dashes = dash_count(path, transform, stroke, self.target);
        let keeps_dashes = self.dashes.saturating_add(dashes) <= MAX_DASHES;
        if keeps_dashes {
            self.dashes += dashes;
        }
        // Lines have a width of at least one pixel.
        let scale = transform.determinant().abs().sqrt().max(1e-6);
        let dash_array = stroke.dash_array.iter().map(|dash| f64::from(*dash));
        self.context.set_stroke(Stroke {
            width: f64::from(stroke.line_width).max(1.0 / scale),
            join: stroke.line_join,
            miter_limit: f64::from(stroke.miter_limit),
            start_cap: stroke.line_cap,
            end_cap: stroke.line_cap,
            dash_pattern: dash_array.filter(|_| keeps_dashes).collect(),
            dash_offset: f64::from(stroke.dash_offset),
        });
        self.context.stroke_path(path);
    }

    fn draw_outline(
        &mut self,
        path: &BezPath,
        transform: Affine,
        paint: &Paint<'_>,
        mode: &DrawMode,
    ) {
        self.set_paint(transform, paint);
        match mode {
            DrawMode::Fill(rule) => self.fill(path, *rule),
            DrawMode::Stroke(stroke) => self.stroke(path, transform, stroke),
            DrawMode::FillAndStroke(rule, stroke) => {
                self.fill(path, *rule);
                self.stroke(path, transform, stroke);
            }
            DrawMode::Invisible => {}
        }
    }

    fn draw_raster(&mut self, raster: &RasterImage<'_>, transform: Affine, size: (u32, u32)) {
        raster.with_rgba(
            |data, alpha| {
                let (x, y) = data.scale_factors();
                let (width, height) = (data.width(), data.height());
                let alpha = alpha.filter(|alpha| (alpha.width, alpha.height) == (width, height));
                let pixels = rgba_pixels(&data, alpha.as_ref());
                let scale = Affine::scale_non_uniform(x.into(), y.into());
                self.fill_image(pixels, (width, height), transform * scale);
            },
            Some(size),
        );
    }

    fn draw_stencil(
        &mut self,
        stencil: &StencilImage<'_, '_>,
        transform: Affine,
        size: (u32, u32),
    ) {
        stencil.with_stencil(
            |luma, paint| {
                let (x, y) = luma.scale_factors;
                let [red, green, blue, alpha] = match paint {
                    Paint::Color(colour) => colour.to_rgba().to_rgba8(),
                    Paint::Pattern(_) => PATTERN_COLOUR,
                };
                let covered = |cover: &u8| (u16::from(*cover) * u16::from(alpha) / 255) as u8;
                let pixels = luma.data.iter();
                let pixels = pixels.flat_map(|cover| [red, green, blue, covered(cover)]);
                let scale = Affine::scale_non_uniform(x.into(), y.into());
                let size = (luma.width, luma.height);
                self.fill_image(pixels.collect(), size, transform * scale);
            },
            Some(size),
        );
    }

    /// Draws pixels that are not multiplied with their alpha value.
    fn fill_image(&mut self, pixels: Vec<u8>, (width, height): (u32, u32), transform: Affine) {
        let (Ok(columns), Ok(rows)) = (u16::try_from(width), u16::try_from(height)) else {
            return;
        };
        if pixels.len() != usize::from(columns) * usize::from(rows) * 4 {
            return;
        }
        let metadata = PixelMetadata {
            may_have_transparency: true,
            alpha_type: hayro::vello_cpu::peniko::ImageAlphaType::Alpha,
        };
        let pixmap = Pixmap::from_parts(pixels, columns, rows, metadata);
        self.context.set_transform(transform);
        self.context.set_paint(ImagePaint {
            image: ImageSource::Pixmap(Arc::new(pixmap)),
            sampler: ImageSampler {
                quality: ImageQuality::Medium,
                ..ImageSampler::default()
            },
        });
        let around = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        self.context.fill_rect(&around);
    }
}

/// Returns pixels as red, green, blue and alpha.
fn rgba_pixels(data: &ImageData, alpha: Option<&LumaData>) -> Vec<u8> {
    let alpha = |at: usize| {
        alpha
            .and_then(|alpha| alpha.data.get(at))
            .copied()
            .unwrap_or(255)
    };
    match data {
        ImageData::Rgb(rgb) => {
            let pixels = rgb.data.as_chunks::<3>().0.iter().enumerate();
            let pixels =
                pixels.flat_map(|(at, [red, green, blue])| [*red, *green, *blue, alpha(at)]);
            pixels.collect()
        }
        ImageData::Luma(luma) => {
            let pixels = luma.data.iter().enumerate();
            let pixels = pixels.flat_map(|(at, grey)| [*grey, *grey, *grey, alpha(at)]);
            pixels.collect()
        }
    }
}

fn fill_rule(rule: FillRule) -> Fill {
    match rule {
        FillRule::NonZero => Fill::NonZero,
        FillRule::EvenOdd => Fill::EvenOdd,
    }
}

impl<'a> Device<'a> for SimplifiedPage<'_, '_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.step(1 + path.elements().len() as u64 / 16);
        self.draw_outline(path, props.transform, &props.paint, mode);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.draw_path(&rect.to_path(0.1), props, mode);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.step(1 + clip.path.elements().len() as u64 / 16);
        self.context.set_fill_rule(fill_rule(clip.fill));
        self.context.set_transform(Affine::IDENTITY);
        self.context.push_clip_path(&clip.path);
        self.clips += 1;
    }

    fn push_clip_rect(&mut self, rect: &Rect) {
        self.step(1);
        self.context.set_fill_rule(Fill::NonZero);
        self.context.set_transform(Affine::IDENTITY);
        self.context.push_clip_rect(rect);
        self.clips += 1;
    }

    fn pop_clip(&mut self) {
        if self.clips > 0 {
            self.clips -= 1;
            self.context.pop_clip();
        }
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.step(1);
    }

    fn pop_transparency_group(&mut self) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.step(1 + run.glyphs().len() as u64 / 4);
        for positioned in run.glyphs() {
            match &**positioned {
                Glyph::Outline(glyph) => {
                    let path = positioned.transform() * glyph.outline();
                    self.draw_outline(&path, props.transform, &props.paint, mode);
                }
                Glyph::Type3(glyph) => {
                    self.step(1);
                    glyph.interpret(self, props.transform, positioned.transform(), &props.paint);
                }
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.step(4);
        let (width, height) = (image.width(), image.height());
        let unit = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let around = props.transform.transform_rect_bbox(unit);
        if !around.is_finite() || !around.overlaps(self.target) {
            return;
        }
        let pixels = u64::from(width) * u64::from(height);
        if self.pixels.saturating_add(pixels) > self.options.limits.image_pixels {
            let [red, green, blue, alpha] = BOX_COLOUR;
            let colour: AlphaColor<Srgb> = AlphaColor::from_rgba8(red, green, blue, alpha);
            self.context.set_transform(props.transform);
            self.context.set_paint(colour);
            self.context.fill_rect(&unit);
            return;
        }
        self.pixels += pixels;
        let side = |length: f64| length.ceil().clamp(1.0, f64::from(u16::MAX)) as u32;
        let size = (side(around.width()), side(around.height()));
        match &image {
            Image::Stencil(stencil) => self.draw_stencil(stencil, props.transform, size),
            Image::Raster(raster) => {
                self.draw_raster(raster, props.transform, size);
                self.images.push(PixelArea::covering(around));
            }
        }
    }
}
