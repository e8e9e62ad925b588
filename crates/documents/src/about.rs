//! What a file says about itself, and what could not be read of it.

use std::fmt;

/// What a file says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentMetadata {
    /// Who wrote it.
    pub author: Option<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// Words to find it by.
    pub keywords: Option<String>,
    /// When it was made.
    pub created: Option<MetadataDate>,
    /// When it was last changed.
    pub modified: Option<MetadataDate>,
}

/// A date and time, as a file states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetadataDate {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
    /// The hour.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second.
    pub second: u8,
    /// How far local time is ahead of UTC, in minutes.
    pub offset: i16,
}

impl fmt::Display for MetadataDate {
    /// As in RFC 3339.
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

/// A heading that a file lists for finding one's way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineHeading {
    /// What it says.
    pub title: String,
    /// The page it leads to, from 1.
    pub page: Option<u32>,
    /// How many headings it stands below.
    pub depth: u32,
}

/// Something that could not be read, or not as what it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReadWarning {
    /// A page shows something, but no text, or mostly letters that the file does not name.
    NoText {
        /// Which, from 1.
        page: u32,
    },
    /// Words on a page that is a picture were looked for, and there are none.
    NoWords {
        /// Which, from 1.
        page: u32,
    },
    /// Looking for words on a page that is a picture failed, or took too long.
    NotRecognised {
        /// Which, from 1.
        page: u32,
    },
    /// The file is called a PDF and is text.
    NoPdf,
    /// The end of a PDF is missing, where it says what is in it.
    CutOff,
    /// Images are broken, too large or of a kind that is not drawn. Boxes stand for them; the text is whole.
    ImagesNotShown {
        /// How many.
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
