//! Text with its rectangle on a page.

use crate::field_names::record;

record! {
    /// Rectangle on a page with its text, in page units from the bottom left.
    pub struct TextItem {
        /// Left edge.
        x: Option<f64> = "x",
        /// Top edge, measured from the bottom of the page.
        y: Option<f64> = "y",
        /// Width.
        width: Option<f64> = "width",
        /// Height.
        height: Option<f64> = "height",
        /// Text in the rectangle.
        text: Option<String> = "text",
    }
}
