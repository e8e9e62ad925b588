//! Images embedded in documents: location of their bytes and displayed size.
//!
//! A reader only looks at the header of an image. Its bytes stay in the file until a page is drawn.

use std::io::Read as _;
use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use flate2::read::DeflateDecoder;

use crate::image_header::{ImageHeader, ImageRotation};

/// Numbers of first bytes in which the header of an image is looked for; the second is for images with much
/// EXIF data.
pub(crate) const HEADER_SIZES: [usize; 2] = [4 << 10, 256 << 10];
/// Largest number of bytes of an image that can be shown.
const MAX_BYTES: usize = 64 << 20;
/// Largest number of different images of a document that are shown; each costs memory while reading.
pub(crate) const MAX_IMAGES: usize = 10_000;

/// Image that is part of a file.
#[derive(Debug, Clone)]
pub(crate) struct EmbeddedImage {
    pub(crate) location: ImageLocation,
    pub(crate) header: ImageHeader,
}

/// Location of the bytes of an image.
#[derive(Debug, Clone)]
pub(crate) enum ImageLocation {
    /// Address that begins with `data:`.
    Address(Box<str>),
    /// Byte range of the archive, for files that are archives.
    Part { range: Range<usize>, deflated: bool },
}

impl EmbeddedImage {
    /// Returns the image in a `data:` address, if it can be shown and has at most `pixels` pixels.
    pub(crate) fn in_address(address: &str, pixels: usize) -> Option<Self> {
        let header = HEADER_SIZES.iter().find_map(|most| {
            let start = decode(address, *most)?;
            ImageHeader::of(&start)
        })?;
        (header.pixels() <= pixels as u64).then(|| Self {
            location: ImageLocation::Address(address.into()),
            header,
        })
    }

    /// Returns all its bytes. `archive` is the file that contains it.
    pub(crate) fn bytes(&self, archive: &[u8]) -> Option<Vec<u8>> {
        match &self.location {
            ImageLocation::Address(address) => decode(address, MAX_BYTES),
            ImageLocation::Part { range, deflated } => {
                let part = archive.get(range.clone())?;
                if !deflated {
                    return (part.len() <= MAX_BYTES).then(|| part.to_vec());
                }
                let mut bytes = Vec::new();
                let limited = DeflateDecoder::new(part).take(MAX_BYTES as u64 + 1);
                // The bytes before an error may be enough to show.
                let _ = { limited }.read_to_end(&mut bytes);
                (bytes.len() <= MAX_BYTES).then_some(bytes)
            }
        }
    }
}

/// Returns true if an address contains the data itself.
pub(crate) fn is_data(address: &str) -> bool {
    let start = address.trim_start().as_bytes();
    start.len() > 5 && start[..5].eq_ignore_ascii_case(b"data:")
}

/// Returns the first `most` bytes of the data in an address.
fn decode(address: &str, most: usize) -> Option<Vec<u8>> {
    const BASE64: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    if !is_data(address) {
        return None;
    }
    let (description, data) = address.split_once(',')?;
    let written = PercentEncoded(data.as_bytes());
    if !description
        .trim_end()
        .to_ascii_lowercase()
        .ends_with(";base64")
    {
        return Some(written.take(most).collect());
    }
    let mut digits: Vec<u8> = written
        .filter(|byte| !byte.is_ascii_whitespace())
        .take(most.div_ceil(3) * 4)
        .collect();
    while digits.pop_if(|last| *last == b'=').is_some() {}
    BASE64.decode(digits).ok()
}

/// Bytes of an address; some are percent-encoded.
struct PercentEncoded<'a>(&'a [u8]);

impl Iterator for PercentEncoded<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        let digit = |at: usize| (*rest.get(at)? as char).to_digit(16);
        if *first == b'%'
            && let Some(high) = digit(0)
            && let Some(low) = digit(1)
        {
            self.0 = &rest[2..];
            return Some((high * 16 + low) as u8);
        }
        Some(*first)
    }
}

/// Width or height of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ImageLength {
    Points(f32),
    /// Fraction of the available length.
    Part(f32),
}

/// Points per pixel.
const PIXEL: f32 = 0.75;

impl ImageLength {
    /// Parses a length of an attribute or a style. A number without a unit is in pixels.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number: f32 = number.parse().ok()?;
        let points = match unit.trim().to_ascii_lowercase().as_str() {
            "%" => return (number > 0.0).then_some(Self::Part(number / 100.0)),
            "" | "px" => number * PIXEL,
            "pt" => number,
            "pc" => number * 12.0,
            "in" => number * 72.0,
            "cm" => number * 72.0 / 2.54,
            "mm" => number * 72.0 / 25.4,
            "em" | "rem" => number * 10.5,
            _ => return None,
        };
        (points > 0.0 && points.is_finite()).then_some(Self::Points(points))
    }

    /// Returns the length of a side in a style such as `width: 20pt`; the last declaration counts.
    pub(crate) fn in_style(style: &str, side: &str) -> Option<Self> {
        let of_side = |declaration: &str| {
            let (name, value) = declaration.split_once(':')?;
            let value = value.split('!').next().unwrap_or_default();
            name.trim()
                .eq_ignore_ascii_case(side)
                .then(|| Self::of(value))?
        };
        style.split(';').filter_map(of_side).next_back()
    }

    fn points(self, room: f32) -> f32 {
        match self {
            Self::Points(points) => points,
            Self::Part(part) => part * room,
        }
    }
}

/// Display of an image as its document asks for it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ImageDisplay {
    pub(crate) width: Option<ImageLength>,
    pub(crate) height: Option<ImageLength>,
    /// Fractions that are cropped: left, top, right, bottom.
    pub(crate) crop: [f32; 4],
    /// Clockwise turns of 90 degrees, which replace the rotation of the image file.
    pub(crate) quarters: Option<u8>,
}

/// Image at one place of a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DocumentImage {
    /// Alternative text.
    pub(crate) label: String,
    /// Number of the image in the sketch; without one, a box is drawn.
    pub(crate) image: Option<u32>,
    pub(crate) display: ImageDisplay,
}

/// Size of the box that is drawn instead of an image.
const BOX: (f32, f32) = (240.0, 60.0);

impl ImageDisplay {
    /// Returns the displayed width and height of an image. It fits into `room` and keeps its proportions.
    pub(crate) fn size(&self, header: Option<&ImageHeader>, room: (f32, f32)) -> (f32, f32) {
        let Some(header) = header else {
            return (BOX.0.min(room.0), BOX.1.min(room.1));
        };
        let header = header.rotated(self.rotation(header));
        let [left, top, right, bottom] = self.crop;
        let natural = (
            header.width as f32 * PIXEL * (1.0 - left - right).max(0.01),
            header.height as f32 * PIXEL * (1.0 - top - bottom).max(0.01),
        );
        let (width, height) = match (
            self.width.map(|width| width.points(room.0)),
            self.height.map(|height| height.points(room.1)),
        ) {
            (Some(width), Some(height)) => (width, height),
            (Some(width), None) => (width, width * natural.1 / natural.0),
            (None, Some(height)) => (height * natural.0 / natural.1, height),
            (None, None) => natural,
        };
        // Extreme proportions would lead to sizes that are not finite.
        let (width, height) = (width.clamp(0.75, 1e6), height.clamp(0.75, 1e6));
        let scale = (room.0 / width).min(room.1 / height).min(1.0);
        (
            (width * scale).max(0.75).min(room.0),
            (height * scale).max(0.75).min(room.1),
        )
    }

    /// Sets the rotation that the document asks for.
    pub(crate) fn rotate_by(&mut self, quarters: u8) {
        if quarters % 2 == 1 {
            std::mem::swap(&mut self.width, &mut self.height);
        }
        self.quarters = Some(quarters);
    }

    /// Cancels the rotation of the image file if the document gives a size for the pixels as they are stored.
    pub(crate) fn cancel_stored_rotation(&mut self, header: &ImageHeader) {
        if let (Some(ImageLength::Points(width)), Some(ImageLength::Points(height))) =
            (self.width, self.height)
            && self.quarters.is_none()
            && header.rotation.is_sideways()
            && (width > height) != (header.width > header.height)
        {
            self.quarters = Some(0);
        }
    }

    /// Returns the rotation of an image.
    pub(crate) fn rotation(&self, header: &ImageHeader) -> ImageRotation {
        let Some(quarters) = self.quarters else {
            return header.rotation;
        };
        ImageRotation {
            mirrored: false,
            quarters: quarters % 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_parsed_in_all_units() {
        for (text, length) in [
            ("100", Some(ImageLength::Points(75.0))),
            (" 100px ", Some(ImageLength::Points(75.0))),
            ("12.5pt", Some(ImageLength::Points(12.5))),
            ("2IN", Some(ImageLength::Points(144.0))),
            ("2.54cm", Some(ImageLength::Points(72.0))),
            ("50%", Some(ImageLength::Part(0.5))),
            ("auto", None),
            ("0", None),
            ("-3px", None),
            ("1e9", None),
            ("1.2.3", None),
            ("", None),
        ] {
            assert_eq!(ImageLength::of(text), length, "{text}");
        }
        let style = "max-width:9px; WIDTH : 30pt !important;height:10pt";
        assert_eq!(
            ImageLength::in_style(style, "width"),
            Some(ImageLength::Points(30.0))
        );
        assert_eq!(
            ImageLength::in_style(style, "height"),
            Some(ImageLength::Points(10.0))
        );
        assert_eq!(ImageLength::in_style(style, "left"), None);
    }

    #[test]
    fn data_addresses_are_decoded() {
        let gif = b"GIF89a\x40\x01\xf0\0\0\0";
        for address in [
            "data:image/gif;base64,R0lGODlhQAHwAAAA",
            " DATA:;BASE64 , R0lG ODlh\nQAHw%41AAA",
            "data:image/gif,GIF89a%40%01%f0%00%00%00",
        ] {
            assert_eq!(
                decode(address, 1 << 10).as_deref(),
                Some(&gif[..]),
                "{address}"
            );
            let image = EmbeddedImage::in_address(address, 320 * 240).expect("an image");
            assert_eq!((image.header.width, image.header.height), (320, 240));
            assert_eq!(image.bytes(b"").as_deref(), Some(&gif[..]));
            // An image with too many pixels is not kept.
            assert!(EmbeddedImage::in_address(address, 320 * 240 - 1).is_none());
        }
        assert_eq!(
            decode("data:;base64,R0lGODlh", 3).as_deref(),
            Some(&b"GIF"[..])
        );
        for address in [
            "https://a.example/b.gif",
            "data:",
            "data:image/gif;base64",
            "data:;base64,*",
        ] {
            assert_eq!(decode(address, 99), None, "{address}");
        }
    }

    #[test]
    fn images_shrink_into_the_room_and_keep_their_proportions() {
        let file = ImageHeader::of(b"GIF89a\x40\x01\xf0\0\0\0").expect("a header");
        let room = (480.0, 700.0);
        let size = |display: ImageDisplay| display.size(Some(&file), room);
        let display = ImageDisplay::default();
        assert_eq!(size(display), (240.0, 180.0));
        let width = Some(ImageLength::Points(120.0));
        assert_eq!(size(ImageDisplay { width, ..display }), (120.0, 90.0));
        let height = Some(ImageLength::Points(1440.0));
        let (width, height) = size(ImageDisplay { height, ..display });
        assert_eq!((width, height.round()), (480.0, 360.0));
        let (width, height) = (
            Some(ImageLength::Part(0.5)),
            Some(ImageLength::Points(1400.0)),
        );
        assert_eq!(
            size(ImageDisplay {
                width,
                height,
                ..display
            }),
            (120.0, 700.0)
        );
        let quarters = Some(1);
        assert_eq!(
            size(ImageDisplay {
                quarters,
                ..display
            }),
            (180.0, 240.0)
        );
        let crop = [0.5, 0.0, 0.0, 0.0];
        assert_eq!(size(ImageDisplay { crop, ..display }), (120.0, 180.0));
        assert_eq!(display.size(None, (100.0, 700.0)), (100.0, 60.0));
    }
}
