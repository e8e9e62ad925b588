//! Package of a DOCX: reading of its parts, and writing of a copy with changed ones.

use std::io::{Cursor, Read, Write};

use quick_xml::Reader;
use quick_xml::events::Event;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::ManuscriptError;

const CONTENT_TYPES: &str = "[Content_Types].xml";
const COMMENTS_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml";

/// Relationship of the main part to another.
struct RelatedPart {
    /// Last segment of its type, such as "footnotes".
    kind: String,
    /// Name of the part.
    target: String,
}

/// Package of a DOCX.
pub(super) struct ManuscriptPackage {
    bytes: Vec<u8>,
    /// Largest size of a part, in bytes.
    limit: usize,
    main: String,
    main_text: String,
    related: Vec<RelatedPart>,
}

impl ManuscriptPackage {
    pub(super) fn open(bytes: &[u8], limit: usize) -> Result<Self, ManuscriptError> {
        let mut package = Self {
            bytes: bytes.to_vec(),
            limit,
            main: String::new(),
            main_text: String::new(),
            related: Vec::new(),
        };
        let whole = package.relationships("")?;
        let main = whole.into_iter().find(|to| to.kind == "officeDocument");
        package.main = main.map_or_else(|| "word/document.xml".to_owned(), |main| main.target);
        let main = package.main.clone();
        package.main_text = package
            .part(&main)?
            .ok_or(ManuscriptError::MissingPart("word/document.xml"))?;
        package.related = package.relationships(&main)?;
        Ok(package)
    }

    /// Returns the XML of the main part.
    pub(super) fn main_text(&self) -> &str {
        &self.main_text
    }

    /// Returns the first part of a kind to which the main part refers.
    pub(super) fn related(&self, kind: &str) -> Result<Option<String>, ManuscriptError> {
        let found = self.related.iter().find(|to| to.kind == kind);
        match found.map(|to| to.target.clone()) {
            Some(target) => self.part(&target),
            None => Ok(None),
        }
    }

    /// Returns the text of a part.
    fn part(&self, name: &str) -> Result<Option<String>, ManuscriptError> {
        let mut archive = ZipArchive::new(Cursor::new(self.bytes.as_slice()))?;
        let Some(at) = position(&archive, name) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        let file = archive.by_index(at)?;
        file.take(self.limit as u64).read_to_end(&mut bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| ManuscriptError::Encoding)?;
        Ok(Some(text))
    }

    fn relationships(&self, part: &str) -> Result<Vec<RelatedPart>, ManuscriptError> {
        let (folder, _) = part.rsplit_once('/').unwrap_or(("", part));
        let Some(text) = self.part(&relationships_name(part))? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        let mut reader = Reader::from_str(&text);
        loop {
            let start = match reader.read_event()? {
                Event::Start(start) | Event::Empty(start) => start,
                Event::Eof => return Ok(found),
                _ => continue,
            };
            let attribute = |name: &str| {
                let mut all = start.attributes();
                let mut all = all.with_checks(false).flatten();
                let found = all.find(|attribute| attribute.key.local_name().into_inner() == name);
                found
                    .map(|found| found.value.into_owned())
                    .unwrap_or_default()
            };
            if start.local_name().into_inner() != "Relationship"
                || attribute("TargetMode") == "External"
            {
                continue;
            }
            let kind = attribute("Type");
            found.push(RelatedPart {
                kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                target: resolve(folder, &attribute("Target")),
            });
        }
    }

    /// Returns a copy of the package with another main part and another part of comments. All other parts are copied
    /// without a change.
    pub(super) fn write(
        &self,
        main: String,
        comments: String,
        is_strict: bool,
    ) -> Result<Vec<u8>, ManuscriptError> {
        let existing = self.related.iter().find(|to| to.kind == "comments");
        let existing = existing.map(|to| to.target.clone());
        let mut changed = vec![(self.main.clone(), main)];
        match existing {
            Some(part) => changed.push((part, comments)),
            None => {
                let part = self.free_comments_name()?;
                changed.push((CONTENT_TYPES.to_owned(), self.content_types(&part)?));
                let name = relationships_name(&self.main);
                changed.push((name, self.main_relationships(&part, is_strict)?));
                changed.push((part, comments));
            }
        }
        self.copy_with(&changed)
    }

    /// Returns a name for a new part of comments beside the main part.
    fn free_comments_name(&self) -> Result<String, ManuscriptError> {
        let archive = ZipArchive::new(Cursor::new(self.bytes.as_slice()))?;
        let (folder, _) = self.main.rsplit_once('/').unwrap_or(("", ""));
        let folder = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        let names = (0..).map(|number: u32| match number {
            0 => format!("{folder}comments.xml"),
            number => format!("{folder}comments{number}.xml"),
        });
        let mut free = names.filter(|name| position(&archive, name).is_none());
        free.next()
            .ok_or(ManuscriptError::MissingPart("comments.xml"))
    }

    fn content_types(&self, part: &str) -> Result<String, ManuscriptError> {
        let text = self.part(CONTENT_TYPES)?;
        let text = text.ok_or(ManuscriptError::MissingPart(CONTENT_TYPES))?;
        let entry = format!("<Override PartName=\"/{part}\" ContentType=\"{COMMENTS_TYPE}\"/>");
        Ok(with_last_child(&text, &entry))
    }

    fn main_relationships(&self, part: &str, is_strict: bool) -> Result<String, ManuscriptError> {
        let empty = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
            <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>";
        let name = relationships_name(&self.main);
        let text = self.part(&name)?.unwrap_or_else(|| empty.to_owned());
        let kinds = match is_strict {
            true => "http://purl.oclc.org/ooxml/officeDocument/relationships",
            false => "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        };
        let ids = (1..).map(|number: u32| format!("rIdPincite{number}"));
        let mut free = ids.filter(|id| !text.contains(&format!("\"{id}\"")));
        let id = free.next().unwrap_or_default();
        let target = part.rsplit('/').next().unwrap_or(part);
        let entry =
            format!("<Relationship Id=\"{id}\" Type=\"{kinds}/comments\" Target=\"{target}\"/>");
        Ok(with_last_child(&text, &entry))
    }

    /// Copies the archive. Parts that were changed are replaced, and new ones added at the end.
    fn copy_with(&self, changed: &[(String, String)]) -> Result<Vec<u8>, ManuscriptError> {
        let mut archive = ZipArchive::new(Cursor::new(self.bytes.as_slice()))?;
        let mut out = ZipWriter::new(Cursor::new(Vec::with_capacity(self.bytes.len())));
        let replaced: Vec<Option<usize>> = changed
            .iter()
            .map(|(name, _)| position(&archive, name))
            .collect();
        for at in 0..archive.len() {
            let file = archive.by_index_raw(at)?;
            match replaced.iter().position(|replaced| *replaced == Some(at)) {
                None => out.raw_copy_file(file)?,
                Some(which) => {
                    let mut options = SimpleFileOptions::default()
                        .compression_method(CompressionMethod::Deflated);
                    if let Some(time) = file.last_modified() {
                        options = options.last_modified_time(time);
                    }
                    out.start_file(file.name()?.into_owned(), options)?;
                    out.write_all(changed[which].1.as_bytes())?;
                }
            }
        }
        for ((name, text), _) in changed
            .iter()
            .zip(&replaced)
            .filter(|(_, replaced)| replaced.is_none())
        {
            let options =
                SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
            out.start_file(name.as_str(), options)?;
            out.write_all(text.as_bytes())?;
        }
        Ok(out.finish()?.into_inner())
    }
}

/// Returns the position of a part in the archive. Names are compared without case and separators at the start.
fn position(archive: &ZipArchive<Cursor<&[u8]>>, name: &str) -> Option<usize> {
    let plain = |name: &str| {
        name.replace('\\', "/")
            .trim_start_matches('/')
            .to_ascii_lowercase()
    };
    let wanted = plain(name);
    let mut names = archive.file_names_raw();
    names.position(|name| plain(&String::from_utf8_lossy(name)) == wanted)
}

fn relationships_name(part: &str) -> String {
    match part.rsplit_once('/') {
        Some((folder, file)) => format!("{folder}/_rels/{file}.rels"),
        None => format!("_rels/{part}.rels"),
    }
}

/// Resolves a target relative to a folder.
fn resolve(folder: &str, target: &str) -> String {
    let from = if target.starts_with('/') { "" } else { folder };
    let mut path: Vec<&str> = Vec::new();
    for step in from.split('/').chain(target.split('/')) {
        match step {
            "" | "." => {}
            ".." => drop(path.pop()),
            step => path.push(step),
        }
    }
    path.join("/")
}

/// Returns an XML text with another element as the last child of its root.
pub(super) fn with_last_child(text: &str, child: &str) -> String {
    if let Some(close) = text.rfind("</") {
        return format!("{}{child}{}", &text[..close], &text[close..]);
    }
    // The root is empty: `<Types/>`.
    match text.rfind("/>") {
        Some(end) => {
            let start = text[..end].rfind('<').map_or(0, |start| start + 1);
            let name = text[start..end]
                .split_whitespace()
                .next()
                .unwrap_or_default();
            format!("{}>{child}</{name}>{}", &text[..end], &text[end + 2..])
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_added_at_the_end_of_the_root() {
        assert_eq!(
            with_last_child("<a><b/></a>\n", "<c/>"),
            "<a><b/><c/></a>\n"
        );
        assert_eq!(
            with_last_child("<a x=\"1\"/>", "<c/>"),
            "<a x=\"1\"><c/></a>"
        );
    }
}
