//! The archive that a DOCX is: parts by name, and what leads from one to another.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use encoding_rs::{Encoding, UTF_8};
use memchr::memmem;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::damaged;
use super::xml::{XmlBudget, XmlNode, XmlPart};
use crate::error::DocumentError;
use crate::figure::{EmbeddedImage, HEADS, ImageLocation};
use crate::picture::ImageHeader;

/// More parts than any file of this kind has.
const MAX_PARTS: usize = 1 << 16;

/// The parts of a file.
pub(super) struct DocxPackage<'f> {
    archive: ZipArchive<Cursor<&'f [u8]>>,
    /// Places in the archive. Names are alike if they differ in case only.
    parts: HashMap<String, usize>,
}

/// Where a part leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartRelationship {
    pub(super) id: String,
    /// The last word of its type, "footnotes".
    pub(super) kind: String,
    /// The name of the part.
    pub(super) target: String,
}

impl<'f> DocxPackage<'f> {
    pub(super) fn open(bytes: &'f [u8], limit: usize) -> Result<Self, DocumentError> {
        // An entry of the directory costs much more memory than bytes.
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
        // Of entries with the same name the archive knows the last, other readers the first.
        let twice = || damaged("two of its parts have the same name");
        if entries_from(bytes, archive.central_directory_start()) > archive.len() {
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

    /// The text of a part, if it is there.
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
        // One byte more than allowed shows that there is more; sizes in headers may lie.
        let most = budget.left() as u64 + 1;
        let mut bytes = Vec::new();
        let read = file.take(most).read_to_end(&mut bytes);
        budget.decompressed(bytes.len())?;
        read.map_err(|_| damaged("a part cannot be decompressed, or its checksum is wrong"))?;
        let (encoding, mark) = Encoding::for_bom(&bytes).unwrap_or((UTF_8, 0));
        let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
        Ok(Some(text.into_owned()))
    }

    /// The image that a part is, if it can be shown and has at most so many pixels; only its head is read.
    pub(super) fn image(
        &mut self,
        name: &str,
        budget: &mut XmlBudget<'_>,
        pixels: usize,
    ) -> Option<EmbeddedImage> {
        let at = *self.parts.get(&part_name(name))?;
        for most in HEADS {
            let mut file = self.archive.by_index(at).ok()?;
            let start = usize::try_from(file.data_start()?).ok()?;
            let length = usize::try_from(file.compressed_size()).ok()?;
            let deflated = match file.compression() {
                CompressionMethod::Stored => false,
                CompressionMethod::Deflated => true,
                _ => return None,
            };
            let mut head = Vec::new();
            let most = most.min(budget.left());
            // A head is enough, whatever comes after it.
            let _ = file.by_ref().take(most as u64).read_to_end(&mut head);
            budget.decompressed(head.len()).ok()?;
            if let Some(file) = ImageHeader::of(&head) {
                let place = ImageLocation::Part {
                    range: start..start.checked_add(length)?,
                    deflated,
                };
                return (file.pixels() <= pixels as u64).then_some(EmbeddedImage { place, file });
            }
        }
        None
    }

    /// Where a part leads; the empty name is the file as a whole.
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

/// How many entries a directory lists, as they follow each other.
fn entries_from(bytes: &[u8], start: u64) -> usize {
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

/// A name as it is compared.
fn part_name(name: &str) -> String {
    let name = name.replace('\\', "/");
    name.trim_start_matches('/').to_ascii_lowercase()
}

/// The part that a target means, seen from a folder; nothing is outside the archive.
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
    fn targets_stay_inside() {
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
