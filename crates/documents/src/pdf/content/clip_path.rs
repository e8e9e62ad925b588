//! Path under construction, as far as it clips text.

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::content::ops::TypedInstruction;

use super::state::number;

/// Bounds of the current path.
#[derive(Debug, Default)]
pub(super) struct ClipPath {
    bounds: Option<Rect>,
    /// True if the path will clip the content after it.
    is_clip: bool,
}

impl ClipPath {
    /// Executes a path operator. Returns the bounds of a new clip when a path ends that is one.
    pub(super) fn apply(
        &mut self,
        operator: &TypedInstruction<'_, '_>,
        transform: Affine,
    ) -> Option<Rect> {
        use TypedInstruction as Op;
        let mut add = |points: &[(f64, f64)]| {
            for (x, y) in points {
                let point = transform * Point::new(*x, *y);
                let point = Rect::from_points(point, point);
                self.bounds = Some(self.bounds.map_or(point, |bounds| bounds.union(point)));
            }
        };
        match operator {
            Op::RectPath(r) => {
                let (x, y) = (number(r.0), number(r.1));
                let (right, top) = (x + number(r.2), y + number(r.3));
                add(&[(x, y), (right, y), (x, top), (right, top)]);
            }
            Op::MoveTo(to) => add(&[(number(to.0), number(to.1))]),
            Op::LineTo(to) => add(&[(number(to.0), number(to.1))]),
            Op::CubicTo(to) => add(&[
                (number(to.0), number(to.1)),
                (number(to.2), number(to.3)),
                (number(to.4), number(to.5)),
            ]),
            Op::CubicStartTo(to) => {
                add(&[(number(to.0), number(to.1)), (number(to.2), number(to.3))]);
            }
            Op::CubicEndTo(to) => {
                add(&[(number(to.0), number(to.1)), (number(to.2), number(to.3))]);
            }
            Op::ClipNonZero(_) | Op::ClipEvenOdd(_) => self.is_clip = true,
            Op::EndPath(_)
            | Op::StrokePath(_)
            | Op::CloseAndStrokePath(_)
            | Op::FillPathNonZero(_)
            | Op::FillPathNonZeroCompatibility(_)
            | Op::FillPathEvenOdd(_)
            | Op::FillAndStrokeNonZero(_)
            | Op::FillAndStrokeEvenOdd(_)
            | Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_) => {
                let path = std::mem::take(self);
                return path.bounds.filter(|_| path.is_clip);
            }
            _ => {}
        }
        None
    }
}
