//! Builders of small ZIP archives and DOCX files.

use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// Entry of an archive.
#[derive(Debug, Clone)]
struct ZipEntry {
    name: String,
    /// Bytes as they are in the archive, deflated or not.
    data: Vec<u8>,
    /// Size that the entry claims to have when it is inflated.
    size: usize,
    checksum: u32,
    is_deflated: bool,
}

/// Builder of a ZIP archive, which may lie about its entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct ZipBuilder {
    entries: Vec<ZipEntry>,
    /// Flags of every entry; 1 means encrypted.
    pub(crate) flags: u16,
}

impl ZipBuilder {
    /// Adds an entry without compression.
    pub(crate) fn stored(&mut self, name: &str, data: &[u8]) -> &mut Self {
        self.entries.push(ZipEntry {
            name: name.to_owned(),
            data: data.to_vec(),
            size: data.len(),
            checksum: checksum(data),
            is_deflated: false,
        });
        self
    }

    /// Adds a deflated entry.
    pub(crate) fn deflated(&mut self, name: &str, data: &[u8]) -> &mut Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).expect("memory takes everything");
        self.entries.push(ZipEntry {
            name: name.to_owned(),
            data: encoder.finish().expect("memory takes everything"),
            size: data.len(),
            checksum: checksum(data),
            is_deflated: true,
        });
        self
    }

    /// Makes the last entry claim another size.
    pub(crate) fn claim(&mut self, size: usize) -> &mut Self {
        if let Some(entry) = self.entries.last_mut() {
            entry.size = size;
        }
        self
    }

    /// Returns the bytes of the archive.
    pub(crate) fn file(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut directory = Vec::new();
        for entry in &self.entries {
            let at = out.len() as u32;
            let mut header = Vec::new();
            header.extend([20, 0]);
            header.extend(self.flags.to_le_bytes());
            header.extend(if entry.is_deflated { [8, 0] } else { [0, 0] });
            header.extend([0; 4]);
            header.extend(entry.checksum.to_le_bytes());
            header.extend((entry.data.len() as u32).to_le_bytes());
            header.extend((entry.size as u32).to_le_bytes());
            header.extend((entry.name.len() as u16).to_le_bytes());
            header.extend([0, 0]);
            out.extend(b"PK\x03\x04");
            out.extend(&header);
            out.extend(entry.name.as_bytes());
            out.extend(&entry.data);
            directory.extend(b"PK\x01\x02\x14\0");
            directory.extend(&header);
            directory.extend([0; 10]);
            directory.extend(at.to_le_bytes());
            directory.extend(entry.name.as_bytes());
        }
        let at = out.len() as u32;
        out.extend(&directory);
        out.extend(b"PK\x05\x06\0\0\0\0");
        for _ in 0..2 {
            out.extend((self.entries.len() as u16).to_le_bytes());
        }
        out.extend((directory.len() as u32).to_le_bytes());
        out.extend(at.to_le_bytes());
        out.extend([0, 0]);
        out
    }
}

fn checksum(data: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(data);
    crc.sum()
}

const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

/// Builder of a DOCX file: a body and other parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct DocxBuilder {
    body: String,
    /// Kind and content of each part.
    parts: Vec<(&'static str, String)>,
    /// Images by the ids that refer to them.
    images: Vec<(&'static str, Vec<u8>)>,
    core_properties: Option<String>,
}

impl DocxBuilder {
    /// Returns a builder of a document with these elements in its body.
    pub(crate) fn new(body: &str) -> Self {
        Self {
            body: body.to_owned(),
            ..Self::default()
        }
    }

    /// Adds a part of a kind such as "styles". `inside` is the content of its root element.
    pub(crate) fn part(mut self, kind: &'static str, inside: &str) -> Self {
        self.parts.push((kind, inside.to_owned()));
        self
    }

    /// Adds an image.
    pub(crate) fn image(mut self, name: &'static str, file: &[u8]) -> Self {
        self.images.push((name, file.to_vec()));
        self
    }

    /// Adds the part with title, author and dates.
    pub(crate) fn core_properties(mut self, inside: &str) -> Self {
        self.core_properties = Some(inside.to_owned());
        self
    }

    /// Returns the archive, for tests that change its entries.
    pub(crate) fn zip(&self) -> ZipBuilder {
        let mut zip = ZipBuilder::default();
        zip.deflated("[Content_Types].xml", b"<Types/>");
        zip.deflated(
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"a\" Type=\"{OFFICE}/officeDocument\" \
                 Target=\"word/document.xml\"/></Relationships>"
            )
            .as_bytes(),
        );
        zip.deflated(
            "word/document.xml",
            root("document", &format!("<w:body>{}</w:body>", self.body)).as_bytes(),
        );
        let mut relationships = format!("<Relationships xmlns=\"{PACKAGE}\">");
        for (nth, (kind, inside)) in self.parts.iter().enumerate() {
            let root_name = match *kind {
                "header" => "hdr",
                "footer" => "ftr",
                kind => kind,
            };
            zip.deflated(
                &format!("word/{kind}{nth}.xml"),
                root(root_name, inside).as_bytes(),
            );
            relationships.push_str(&format!(
                "<Relationship Id=\"r{nth}\" Type=\"{OFFICE}/{kind}\" Target=\"{kind}{nth}.xml\"/>"
            ));
        }
        for (nth, (name, file)) in self.images.iter().enumerate() {
            match nth % 2 {
                0 => zip.deflated(&format!("word/media/{name}"), file),
                _ => zip.stored(&format!("word/media/{name}"), file),
            };
            relationships.push_str(&format!(
                "<Relationship Id=\"{name}\" Type=\"{OFFICE}/image\" Target=\"media/{name}\"/>"
            ));
        }
        relationships.push_str("</Relationships>");
        zip.deflated("word/_rels/document.xml.rels", relationships.as_bytes());
        if let Some(properties) = &self.core_properties {
            zip.deflated(
                "docProps/core.xml",
                format!(
                    "<cp:coreProperties xmlns:cp=\"c\" xmlns:dc=\"d\" xmlns:dcterms=\"t\">{properties}</cp:coreProperties>"
                )
                .as_bytes(),
            );
        }
        zip
    }

    /// Returns the bytes of the file.
    pub(crate) fn file(&self) -> Vec<u8> {
        self.zip().file()
    }
}

/// Returns a part with a root element of that name.
pub(crate) fn root(name: &str, inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:{name} xmlns:w=\"{WORD}\" \
         xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" \
         xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" xmlns:wp=\"wp\" xmlns:v=\"v\">{inside}</w:{name}>"
    )
}

/// Returns a paragraph with one run.
pub(crate) fn p(text: &str) -> String {
    format!("<w:p>{}</w:p>", r(text))
}

/// Returns a paragraph of a style.
pub(crate) fn styled(style: &str, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>{}</w:p>",
        r(text)
    )
}

/// Returns a run of text.
pub(crate) fn r(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}
