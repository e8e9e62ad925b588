//! Graphics state, as far as it affects text.

use std::rc::Rc;

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::Number;

use super::super::font::PdfFont;
use super::super::glyphs::{DrawnGlyph, LineExtent, TextDirection};

pub(super) fn number(number: Number) -> f64 {
    number.as_f64()
}

pub(super) fn affine(numbers: [Number; 6]) -> Affine {
    Affine::new(numbers.map(number))
}

/// Graphics state, as far as it affects text.
#[derive(Clone)]
pub(super) struct GraphicsState<'a> {
    /// Transformation from the content to the displayed page, with the y axis pointing down.
    pub(super) transform: Affine,
    /// Bounds of the visible area.
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

/// Text state with its position.
#[derive(Clone)]
pub(super) struct TextState<'a> {
    pub(super) font: Option<Rc<PdfFont<'a>>>,
    pub(super) size: f64,
    pub(super) character_spacing: f64,
    pub(super) word_spacing: f64,
    pub(super) scaling: f64,
    pub(super) leading: f64,
    pub(super) rise: f64,
    /// Matrix of the next glyph.
    pub(super) matrix: Affine,
    /// Matrix of the start of the line.
    line: Affine,
}

impl TextState<'_> {
    /// Executes an operator that only changes the text state. Other operators have no effect.
    pub(super) fn apply(&mut self, operator: &TypedInstruction<'_, '_>) {
        use TypedInstruction as Op;
        match operator {
            Op::BeginText(_) => self.place(Affine::IDENTITY),
            Op::CharacterSpacing(by) => self.character_spacing = number(by.0),
            Op::WordSpacing(by) => self.word_spacing = number(by.0),
            Op::HorizontalScaling(by) => self.scaling = number(by.0) / 100.0,
            Op::TextLeading(by) => self.leading = number(by.0),
            Op::TextRise(by) => self.rise = number(by.0),
            Op::NextLine(by) => self.next_line(number(by.0), number(by.1)),
            Op::NextLineAndSetLeading(by) => {
                self.leading = -number(by.1);
                self.next_line(number(by.0), number(by.1));
            }
            Op::NextLineUsingLeading(_) => self.next_line(0.0, -self.leading),
            Op::SetTextMatrix(t) => self.place(affine([t.0, t.1, t.2, t.3, t.4, t.5])),
            _ => {}
        }
    }

    pub(super) fn place(&mut self, at: Affine) {
        (self.matrix, self.line) = (at, at);
    }

    pub(super) fn next_line(&mut self, x: f64, y: f64) {
        self.place(self.line * Affine::translate((x, y)));
    }

    /// Moves back by thousandths of the font size.
    pub(super) fn adjust(&mut self, by: f64) {
        let vertical = self.font.as_ref().is_some_and(|font| font.vertical);
        self.advance_by(vertical, -by / 1000.0 * self.size);
    }

    /// Moves forward by the width of a glyph.
    pub(super) fn advance(&mut self, vertical: bool, width: f64, extra: f64) {
        // In vertical text the position moves down, which is negative.
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

    /// Returns the area and the centre of a glyph; `None` if it has no size or position.
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
        // A mirrored letter of a mirrored font is upright.
        if (a * d - b * c > 0.0) != font.mirrored {
            along = (-along.0, -along.1);
        }
        let direction = TextDirection::of_vector(along.0, along.1);
        let (start, base) = direction.to_line(x as f32, y as f32);
        let (end_along, _) = direction.to_line(end.x as f32, end.y as f32);
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
        let middle = direction.to_page(
            (extent.start + extent.end) / 2.0,
            base - (above - below) / 2.0,
        );
        Some((drawn, Point::new(middle.0.into(), middle.1.into())))
    }
}
