//! Appearance of pictures.

use serde::{Deserialize, Serialize};

/// Appearance of a picture. Lengths are in pixels at scale 1 and grow with the scale.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RenderStyle {
    /// Pixels per inch at scale 1.
    pub dpi: f32,
    /// 1 for ordinary screens, 2 for high resolution.
    pub scale: f32,
    /// Light or dark.
    pub theme: ImageTheme,
    /// True to dim everything around the passage.
    pub spotlight: bool,
    /// Margin around the passage in a crop.
    pub padding: u32,
}

impl Default for RenderStyle {
    fn default() -> Self {
        Self {
            dpi: 108.0,
            scale: 1.0,
            theme: ImageTheme::Light,
            spotlight: false,
            padding: IMAGE_PADDING,
        }
    }
}

/// Range of resolutions that are drawn, in pixels per inch.
const RESOLUTIONS: std::ops::RangeInclusive<f32> = 4.0..=2400.0;

impl RenderStyle {
    /// Returns pixels per point.
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

    /// Converts a length at scale 1 to pixels of the picture; at least one.
    pub(crate) fn pixels(&self, length: u32) -> i64 {
        ((f64::from(length) * f64::from(self.factor())).round() as i64).max(1)
    }
}

/// Colours of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImageTheme {
    /// Colours of the page.
    #[default]
    Light,
    /// Light letters on a dark page; photographs are kept.
    Dark,
}

/// Result of the verification of a highlighted passage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HighlightState {
    /// The source contains exactly this passage: blue.
    #[default]
    Exact,
    /// The source contains something similar, or contains it elsewhere: amber.
    Partial,
    /// The source does not contain this at the cited place: red.
    Missed,
}

impl HighlightState {
    /// Returns the colour of the brackets.
    pub fn colour(self, theme: ImageTheme) -> [u8; 3] {
        match (self, theme) {
            (Self::Exact, ImageTheme::Light) => [0x00, 0x55, 0x95],
            (Self::Partial, _) => [0xfb, 0xbf, 0x24],
            (Self::Missed, ImageTheme::Light) => [0xef, 0x44, 0x44],
            // Dark blue and red are hard to see on black.
            (Self::Exact, ImageTheme::Dark) => [0x58, 0xb0, 0xf0],
            (Self::Missed, ImageTheme::Dark) => [0xf8, 0x71, 0x71],
        }
    }
}

/// Thickness of a bracket.
pub const LINE: u32 = 2;
/// Divisor that gives the length of a bracket's arm from its height.
pub const ARM_PART: u32 = 5;
/// Minimum length of a bracket's arm.
pub const ARM_MIN: u32 = 4;
/// Maximum length of a bracket's arm.
pub const ARM_MAX: u32 = 12;
/// Distance between a passage and its brackets.
pub const BOX_PADDING: u32 = 2;
/// Margin around a passage in a crop.
pub const IMAGE_PADDING: u32 = 60;
/// Margin beside the lines of a crop.
pub const SIDE: u32 = 24;
/// Margin around a passage that stays bright.
pub const SPOTLIGHT_PADDING: u32 = 30;
/// Overlay over the dimmed part: colour, and opacity in units of 1/255.
pub const OVERLAY: ([u8; 3], u8) = ([26, 26, 26], 64);
/// Overlay over the dimmed part of a dark page.
pub const OVERLAY_DARK: ([u8; 3], u8) = ([0, 0, 0], 102);
/// Tint of the key words: colour, and opacity in units of 1/255.
pub const ANCHOR: ([u8; 3], u8) = ([251, 191, 36], 51);
/// Tint of the key words on a dark page.
pub const ANCHOR_DARK: ([u8; 3], u8) = ([251, 191, 36], 77);
/// Opacity of the tint over a passage of several lines, in units of 1/255.
pub const WASH: u8 = 20;
/// Distance between two parts of a crop.
pub const GAP: u32 = 6;
/// Colours between two parts of a crop, light and dark.
pub const GAP_COLOURS: ([u8; 3], [u8; 3]) = ([0xd8, 0xd6, 0xd1], [0x3a, 0x3a, 0x3a]);
