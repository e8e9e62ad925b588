//! Drawings: images, their alternative texts, and letters drawn as images.

use std::collections::HashMap;

use super::super::xml::XmlElement;
use super::blocks::ParagraphBlock;
use super::lines::InlineDrawing;
use crate::document::TextStreamRole;
use crate::embedded_image::{ImageDisplay, ImageLength};

/// Drawing that is being read.
#[derive(Debug, Default)]
pub(super) struct DrawingCanvas {
    /// Alternative text.
    label: String,
    /// Width and height in points.
    size: Option<(f32, f32)>,
    /// True if it is a group of drawings, each with a size of its own.
    is_group: bool,
    /// Number of images so far.
    images: usize,
}

/// Units of length per point.
const LENGTH_UNITS: f32 = 12_700.0;
/// Units of an angle per 90 degrees.
const ANGLE_UNITS: f32 = 5_400_000.0;

impl DrawingCanvas {
    /// Reads an element of a drawing. Images and texts go to the paragraph; `images` are the names of image parts
    /// by their ids.
    pub(super) fn read_element(
        &mut self,
        element: &XmlElement<'_>,
        images: &HashMap<String, String>,
        block: &mut ParagraphBlock,
    ) {
        match element.name() {
            "extent" => self.size = size(element),
            "wgp" | "grpSp" | "wpc" | "group" => self.is_group = true,
            "docPr" => {
                let label = element.attribute("descr").or(element.attribute("title"));
                self.label = label.unwrap_or_default().into_owned();
                for name in ["title", "descr"] {
                    if let Some(text) = element.attribute(name) {
                        block.add_beside(TextStreamRole::Hidden, &text);
                    }
                }
            }
            "blip" => self.add_image(element, "embed", [0.0; 4], images, block),
            "srcRect" => {
                let crop = ["l", "t", "r", "b"].map(|side| cropped(element, side, 100_000.0));
                self.change_last(block, |display| display.crop = crop);
            }
            "xfrm" => {
                let angle = element.attribute("rot").and_then(|rot| rot.parse().ok());
                let quarters = (angle.unwrap_or(0.0_f32) / ANGLE_UNITS)
                    .round()
                    .rem_euclid(4.0);
                if quarters != 0.0 {
                    self.change_last(block, |display| display.rotate_by(quarters as u8));
                }
            }
            "ext" if self.is_group => {
                let whole = self.size;
                if let Some((width, height)) = size(element) {
                    let (most_wide, most_high) = whole.unwrap_or((width, height));
                    self.change_last(block, |display| {
                        let quarters = display.quarters.take();
                        display.width = Some(ImageLength::Points(width.min(most_wide)));
                        display.height = Some(ImageLength::Points(height.min(most_high)));
                        if let Some(quarters) = quarters {
                            display.rotate_by(quarters);
                        }
                    });
                }
            }
            "shape" | "rect" => self.begin_shape(element, block),
            "imagedata" => {
                self.read_label(element, block);
                let crop = ["cropleft", "croptop", "cropright", "cropbottom"]
                    .map(|side| cropped(element, side, 65_536.0));
                self.add_image(element, "id", crop, images, block);
            }
            "textpath" => {
                if let Some(text) = element.attribute("string") {
                    block.add_beside(TextStreamRole::Apart, &text);
                }
            }
            _ => {}
        }
    }

    /// Begins a shape, which has its own size and alternative text.
    fn begin_shape(&mut self, element: &XmlElement<'_>, block: &mut ParagraphBlock) {
        *self = Self {
            is_group: self.is_group,
            ..Self::default()
        };
        // Inside a group, lengths are in units of the group.
        if let Some(style) = element.attribute("style")
            && !self.is_group
        {
            let side = |side| match ImageLength::in_style(&style, side) {
                Some(ImageLength::Points(points)) => Some(points),
                _ => None,
            };
            self.size = side("width").zip(side("height"));
        }
        self.read_label(element, block);
    }

    /// Reads the alternative text of a shape or an image.
    fn read_label(&mut self, element: &XmlElement<'_>, block: &mut ParagraphBlock) {
        if let Some(text) = element.attribute("alt") {
            self.label = text.clone().into_owned();
            block.add_beside(TextStreamRole::Hidden, &text);
        }
    }

    /// Adds an image. `reference` is the attribute with the id of its part.
    fn add_image(
        &mut self,
        element: &XmlElement<'_>,
        reference: &str,
        crop: [f32; 4],
        images: &HashMap<String, String>,
        block: &mut ParagraphBlock,
    ) {
        let reference = element.attribute(reference);
        let part = reference.and_then(|id| images.get(&*id).cloned());
        let points = |side: fn((f32, f32)) -> f32| self.size.map(side).map(ImageLength::Points);
        let display = ImageDisplay {
            width: points(|size| size.0),
            height: points(|size| size.1),
            crop,
            quarters: None,
        };
        block.add_drawing(InlineDrawing {
            label: self.label.clone(),
            part,
            display,
            ..InlineDrawing::default()
        });
        self.images += 1;
    }

    /// Changes the display of the last image of the drawing.
    fn change_last(&self, block: &mut ParagraphBlock, change: impl FnOnce(&mut ImageDisplay)) {
        if self.images > 0
            && let Some(drawing) = block.last_drawing()
        {
            change(&mut drawing.display);
        }
    }
}

/// Returns the size in the attributes of an element.
fn size(element: &XmlElement<'_>) -> Option<(f32, f32)> {
    let side = |name| {
        let units: f32 = element.attribute(name)?.trim().parse().ok()?;
        (units > 0.0 && units.is_finite()).then_some(units / LENGTH_UNITS)
    };
    Some((side("cx")?, side("cy")?))
}

/// Returns the fraction of a side that is cropped; the attribute counts in units of `1 / whole`.
fn cropped(element: &XmlElement<'_>, side: &str, whole: f32) -> f32 {
    let given = element.attribute(side).unwrap_or_default();
    let number: Option<f32> = given.trim().trim_end_matches('f').parse().ok();
    let part = number.map_or(0.0, |number| number / whole);
    // Negative numbers would enlarge the image and are ignored.
    if part.is_finite() {
        part.clamp(0.0, 0.99)
    } else {
        0.0
    }
}
