//! Images inside documents, at the sizes they are shown in.

use std::collections::HashMap;

use documents::{ImageNumber, PageLayout};

use crate::dark::{BELOW_PHOTOGRAPHS, darken_image, dim};
use crate::decode::DecodedPixels;
use crate::image::{Image, PixelArea};
use crate::scale::ScaledDisplay;
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
const KEPT: usize = 8_000_000;

/// Cache of scaled images. Damaged ones are `None`.
#[derive(Debug, Default)]
pub(crate) struct EmbeddedImages {
    shown: HashMap<ImageNumber, Vec<(ImagePlacement, Option<Image>)>>,
    pixels: usize,
}

impl EmbeddedImages {
    /// Returns an image as it is shown, unless it is damaged or exceeds the pixels left for the page.
    pub(crate) fn shown(
        &mut self,
        layout: &PageLayout,
        place: &ImagePlacement,
        left: &mut u64,
    ) -> Option<&Image> {
        let cost = layout.image_file(place.image)?.pixels();
        *left = left.checked_sub(cost)?;
        let known = self.shown.get(&place.image);
        if !known.is_some_and(|known| known.iter().any(|(there, _)| there == place)) {
            let size = (place.seen.width().max(0) * place.seen.height().max(0)) as usize;
            if self.pixels.saturating_add(size) > KEPT {
                *self = Self::default();
            }
            self.pixels += size;
            let image = make(layout, place);
            let known = self.shown.entry(place.image).or_default();
            known.push((*place, image));
        }
        let known = self.shown.get(&place.image)?.iter();
        let (_, image) = { known }.find(|(there, _)| there == place)?;
        image.as_ref()
    }
}

fn make(layout: &PageLayout, place: &ImagePlacement) -> Option<Image> {
    let file = layout.image_file(place.image)?.turned(place.shown.turn);
    let decoded = DecodedPixels::of(&layout.image(place.image)?, &file)?;
    let mut image = decoded.shown(&place.shown, place.seen, 255);
    if place.theme == ImageTheme::Dark {
        let is_photograph = darken_image(&mut image);
        if is_photograph && decoded.is_see_through() {
            image = decoded.shown(&place.shown, place.seen, BELOW_PHOTOGRAPHS);
            dim(&mut image);
        }
    }
    Some(image)
}
