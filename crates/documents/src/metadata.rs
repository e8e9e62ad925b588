//! Facts that a file states about itself, its outline, and warnings about what could not be read.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Facts that a file states about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DocumentMetadata {
    /// Author.
    pub author: Option<String>,
    /// Subject.
    pub subject: Option<String>,
    /// Keywords.
    pub keywords: Option<String>,
    /// Date of creation.
    pub created: Option<MetadataDate>,
    /// Date of the last change.
    pub modified: Option<MetadataDate>,
}

/// Date and time as a file states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MetadataDate {
    /// Year.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day of the month, from 1.
    pub day: u8,
    /// Hour.
    pub hour: u8,
    /// Minute.
    pub minute: u8,
    /// Second.
    pub second: u8,
    /// Minutes by which local time is ahead of UTC.
    pub offset: i16,
}

impl fmt::Display for MetadataDate {
    /// Writes the date as in RFC 3339.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            self.year, self.month, self.day, self.hour, self.minute, self.second
        )?;
        if self.offset == 0 {
            return f.write_str("Z");
        }
        let sign = if self.offset < 0 { '-' } else { '+' };
        let minutes = self.offset.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// Heading in the outline of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineHeading {
    /// Text of the heading.
    pub title: String,
    /// Page it leads to, from 1.
    pub page: Option<u32>,
    /// Number of headings above it in the hierarchy.
    pub depth: u32,
}

/// Warning about content that could not be read, or not as its name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ReadWarning {
    /// Page that shows something but no text, or mostly glyphs without a known character.
    NoText {
        /// Page number, from 1.
        page: u32,
    },
    /// Page that is an image in which no words were recognised.
    NoWords {
        /// Page number, from 1.
        page: u32,
    },
    /// Page that is an image, on which the recognition of words failed or took too long.
    NotRecognised {
        /// Page number, from 1.
        page: u32,
    },
    /// File with the name of a PDF that is a text.
    NoPdf,
    /// PDF whose end, with the list of its objects, is missing.
    CutOff,
    /// Images that are broken, too large or of an unsupported kind. Boxes replace them; the text is complete.
    ImagesNotShown {
        /// Number of images.
        images: u32,
    },
}

impl fmt::Display for ReadWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoText { page } => {
                write!(
                    f,
                    "no text can be read on page {page}, try OCR: install tesseract-ocr to have its picture read"
                )
            }
            Self::NoWords { page } => write!(f, "no words were recognised on page {page}"),
            Self::NotRecognised { page } => write!(
                f,
                "recognising the words on page {page} failed or took too long; allow more seconds"
            ),
            Self::NoPdf => f.write_str(
                "this is no PDF, though it is called one; it was read as text, check that it is the right file",
            ),
            Self::CutOff => f.write_str(
                "the file is damaged: its end is missing, and text or pages may be with it; get the whole file and use that",
            ),
            Self::ImagesNotShown { images } => write!(
                f,
                "boxes stand for {images} {} that cannot be drawn; save as PNG, JPEG, GIF or WebP what is to be seen",
                if *images == 1 { "image" } else { "images" }
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_with_their_offset() {
        let mut date = MetadataDate {
            year: 2024,
            month: 3,
            day: 9,
            hour: 7,
            minute: 5,
            second: 0,
            offset: 0,
        };
        assert_eq!(date.to_string(), "2024-03-09T07:05:00Z");
        date.offset = -210;
        assert_eq!(date.to_string(), "2024-03-09T07:05:00-03:30");
    }
}
