//! Integration tests of the crate.

mod drawing_limits;
mod embedded_images;
mod highlights;
mod layout;
mod limits_and_files;
mod missing_glyphs;
mod pdf_pages;
mod raster;
mod sample_pdf;
mod strips;
