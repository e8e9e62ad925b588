//! Makes small archives and DOCX files.

#![allow(
    dead_code,
    reason = "each test binary uses a part of it, and none all of it"
)]

use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// An archive in the making.
#[derive(Debug, Clone, Default)]
pub(crate) struct Packed {
    /// Name, what is stored, the size of that when it is unpacked, its checksum, and whether it is deflated.
    entries: Vec<(String, Vec<u8>, usize, u32, bool)>,
    /// Flags of every entry: 1 is encrypted.
    pub(crate) flags: u16,
}

impl Packed {
    /// Adds an entry as it is.
    pub(crate) fn stored(&mut self, name: &str, data: &[u8]) -> &mut Self {
        let sum = checksum(data);
        self.entries
            .push((name.to_owned(), data.to_vec(), data.len(), sum, false));
        self
    }

    /// Adds an entry that is deflated.
    pub(crate) fn deflated(&mut self, name: &str, data: &[u8]) -> &mut Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(data).expect("memory takes everything");
        let packed = encoder.finish().expect("memory takes everything");
        self.entries
            .push((name.to_owned(), packed, data.len(), checksum(data), true));
        self
    }

    /// The last entry claims another size.
    pub(crate) fn claim(&mut self, size: usize) -> &mut Self {
        if let Some(entry) = self.entries.last_mut() {
            entry.2 = size;
        }
        self
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut directory = Vec::new();
        for (name, packed, size, sum, deflated) in &self.entries {
            let at = out.len() as u32;
            let mut header = Vec::new();
            header.extend([20, 0]);
            header.extend(self.flags.to_le_bytes());
            header.extend(if *deflated { [8, 0] } else { [0, 0] });
            header.extend([0; 4]);
            header.extend(sum.to_le_bytes());
            header.extend((packed.len() as u32).to_le_bytes());
            header.extend((*size as u32).to_le_bytes());
            header.extend((name.len() as u16).to_le_bytes());
            header.extend([0, 0]);
            out.extend(b"PK\x03\x04");
            out.extend(&header);
            out.extend(name.as_bytes());
            out.extend(packed);
            directory.extend(b"PK\x01\x02\x14\0");
            directory.extend(&header);
            directory.extend([0; 10]);
            directory.extend(at.to_le_bytes());
            directory.extend(name.as_bytes());
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

/// A DOCX in the making: a body, and other parts beside it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Docx {
    body: String,
    /// The kind of each part, and the part.
    parts: Vec<(&'static str, String)>,
    /// Images by the names they are referred to with.
    images: Vec<(&'static str, Vec<u8>)>,
    about: Option<String>,
}

impl Docx {
    /// A document with these elements in its body.
    pub(crate) fn new(body: &str) -> Self {
        Self {
            body: body.to_owned(),
            ..Self::default()
        }
    }

    /// Adds a part of a kind, "styles", with what is inside its root.
    pub(crate) fn part(mut self, kind: &'static str, inside: &str) -> Self {
        self.parts.push((kind, inside.to_owned()));
        self
    }

    /// Adds an image.
    pub(crate) fn image(mut self, name: &'static str, file: &[u8]) -> Self {
        self.images.push((name, file.to_vec()));
        self
    }

    /// Says what the file says about itself.
    pub(crate) fn about(mut self, inside: &str) -> Self {
        self.about = Some(inside.to_owned());
        self
    }

    pub(crate) fn packed(&self) -> Packed {
        let mut packed = Packed::default();
        packed.deflated("[Content_Types].xml", b"<Types/>");
        packed.deflated(
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"a\" Type=\"{OFFICE}/officeDocument\" \
                 Target=\"word/document.xml\"/></Relationships>"
            )
            .as_bytes(),
        );
        packed.deflated(
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
            packed.deflated(
                &format!("word/{kind}{nth}.xml"),
                root(root_name, inside).as_bytes(),
            );
            relationships.push_str(&format!(
                "<Relationship Id=\"r{nth}\" Type=\"{OFFICE}/{kind}\" Target=\"{kind}{nth}.xml\"/>"
            ));
        }
        for (nth, (name, file)) in self.images.iter().enumerate() {
            match nth % 2 {
                0 => packed.deflated(&format!("word/media/{name}"), file),
                _ => packed.stored(&format!("word/media/{name}"), file),
            };
            relationships.push_str(&format!(
                "<Relationship Id=\"{name}\" Type=\"{OFFICE}/image\" Target=\"media/{name}\"/>"
            ));
        }
        relationships.push_str("</Relationships>");
        packed.deflated("word/_rels/document.xml.rels", relationships.as_bytes());
        if let Some(about) = &self.about {
            packed.deflated(
                "docProps/core.xml",
                format!(
                    "<cp:coreProperties xmlns:cp=\"c\" xmlns:dc=\"d\" xmlns:dcterms=\"t\">{about}</cp:coreProperties>"
                )
                .as_bytes(),
            );
        }
        packed
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        self.packed().file()
    }
}

/// A part with a root of that name.
pub(crate) fn root(name: &str, inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:{name} xmlns:w=\"{WORD}\" \
         xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" \
         xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" xmlns:wp=\"wp\" xmlns:v=\"v\">{inside}</w:{name}>"
    )
}

/// A paragraph with one run.
pub(crate) fn p(text: &str) -> String {
    format!("<w:p>{}</w:p>", r(text))
}

/// A paragraph of a style.
pub(crate) fn styled(style: &str, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>{}</w:p>",
        r(text)
    )
}

/// A run.
pub(crate) fn r(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}
