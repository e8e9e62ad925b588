//! Pictures as files.

mod avif;

use image_webp::{ColorType, WebPEncoder};

use crate::error::PictureError;
use crate::image::Image;

/// A format of picture files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Exact, and understood by everything.
    Png,
    /// Exact, and smaller.
    #[default]
    WebP,
    /// Smallest and not quite exact. It takes long: for what is cut out of a page.
    Avif,
    /// Not quite exact, and understood by everything.
    Jpeg,
}

/// Letters stay clean.
const JPEG_QUALITY: u8 = 90;

impl Format {
    /// Its media type, `image/png`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::WebP => "image/webp",
            Self::Avif => "image/avif",
            Self::Jpeg => "image/jpeg",
        }
    }

    /// What names of its files end with, `png`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::WebP => "webp",
            Self::Avif => "avif",
            Self::Jpeg => "jpeg",
        }
    }

    /// The format with that ending or media type, in any case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if name == "jpg" {
            return Some(Self::Jpeg);
        }
        [Self::Png, Self::WebP, Self::Avif, Self::Jpeg]
            .into_iter()
            .find(|format| name == format.extension() || name == format.media_type())
    }
}

impl Image {
    /// The picture as a file. The same picture always gives the same bytes.
    pub fn encode(&self, format: Format) -> Result<Vec<u8>, PictureError> {
        match format {
            Format::Png => self.png().ok_or(PictureError::Encoder { format: "PNG" }),
            Format::WebP => self.webp().ok_or(PictureError::Encoder { format: "WebP" }),
            Format::Avif => avif::encode(self).ok_or(PictureError::Encoder { format: "AVIF" }),
            Format::Jpeg => self.jpeg().ok_or(PictureError::Encoder { format: "JPEG" }),
        }
    }

    fn png(&self) -> Option<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width(), self.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header().ok()?;
        writer.write_image_data(&self.rgb()).ok()?;
        writer.finish().ok()?;
        Some(file)
    }

    fn jpeg(&self) -> Option<Vec<u8>> {
        let (width, height) = (
            self.width().try_into().ok()?,
            self.height().try_into().ok()?,
        );
        let mut file = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut file, JPEG_QUALITY);
        let encoded = encoder.encode(&self.rgb(), width, height, jpeg_encoder::ColorType::Rgb);
        encoded.ok().map(|()| file)
    }

    fn webp(&self) -> Option<Vec<u8>> {
        let mut file = Vec::new();
        WebPEncoder::new(&mut file)
            .encode(&self.rgb(), self.width(), self.height(), ColorType::Rgb8)
            .ok()?;
        Some(file)
    }

    /// Three bytes for each pixel.
    fn rgb(&self) -> Vec<u8> {
        let pixels = self.pixels().as_chunks::<4>().0;
        pixels
            .iter()
            .flat_map(|[red, green, blue, _]| [*red, *green, *blue])
            .collect()
    }
}
