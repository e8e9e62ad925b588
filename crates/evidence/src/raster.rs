//! Pages that are pictures: decoded once, and scaled to what is asked for.

use std::io::Cursor;

use documents::{PageSize, PictureFile};
use image_webp::WebPDecoder;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::image::{Area, Image};

/// A page that is a picture.
#[derive(Debug)]
pub struct Raster {
    image: Image,
    size: PageSize,
}

impl Raster {
    /// Decodes a picture whose size was looked at.
    pub(crate) fn open(bytes: &[u8], file: &PictureFile) -> Option<Self> {
        let (width, height) = (file.width, file.height);
        let pixels = match file.kind {
            "PNG" => png(bytes, file)?,
            "JPEG" => jpeg(bytes, file)?,
            _ => webp(bytes, file)?,
        };
        Some(Self {
            image: Image::from_pixels(width, height, pixels)?,
            size: file.page_size(),
        })
    }

    /// How large its page is.
    pub fn size(&self) -> PageSize {
        self.size
    }

    /// Draws a part of the page whose size was checked.
    pub(crate) fn draw(&self, area: Area, scale: f32) -> Image {
        let (width, height) = (area.width().max(1) as u32, area.height().max(1) as u32);
        let mut drawn = Image::filled(width, height, [255; 3]);
        let page = (self.size.width * scale, self.size.height * scale);
        let columns = stretches(area.left, width, page.0, self.image.width());
        let rows = stretches(area.top, height, page.1, self.image.height());
        let source = self.image.pixels().as_chunks::<4>().0;
        let stride = self.image.width() as usize;
        let whole = drawn.area();
        for (row, &(top, bottom)) in drawn.rows_mut(whole).zip(&rows) {
            for (pixel, &(left, right)) in row.as_chunks_mut::<4>().0.iter_mut().zip(&columns) {
                let mut sums = [0_u64; 3];
                for line in source.chunks_exact(stride).take(bottom).skip(top) {
                    for from in line.get(left..right).unwrap_or_default() {
                        for (sum, part) in sums.iter_mut().zip(from) {
                            *sum += u64::from(*part);
                        }
                    }
                }
                let count = ((bottom - top) * (right - left)).max(1) as u64;
                for (part, sum) in pixel.iter_mut().zip(sums) {
                    *part = ((sum + count / 2) / count) as u8;
                }
            }
        }
        drawn
    }
}

/// For each pixel of a side: which pixels of the picture it shows, at least one.
fn stretches(first: i64, count: u32, page: f32, picture: u32) -> Vec<(usize, usize)> {
    let ratio = f64::from(picture) / f64::from(page).max(1e-6);
    let most = picture as usize;
    let at = |pixel: i64| ((pixel as f64 * ratio).max(0.0) as usize).min(most.saturating_sub(1));
    (first..first + i64::from(count))
        .map(|pixel| {
            let start = at(pixel);
            (start, at(pixel + 1).clamp(start + 1, most.max(start + 1)))
        })
        .collect()
}

/// Opaque pixels on white.
fn opaque(parts: [u8; 4]) -> [u8; 4] {
    let [red, green, blue, cover] = parts.map(u32::from);
    let on_white = |part: u32| ((part * cover + 255 * (255 - cover) + 127) / 255) as u8;
    [on_white(red), on_white(green), on_white(blue), 255]
}

fn from_rgb(parts: &[u8]) -> Vec<u8> {
    let pixels = parts.as_chunks::<3>().0.iter();
    pixels
        .flat_map(|[red, green, blue]| [*red, *green, *blue, 255])
        .collect()
}

fn from_rgba(parts: &[u8]) -> Vec<u8> {
    let pixels = parts.as_chunks::<4>().0.iter();
    pixels.flat_map(|pixel| opaque(*pixel)).collect()
}

/// How many bytes decoding a picture may take besides its pixels.
const SPARE: usize = 16 << 20;

fn png(bytes: &[u8], file: &PictureFile) -> Option<Vec<u8>> {
    let most = usize::try_from(file.pixels()).ok()? * 8 + SPARE;
    let limits = png::Limits { bytes: most };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let mut parts = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut parts).ok()?;
    parts.truncate(info.buffer_size());
    Some(match info.color_type {
        png::ColorType::Rgb => from_rgb(&parts),
        png::ColorType::Rgba => from_rgba(&parts),
        png::ColorType::Grayscale => parts
            .iter()
            .flat_map(|&part| [part, part, part, 255])
            .collect(),
        png::ColorType::GrayscaleAlpha => {
            let pixels = parts.as_chunks::<2>().0.iter();
            pixels
                .flat_map(|&[part, cover]| opaque([part, part, part, cover]))
                .collect()
        }
        png::ColorType::Indexed => return None,
    })
}

fn jpeg(bytes: &[u8], file: &PictureFile) -> Option<Vec<u8>> {
    let options = DecoderOptions::default()
        .set_max_width(file.width as usize)
        .set_max_height(file.height as usize)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    Some(from_rgb(&decoder.decode().ok()?))
}

fn webp(bytes: &[u8], file: &PictureFile) -> Option<Vec<u8>> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).ok()?;
    decoder.set_memory_limit(usize::try_from(file.pixels()).ok()? * 8 + SPARE);
    if decoder.dimensions() != (file.width, file.height) {
        return None;
    }
    let mut parts = vec![0; decoder.output_buffer_size()?];
    decoder.read_image(&mut parts).ok()?;
    Some(match decoder.has_alpha() {
        true => from_rgba(&parts),
        false => from_rgb(&parts),
    })
}
