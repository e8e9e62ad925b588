//! Limits and options of rendering.

/// Limits on rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderLimits {
    /// Pixels of a picture; its sides have at most 65,535.
    pub pixels: u64,
    /// Pixels of all images on a page, counted as often as they are drawn. Boxes replace images beyond the
    /// limit.
    pub image_pixels: u64,
    /// Drawing steps of a page: paths, letters, dashes, tiles, masks and samples. A PDF page that has more is
    /// simplified; see [`Image::is_simplified`](crate::Image::is_simplified).
    pub steps: u64,
}

impl Default for RenderLimits {
    fn default() -> Self {
        Self {
            pixels: 40_000_000,
            image_pixels: 80_000_000,
            steps: 2_000_000,
        }
    }
}

/// Options of rendering.
#[derive(Clone, Copy)]
pub struct RenderOptions<'a> {
    /// Limits.
    pub limits: RenderLimits,
    /// Callback that is asked now and then before a page is drawn; true cancels.
    pub give_up: &'a dyn Fn() -> bool,
}

impl Default for RenderOptions<'_> {
    fn default() -> Self {
        Self {
            limits: RenderLimits::default(),
            give_up: &|| false,
        }
    }
}

impl std::fmt::Debug for RenderOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RenderOptions")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
