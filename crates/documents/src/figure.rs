//! Images in documents: where their bytes are, and how large they are shown.
//!
//! A reader looks at the head of an image only. Its bytes stay where they are until a page is drawn.

use std::io::Read as _;
use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use flate2::read::DeflateDecoder;

use crate::picture::{ImageHeader, ImageRotation};

/// An image is known by so many of its first bytes,
const HEAD: usize = 4 << 10;
/// or, if a camera has noted much, by so many.
const LONG_HEAD: usize = 256 << 10;
/// An image with more bytes is not shown.
const MAX_BYTES: usize = 64 << 20;
/// So many different images are shown; each costs memory that reading needs.
pub(crate) const MAX_IMAGES: usize = 10_000;

/// How many of the first bytes are looked at, at most.
pub(crate) const HEADS: [usize; 2] = [HEAD, LONG_HEAD];

/// An image that is part of a file.
#[derive(Debug, Clone)]
pub(crate) struct EmbeddedImage {
    pub(crate) place: ImageLocation,
    pub(crate) file: ImageHeader,
}

/// Where the bytes of an image are.
#[derive(Debug, Clone)]
pub(crate) enum ImageLocation {
    /// In an address that begins with `data:`.
    Address(Box<str>),
    /// In a part of the archive that the file is.
    Part { range: Range<usize>, deflated: bool },
}

impl EmbeddedImage {
    /// The image in an address, if it is one that can be shown and has at most so many pixels.
    pub(crate) fn in_address(address: &str, pixels: usize) -> Option<Self> {
        let file = HEADS.iter().find_map(|most| {
            let head = decode(address, *most)?;
            ImageHeader::of(&head)
        })?;
        (file.pixels() <= pixels as u64).then(|| Self {
            place: ImageLocation::Address(address.into()),
            file,
        })
    }

    /// All its bytes; `archive` is the file that it is part of.
    pub(crate) fn bytes(&self, archive: &[u8]) -> Option<Vec<u8>> {
        match &self.place {
            ImageLocation::Address(address) => decode(address, MAX_BYTES),
            ImageLocation::Part { range, deflated } => {
                let part = archive.get(range.clone())?;
                if !deflated {
                    return (part.len() <= MAX_BYTES).then(|| part.to_vec());
                }
                let mut bytes = Vec::new();
                let limited = DeflateDecoder::new(part).take(MAX_BYTES as u64 + 1);
                // What came before an error may be enough to show.
                let _ = { limited }.read_to_end(&mut bytes);
                (bytes.len() <= MAX_BYTES).then_some(bytes)
            }
        }
    }
}

/// Whether an address has the bytes of something in itself.
pub(crate) fn is_data(address: &str) -> bool {
    let start = address.trim_start().as_bytes();
    start.len() > 5 && start[..5].eq_ignore_ascii_case(b"data:")
}

/// The first bytes of what an address has in itself, at most so many.
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
    let (about, data) = address.split_once(',')?;
    let written = PercentEncoded(data.as_bytes());
    if !about.trim_end().to_ascii_lowercase().ends_with(";base64") {
        return Some(written.take(most).collect());
    }
    let mut digits: Vec<u8> = written
        .filter(|byte| !byte.is_ascii_whitespace())
        .take(most.div_ceil(3) * 4)
        .collect();
    while digits.pop_if(|last| *last == b'=').is_some() {}
    BASE64.decode(digits).ok()
}

/// Bytes of an address, some of which are written by their numbers.
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

/// A length of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ImageLength {
    Points(f32),
    /// Of the room that there is.
    Part(f32),
}

/// Points in a pixel.
const PIXEL: f32 = 0.75;

impl ImageLength {
    /// As in an attribute or a style; a number without a unit is in pixels.
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

    /// Of a side in a style, `width: 20pt`; the last that is given counts.
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

/// How an image is to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ImageDisplay {
    pub(crate) width: Option<ImageLength>,
    pub(crate) height: Option<ImageLength>,
    /// What is cut off: left, top, right, bottom, as parts of its sides.
    pub(crate) cut: [f32; 4],
    /// How it is turned, whatever the camera has noted: clockwise, by so many times 90 degrees.
    pub(crate) quarters: Option<u8>,
}

/// An image as a reader hands it over.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DocumentImage {
    /// What it is called.
    pub(crate) label: String,
    /// Which of the sketch's images it is; without one, a box stands for it.
    pub(crate) image: Option<u32>,
    pub(crate) wish: ImageDisplay,
}

/// The size of a box that stands for an image.
const BOX: (f32, f32) = (240.0, 60.0);

impl ImageDisplay {
    /// How wide and high an image is shown, where there is so much room.
    pub(crate) fn size(&self, file: Option<&ImageHeader>, room: (f32, f32)) -> (f32, f32) {
        let Some(file) = file else {
            return (BOX.0.min(room.0), BOX.1.min(room.1));
        };
        let file = file.turned(self.turn(file));
        let [left, top, right, bottom] = self.cut;
        let natural = (
            file.width as f32 * PIXEL * (1.0 - left - right).max(0.01),
            file.height as f32 * PIXEL * (1.0 - top - bottom).max(0.01),
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
        // What is a thousand times as wide as high is a line whatever is on it.
        let (width, height) = (width.clamp(0.75, 1e6), height.clamp(0.75, 1e6));
        let scale = (room.0 / width).min(room.1 / height).min(1.0);
        (
            (width * scale).max(0.75).min(room.0),
            (height * scale).max(0.75).min(room.1),
        )
    }

    /// Turns it by the document's word.
    pub(crate) fn turn_by(&mut self, quarters: u8) {
        if quarters % 2 == 1 {
            std::mem::swap(&mut self.width, &mut self.height);
        }
        self.quarters = Some(quarters);
    }

    /// What a camera has noted does not count if the document gives a size for the image as it is stored.
    pub(crate) fn settle(&mut self, file: &ImageHeader) {
        if let (Some(ImageLength::Points(width)), Some(ImageLength::Points(height))) =
            (self.width, self.height)
            && self.quarters.is_none()
            && file.turn.is_sideways()
            && (width > height) != (file.width > file.height)
        {
            self.quarters = Some(0);
        }
    }

    /// How an image is turned.
    pub(crate) fn turn(&self, file: &ImageHeader) -> ImageRotation {
        let Some(quarters) = self.quarters else {
            return file.turn;
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
    fn lengths_in_their_units() {
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
    fn addresses_with_data() {
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
            assert_eq!((image.file.width, image.file.height), (320, 240));
            assert_eq!(image.bytes(b"").as_deref(), Some(&gif[..]));
            // Too many pixels are not even kept.
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
    fn images_keep_their_shape_where_there_is_too_little_room() {
        let file = ImageHeader::of(b"GIF89a\x40\x01\xf0\0\0\0").expect("a head");
        let room = (480.0, 700.0);
        let size = |wish: ImageDisplay| wish.size(Some(&file), room);
        let wish = ImageDisplay::default();
        assert_eq!(size(wish), (240.0, 180.0));
        let width = Some(ImageLength::Points(120.0));
        assert_eq!(size(ImageDisplay { width, ..wish }), (120.0, 90.0));
        let height = Some(ImageLength::Points(1440.0));
        let (width, height) = size(ImageDisplay { height, ..wish });
        assert_eq!((width, height.round()), (480.0, 360.0));
        let (width, height) = (
            Some(ImageLength::Part(0.5)),
            Some(ImageLength::Points(1400.0)),
        );
        assert_eq!(
            size(ImageDisplay {
                width,
                height,
                ..wish
            }),
            (120.0, 700.0)
        );
        let quarters = Some(1);
        assert_eq!(size(ImageDisplay { quarters, ..wish }), (180.0, 240.0));
        let cut = [0.5, 0.0, 0.0, 0.0];
        assert_eq!(size(ImageDisplay { cut, ..wish }), (120.0, 180.0));
        assert_eq!(wish.size(None, (100.0, 700.0)), (100.0, 60.0));
    }
}
