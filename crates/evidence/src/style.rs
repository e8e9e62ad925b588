//! How a picture looks.

/// How a picture looks. Lengths of marks are in pixels at 1×, and grow with the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Pixels per inch at 1×.
    pub dpi: f32,
    /// 1 for ordinary screens, 2 for fine ones.
    pub scale: f32,
    /// On white or on black.
    pub theme: Theme,
    /// Whether what is around the passage is dimmed.
    pub spotlight: bool,
    /// How much is shown around the passage when it is cut out.
    pub padding: u32,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            dpi: 108.0,
            scale: 1.0,
            theme: Theme::Light,
            spotlight: false,
            padding: IMAGE_PADDING,
        }
    }
}

/// The least and the most pixels per inch that are drawn.
const RESOLUTIONS: std::ops::RangeInclusive<f32> = 4.0..=2400.0;

impl Style {
    /// Pixels per point.
    pub(crate) fn pixels_per_point(&self) -> f32 {
        self.resolution() / 72.0
    }

    fn resolution(&self) -> f32 {
        let resolution = self.dpi * self.factor();
        if resolution.is_finite() {
            resolution.clamp(*RESOLUTIONS.start(), *RESOLUTIONS.end())
        } else {
            108.0
        }
    }

    fn factor(&self) -> f32 {
        if self.scale.is_finite() {
            self.scale.clamp(0.1, 8.0)
        } else {
            1.0
        }
    }

    /// A length at 1×, in pixels of the picture; at least one.
    pub(crate) fn pixels(&self, length: u32) -> i64 {
        ((f64::from(length) * f64::from(self.factor())).round() as i64).max(1)
    }
}

/// On white or on black.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// As the page is.
    #[default]
    Light,
    /// Light letters on a dark page; photographs stay as they are.
    Dark,
}

/// What is known of a marked passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// It says exactly this: blue.
    #[default]
    Exact,
    /// It says something like it, or elsewhere: amber.
    Partial,
    /// The place where it was said to be, and is not: red.
    Missed,
}

impl State {
    /// The colour of its brackets.
    pub fn colour(self, theme: Theme) -> [u8; 3] {
        match (self, theme) {
            (Self::Exact, Theme::Light) => [0x00, 0x55, 0x95],
            (Self::Partial, _) => [0xfb, 0xbf, 0x24],
            (Self::Missed, Theme::Light) => [0xef, 0x44, 0x44],
            // Dark blue and red are hard to see on black.
            (Self::Exact, Theme::Dark) => [0x58, 0xb0, 0xf0],
            (Self::Missed, Theme::Dark) => [0xf8, 0x71, 0x71],
        }
    }
}

/// How thick a bracket is.
pub const LINE: u32 = 2;
/// The arm of a bracket is this part of its height,
pub const ARM_PART: u32 = 5;
/// but at least this long,
pub const ARM_MIN: u32 = 4;
/// and at most this.
pub const ARM_MAX: u32 = 12;
/// The room between a passage and its brackets.
pub const BOX_PADDING: u32 = 2;
/// What is shown around a passage that is cut out.
pub const IMAGE_PADDING: u32 = 60;
/// What is left free beside the lines of such a part.
pub const SIDE: u32 = 24;
/// What stays bright around a passage.
pub const SPOTLIGHT_PADDING: u32 = 30;
/// What lies over the rest: a colour and how much of it covers, of 255.
pub const OVERLAY: ([u8; 3], u8) = ([26, 26, 26], 64);
/// The same on a dark page.
pub const OVERLAY_DARK: ([u8; 3], u8) = ([0, 0, 0], 102);
/// What lies over the anchor.
pub const ANCHOR: ([u8; 3], u8) = ([251, 191, 36], 51);
/// The same on a dark page.
pub const ANCHOR_DARK: ([u8; 3], u8) = ([251, 191, 36], 77);
/// How much of the state's colour lies over the lines of a passage that has several.
pub const WASH: u8 = 20;
/// The room between two parts that are set below each other.
pub const GAP: u32 = 6;
/// What is seen in that room, light and dark.
pub const GAP_COLOURS: ([u8; 3], [u8; 3]) = ([0xd8, 0xd6, 0xd1], [0x3a, 0x3a, 0x3a]);
