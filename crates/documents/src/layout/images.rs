//! Images between blocks: side by side where there is room, smaller where there is too little.

use std::ops::Range;

use super::canvas::PageMark;
use super::fonts::LayoutFont;
use super::pages::{MARGIN, PageSetter};
use super::rows::width_of;
use super::sketch::DocumentSketch;

/// Space between two images, and above and below them.
const GAP: f32 = 6.0;
/// Font size of the label of an image.
pub(super) const LABEL_SIZE: f32 = 9.0;
/// Space around the label in its box.
const LABEL_GAP: f32 = 8.0;

/// Row of images with their bottoms aligned.
pub(super) struct ImageRow {
    pub(super) height: f32,
    /// Positions in [`DocumentSketch::shown_images`], each with distance from the left, width and height.
    images: Vec<(u32, f32, f32, f32)>,
}

impl PageSetter<'_> {
    /// Sets images below the last block.
    pub(super) fn set_images(&mut self, shown: &Range<u32>) {
        let column = self.column();
        let most = Self::bottom() - MARGIN.1 - 2.0 * GAP;
        for row in self.image_rows(shown, (column.width, most)) {
            self.ensure_room(row.height + 2.0 * GAP);
            self.set_image_row(&row, column.left, self.y + GAP);
            self.y += row.height + 2.0 * GAP;
        }
    }

    /// Arranges images in rows within this width and height.
    pub(super) fn image_rows(&self, shown: &Range<u32>, room: (f32, f32)) -> Vec<ImageRow> {
        let mut rows: Vec<ImageRow> = Vec::new();
        let mut right = 0.0;
        let mut last_is_box = true;
        for at in shown.clone() {
            let Some(image) = self.sketch.shown_images.get(at as usize) else {
                continue;
            };
            let (width, height) = size(self.sketch, at, room);
            let is_box = image.image.is_none();
            match rows.last_mut() {
                Some(row) if !is_box && !last_is_box && right + GAP + width <= room.0 => {
                    row.images.push((at, right + GAP, width, height));
                    row.height = row.height.max(height);
                    right += GAP + width;
                }
                _ => {
                    let images = vec![(at, 0.0, width, height)];
                    rows.push(ImageRow { height, images });
                    right = width;
                }
            }
            last_is_box = is_box;
        }
        rows
    }

    /// Returns the width of the widest of some images.
    pub(super) fn widest_image(&self, shown: &Range<u32>, room: (f32, f32)) -> f32 {
        let widths = shown.clone().map(|at| size(self.sketch, at, room).0);
        widths.fold(0.0, f32::max)
    }

    /// Sets a row of images at a position.
    pub(super) fn set_image_row(&mut self, row: &ImageRow, left: f32, top: f32) {
        for &(shown, x, width, height) in &row.images {
            self.canvas.add_mark(PageMark::Image {
                shown,
                x: left + x,
                y: top + row.height - height,
                width,
                height,
            });
        }
    }
}

fn size(sketch: &DocumentSketch, at: u32, room: (f32, f32)) -> (f32, f32) {
    let shown = sketch.shown_images.get(at as usize);
    shown.map_or((0.0, 0.0), |shown| {
        shown.display.size(sketch.image_header(shown.image), room)
    })
}

/// Returns the part of a label that fits into a box of this size, and its distance from the left; `None` if the
/// box is too low.
pub(super) fn label(
    sketch: &DocumentSketch,
    label: &Range<u32>,
    (width, height): (f32, f32),
) -> Option<(Range<u32>, f32)> {
    if height < LABEL_SIZE * 1.3 {
        return None;
    }
    let gap = LABEL_GAP.min(width * 0.1);
    let mut room = width - 2.0 * gap;
    let mut end = label.start;
    for c in sketch.shown(label).chars() {
        room -= width_of(
            c.encode_utf8(&mut [0; 4]),
            LayoutFont::of(Default::default()),
            LABEL_SIZE,
        );
        if room < 0.0 {
            break;
        }
        end += c.len_utf8() as u32;
    }
    (end > label.start).then_some((label.start..end, gap))
}
