//! Pictures of pages with the passages marked: seeing is believing.
//!
//! [`Pictures`] draws pages of a [`Source`], which is a PDF file or one that was laid out on pages, and [`Marks`] say what is marked on them: brackets around a
//! passage, in the colour of its [`State`], and a tint over the words that matter most. A [`View`] is a
//! whole page, or a strip cut out around the passage; a [`Style`] gives resolution, light or dark, and
//! whether the rest is dimmed. An [`Image`] is written as PNG, WebP or AVIF.
//!
//! The same document, view and style always give the same bytes, so pictures can be kept under
//! [`View::key`]; keeping them is up to the caller. Nothing here opens files. Pages come from anywhere:
//! [`Limits`] bound what they may cost, and every way to refuse one is a [`PictureError`].

mod around;
mod dark;
mod decode;
mod embedded;
mod encode;
mod error;
mod image;
mod laid;
mod marks;
mod pdf;
mod pictures;
mod raster;
mod scale;
mod source;
pub mod style;

pub use encode::Format;
pub use error::PictureError;
pub use image::Image;
pub use marks::Marks;
pub use pdf::Pdf;
pub use pictures::{Drawing, Limits, Pictures, View};
pub use raster::Raster;
pub use source::Source;
pub use style::{State, Style, Theme};
