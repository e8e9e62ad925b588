//! Headers of image files: kind, size and rotation, without decoding the image.

use crate::geometry::PageSize;

/// Header of an image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageHeader {
    /// Name of the format, such as "PNG".
    pub kind: &'static str,
    /// Media type, such as `image/png`.
    pub media_type: &'static str,
    /// Width as displayed, in pixels.
    pub width: u32,
    /// Height as displayed, in pixels.
    pub height: u32,
    /// Rotation of the pixels before they are displayed.
    pub rotation: ImageRotation,
}

/// Rotation of an image before it is displayed, as cameras store it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ImageRotation {
    /// Left and right are exchanged before the rotation.
    pub mirrored: bool,
    /// Clockwise turns of 90 degrees; less than 4.
    pub quarters: u8,
}

impl ImageRotation {
    /// Returns the rotation for an EXIF orientation. Unknown numbers mean none.
    fn of_exif(orientation: u16) -> Self {
        let (mirrored, quarters) = match orientation {
            2 => (true, 0),
            3 => (false, 2),
            4 => (true, 2),
            5 => (true, 3),
            6 => (false, 1),
            7 => (true, 1),
            8 => (false, 3),
            _ => (false, 0),
        };
        Self { mirrored, quarters }
    }

    /// Returns true if width and height are exchanged.
    pub fn is_sideways(self) -> bool {
        self.quarters % 2 == 1
    }
}

impl ImageHeader {
    /// Reads the header of a PNG, JPEG, WebP or GIF file.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut rotation = ImageRotation::default();
        let (kind, media_type, (width, height)) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            ("PNG", "image/png", png_size(bytes)?)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            let (size, stored) = jpeg_size(bytes)?;
            rotation = stored;
            ("JPEG", "image/jpeg", size)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            ("WebP", "image/webp", webp_size(bytes)?)
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            ("GIF", "image/gif", gif_size(bytes)?)
        } else {
            return None;
        };
        let stored = Self {
            kind,
            media_type,
            width,
            height,
            rotation: ImageRotation::default(),
        };
        (width > 0 && height > 0).then(|| stored.rotated(rotation))
    }

    /// Returns the header with another rotation.
    pub fn rotated(self, rotation: ImageRotation) -> Self {
        let (width, height) = self.stored_size();
        let (width, height) = match rotation.is_sideways() {
            true => (height, width),
            false => (width, height),
        };
        Self {
            width,
            height,
            rotation,
            ..self
        }
    }

    /// Returns width and height before the rotation.
    pub fn stored_size(&self) -> (u32, u32) {
        match self.rotation.is_sideways() {
            true => (self.height, self.width),
            false => (self.width, self.height),
        }
    }

    /// Returns the number of pixels.
    pub fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }

    /// Returns the size of the page that shows the image: as on a screen, but at most as wide as A4 paper.
    pub fn page_size(&self) -> PageSize {
        let (width, height) = (self.width as f32, self.height as f32);
        let most: f32 = if width > height { 842.0 } else { 595.0 };
        let width_of_page = most.min(width * 0.75).max(1.0);
        PageSize {
            width: width_of_page,
            height: (width_of_page * height / width).clamp(1.0, 14_400.0),
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let part = bytes.get(at..at + 4)?;
    Some(u32::from_be_bytes(part.try_into().ok()?))
}

fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.get(12..16)? == b"IHDR").then_some(())?;
    Some((number(bytes, 16)?, number(bytes, 20)?))
}

/// Returns the size of the canvas of all frames.
fn gif_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let side = |at: usize| {
        let part = bytes.get(at..at + 2)?;
        Some(u32::from(u16::from_le_bytes(part.try_into().ok()?)))
    };
    Some((side(6)?, side(8)?))
}

/// Returns the size in the first frame header, after the segments before it, and the EXIF rotation.
fn jpeg_size(bytes: &[u8]) -> Option<((u32, u32), ImageRotation)> {
    let mut at = 2;
    let mut rotation = None;
    loop {
        while *bytes.get(at)? != 0xff {
            at += 1;
        }
        while *bytes.get(at)? == 0xff {
            at += 1;
        }
        let marker = *bytes.get(at)?;
        at += 1;
        match marker {
            0x01 | 0xd0..=0xd8 => {}
            0xd9 | 0xda => return None,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let &[height0, height1, width0, width1] = bytes.get(at + 3..at + 7)? else {
                    return None;
                };
                let width = u16::from_be_bytes([width0, width1]);
                let height = u16::from_be_bytes([height0, height1]);
                return Some(((width.into(), height.into()), rotation.unwrap_or_default()));
            }
            _ => {
                let &[high, low] = bytes.get(at..at + 2)? else {
                    return None;
                };
                let length = usize::from(u16::from_be_bytes([high, low])).max(2);
                if marker == 0xe1 && rotation.is_none() {
                    let segment = bytes.get(at + 2..at + length).unwrap_or_default();
                    rotation = segment.strip_prefix(b"Exif\0\0").and_then(exif_rotation);
                }
                at += length;
            }
        }
    }
}

/// Returns the rotation that a camera has stored in EXIF data.
fn exif_rotation(exif: &[u8]) -> Option<ImageRotation> {
    const ORIENTATION: u16 = 0x0112;
    const SHORT: u16 = 3;
    let big = match exif.get(..4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let part: [u8; 2] = exif.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(match big {
            true => u16::from_be_bytes(part),
            false => u16::from_le_bytes(part),
        })
    };
    let long = |at: usize| {
        let (first, second) = (u32::from(short(at)?), u32::from(short(at + 2)?));
        Some(match big {
            true => first << 16 | second,
            false => second << 16 | first,
        })
    };
    let directory = usize::try_from(long(4)?).ok()?;
    (0..usize::from(short(directory)?))
        .map_while(|nth| {
            let entry = directory + 2 + nth * 12;
            Some((short(entry)?, short(entry + 2)?, short(entry + 8)?))
        })
        .find(|(tag, kind, _)| (*tag, *kind) == (ORIENTATION, SHORT))
        .map(|(_, _, orientation)| ImageRotation::of_exif(orientation))
}

fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let little = |at: usize, count: usize| {
        let part = bytes.get(at..at + count)?;
        Some(
            part.iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u32::from(*byte)),
        )
    };
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(24, 3)? + 1, little(27, 3)? + 1)),
        b"VP8L" => {
            let both = little(21, 4)?;
            Some(((both & 0x3fff) + 1, (both >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => Some((little(26, 2)? & 0x3fff, little(28, 2)? & 0x3fff)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(bytes: &[u8]) -> Option<(&'static str, u32, u32)> {
        let picture = ImageHeader::of(bytes)?;
        Some((picture.kind, picture.width, picture.height))
    }

    #[test]
    fn sizes_are_read_from_headers() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x27\x10\0\0\0\x09";
        assert_eq!(size(png), Some(("PNG", 10_000, 9)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x0b\x08\0\x10\x01\0\x03";
        assert_eq!(size(jpeg), Some(("JPEG", 256, 16)));
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x40\x01\xf0\0";
        assert_eq!(size(lossy), Some(("WebP", 320, 240)));
        let exact = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x02\xc0\0\0";
        assert_eq!(size(exact), Some(("WebP", 3, 4)));
        let more = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x01\0\0\x02\0\0";
        assert_eq!(size(more), Some(("WebP", 2, 3)));
        let gif = b"GIF89a\x40\x01\xf0\0\0\0";
        assert_eq!(size(gif), Some(("GIF", 320, 240)));
        for whole in [&png[..], jpeg, lossy, exact, more, gif] {
            // A truncated file is no image, and nothing panics.
            for end in 0..whole.len() - 2 {
                assert_eq!(size(&whole[..end]), None);
            }
        }
        assert_eq!(size(b"\xff\xd8\xff\xd9"), None);
    }

    /// Returns the header of a JPEG of 256 by 16 pixels with EXIF data.
    fn photograph(exif: &[u8]) -> Vec<u8> {
        let mut file = b"\xff\xd8\xff\xe1".to_vec();
        file.extend((exif.len() as u16 + 8).to_be_bytes());
        file.extend(b"Exif\0\0");
        file.extend(exif);
        file.extend(b"\xff\xc0\0\x0b\x08\0\x10\x01\0\x03");
        file
    }

    #[test]
    fn photographs_are_rotated_by_their_exif_orientation() {
        let big = |orientation| {
            let mut exif =
                b"MM\0*\0\0\0\x08\0\x02\x01\x0f\0\x02\0\0\0\x01\0\0\0\0\x01\x12\0\x03\0\0\0\x01"
                    .to_vec();
            exif.extend([0, orientation, 0, 0]);
            exif
        };
        let little = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0".to_vec();
        for (exif, mirrored, quarters) in [
            (big(1), false, 0),
            (big(2), true, 0),
            (big(3), false, 2),
            (big(4), true, 2),
            (big(5), true, 3),
            (big(6), false, 1),
            (big(7), true, 1),
            (big(8), false, 3),
            (big(9), false, 0),
            (little.clone(), false, 3),
            (b"II*\0\xff\xff\xff\xff".to_vec(), false, 0),
            (b"".to_vec(), false, 0),
            (little[..12].to_vec(), false, 0),
        ] {
            let picture = ImageHeader::of(&photograph(&exif)).expect("a head");
            assert_eq!(
                picture.rotation,
                ImageRotation { mirrored, quarters },
                "{exif:?}"
            );
            let sideways = quarters % 2 == 1;
            let shown = if sideways { (16, 256) } else { (256, 16) };
            assert_eq!((picture.width, picture.height), shown);
            assert_eq!(picture.stored_size(), (256, 16));
        }
    }
}
