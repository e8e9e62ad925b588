//! Estimates of the work that drawing operations cause.
//!
//! A few bytes can ask for millions of dashes, tiles or samples. The estimates are upper bounds that follow
//! from the numbers in the file, so that the work is known before anything is drawn.

use hayro::hayro_interpret::pattern::{Pattern, TilingPattern};
use hayro::hayro_interpret::shading::ShadingType;
use hayro::hayro_interpret::{DrawMode, Paint, StrokeProps};
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape};

/// Steps per dash of a line: each becomes an outline of its own.
const DASH_STEPS: u64 = 16;

/// Number of path elements per step.
const ELEMENTS_PER_STEP: u64 = 16;

/// Number of pixels of a soft mask per step.
const MASK_PIXELS_PER_STEP: f64 = 256.0;

/// Number of pixels of a transparency group per step.
const GROUP_PIXELS_PER_STEP: f64 = 4096.0;

/// Number of pixels of a tile per step.
const TILE_PIXELS_PER_STEP: f64 = 256.0;

/// Number of samples of a gradient per step.
const GRADIENT_SAMPLES_PER_STEP: f64 = 64.0;

/// Number of samples of a shading by functions or meshes per step.
const SHADING_SAMPLES_PER_STEP: f64 = 8.0;

/// Steps per patch of a mesh; a patch is divided into triangles.
const PATCH_STEPS: u64 = 64;

/// Returns the steps of drawing a path on a target, without its paint.
pub(super) fn path_steps(path: &BezPath, transform: Affine, mode: &DrawMode, target: Rect) -> u64 {
    let elements = 1 + path.elements().len() as u64 / ELEMENTS_PER_STEP;
    let dashes = match mode {
        DrawMode::Stroke(stroke) | DrawMode::FillAndStroke(_, stroke) => {
            dash_count(path, transform, stroke, target)
        }
        DrawMode::Fill(_) | DrawMode::Invisible => 0,
    };
    elements.saturating_add(dashes.saturating_mul(DASH_STEPS))
}

/// Returns the number of dashes of a stroked path. A line outside the target has none, because it is not
/// drawn.
pub(super) fn dash_count(
    path: &BezPath,
    transform: Affine,
    stroke: &StrokeProps,
    target: Rect,
) -> u64 {
    if stroke.dash_array.is_empty() {
        return 0;
    }
    let width = f64::from(stroke.line_width.abs()) * f64::from(stroke.miter_limit.abs()).max(2.0);
    let around = path.control_box().inflate(width, width);
    let on_page = transform.transform_rect_bbox(around).inflate(2.0, 2.0);
    // A box that is not finite is not skipped.
    if on_page.is_finite() && !on_page.overlaps(target) {
        return 0;
    }
    let period: f64 = stroke.dash_array.iter().map(|dash| f64::from(*dash)).sum();
    let periods = path_length(path) / period;
    match period > 0.0 {
        true => whole(periods * stroke.dash_array.len() as f64),
        // Dashes without length never reach the end of the line.
        false => u64::MAX,
    }
}

/// Returns an upper bound of the length of a path: curves are not longer than the lines between their
/// control points.
fn path_length(path: &BezPath) -> f64 {
    let (mut start, mut at, mut length) = (Point::ZERO, Point::ZERO, 0.0);
    let mut go = |at: &mut Point, to: Point| {
        length += (to - *at).hypot();
        *at = to;
    };
    for element in path.elements() {
        match *element {
            PathEl::MoveTo(to) => (start, at) = (to, to),
            PathEl::LineTo(to) => go(&mut at, to),
            PathEl::QuadTo(by, to) => [by, to].into_iter().for_each(|to| go(&mut at, to)),
            PathEl::CurveTo(by, over, to) => {
                [by, over, to].into_iter().for_each(|to| go(&mut at, to));
            }
            PathEl::ClosePath => go(&mut at, start),
        }
    }
    length
}

/// Returns the steps of preparing a paint for an area of the target, without the content of tiles.
pub(super) fn paint_steps(paint: &Paint<'_>, area: Rect) -> u64 {
    let Paint::Pattern(pattern) = paint else {
        return 0;
    };
    match &**pattern {
        Pattern::Tiling(_) => whole(area.area() / TILE_PIXELS_PER_STEP),
        Pattern::Shading(shading) => {
            let samples = |per_step: f64| whole(area.area() / per_step);
            match &*shading.shading.shading_type {
                ShadingType::Dummy => 0,
                ShadingType::RadialAxial { .. } => samples(GRADIENT_SAMPLES_PER_STEP),
                ShadingType::FunctionBased { .. } => samples(SHADING_SAMPLES_PER_STEP),
                ShadingType::TriangleMesh { triangles, .. } => {
                    samples(SHADING_SAMPLES_PER_STEP).saturating_add(triangles.len() as u64)
                }
                ShadingType::CoonsPatchMesh { patches, .. } => {
                    samples(SHADING_SAMPLES_PER_STEP) + PATCH_STEPS * patches.len() as u64
                }
                ShadingType::TensorProductPatchMesh { patches, .. } => {
                    samples(SHADING_SAMPLES_PER_STEP) + PATCH_STEPS * patches.len() as u64
                }
            }
        }
    }
}

/// Returns the number of times that the content of a tile is drawn to paint an area of the target.
pub(super) fn tile_copies(tiling: &TilingPattern<'_>, area: Rect) -> u64 {
    let area = tiling.matrix.inverse().transform_rect_bbox(area);
    let copies = |tile: f64, step: f32, visible: f64| {
        let step = f64::from(step.abs());
        match visible >= step {
            // The tile repeats: the copies that reach into it from its neighbours are drawn.
            true => (tile.abs() / step).ceil().max(1.0),
            false => ((visible + tile.abs()) / step).ceil() + 1.0,
        }
    };
    let across = copies(tiling.bbox.width(), tiling.x_step, area.width());
    let down = copies(tiling.bbox.height(), tiling.y_step, area.height());
    whole(across * down)
}

/// Returns the steps of drawing a soft mask of the size of the target.
pub(super) fn mask_steps(target: Rect) -> u64 {
    16 + whole(target.area() / MASK_PIXELS_PER_STEP)
}

/// Returns the steps of a transparency group of the size of the target.
pub(super) fn group_steps(target: Rect) -> u64 {
    16 + whole(target.area() / GROUP_PIXELS_PER_STEP)
}

/// Returns the part of the target that a path covers.
pub(super) fn covered_area(path: &BezPath, transform: Affine, target: Rect) -> Rect {
    let around = transform.transform_rect_bbox(path.bounding_box());
    match around.is_finite() {
        true => around.intersect(target),
        false => target,
    }
}

/// Rounds up. A number that is not finite is the largest one.
fn whole(number: f64) -> u64 {
    match number.is_finite() {
        true => number.abs().ceil() as u64,
        false => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Rect = Rect::new(0.0, 0.0, 400.0, 300.0);

    fn dashed(dashes: &[f32]) -> StrokeProps {
        StrokeProps {
            dash_array: dashes.iter().copied().collect(),
            ..StrokeProps::default()
        }
    }

    fn line(from: (f64, f64), to: (f64, f64)) -> BezPath {
        let mut path = BezPath::new();
        path.move_to(from);
        path.line_to(to);
        path
    }

    #[test]
    fn counts_dashes_before_they_are_drawn() {
        let count = |path: &BezPath, dashes: &[f32], scale: f64| {
            dash_count(path, Affine::scale(scale), &dashed(dashes), TARGET)
        };
        let across = line((0.0, 10.0), (100.0, 10.0));
        assert_eq!(count(&across, &[], 1.0), 0);
        assert_eq!(count(&across, &[5.0, 5.0], 1.0), 20);
        // The pattern has the unit of the path, whatever its scale on the page.
        assert_eq!(count(&across, &[5.0, 5.0], 0.01), 20);
        assert_eq!(count(&across, &[0.0001], 1.0), 1_000_001);
        assert_eq!(count(&across, &[0.0, 0.0], 1.0), u64::MAX);
        assert_eq!(count(&across, &[f32::NAN], 1.0), u64::MAX);
        let outside = line((0.0, 9000.0), (100.0, 9000.0));
        assert_eq!(count(&outside, &[0.0001], 1.0), 0);
        let endless = line((0.0, 10.0), (f64::INFINITY, 10.0));
        assert_eq!(count(&endless, &[5.0], 1.0), u64::MAX);
    }

    #[test]
    fn curves_are_not_longer_than_their_control_points() {
        let mut curve = BezPath::new();
        curve.move_to((0.0, 0.0));
        curve.curve_to((0.0, 30.0), (40.0, 30.0), (40.0, 0.0));
        curve.close_path();
        assert_eq!(path_length(&curve), 140.0);
        assert!(curve.perimeter(0.01) <= 140.0);
    }
}
