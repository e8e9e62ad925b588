//! The graphics state, as far as text depends on it.

use std::rc::Rc;

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::object::Number;

use super::super::font::PdfFont;
use super::super::glyphs::{DrawnGlyph, LineExtent, TextDirection};

pub(super) fn number(number: Number) -> f64 {
    number.as_f64()
}

pub(super) fn affine(numbers: [Number; 6]) -> Affine {
    Affine::new(numbers.map(number))
}

/// Content between marks.
#[derive(Debug, Default)]
pub(super) struct MarkedContent {
    /// It belongs to a layer that is off.
    pub(super) hidden: bool,
    /// What to read in its place.
    pub(super) actual: Option<String>,
    /// Whether what is around it is read as something else.
    pub(super) replaced: bool,
    /// Where it was drawn.
    pub(super) drawn: Option<DrawnGlyph>,
}

impl MarkedContent {
    pub(super) fn is_replaced(&self) -> bool {
        self.replaced || self.actual.is_some()
    }

    pub(super) fn draw(&mut self, drawn: DrawnGlyph) {
        match &mut self.drawn {
            Some(all) if all.direction == drawn.direction => all.extent.cover(&drawn.extent),
            Some(_) => {}
            None => self.drawn = Some(drawn),
        }
    }
}

/// The graphics state.
#[derive(Clone)]
pub(super) struct GraphicsState<'a> {
    /// From the content to the displayed page, whose y axis points down.
    pub(super) transform: Affine,
    /// The bounds of what is shown.
    pub(super) clip: Rect,
    pub(super) text: TextState<'a>,
}

impl GraphicsState<'_> {
    pub(super) fn new(transform: Affine, clip: Rect) -> Self {
        Self {
            transform,
            clip,
            text: TextState {
                font: None,
                size: 1.0,
                character_spacing: 0.0,
                word_spacing: 0.0,
                scaling: 1.0,
                leading: 0.0,
                rise: 0.0,
                matrix: Affine::IDENTITY,
                line: Affine::IDENTITY,
            },
        }
    }
}

/// How text is set, and where.
#[derive(Clone)]
pub(super) struct TextState<'a> {
    pub(super) font: Option<Rc<PdfFont<'a>>>,
    pub(super) size: f64,
    pub(super) character_spacing: f64,
    pub(super) word_spacing: f64,
    pub(super) scaling: f64,
    pub(super) leading: f64,
    pub(super) rise: f64,
    /// Where the next glyph comes.
    pub(super) matrix: Affine,
    /// Where the line began.
    line: Affine,
}

impl TextState<'_> {
    pub(super) fn place(&mut self, at: Affine) {
        (self.matrix, self.line) = (at, at);
    }

    pub(super) fn next_line(&mut self, x: f64, y: f64) {
        self.place(self.line * Affine::translate((x, y)));
    }

    /// Moves back by thousandths of the font's size.
    pub(super) fn adjust(&mut self, by: f64) {
        let vertical = self.font.as_ref().is_some_and(|font| font.vertical);
        self.advance_by(vertical, -by / 1000.0 * self.size);
    }

    /// Moves on after a glyph of that width.
    pub(super) fn advance(&mut self, vertical: bool, width: f64, extra: f64) {
        // Down is negative.
        let by = if vertical {
            extra - width
        } else {
            width + extra
        };
        self.advance_by(vertical, by);
    }

    fn advance_by(&mut self, vertical: bool, by: f64) {
        let by = if vertical {
            (0.0, by)
        } else {
            (by * self.scaling, 0.0)
        };
        self.matrix *= Affine::translate(by);
    }

    /// Where a glyph is drawn, and the middle of it; nothing if it has no size or no place.
    pub(super) fn drawn(
        &self,
        font: &PdfFont<'_>,
        placed: Affine,
        advance: f64,
        tracking: f64,
    ) -> Option<(DrawnGlyph, Point)> {
        let em = placed
            * Affine::new([
                self.size * self.scaling,
                0.0,
                0.0,
                self.size,
                0.0,
                self.rise,
            ]);
        let [a, b, c, d, x, y] = em.as_coeffs();
        let mut along = if font.vertical { (-c, -d) } else { (a, b) };
        let length = along.0.hypot(along.1);
        let size = (a * d - b * c).abs() / length;
        let is_usable = |value: f64| value.is_finite() && value.abs() < 1e6;
        if !(is_usable(x) && is_usable(y) && is_usable(size) && is_usable(length) && size > 1e-3) {
            return None;
        }
        let end = Point::new(x + along.0 * advance, y + along.1 * advance);
        // A mirrored letter stands upright in its line.
        if (a * d - b * c > 0.0) != font.mirrored {
            along = (-along.0, -along.1);
        }
        let direction = TextDirection::of_vector(along.0, along.1);
        let (start, base) = direction.turn(x as f32, y as f32);
        let (end_along, _) = direction.turn(end.x as f32, end.y as f32);
        let size = size as f32 * font.em;
        let (above, below) = if font.vertical {
            (size / 2.0, size / 2.0)
        } else {
            (font.ascent * size, -font.descent * size)
        };
        let extent = LineExtent {
            start: start.min(end_along),
            end: start.max(end_along),
            top: base - above,
            bottom: base + below,
        };
        let drawn = DrawnGlyph {
            direction,
            extent,
            base,
            size,
            tracking: (tracking * length / self.size.abs().max(1e-6)) as f32,
            bold: font.bold,
            font: font.number,
        };
        let middle = direction.unturn(
            (extent.start + extent.end) / 2.0,
            base - (above - below) / 2.0,
        );
        Some((drawn, Point::new(middle.0.into(), middle.1.into())))
    }
}
