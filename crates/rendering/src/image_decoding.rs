//! Decoding of image files to pixels.

use std::io::Cursor;
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};

use documents::ImageHeader;
use gif::{ColorOutput, MemoryLimit};
use image_webp::WebPDecoder;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Pixels of a file before rotation.
#[derive(Debug)]
pub(crate) struct DecodedPixels {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Bytes per pixel: grey, grey with alpha, colour, colour with alpha.
    pub(crate) channels: usize,
    /// Samples, row by row.
    parts: Vec<u8>,
}

/// Memory that a decoder may use besides the pixels, in bytes.
const DECODER_MEMORY: usize = 16 << 20;

/// Limit on width and height in pixels.
const MAX_SIDE: u32 = 1 << 20;

impl DecodedPixels {
    /// Decodes an image whose size was checked. Returns `None` if it is damaged.
    pub(crate) fn decode(bytes: &[u8], file: &ImageHeader) -> Option<Self> {
        let (width, height) = file.stored_size();
        if width.max(height) > MAX_SIDE {
            return None;
        }
        let count = usize::try_from(file.pixels()).ok()?;
        // The decoders run on hostile input; a panic counts as a damaged file.
        let decoded = catch_unwind(AssertUnwindSafe(|| match file.kind {
            "PNG" => decode_png(bytes, count),
            "JPEG" => decode_jpeg(bytes, (width, height)),
            "WebP" => decode_webp(bytes, (width, height), count),
            "GIF" => decode_gif(bytes, (width, height)),
            _ => None,
        }));
        let (channels, parts) = decoded.ok().flatten()?;
        (parts.len() == count.checked_mul(channels)?).then_some(Self {
            width,
            height,
            channels,
            parts,
        })
    }

    /// Returns true if the image has an alpha channel.
    pub(crate) fn has_alpha(&self) -> bool {
        matches!(self.channels, 2 | 4)
    }

    /// Returns the bytes of a row.
    pub(crate) fn row(&self, row: usize) -> &[u8] {
        let length = self.width as usize * self.channels;
        let start = row * length;
        self.parts.get(start..start + length).unwrap_or_default()
    }
}

/// Blends a pixel with grey paper.
pub(crate) fn blend_on_paper(pixel: &[u8], paper: u8) -> [u8; 3] {
    let covered = |part: u8, cover: u8| {
        let (part, cover) = (u32::from(part), u32::from(cover));
        ((part * cover + u32::from(paper) * (255 - cover) + 127) / 255) as u8
    };
    match *pixel {
        [grey] => [grey; 3],
        [grey, cover] => [covered(grey, cover); 3],
        [red, green, blue] => [red, green, blue],
        [red, green, blue, cover] => [red, green, blue].map(|part| covered(part, cover)),
        _ => [paper; 3],
    }
}

fn decode_png(bytes: &[u8], count: usize) -> Option<(usize, Vec<u8>)> {
    let limits = png::Limits {
        bytes: count.checked_mul(8)?.checked_add(DECODER_MEMORY)?,
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut parts = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut parts).ok()?;
    parts.truncate(info.buffer_size());
    let channels = match info.color_type {
        png::ColorType::Grayscale => 1,
        png::ColorType::GrayscaleAlpha => 2,
        png::ColorType::Rgb => 3,
        png::ColorType::Rgba => 4,
        png::ColorType::Indexed => return None,
    };
    Some((channels, parts))
}

fn decode_jpeg(bytes: &[u8], (width, height): (u32, u32)) -> Option<(usize, Vec<u8>)> {
    let options = DecoderOptions::default()
        .set_max_width(width as usize)
        .set_max_height(height as usize)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    Some((3, decoder.decode().ok()?))
}

fn decode_webp(bytes: &[u8], size: (u32, u32), count: usize) -> Option<(usize, Vec<u8>)> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).ok()?;
    decoder.set_memory_limit(count.checked_mul(8)?.checked_add(DECODER_MEMORY)?);
    if decoder.dimensions() != size {
        return None;
    }
    let mut parts = vec![0; decoder.output_buffer_size()?];
    decoder.read_image(&mut parts).ok()?;
    Some((if decoder.has_alpha() { 4 } else { 3 }, parts))
}

/// Decodes the first frame on an empty screen.
fn decode_gif(bytes: &[u8], (width, height): (u32, u32)) -> Option<(usize, Vec<u8>)> {
    const CHANNELS: usize = 4;
    let (width, height) = (width as usize, height as usize);
    let limit = NonZeroU64::new((width * height * CHANNELS + DECODER_MEMORY) as u64)?;
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    options.set_memory_limit(MemoryLimit::Bytes(limit));
    let mut decoder = options.read_info(Cursor::new(bytes)).ok()?;
    let frame = decoder.read_next_frame().ok()??;
    let mut parts = vec![0; width * height * CHANNELS];
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let length = usize::from(frame.width) * CHANNELS;
    let rows = frame.buffer.chunks_exact(length.max(1));
    let screen = parts.chunks_exact_mut(width * CHANNELS).skip(top);
    for (to, from) in screen.zip(rows) {
        let to = to.get_mut(left * CHANNELS..).unwrap_or_default();
        let shared = to.len().min(from.len());
        to[..shared].copy_from_slice(&from[..shared]);
    }
    Some((CHANNELS, parts))
}
