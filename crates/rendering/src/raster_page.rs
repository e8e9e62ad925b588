//! Pages that are images: decoded once and scaled on demand.

use documents::{ImageHeader, ImageRotation, PageSize};

use crate::image::{Image, PixelArea};
use crate::image_decoding::DecodedPixels;
use crate::image_scaling::ScaledDisplay;

/// Page that is an image.
#[derive(Debug)]
pub struct RasterPage {
    decoded: DecodedPixels,
    turn: ImageRotation,
    size: PageSize,
}

impl RasterPage {
    /// Decodes an image whose size was checked.
    pub(crate) fn open(bytes: &[u8], file: &ImageHeader) -> Option<Self> {
        Some(Self {
            decoded: DecodedPixels::decode(bytes, file)?,
            turn: file.rotation,
            size: file.page_size(),
        })
    }

    /// Returns the size of the page.
    pub fn size(&self) -> PageSize {
        self.size
    }

    /// Draws a part of the page whose size was checked.
    pub(crate) fn draw(&self, area: PixelArea, scale: f32) -> Image {
        let pixels = |points: f32| {
            let pixels = f64::from(points) * f64::from(scale);
            (pixels.round() as i64).clamp(1, i64::from(u32::MAX)) as u32
        };
        let page = (pixels(self.size.width), pixels(self.size.height));
        let shown = ScaledDisplay {
            cut: [0.0; 4],
            turn: self.turn,
            size: page,
        };
        self.decoded.render_scaled(&shown, area, 255)
    }
}
