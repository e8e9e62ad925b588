//! Path under construction, as far as it clips text or draws the rules of a table.

use hayro_font::kurbo::{Affine, Point, Rect};
use hayro_syntax::content::ops::TypedInstruction;

use super::state::number;

/// Maximum number of lines and rectangles of a path that are examined. Drawings have more.
const MAX_PARTS: usize = 1024;
/// Maximum thickness of a rule, in points.
const MAX_THICKNESS: f64 = 3.0;

/// The current path: its bounds, and its parts that may be rules.
#[derive(Debug, Default)]
pub(super) struct ClipPath {
    bounds: Option<Rect>,
    /// True if the path will clip the content after it.
    is_clip: bool,
    /// Last point, before the transformation to the page.
    last: Option<(f64, f64)>,
    /// Straight lines, as their bounds.
    lines: Vec<Rect>,
    /// Rectangles and closed parts, as their bounds.
    shapes: Vec<Rect>,
    /// Bounds of the part that a move began.
    part: Option<Rect>,
}

/// Effect of a path that ended.
#[derive(Debug, Default)]
pub(super) struct PathEffect {
    /// Bounds of a new clip.
    pub(super) clip: Option<Rect>,
    /// Straight lines along the axes of the page that were drawn.
    pub(super) rules: Vec<Rect>,
}

impl ClipPath {
    /// Executes a path operator. Returns the effect of a path when it ends.
    pub(super) fn apply(
        &mut self,
        operator: &TypedInstruction<'_, '_>,
        transform: Affine,
    ) -> Option<PathEffect> {
        use TypedInstruction as Op;
        match operator {
            Op::RectPath(r) => {
                let (x, y) = (number(r.0), number(r.1));
                let (right, top) = (x + number(r.2), y + number(r.3));
                self.add(transform, &[(x, y), (right, y), (x, top), (right, top)]);
                let corner = |x, y| transform * Point::new(x, y);
                self.push_shape(Rect::from_points(corner(x, y), corner(right, top)));
            }
            Op::MoveTo(to) => {
                self.end_part();
                let to = (number(to.0), number(to.1));
                self.add(transform, &[to]);
                self.last = Some(to);
            }
            Op::LineTo(to) => self.line_to(transform, (number(to.0), number(to.1))),
            Op::CubicTo(to) => self.add(
                transform,
                &[
                    (number(to.0), number(to.1)),
                    (number(to.2), number(to.3)),
                    (number(to.4), number(to.5)),
                ],
            ),
            Op::CubicStartTo(to) => {
                self.add(
                    transform,
                    &[(number(to.0), number(to.1)), (number(to.2), number(to.3))],
                );
            }
            Op::CubicEndTo(to) => {
                self.add(
                    transform,
                    &[(number(to.0), number(to.1)), (number(to.2), number(to.3))],
                );
            }
            Op::ClipNonZero(_) | Op::ClipEvenOdd(_) => self.is_clip = true,
            Op::EndPath(_) => return Some(std::mem::take(self).effect(false, false)),
            Op::StrokePath(_) | Op::CloseAndStrokePath(_) => {
                return Some(std::mem::take(self).effect(true, false));
            }
            Op::FillPathNonZero(_)
            | Op::FillPathNonZeroCompatibility(_)
            | Op::FillPathEvenOdd(_) => return Some(std::mem::take(self).effect(false, true)),
            Op::FillAndStrokeNonZero(_)
            | Op::FillAndStrokeEvenOdd(_)
            | Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_) => {
                return Some(std::mem::take(self).effect(true, true));
            }
            _ => {}
        }
        None
    }

    fn add(&mut self, transform: Affine, points: &[(f64, f64)]) {
        for (x, y) in points {
            let point = transform * Point::new(*x, *y);
            let point = Rect::from_points(point, point);
            self.bounds = Some(self.bounds.map_or(point, |bounds| bounds.union(point)));
            self.part = Some(self.part.map_or(point, |part| part.union(point)));
            self.last = None;
        }
    }

    fn line_to(&mut self, transform: Affine, to: (f64, f64)) {
        let from = self.last;
        self.add(transform, &[to]);
        if let Some(from) = from.filter(|_| self.lines.len() < MAX_PARTS) {
            let point = |(x, y)| transform * Point::new(x, y);
            self.lines.push(Rect::from_points(point(from), point(to)));
        }
        self.last = Some(to);
    }

    fn push_shape(&mut self, shape: Rect) {
        if self.shapes.len() < MAX_PARTS {
            self.shapes.push(shape);
        }
        self.part = None;
    }

    fn end_part(&mut self) {
        if let Some(part) = self.part.take() {
            self.push_shape(part);
        }
    }

    fn effect(mut self, is_stroked: bool, is_filled: bool) -> PathEffect {
        self.end_part();
        let mut rules = Vec::new();
        if is_stroked {
            rules.append(&mut self.lines);
            rules.extend(self.shapes.iter().flat_map(edges));
        }
        if is_filled {
            rules.append(&mut self.shapes);
        }
        rules.retain(is_rule);
        PathEffect {
            clip: self.bounds.filter(|_| self.is_clip),
            rules,
        }
    }
}

/// Returns the four edges of a rectangle.
fn edges(shape: &Rect) -> [Rect; 4] {
    [
        Rect::new(shape.x0, shape.y0, shape.x1, shape.y0),
        Rect::new(shape.x0, shape.y1, shape.x1, shape.y1),
        Rect::new(shape.x0, shape.y0, shape.x0, shape.y1),
        Rect::new(shape.x1, shape.y0, shape.x1, shape.y1),
    ]
}

/// Returns true for a thin line along an axis of the page.
fn is_rule(shape: &Rect) -> bool {
    let (width, height) = (shape.width(), shape.height());
    width.min(height) <= MAX_THICKNESS
        && width.max(height) > 2.0 * width.min(height)
        && width.max(height) > 3.0
}
