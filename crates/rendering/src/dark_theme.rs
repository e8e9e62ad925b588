//! Dark version of a light page.
//!
//! Lightness is inverted and hue is kept: black letters become light, a red bar stays red. Photographs are only
//! dimmed; a scan or a drawing on white is inverted like text.

use crate::image::{Image, PixelArea};

/// Lightness of former white and of former black.
const DARKEST: u32 = 26;
const LIGHTEST: u32 = 232;
/// Brightness that a photograph keeps, of 256.
const PHOTOGRAPH_BRIGHTNESS: u32 = 218;
/// Distance between two sampled pixels.
const SAMPLE_STEP: usize = 7;

/// Makes a picture dark. `images` are its parts that are raster images.
pub(crate) fn darken(image: &mut Image, images: &[PixelArea]) {
    let whole = image.area();
    let page = whole.width() * whole.height();
    let mut photographs = Vec::new();
    for area in images {
        let area = area.intersection(whole);
        let size = area.width().max(0) * area.height().max(0);
        // An image that covers most of the page is a scan.
        if size > 0 && size * 10 < page * 8 && is_photograph(image, area) {
            photographs.push(area);
        }
    }
    let mut kept = Vec::with_capacity(photographs.len());
    for area in photographs {
        let mut pixels = Vec::new();
        for row in image.rows_mut(area) {
            pixels.extend(
                row.iter()
                    .map(|part| (u32::from(*part) * PHOTOGRAPH_BRIGHTNESS / 256) as u8),
            );
        }
        kept.push((area, pixels));
    }
    invert_lightness(image);
    for (area, pixels) in kept {
        let length = area.width() as usize * 4;
        for (row, kept) in image.rows_mut(area).zip(pixels.chunks_exact(length)) {
            for (to, from) in row
                .as_chunks_mut::<4>()
                .0
                .iter_mut()
                .zip(kept.as_chunks::<4>().0)
            {
                to[..3].copy_from_slice(&from[..3]);
            }
        }
    }
}

/// Paper that becomes as dark as the page once a photograph on it is dimmed.
pub(crate) const PAPER_BEHIND_PHOTOGRAPHS: u8 = 31;

/// Makes a raster image dark for a dark page. Returns true if it is a photograph.
pub(crate) fn darken_image(image: &mut Image) -> bool {
    let whole = image.area();
    let is_photograph = is_photograph(image, whole);
    match is_photograph {
        true => dim(image),
        false => invert_lightness(image),
    }
    is_photograph
}

/// Dims a photograph.
pub(crate) fn dim(image: &mut Image) {
    let whole = image.area();
    for row in image.rows_mut(whole) {
        for pixel in row.as_chunks_mut::<4>().0 {
            for part in &mut pixel[..3] {
                *part = (u32::from(*part) * PHOTOGRAPH_BRIGHTNESS / 256) as u8;
            }
        }
    }
}

/// Inverts lightness.
fn invert_lightness(image: &mut Image) {
    let whole = image.area();
    for row in image.rows_mut(whole) {
        for pixel in row.as_chunks_mut::<4>().0 {
            let [red, green, blue, _] = pixel.map(u32::from);
            let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
            let turned = [red, green, blue].map(|part| part + 255 - most - least);
            for (part, turned) in pixel.iter_mut().zip(turned) {
                *part = (DARKEST + turned * (LIGHTEST - DARKEST) / 255) as u8;
            }
        }
    }
}

/// Returns true if most of a part is neither nearly white nor nearly black.
fn is_photograph(image: &mut Image, area: PixelArea) -> bool {
    let (mut seen, mut plain) = (0_usize, 0_usize);
    for row in image.rows_mut(area).step_by(SAMPLE_STEP) {
        for pixel in row.as_chunks::<4>().0.iter().step_by(SAMPLE_STEP) {
            let most = pixel[..3].iter().max().copied().unwrap_or_default();
            let least = pixel[..3].iter().min().copied().unwrap_or_default();
            seen += 1;
            plain += usize::from(least > 225 || most < 40);
        }
    }
    plain * 2 < seen
}
