//! Pages that were laid out: glyphs, boxes and images.

use std::collections::HashMap;

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use documents::{Drawn, Font, Glyph, Ink, Layout};
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

use crate::embedded::{Images, Place};
use crate::error::PictureError;
use crate::image::{Area, Image};
use crate::pictures::Drawing;
use crate::scale::Shown;
use crate::style::Theme;

/// Glyphs begin at parts of a pixel.
const PARTS: f32 = 4.0;
/// Glyphs that are larger are not drawn.
const MAX_GLYPH: f32 = 4096.0;

/// What drawing pages has learnt: the shapes of glyphs.
pub(crate) struct LaidPages<'a> {
    layout: &'a Layout,
    fonts: HashMap<Font, FontRef<'static>>,
    glyphs: HashMap<(Font, u16, u32, u8), Cover>,
    images: Images,
}

/// Where a page is drawn, and how.
#[derive(Clone, Copy)]
struct Sheet {
    /// The part of the page that is drawn, in pixels.
    area: Area,
    /// Pixels of a point.
    scale: f32,
    theme: Theme,
}

/// How much of each pixel a glyph covers.
struct Cover {
    /// From the origin of the glyph to the first pixel.
    left: i64,
    top: i64,
    width: usize,
    /// Of 255, row by row.
    parts: Vec<u8>,
}

impl<'a> LaidPages<'a> {
    pub(crate) fn new(layout: &'a Layout) -> Self {
        let font = |font: Font| Some((font, FontRef::new(font.data()).ok()?));
        Self {
            layout,
            fonts: Font::all().filter_map(font).collect(),
            glyphs: HashMap::new(),
            images: Images::default(),
        }
    }

    pub(crate) fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// Draws a part of a page whose size was checked.
    pub(crate) fn draw(
        &mut self,
        number: u32,
        area: Area,
        scale: f32,
        theme: Theme,
        drawing: &Drawing<'_>,
    ) -> Result<Image, PictureError> {
        let sheet = Sheet { area, scale, theme };
        let (width, height) = (area.width().max(1) as u32, area.height().max(1) as u32);
        let mut image = Image::filled(width, height, paper(theme));
        // Of the images on the page.
        let mut pixels = drawing.limits.image_pixels;
        for drawn in self.layout.page(number) {
            if let Drawn::Image { instead, .. } = &drawn {
                if (drawing.give_up)() {
                    return Err(PictureError::GivenUp { page: number });
                }
                if !self.image(&mut image, &drawn, sheet, &mut pixels) {
                    for drawn in instead {
                        self.one(&mut image, drawn, sheet);
                    }
                }
            } else {
                self.one(&mut image, &drawn, sheet);
            }
        }
        Ok(image)
    }

    /// Draws letters or a box.
    fn one(&mut self, image: &mut Image, drawn: &Drawn, sheet: Sheet) {
        let Sheet { area, scale, theme } = sheet;
        match drawn {
            Drawn::Fill {
                x,
                y,
                width,
                height,
                ink,
            } => {
                let pixel = |points: f32| (points * scale).round() as i64;
                let (left, top) = (pixel(*x) - area.left, pixel(*y) - area.top);
                // Lines are seen at any scale.
                let right = left + pixel(*width).max(1);
                let bottom = top + pixel(*height).max(1);
                image.fill(Area::new(left, top, right, bottom), colour(*ink, theme));
            }
            Drawn::Text {
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
                let (ink, size) = (colour(*ink, theme), size * scale);
                for glyph in glyphs {
                    let x = (x + glyph.x) * scale - area.left as f32;
                    self.glyph(image, *font, glyph, size, (x, base, scale), ink);
                }
            }
            _ => {}
        }
    }

    /// Draws an image; false if it cannot be shown.
    fn image(&mut self, page: &mut Image, drawn: &Drawn, sheet: Sheet, pixels: &mut u64) -> bool {
        let Drawn::Image {
            image,
            x,
            y,
            width,
            height,
            cut,
            turn,
            ..
        } = drawn
        else {
            return false;
        };
        let pixel = |points: f32| (points * sheet.scale).round() as i64;
        let (left, top) = (pixel(*x), pixel(*y));
        let area = Area::new(
            left,
            top,
            left + pixel(*width).max(1),
            top + pixel(*height).max(1),
        );
        let seen = area.intersection(sheet.area);
        if seen.is_empty() {
            return true;
        }
        let place = Place {
            image: *image,
            shown: Shown {
                cut: *cut,
                turn: *turn,
                size: (area.width() as u32, area.height() as u32),
            },
            seen: seen.moved(-left, -top),
            theme: sheet.theme,
        };
        let Some(shown) = self.images.shown(self.layout, &place, pixels) else {
            return false;
        };
        page.paste(
            shown,
            seen.left - sheet.area.left,
            seen.top - sheet.area.top,
        );
        true
    }

    fn glyph(
        &mut self,
        image: &mut Image,
        font: Font,
        glyph: &Glyph,
        size: f32,
        (x, base, scale): (f32, i64, f32),
        ink: [u8; 3],
    ) {
        let place = (x * PARTS).round() / PARTS;
        let whole = place.floor();
        let part = ((place - whole) * PARTS) as u8;
        let key = (font, glyph.id, size.to_bits(), part);
        let fonts = &self.fonts;
        let cover = self
            .glyphs
            .entry(key)
            .or_insert_with(|| rasterize(fonts.get(&font), glyph.id, size, place - whole));
        if cover.width == 0 {
            return;
        }
        let raised = (glyph.y * scale).round() as i64;
        let left = whole as i64 + cover.left;
        let top = base - raised + cover.top;
        blend(image, cover, left, top, ink);
    }
}

fn rasterize(font: Option<&FontRef<'static>>, id: u16, size: f32, part: f32) -> Cover {
    let mut outline = Outline::default();
    if let Some(font) = font
        && size < MAX_GLYPH
        && let Some(glyph) = font.outline_glyphs().get(GlyphId::from(id))
    {
        let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
        // An outline that cannot be drawn is empty.
        let _ = glyph.draw(settings, &mut outline);
    }
    outline.cover(part)
}

fn blend(image: &mut Image, cover: &Cover, left: i64, top: i64, ink: [u8; 3]) {
    let height = (cover.parts.len() / cover.width) as i64;
    let area = Area::new(left, top, left + cover.width as i64, top + height);
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

/// The outline of a glyph, upwards from its base line.
#[derive(Default)]
struct Outline {
    steps: Vec<Step>,
    /// All its points.
    points: Vec<Point>,
}

enum Step {
    Move(Point),
    Line(Point),
    Quad(Point, Point),
    Cubic(Point, Point, Point),
    Close,
}

impl Outline {
    fn cover(&self, part: f32) -> Cover {
        let nothing = Cover {
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
            return nothing;
        }
        let place = |p: &Point| point(p.x + part - left.floor(), top.ceil() - p.y);
        let mut raster = Rasterizer::new(width as usize, height as usize);
        let (mut start, mut last) = (point(0.0, 0.0), point(0.0, 0.0));
        for step in &self.steps {
            match step {
                Step::Move(to) => {
                    start = place(to);
                    last = start;
                }
                Step::Line(to) => {
                    raster.draw_line(last, place(to));
                    last = place(to);
                }
                Step::Quad(by, to) => {
                    raster.draw_quad(last, place(by), place(to));
                    last = place(to);
                }
                Step::Cubic(first, second, to) => {
                    raster.draw_cubic(last, place(first), place(second), place(to));
                    last = place(to);
                }
                Step::Close => {
                    raster.draw_line(last, start);
                    last = start;
                }
            }
        }
        let mut parts = Vec::with_capacity(width as usize * height as usize);
        raster.for_each_pixel(|_, cover| {
            parts.push((cover.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
        });
        Cover {
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

impl OutlinePen for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.steps.push(Step::Move(to));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.steps.push(Step::Line(to));
    }

    fn quad_to(&mut self, by_x: f32, by_y: f32, x: f32, y: f32) {
        let (by, to) = (self.at(by_x, by_y), self.at(x, y));
        self.steps.push(Step::Quad(by, to));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second) = (self.at(x1, y1), self.at(x2, y2));
        let to = self.at(x, y);
        self.steps.push(Step::Cubic(first, second, to));
    }

    fn close(&mut self) {
        self.steps.push(Step::Close);
    }
}

fn paper(theme: Theme) -> [u8; 3] {
    match theme {
        Theme::Light => [0xff; 3],
        Theme::Dark => [0x1a; 3],
    }
}

fn colour(ink: Ink, theme: Theme) -> [u8; 3] {
    match (ink, theme) {
        (Ink::Link, Theme::Light) => [0x1a, 0x4f, 0x8b],
        (Ink::Link, Theme::Dark) => [0x8a, 0xb8, 0xf0],
        (Ink::Faint, Theme::Light) => [0x6b, 0x68, 0x63],
        (Ink::Faint, Theme::Dark) => [0x9c, 0x9a, 0x96],
        (Ink::Rule, Theme::Light) => [0xc9, 0xc6, 0xbf],
        (Ink::Rule, Theme::Dark) => [0x4c, 0x4b, 0x49],
        (Ink::Ground, Theme::Light) => [0xf4, 0xf2, 0xee],
        (Ink::Ground, Theme::Dark) => [0x27, 0x26, 0x25],
        (_, Theme::Light) => [0x1a; 3],
        (_, Theme::Dark) => [0xe8; 3],
    }
}
