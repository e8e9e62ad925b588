//! Encoding of pictures as files.

mod avif;

use image_webp::{ColorType, WebPEncoder};
use serde::{Deserialize, Serialize};

use crate::error::RenderError;
use crate::image::Image;

/// Format of image files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ImageFormat {
    /// Lossless, understood by every program.
    Png,
    /// Lossless and smaller.
    #[default]
    WebP,
    /// Smallest, lossy and slow: meant for crops.
    Avif,
    /// Lossy, understood by every program.
    Jpeg,
}

/// Quality at which letters stay clean.
const JPEG_QUALITY: u8 = 90;

impl ImageFormat {
    /// Returns the media type, such as `image/png`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::WebP => "image/webp",
            Self::Avif => "image/avif",
            Self::Jpeg => "image/jpeg",
        }
    }

    /// Returns the file extension, such as `png`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::WebP => "webp",
            Self::Avif => "avif",
            Self::Jpeg => "jpeg",
        }
    }

    /// Returns the format with this extension or media type, ignoring case.
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
    /// Encodes the picture. The same picture always gives the same bytes.
    pub fn encode(&self, format: ImageFormat) -> Result<Vec<u8>, RenderError> {
        match format {
            ImageFormat::Png => self.png().ok_or(RenderError::Encoder { format: "PNG" }),
            ImageFormat::WebP => self.webp().ok_or(RenderError::Encoder { format: "WebP" }),
            ImageFormat::Avif => avif::encode(self).ok_or(RenderError::Encoder { format: "AVIF" }),
            ImageFormat::Jpeg => self.jpeg().ok_or(RenderError::Encoder { format: "JPEG" }),
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

    /// Returns three bytes for each pixel.
    fn rgb(&self) -> Vec<u8> {
        let pixels = self.pixels().as_chunks::<4>().0;
        pixels
            .iter()
            .flat_map(|[red, green, blue, _]| [*red, *green, *blue])
            .collect()
    }
}
