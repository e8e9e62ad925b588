//! Pictures as pixels.

use documents::ImageRotation;

/// Part of a picture in pixels. It may reach beyond the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelArea {
    pub(crate) left: i64,
    pub(crate) top: i64,
    pub(crate) right: i64,
    pub(crate) bottom: i64,
}

impl PixelArea {
    pub(crate) fn new(left: i64, top: i64, right: i64, bottom: i64) -> Self {
        Self {
            left,
            top,
            right,
            bottom,
        }
    }

    /// Returns the smallest area of whole pixels that covers a rectangle.
    pub(crate) fn covering(rect: hayro::kurbo::Rect) -> Self {
        Self::new(
            rect.x0.floor() as i64,
            rect.y0.floor() as i64,
            rect.x1.ceil() as i64,
            rect.y1.ceil() as i64,
        )
    }

    pub(crate) fn width(self) -> i64 {
        self.right - self.left
    }

    pub(crate) fn height(self) -> i64 {
        self.bottom - self.top
    }

    pub(crate) fn is_empty(self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    pub(crate) fn grow(self, by: i64) -> Self {
        Self::new(
            self.left - by,
            self.top - by,
            self.right + by,
            self.bottom + by,
        )
    }

    pub(crate) fn translate(self, x: i64, y: i64) -> Self {
        Self::new(self.left + x, self.top + y, self.right + x, self.bottom + y)
    }

    /// Returns the area before rotation that appears here after it. `size` is that of the rotated picture.
    pub(crate) fn before_rotation(self, size: (u32, u32), turn: ImageRotation) -> Self {
        let (mut width, mut height) = (i64::from(size.0), i64::from(size.1));
        let mut area = self;
        for _ in 0..turn.quarters % 4 {
            // Counter-clockwise: the right side becomes the top.
            area = Self::new(area.top, width - area.right, area.bottom, width - area.left);
            (width, height) = (height, width);
        }
        match turn.mirrored {
            true => Self::new(width - area.right, area.top, width - area.left, area.bottom),
            false => area,
        }
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self::new(
            self.left.min(other.left),
            self.top.min(other.top),
            self.right.max(other.right),
            self.bottom.max(other.bottom),
        )
    }

    pub(crate) fn intersection(self, other: Self) -> Self {
        Self::new(
            self.left.max(other.left),
            self.top.max(other.top),
            self.right.min(other.right),
            self.bottom.min(other.bottom),
        )
    }
}

/// Picture: opaque pixels, row by row, as red, green, blue and 255.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
    is_simplified: bool,
}

impl Image {
    /// Creates a picture of one colour. The caller has checked the size.
    pub(crate) fn filled(width: u32, height: u32, [red, green, blue]: [u8; 3]) -> Self {
        let count = width as usize * height as usize;
        Self {
            width,
            height,
            pixels: [red, green, blue, 255].repeat(count),
            is_simplified: false,
        }
    }

    /// Creates a picture from pixels.
    pub(crate) fn from_pixels(width: u32, height: u32, pixels: Vec<u8>) -> Option<Self> {
        let expected = width as usize * height as usize * 4;
        (pixels.len() == expected).then_some(Self {
            width,
            height,
            pixels,
            is_simplified: false,
        })
    }

    /// Returns the width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns true if the page exceeds the limits on drawing, so that patterns, dashes or images are
    /// simplified or missing.
    pub fn is_simplified(&self) -> bool {
        self.is_simplified
    }

    pub(crate) fn mark_simplified(&mut self) {
        self.is_simplified = true;
    }

    /// Returns the pixels, row by row, four bytes each: red, green, blue and 255.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Returns the picture mirrored and rotated clockwise.
    pub(crate) fn rotated(mut self, turn: ImageRotation) -> Self {
        if turn.mirrored {
            let whole = self.area();
            for row in self.rows_mut(whole) {
                row.as_chunks_mut::<4>().0.reverse();
            }
        }
        if turn.quarters.is_multiple_of(4) {
            return self;
        }
        if turn.quarters % 4 == 2 {
            self.pixels.as_chunks_mut::<4>().0.reverse();
            return self;
        }
        let pixels = self.pixels.as_chunks::<4>().0;
        let (width, height) = (self.width as usize, self.height as usize);
        let mut turned = Vec::with_capacity(self.pixels.len());
        for x in 0..width {
            for y in 0..height {
                let (x, y) = match turn.quarters % 4 {
                    1 => (x, height - 1 - y),
                    _ => (width - 1 - x, y),
                };
                turned.extend(pixels.get(y * width + x).unwrap_or(&[255; 4]));
            }
        }
        Self {
            width: self.height,
            height: self.width,
            pixels: turned,
            is_simplified: self.is_simplified,
        }
    }

    /// Reduces the number of shades, which makes files much smaller. Black and white stay.
    pub fn coarsen(&mut self) {
        /// Distance between two shades; a divisor of 255.
        const STEP: u16 = 17;
        for part in &mut self.pixels {
            *part = ((u16::from(*part) + STEP / 2) / STEP * STEP) as u8;
        }
    }

    /// Returns the whole area.
    pub(crate) fn area(&self) -> PixelArea {
        PixelArea::new(0, 0, i64::from(self.width), i64::from(self.height))
    }

    /// Returns the rows of a part as bytes.
    pub(crate) fn rows_mut(&mut self, area: PixelArea) -> impl Iterator<Item = &mut [u8]> {
        let area = area.intersection(self.area());
        let (skipped, rows) = match area.is_empty() {
            true => (0, 0),
            false => (area.top as usize, area.height() as usize),
        };
        let columns = match rows {
            0 => 0..0,
            _ => area.left as usize * 4..area.right as usize * 4,
        };
        let stride = (self.width as usize * 4).max(1);
        self.pixels
            .chunks_exact_mut(stride)
            .skip(skipped)
            .take(rows)
            .filter_map(move |row| row.get_mut(columns.clone()))
    }

    /// Fills a part with a colour.
    pub(crate) fn fill(&mut self, area: PixelArea, colour: [u8; 3]) {
        for row in self.rows_mut(area) {
            for pixel in row.as_chunks_mut::<4>().0 {
                pixel[..3].copy_from_slice(&colour);
            }
        }
    }

    /// Blends a colour over a part with an opacity of `cover` / 255.
    pub(crate) fn blend(&mut self, area: PixelArea, colour: [u8; 3], cover: u8) {
        let cover = u32::from(cover);
        for row in self.rows_mut(area) {
            for pixel in row.as_chunks_mut::<4>().0 {
                for (part, over) in pixel.iter_mut().zip(colour) {
                    let sum = u32::from(*part) * (255 - cover) + u32::from(over) * cover;
                    *part = ((sum + 127) / 255) as u8;
                }
            }
        }
    }

    /// Tints the paper of a part with an opacity of `cover` / 255. Letters keep their colour.
    pub(crate) fn tint(&mut self, area: PixelArea, colour: [u8; 3], cover: u8, dark: bool) {
        let cover = u32::from(cover);
        let light = colour.map(|part| 255 - (255 - u32::from(part)) * cover / 255);
        let added = colour.map(|part| u32::from(part) * cover / 255);
        for row in self.rows_mut(area) {
            for pixel in row.as_chunks_mut::<4>().0 {
                for (at, part) in pixel[..3].iter_mut().enumerate() {
                    let there = u32::from(*part);
                    *part = match dark {
                        false => (there * light[at] + 127) / 255,
                        true => 255 - ((255 - there) * (255 - added[at]) + 127) / 255,
                    } as u8;
                }
            }
        }
    }

    /// Copies another picture into this one.
    pub(crate) fn paste(&mut self, image: &Self, left: i64, top: i64) {
        self.is_simplified |= image.is_simplified;
        let area = image.area().translate(left, top).intersection(self.area());
        if area.is_empty() {
            return;
        }
        let stride = image.width as usize * 4;
        let first = ((area.top - top) as usize) * stride + ((area.left - left) as usize) * 4;
        let rows = image.pixels.get(first..).unwrap_or_default().chunks(stride);
        for (to, from) in self.rows_mut(area).zip(rows) {
            let length = to.len();
            if let Some(from) = from.get(..length) {
                to.copy_from_slice(from);
            }
        }
    }
}
