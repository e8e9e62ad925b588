//! Scaling of images.
//!
//! A pixel of the result is a weighted mean of at least two pixels in each direction, and of as many as needed
//! when the image shrinks. At nearly its own size each pixel is copied. Weights are integers, so that the same
//! image always gives the same bytes.

use std::collections::VecDeque;
use std::ops::Range;

use documents::ImageRotation;

use crate::image::{Image, PixelArea};
use crate::image_decoding::{DecodedPixels, blend_on_paper};

/// Sum of the weights of a pixel.
const WEIGHT_SUM: u32 = 1 << 14;

/// Part of a side: start and length in pixels.
type SideRange = (f64, f64);

/// One dimension of the result: source pixels and weights.
struct ScaleAxis {
    /// First source pixel and weights for each pixel of the result.
    pixels: Vec<(usize, Vec<u32>)>,
}

impl ScaleAxis {
    /// Computes the weights: `part` of a side with `count` pixels is shown by `shown` pixels, of which `range`
    /// are needed.
    fn new(count: u32, part: SideRange, shown: u32, range: Range<u32>) -> Self {
        let count = count as usize;
        let ratio = part.1 / f64::from(shown.max(1));
        // At nearly its own size an image stays sharp.
        let is_same = (ratio - 1.0).abs() < 0.01;
        // Distance within which source pixels contribute.
        let reach = ratio.max(1.0);
        let pixels = range.map(|at| {
            let centre = part.0 + (f64::from(at) + 0.5) * ratio - 0.5;
            let last = count.saturating_sub(1);
            let place = |at: f64| (at.max(0.0) as usize).min(last);
            if is_same {
                return (place(centre.round()), vec![WEIGHT_SUM]);
            }
            let (from, to) = (
                place((centre - reach).floor() + 1.0),
                place((centre + reach).ceil() - 1.0),
            );
            let near = |pixel: usize| (1.0 - (pixel as f64 - centre).abs() / reach).max(0.0);
            let sum: f64 = (from..=to).map(near).sum();
            let mut weights: Vec<u32> = match sum > 0.0 {
                true => (from..=to)
                    .map(|pixel| (near(pixel) / sum * f64::from(WEIGHT_SUM)).round() as u32)
                    .collect(),
                false => vec![0; to - from + 1],
            };
            // The rounding error goes to the pixel in the middle.
            let middle = weights.len() / 2;
            let others: u32 = weights.iter().sum::<u32>() - weights[middle];
            weights[middle] = WEIGHT_SUM.saturating_sub(others);
            (from, weights)
        });
        Self {
            pixels: pixels.collect(),
        }
    }
}

/// Scaling of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScaledDisplay {
    /// Margins that are cut off first: left, top, right, bottom, as fractions of the sides.
    pub(crate) cut: [f32; 4],
    pub(crate) turn: ImageRotation,
    /// Width and height after scaling, in pixels.
    pub(crate) size: (u32, u32),
}

impl DecodedPixels {
    /// Returns the part `area` of the scaled image on grey paper.
    pub(crate) fn render_scaled(
        &self,
        display: &ScaledDisplay,
        area: PixelArea,
        paper: u8,
    ) -> Image {
        let ScaledDisplay { cut, turn, size } = *display;
        let stored = area.before_rotation(size, turn);
        let size = match turn.is_sideways() {
            true => (size.1, size.0),
            false => size,
        };
        self.scale(cut, size, stored, paper).rotated(turn)
    }

    /// Scales a part of an image: `cut` is left out, the rest becomes `width` by `height` pixels, and of these
    /// `area` is computed.
    fn scale(
        &self,
        cut: [f32; 4],
        (width, height): (u32, u32),
        area: PixelArea,
        paper: u8,
    ) -> Image {
        let whole = PixelArea::new(0, 0, i64::from(width), i64::from(height));
        let area = area.intersection(whole);
        if area.is_empty() {
            return Image::filled(0, 0, [255; 3]);
        }
        let [left, top, right, bottom] = cut.map(|part| f64::from(part.clamp(0.0, 0.99)));
        let side_range = |count: u32, before: f64, after: f64| {
            let count = f64::from(count);
            (before * count, (count * (1.0 - before - after)).max(1e-3))
        };
        let columns = ScaleAxis::new(
            self.width,
            side_range(self.width, left, right),
            width,
            area.left as u32..area.right as u32,
        );
        let rows = ScaleAxis::new(
            self.height,
            side_range(self.height, top, bottom),
            height,
            area.top as u32..area.bottom as u32,
        );
        let (width, height) = (columns.pixels.len(), rows.pixels.len());
        let mut pixels = Vec::with_capacity(width * height * 4);
        // Cache of rows scaled horizontally: neighbouring rows of the result share them.
        let mut narrowed: VecDeque<(usize, Vec<u16>)> = VecDeque::new();
        let mut sums = vec![0_u64; width * 3];
        for (first, weights) in &rows.pixels {
            while narrowed.pop_front_if(|(row, _)| *row < *first).is_some() {}
            sums.fill(0);
            for (nth, weight) in weights.iter().enumerate() {
                let row = first + nth;
                if narrowed.back().is_none_or(|(last, _)| *last < row) {
                    narrowed.push_back((row, self.scale_row(row, &columns, paper)));
                }
                // Cached rows are consecutive.
                let front = narrowed.front().map_or(row, |(front, _)| *front);
                let known = narrowed.get(row - front);
                for (sum, part) in sums
                    .iter_mut()
                    .zip(known.iter().flat_map(|(_, parts)| parts))
                {
                    *sum += u64::from(*part) * u64::from(*weight);
                }
            }
            for parts in sums.as_chunks::<3>().0 {
                let scale = u64::from(WEIGHT_SUM) * INTERMEDIATE_SCALE;
                pixels.extend(parts.map(|part| ((part + scale / 2) / scale).min(255) as u8));
                pixels.push(255);
            }
        }
        Image::from_pixels(width as u32, height as u32, pixels)
            .unwrap_or_else(|| Image::filled(0, 0, [255; 3]))
    }

    /// Scales a row horizontally. Each sample is `INTERMEDIATE_SCALE` times as large.
    fn scale_row(&self, row: usize, columns: &ScaleAxis, paper: u8) -> Vec<u16> {
        let colours: Vec<[u8; 3]> = self
            .row(row)
            .chunks_exact(self.channels)
            .map(|pixel| blend_on_paper(pixel, paper))
            .collect();
        let mut parts = Vec::with_capacity(columns.pixels.len() * 3);
        for (first, weights) in &columns.pixels {
            let mut sums = [0_u64; 3];
            for (weight, pixel) in weights
                .iter()
                .zip(colours.get(*first..).unwrap_or_default())
            {
                for (sum, part) in sums.iter_mut().zip(pixel) {
                    *sum += u64::from(*part) * u64::from(*weight);
                }
            }
            let scale = u64::from(WEIGHT_SUM) / INTERMEDIATE_SCALE;
            parts.extend(sums.map(|sum| ((sum + scale / 2) / scale) as u16));
        }
        parts
    }
}

/// Factor by which samples between the two passes are finer than the result.
const INTERMEDIATE_SCALE: u64 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_a_constant_sum_and_stay_inside() {
        for (count, shown) in [
            (1, 1),
            (1, 9),
            (2, 7),
            (9, 1),
            (640, 480),
            (480, 640),
            (10_000, 3),
        ] {
            for part in [
                (0.0, f64::from(count)),
                (f64::from(count) * 0.3, f64::from(count) * 0.2),
            ] {
                let side = ScaleAxis::new(count, part, shown, 0..shown);
                assert_eq!(side.pixels.len(), shown as usize);
                let mut before = 0;
                for (first, weights) in side.pixels {
                    assert_eq!(weights.iter().sum::<u32>(), WEIGHT_SUM, "{count} {shown}");
                    assert!(first + weights.len() <= count as usize);
                    assert!(first >= before);
                    before = first;
                }
            }
        }
    }
}
