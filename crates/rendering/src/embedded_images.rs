//! Images inside documents, at the sizes they are shown in.

use std::collections::HashMap;

use documents::{ImageNumber, PageLayout};

use crate::dark_theme::{PAPER_BEHIND_PHOTOGRAPHS, darken_image, dim};
use crate::image::{Image, PixelArea};
use crate::image_decoding::DecodedPixels;
use crate::image_scaling::ScaledDisplay;
use crate::style::ImageTheme;

/// Position and scaling of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ImagePlacement {
    pub(crate) image: ImageNumber,
    pub(crate) shown: ScaledDisplay,
    /// Visible part.
    pub(crate) seen: PixelArea,
    pub(crate) theme: ImageTheme,
}

/// Limit on the pixels of cached images. Pictures of a document often show the same page.
const MAX_CACHED_PIXELS: usize = 8_000_000;

/// Cache of scaled images. Damaged ones are `None`.
#[derive(Debug, Default)]
pub(crate) struct EmbeddedImages {
    shown: HashMap<ImageNumber, Vec<(ImagePlacement, Option<Image>)>>,
    pixels: usize,
}

impl EmbeddedImages {
    /// Returns an image as it is shown, unless it is damaged or exceeds the pixels left for the page.
    pub(crate) fn get_or_render(
        &mut self,
        layout: &PageLayout,
        place: &ImagePlacement,
        left: &mut u64,
    ) -> Option<&Image> {
        let cost = layout.image_header(place.image)?.pixels();
        *left = left.checked_sub(cost)?;
        let known = self.shown.get(&place.image);
        if !known.is_some_and(|known| known.iter().any(|(there, _)| there == place)) {
            let size = (place.seen.width().max(0) * place.seen.height().max(0)) as usize;
            if self.pixels.saturating_add(size) > MAX_CACHED_PIXELS {
                *self = Self::default();
            }
            self.pixels += size;
            let image = render(layout, place);
            let known = self.shown.entry(place.image).or_default();
            known.push((*place, image));
        }
        let known = self.shown.get(&place.image)?.iter();
        let (_, image) = { known }.find(|(there, _)| there == place)?;
        image.as_ref()
    }
}

fn render(layout: &PageLayout, place: &ImagePlacement) -> Option<Image> {
    let file = layout.image_header(place.image)?.rotated(place.shown.turn);
    let decoded = DecodedPixels::decode(&layout.image(place.image)?, &file)?;
    let mut image = decoded.render_scaled(&place.shown, place.seen, 255);
    if place.theme == ImageTheme::Dark {
        let is_photograph = darken_image(&mut image);
        if is_photograph && decoded.has_alpha() {
            image = decoded.render_scaled(&place.shown, place.seen, PAPER_BEHIND_PHOTOGRAPHS);
            dim(&mut image);
        }
    }
    Some(image)
}
