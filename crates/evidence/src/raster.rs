//! Pages that are pictures: decoded once, and scaled to what is asked for.

use documents::{PageSize, PictureFile, Turn};

use crate::decode::Decoded;
use crate::image::{Area, Image};
use crate::scale::Shown;

/// A page that is a picture.
#[derive(Debug)]
pub struct Raster {
    decoded: Decoded,
    turn: Turn,
    size: PageSize,
}

impl Raster {
    /// Decodes a picture whose size was looked at.
    pub(crate) fn open(bytes: &[u8], file: &PictureFile) -> Option<Self> {
        Some(Self {
            decoded: Decoded::of(bytes, file)?,
            turn: file.turn,
            size: file.page_size(),
        })
    }

    /// How large its page is.
    pub fn size(&self) -> PageSize {
        self.size
    }

    /// Draws a part of the page whose size was checked.
    pub(crate) fn draw(&self, area: Area, scale: f32) -> Image {
        let pixels = |points: f32| {
            let pixels = f64::from(points) * f64::from(scale);
            (pixels.round() as i64).clamp(1, i64::from(u32::MAX)) as u32
        };
        let page = (pixels(self.size.width), pixels(self.size.height));
        let shown = Shown {
            cut: [0.0; 4],
            turn: self.turn,
            size: page,
        };
        self.decoded.shown(&shown, area, 255)
    }
}
