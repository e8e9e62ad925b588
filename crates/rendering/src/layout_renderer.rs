//! Rendering of pages that we laid out: glyphs, boxes and images.

use std::collections::HashMap;

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use documents::{DrawnItem, InkColour, LayoutFont, PageLayout, PlacedGlyph};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

use crate::embedded_images::{EmbeddedImages, ImagePlacement};
use crate::error::RenderError;
use crate::image::{Image, PixelArea};
use crate::image_scaling::ScaledDisplay;
use crate::render_options::RenderOptions;
use crate::style::ImageTheme;

/// Number of horizontal glyph positions per pixel.
const SUBPIXEL_POSITIONS: f32 = 4.0;
/// Limit on the size of a glyph in pixels; larger ones are not drawn.
const MAX_GLYPH: f32 = 4096.0;

/// Renderer of laid-out pages with a cache of glyph shapes.
pub(crate) struct LayoutRenderer<'a> {
    layout: &'a PageLayout,
    fonts: HashMap<LayoutFont, FontRef<'static>>,
    glyphs: HashMap<(LayoutFont, u16, u32, u8), GlyphCoverage>,
    images: EmbeddedImages,
}

/// Position and scale of the drawn part of a page.
#[derive(Clone, Copy)]
struct PageCanvas {
    /// Drawn part of the page, in pixels.
    area: PixelArea,
    /// Pixels per point.
    scale: f32,
    theme: ImageTheme,
}

/// Coverage of each pixel by a glyph.
struct GlyphCoverage {
    /// Distance from the origin of the glyph to the first pixel.
    left: i64,
    top: i64,
    width: usize,
    /// Coverage of 255, row by row.
    parts: Vec<u8>,
}

impl<'a> LayoutRenderer<'a> {
    pub(crate) fn new(layout: &'a PageLayout) -> Self {
        let font = |font: LayoutFont| Some((font, FontRef::new(font.data()).ok()?));
        Self {
            layout,
            fonts: LayoutFont::all().filter_map(font).collect(),
            glyphs: HashMap::new(),
            images: EmbeddedImages::default(),
        }
    }

    pub(crate) fn layout(&self) -> &'a PageLayout {
        self.layout
    }

    /// Draws a part of a page whose size was checked.
    pub(crate) fn draw(
        &mut self,
        number: u32,
        area: PixelArea,
        scale: f32,
        theme: ImageTheme,
        options: &RenderOptions<'_>,
    ) -> Result<Image, RenderError> {
        let canvas = PageCanvas { area, scale, theme };
        let (width, height) = (area.width().max(1) as u32, area.height().max(1) as u32);
        let mut image = Image::filled(width, height, paper_colour(theme));
        // Budget of pixels for the images on the page.
        let mut pixels = options.limits.image_pixels;
        for drawn in self.layout.page(number) {
            if let DrawnItem::Image { fallback, .. } = &drawn {
                if (options.give_up)() {
                    return Err(RenderError::GivenUp { page: number });
                }
                if !self.draw_image(&mut image, &drawn, canvas, &mut pixels) {
                    for drawn in fallback {
                        self.draw_item(&mut image, drawn, canvas);
                    }
                }
            } else {
                self.draw_item(&mut image, &drawn, canvas);
            }
        }
        Ok(image)
    }

    /// Draws letters or a box.
    fn draw_item(&mut self, image: &mut Image, drawn: &DrawnItem, canvas: PageCanvas) {
        let PageCanvas { area, scale, theme } = canvas;
        match drawn {
            DrawnItem::Fill {
                x,
                y,
                width,
                height,
                ink,
            } => {
                let pixel = |points: f32| (points * scale).round() as i64;
                let (left, top) = (pixel(*x) - area.left, pixel(*y) - area.top);
                // Lines have at least one pixel at any scale.
                let right = left + pixel(*width).max(1);
                let bottom = top + pixel(*height).max(1);
                image.fill(
                    PixelArea::new(left, top, right, bottom),
                    ink_colour(*ink, theme),
                );
            }
            DrawnItem::Text {
                font,
                size,
                x,
                y,
                glyphs,
                ink,
            } => {
                let base = (y * scale).round() as i64 - area.top;
                let reach = (size * scale * 2.0) as i64;
                if base + reach < 0 || base - reach > i64::from(image.height()) {
                    return;
                }
                let (ink, size) = (ink_colour(*ink, theme), size * scale);
                for glyph in glyphs {
                    let x = (x + glyph.x) * scale - area.left as f32;
                    self.draw_glyph(image, *font, glyph, size, (x, base, scale), ink);
                }
            }
            _ => {}
        }
    }

    /// Draws an image. Returns false if it cannot be shown.
    fn draw_image(
        &mut self,
        page: &mut Image,
        drawn: &DrawnItem,
        canvas: PageCanvas,
        pixels: &mut u64,
    ) -> bool {
        let DrawnItem::Image {
            image,
            x,
            y,
            width,
            height,
            crop: cut,
            rotation: turn,
            ..
        } = drawn
        else {
            return false;
        };
        let pixel = |points: f32| (points * canvas.scale).round() as i64;
        let (left, top) = (pixel(*x), pixel(*y));
        let area = PixelArea::new(
            left,
            top,
            left + pixel(*width).max(1),
            top + pixel(*height).max(1),
        );
        let seen = area.intersection(canvas.area);
        if seen.is_empty() {
            return true;
        }
        let place = ImagePlacement {
            image: *image,
            shown: ScaledDisplay {
                cut: *cut,
                turn: *turn,
                size: (area.width() as u32, area.height() as u32),
            },
            seen: seen.translate(-left, -top),
            theme: canvas.theme,
        };
        let Some(shown) = self.images.get_or_render(self.layout, &place, pixels) else {
            return false;
        };
        page.paste(
            shown,
            seen.left - canvas.area.left,
            seen.top - canvas.area.top,
        );
        true
    }

    fn draw_glyph(
        &mut self,
        image: &mut Image,
        font: LayoutFont,
        glyph: &PlacedGlyph,
        size: f32,
        (x, base, scale): (f32, i64, f32),
        ink: [u8; 3],
    ) {
        let place = (x * SUBPIXEL_POSITIONS).round() / SUBPIXEL_POSITIONS;
        let whole = place.floor();
        let part = ((place - whole) * SUBPIXEL_POSITIONS) as u8;
        let key = (font, glyph.id, size.to_bits(), part);
        let fonts = &self.fonts;
        let cover = self
            .glyphs
            .entry(key)
            .or_insert_with(|| rasterize_glyph(fonts.get(&font), glyph.id, size, place - whole));
        if cover.width == 0 {
            return;
        }
        let raised = (glyph.y * scale).round() as i64;
        let left = whole as i64 + cover.left;
        let top = base - raised + cover.top;
        blend_glyph(image, cover, left, top, ink);
    }
}

fn rasterize_glyph(
    font: Option<&FontRef<'static>>,
    id: u16,
    size: f32,
    part: f32,
) -> GlyphCoverage {
    let mut outline = GlyphOutline::default();
    if let Some(font) = font
        && size < MAX_GLYPH
        && let Some(glyph) = font.outline_glyphs().get(GlyphId::from(id))
    {
        let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
        // An outline that cannot be drawn is empty.
        let _ = glyph.draw(settings, &mut outline);
    }
    outline.rasterize(part)
}

fn blend_glyph(image: &mut Image, cover: &GlyphCoverage, left: i64, top: i64, ink: [u8; 3]) {
    let height = (cover.parts.len() / cover.width) as i64;
    let area = PixelArea::new(left, top, left + cover.width as i64, top + height);
    let seen = area.intersection(image.area());
    if seen.is_empty() {
        return;
    }
    let (skip_x, skip_y) = ((seen.left - left) as usize, (seen.top - top) as usize);
    let rows = cover.parts.chunks_exact(cover.width).skip(skip_y);
    for (row, parts) in image.rows_mut(seen).zip(rows) {
        for (pixel, part) in row.as_chunks_mut::<4>().0.iter_mut().zip(&parts[skip_x..]) {
            let cover = u32::from(*part);
            for (there, ink) in pixel.iter_mut().zip(ink) {
                let sum = u32::from(*there) * (255 - cover) + u32::from(ink) * cover;
                *there = ((sum + 127) / 255) as u8;
            }
        }
    }
}

/// Outline of a glyph, upwards from its baseline.
#[derive(Default)]
struct GlyphOutline {
    steps: Vec<OutlineStep>,
    /// Points of all its contours.
    points: Vec<Point>,
}

enum OutlineStep {
    Move(Point),
    Line(Point),
    Quad(Point, Point),
    Cubic(Point, Point, Point),
    Close,
}

impl GlyphOutline {
    fn rasterize(&self, part: f32) -> GlyphCoverage {
        let empty = GlyphCoverage {
            left: 0,
            top: 0,
            width: 0,
            parts: Vec::new(),
        };
        let bound = |pick: fn(&Point) -> f32, least: bool| {
            let all = self.points.iter().map(pick);
            match least {
                true => all.fold(f32::INFINITY, f32::min),
                false => all.fold(f32::NEG_INFINITY, f32::max),
            }
        };
        let (left, right) = (bound(|p| p.x, true) + part, bound(|p| p.x, false) + part);
        let (bottom, top) = (bound(|p| p.y, true), bound(|p| p.y, false));
        let (width, height) = (
            right.ceil() - left.floor() + 1.0,
            top.ceil() - bottom.floor() + 1.0,
        );
        if !(1.0..MAX_GLYPH).contains(&width) || !(1.0..MAX_GLYPH).contains(&height) {
            return empty;
        }
        let place = |p: &Point| point(p.x + part - left.floor(), top.ceil() - p.y);
        let mut raster = Rasterizer::new(width as usize, height as usize);
        let (mut start, mut last) = (point(0.0, 0.0), point(0.0, 0.0));
        for step in &self.steps {
            match step {
                OutlineStep::Move(to) => {
                    start = place(to);
                    last = start;
                }
                OutlineStep::Line(to) => {
                    raster.draw_line(last, place(to));
                    last = place(to);
                }
                OutlineStep::Quad(by, to) => {
                    raster.draw_quad(last, place(by), place(to));
                    last = place(to);
                }
                OutlineStep::Cubic(first, second, to) => {
                    raster.draw_cubic(last, place(first), place(second), place(to));
                    last = place(to);
                }
                OutlineStep::Close => {
                    raster.draw_line(last, start);
                    last = start;
                }
            }
        }
        let mut parts = Vec::with_capacity(width as usize * height as usize);
        raster.for_each_pixel(|_, cover| {
            parts.push((cover.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
        });
        GlyphCoverage {
            left: left.floor() as i64,
            top: -(top.ceil() as i64),
            width: width as usize,
            parts,
        }
    }

    fn at(&mut self, x: f32, y: f32) -> Point {
        let at = point(x, y);
        self.points.push(at);
        at
    }
}

impl OutlinePen for GlyphOutline {
    fn move_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.steps.push(OutlineStep::Move(to));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.steps.push(OutlineStep::Line(to));
    }

    fn quad_to(&mut self, by_x: f32, by_y: f32, x: f32, y: f32) {
        let (by, to) = (self.at(by_x, by_y), self.at(x, y));
        self.steps.push(OutlineStep::Quad(by, to));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second) = (self.at(x1, y1), self.at(x2, y2));
        let to = self.at(x, y);
        self.steps.push(OutlineStep::Cubic(first, second, to));
    }

    fn close(&mut self) {
        self.steps.push(OutlineStep::Close);
    }
}

fn paper_colour(theme: ImageTheme) -> [u8; 3] {
    match theme {
        ImageTheme::Light => [0xff; 3],
        ImageTheme::Dark => [0x1a; 3],
    }
}

fn ink_colour(ink: InkColour, theme: ImageTheme) -> [u8; 3] {
    match (ink, theme) {
        (InkColour::Link, ImageTheme::Light) => [0x1a, 0x4f, 0x8b],
        (InkColour::Link, ImageTheme::Dark) => [0x8a, 0xb8, 0xf0],
        (InkColour::Faint, ImageTheme::Light) => [0x6b, 0x68, 0x63],
        (InkColour::Faint, ImageTheme::Dark) => [0x9c, 0x9a, 0x96],
        (InkColour::Rule, ImageTheme::Light) => [0xc9, 0xc6, 0xbf],
        (InkColour::Rule, ImageTheme::Dark) => [0x4c, 0x4b, 0x49],
        (InkColour::Ground, ImageTheme::Light) => [0xf4, 0xf2, 0xee],
        (InkColour::Ground, ImageTheme::Dark) => [0x27, 0x26, 0x25],
        (_, ImageTheme::Light) => [0x1a; 3],
        (_, ImageTheme::Dark) => [0xe8; 3],
    }
}
