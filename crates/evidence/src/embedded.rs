//! Images in documents, at the sizes they are shown in.

use std::collections::HashMap;

use documents::{ImageNumber, Layout};

use crate::dark::{BELOW_PHOTOGRAPHS, darken_image, dim};
use crate::decode::Decoded;
use crate::image::{Area, Image};
use crate::scale::Shown;
use crate::style::Theme;

/// Where and how an image is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    pub(crate) image: ImageNumber,
    pub(crate) shown: Shown,
    /// The part of it that is seen.
    pub(crate) seen: Area,
    pub(crate) theme: Theme,
}

/// So many pixels of images are kept, because pictures of a document often show the same page.
const KEPT: usize = 8_000_000;

/// Images as they are shown; broken ones are none.
#[derive(Debug, Default)]
pub(crate) struct Images {
    shown: HashMap<ImageNumber, Vec<(Place, Option<Image>)>>,
    pixels: usize,
}

impl Images {
    /// An image as it is shown, unless it is broken or has more pixels than are left for the page.
    pub(crate) fn shown(
        &mut self,
        layout: &Layout,
        place: &Place,
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

fn make(layout: &Layout, place: &Place) -> Option<Image> {
    let file = layout.image_file(place.image)?.turned(place.shown.turn);
    let decoded = Decoded::of(&layout.image(place.image)?, &file)?;
    let mut image = decoded.shown(&place.shown, place.seen, 255);
    if place.theme == Theme::Dark {
        let is_photograph = darken_image(&mut image);
        if is_photograph && decoded.is_see_through() {
            image = decoded.shown(&place.shown, place.seen, BELOW_PHOTOGRAPHS);
            dim(&mut image);
        }
    }
    Some(image)
}
