//! Package of a DOCX: an archive with parts by name, and relationships between them.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use encoding_rs::{Encoding, UTF_8};
use memchr::memmem;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::damaged;
use super::xml::{XmlBudget, XmlNode, XmlPart};
use crate::embedded_image::{EmbeddedImage, HEADER_SIZES, ImageLocation};
use crate::error::DocumentError;
use crate::image_header::ImageHeader;

/// Largest number of parts of a file.
const MAX_PARTS: usize = 1 << 16;

/// Parts of a file.
pub(super) struct DocxPackage<'f> {
    archive: ZipArchive<Cursor<&'f [u8]>>,
    /// Positions in the archive by name in lower case.
    parts: HashMap<String, usize>,
}

/// Relationship of a part to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartRelationship {
    pub(super) id: String,
    /// Last segment of its type, such as "footnotes".
    pub(super) kind: String,
    /// Name of the other part.
    pub(super) target: String,
}

impl<'f> DocxPackage<'f> {
    pub(super) fn open(bytes: &'f [u8], limit: usize) -> Result<Self, DocumentError> {
        // An entry of the directory needs much more memory than its bytes.
        let entries = memmem::find_iter(bytes, b"PK\x01\x02").count();
        let limit = limit.min(MAX_PARTS);
        if entries > limit {
            return Err(DocumentError::TooManyObjects {
                objects: entries,
                limit,
            });
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| match error {
            ZipError::UnsupportedArchive(_) => damaged("its archive is of a kind that is not read"),
            _ => damaged("the directory of its archive is missing or wrong; it may be cut off"),
        })?;
        // Of two entries with the same name, this library reads the last and other readers the first.
        let twice = || damaged("two of its parts have the same name");
        if count_entries(bytes, archive.central_directory_start()) > archive.len() {
            return Err(twice());
        }
        let mut parts = HashMap::new();
        for (at, name) in archive.file_names_raw().enumerate() {
            let name = part_name(&String::from_utf8_lossy(name));
            if parts.insert(name, at).is_some() {
                return Err(twice());
            }
        }
        Ok(Self { archive, parts })
    }

    /// Returns the text of a part, if it exists.
    pub(super) fn part(
        &mut self,
        name: &str,
        budget: &mut XmlBudget<'_>,
    ) -> Result<Option<String>, DocumentError> {
        let Some(&at) = self.parts.get(&part_name(name)) else {
            return Ok(None);
        };
        let file = self.archive.by_index(at).map_err(|error| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => DocumentError::Encryption,
            ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
                damaged("a part is compressed in a way that is not read")
            }
            _ => damaged("a part is not where its archive says"),
        })?;
        // Sizes in headers may be wrong: one byte above the limit shows that there is more.
        let most = budget.bytes_left() as u64 + 1;
        let mut bytes = Vec::new();
        let read = file.take(most).read_to_end(&mut bytes);
        budget.count_bytes(bytes.len())?;
        read.map_err(|_| damaged("a part cannot be decompressed, or its checksum is wrong"))?;
        let (encoding, mark) = Encoding::for_bom(&bytes).unwrap_or((UTF_8, 0));
        let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
        Ok(Some(text.into_owned()))
    }

    /// Returns the image in a part, if it can be shown and has at most `pixels` pixels. Only its header is read.
    pub(super) fn image(
        &mut self,
        name: &str,
        budget: &mut XmlBudget<'_>,
        pixels: usize,
    ) -> Option<EmbeddedImage> {
        let at = *self.parts.get(&part_name(name))?;
        for most in HEADER_SIZES {
            let mut file = self.archive.by_index(at).ok()?;
            let start = usize::try_from(file.data_start()?).ok()?;
            let length = usize::try_from(file.compressed_size()).ok()?;
            let deflated = match file.compression() {
                CompressionMethod::Stored => false,
                CompressionMethod::Deflated => true,
                _ => return None,
            };
            let mut start_bytes = Vec::new();
            let most = most.min(budget.bytes_left());
            // The header is enough; errors after it do not matter.
            let _ = file
                .by_ref()
                .take(most as u64)
                .read_to_end(&mut start_bytes);
            budget.count_bytes(start_bytes.len()).ok()?;
            if let Some(header) = ImageHeader::of(&start_bytes) {
                let location = ImageLocation::Part {
                    range: start..start.checked_add(length)?,
                    deflated,
                };
                let is_small = header.pixels() <= pixels as u64;
                return is_small.then_some(EmbeddedImage { location, header });
            }
        }
        None
    }

    /// Returns the relationships of a part; the empty name stands for the whole file.
    pub(super) fn relationships(
        &mut self,
        part: &str,
        budget: &mut XmlBudget<'_>,
    ) -> Result<Vec<PartRelationship>, DocumentError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = format!("{folder}/_rels/{file}.rels");
        let Some(text) = self.part(&name, budget)? else {
            return Ok(Vec::new());
        };
        let mut relationships = Vec::new();
        let mut xml = XmlPart::new(&text, budget);
        loop {
            match xml.next()? {
                XmlNode::Open(element) if element.name() == "Relationship" => {
                    let attribute = |name| element.attribute(name).unwrap_or_default();
                    if attribute("TargetMode") == "External" {
                        continue;
                    }
                    let kind = attribute("Type");
                    relationships.push(PartRelationship {
                        id: attribute("Id").into_owned(),
                        kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                        target: resolve(folder, &attribute("Target")),
                    });
                }
                XmlNode::End => return Ok(relationships),
                _ => {}
            }
        }
    }
}

/// Returns the number of consecutive entries of a directory.
fn count_entries(bytes: &[u8], start: u64) -> usize {
    let mut rest = usize::try_from(start)
        .ok()
        .and_then(|start| bytes.get(start..));
    let mut count = 0;
    while let Some(entry) = rest.filter(|rest| rest.starts_with(b"PK\x01\x02")) {
        let length = |at: usize| {
            let bytes = entry.get(at..at + 2)?;
            Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
        };
        let lengths = [28, 30, 32].map(|at| length(at).unwrap_or(0));
        count += 1;
        rest = entry.get(46 + lengths.iter().sum::<usize>()..);
    }
    count
}

/// Returns the form of a name in which names are compared.
fn part_name(name: &str) -> String {
    let name = name.replace('\\', "/");
    name.trim_start_matches('/').to_ascii_lowercase()
}

/// Resolves a target relative to a folder. The result stays inside the archive.
fn resolve(folder: &str, target: &str) -> String {
    let mut path: Vec<&str> = Vec::new();
    let from = if target.starts_with(['/', '\\']) {
        ""
    } else {
        folder
    };
    for step in from.split('/').chain(target.split(['/', '\\'])) {
        match step {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            step => path.push(step),
        }
    }
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_stay_inside_the_archive() {
        for (folder, target, part) in [
            ("word", "styles.xml", "word/styles.xml"),
            ("word", "/word/document2.xml", "word/document2.xml"),
            ("word", "../docProps/core.xml", "docProps/core.xml"),
            ("", "../../etc/passwd", "etc/passwd"),
            ("a/b", "./c//d", "a/b/c/d"),
        ] {
            assert_eq!(resolve(folder, target), part);
        }
    }
}
