//! Hostile and damaged DOCX files: reading takes bounded time and memory, and errors are precise.

use crate::docx_builder::{DocxBuilder, ZipBuilder, p, r, root};
use crate::fuzz_target::check_words;
use documents::{Document, DocumentError, ReadLimits, ReadOptions};
use proptest::prelude::*;

fn read(file: &[u8]) -> Result<Document, DocumentError> {
    Document::read(file, "a.docx", &ReadLimits::default())
}

fn message(file: &[u8]) -> String {
    read(file).map_or_else(|error| error.to_string(), |_| String::from("no error"))
}

/// Returns a package whose main document is this text.
fn package(document: &str) -> ZipBuilder {
    let mut zip = ZipBuilder::default();
    zip.deflated("[Content_Types].xml", b"<Types/>");
    zip.deflated("word/document.xml", document.as_bytes());
    zip
}

#[test]
fn decompression_bombs_are_refused_with_any_claimed_size() {
    let limits = ReadLimits {
        decompressed: 1 << 20,
        ..ReadLimits::default()
    };
    let too_much = Err(DocumentError::TooMuchData { limit: 1 << 20 });
    let bomb = " ".repeat(32 << 20);
    for claimed in [32 << 20, 10, 0xffff_fffe] {
        let mut zip = package(&root("document", &bomb));
        zip.claim(claimed);
        let read = Document::read(&zip.file(), "", &limits).map(|_| ());
        match claimed {
            10 => assert!(read.is_err(), "{read:?}"),
            _ => assert_eq!(read, too_much),
        }
    }
    // Many small parts.
    let mut docx = DocxBuilder::new(&p("x"));
    for _ in 0..8 {
        docx = docx.part("header", &" ".repeat(200_000));
    }
    let read = Document::read(&docx.file(), "", &limits).map(|_| ());
    assert_eq!(read, too_much);
}

#[test]
fn nesting_and_elements_are_bounded() {
    let deep = root("document", &"<w:tbl>".repeat(1_000_000));
    assert_eq!(
        read(&package(&deep).file()),
        Err(DocumentError::TooDeep { limit: 1 << 14 })
    );
    let limits = ReadLimits {
        elements: 1000,
        ..ReadLimits::default()
    };
    let many = DocxBuilder::new(&p("x").repeat(1000)).file();
    assert_eq!(
        Document::read(&many, "", &limits).map(|_| ()),
        Err(DocumentError::TooManyElements { limit: 1000 })
    );
    let limits = ReadLimits {
        lines: 10,
        ..ReadLimits::default()
    };
    assert_eq!(
        Document::read(&many, "", &limits).map(|_| ()),
        Err(DocumentError::TooManyLines { limit: 10 })
    );
}

#[test]
fn reading_can_be_given_up() {
    let reading = ReadOptions {
        give_up: &|| true,
        ..ReadOptions::default()
    };
    let many = DocxBuilder::new(&p("x").repeat(5000)).file();
    assert_eq!(
        Document::read_as(&many, "", &reading).map(|_| ()),
        Err(DocumentError::GivenUp { page: 1 })
    );
}

#[test]
fn entities_are_not_expanded() {
    let declared = format!(
        "<!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>{}",
        root("document", &p("&b;"))
    );
    assert_eq!(
        message(&package(&declared).file()),
        "this DOCX is damaged: its XML declares entities, which DOCX does not allow"
    );
    let undeclared = root("document", &p("a&b;c"));
    let document = read(&package(&undeclared).file()).expect("it is read");
    assert_eq!(document.lines()[0].text, "ac");
}

#[test]
fn every_fault_has_its_own_message() {
    let good = DocxBuilder::new(&p("x"));
    let file = good.file();
    for (file, expected) in [
        (
            file[..file.len() / 2].to_vec(),
            "this DOCX is damaged: the directory of its archive is missing or wrong; it may be cut off",
        ),
        (
            ZipBuilder::default()
                .stored("word/styles.xml", b"<a/>")
                .file(),
            "this DOCX is damaged: its main document is missing",
        ),
        (
            package("<a/>").file(),
            "this DOCX is damaged: its main part is no text document",
        ),
        (
            package(&root("document", "<w:p></w:q>")).file(),
            "this DOCX is damaged: its XML is not well formed",
        ),
        (
            package(&root("document", "").replace("</w:document>", "<w:p>")).file(),
            "this DOCX is damaged: its XML is cut off",
        ),
        (
            package(&root("document", ""))
                .stored("WORD/document.xml", b"")
                .file(),
            "this DOCX is damaged: two of its parts have the same name",
        ),
        (
            ZipBuilder::default().stored("xl/workbook.xml", b"").file(),
            "XLSX is not read yet",
        ),
        (
            ZipBuilder::default().stored("a.txt", b"words").file(),
            "ZIP is not read yet",
        ),
        (
            {
                let mut zip = good.zip();
                zip.flags = 1;
                zip.file()
            },
            "the file is encrypted in a way that is not read",
        ),
        (
            [
                &b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"[..],
                &[0; 600],
            ]
            .concat(),
            "the file is encrypted in a way that is not read",
        ),
        (
            [&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], &[0; 600]].concat(),
            "an old .doc, .xls or .ppt file is not read yet",
        ),
    ] {
        assert_eq!(message(&file), expected);
    }
}

#[test]
fn damaged_parts_are_detected() {
    let mut file = DocxBuilder::new(&p("x")).file();
    let at = file
        .windows(17)
        .position(|name| name == b"word/document.xml")
        .expect("it is stored");
    file[at + 17 + 20] ^= 0x55;
    let said = message(&file);
    assert!(
        said == "this DOCX is damaged: a part cannot be decompressed, or its checksum is wrong",
        "{said}"
    );
}

#[test]
fn two_parts_with_the_same_name_are_refused() {
    let mut zip = package(&root("document", &p("one")));
    zip.deflated("word/document.xml", root("document", &p("two")).as_bytes());
    assert_eq!(
        message(&zip.file()),
        "this DOCX is damaged: two of its parts have the same name"
    );
}

#[test]
fn names_outside_the_archive_are_ignored() {
    let mut zip = DocxBuilder::new(&p("x")).zip();
    zip.stored("../../etc/passwd", b"root");
    zip.stored("/absolute", b"");
    let document = read(&zip.file()).expect("other parts do not matter");
    assert_eq!(document.lines().len(), 1);
}

#[test]
fn forged_directories_are_refused() {
    // A 64-bit directory with forged positions and sizes.
    let file = DocxBuilder::new(&p("x")).file();
    let end = file.len() - 22;
    let mut lie = file[..end].to_vec();
    lie.extend(b"PK\x06\x06");
    lie.extend(44u64.to_le_bytes());
    lie.extend([45, 0, 45, 0]);
    lie.extend([0; 8]);
    for _ in 0..4 {
        lie.extend(u64::MAX.to_le_bytes());
    }
    lie.extend(b"PK\x06\x07\0\0\0\0");
    lie.extend((end as u64).to_le_bytes());
    lie.extend(1u32.to_le_bytes());
    lie.extend(b"PK\x05\x06\0\0\0\0");
    lie.extend([0xff; 12]);
    lie.extend([0, 0]);
    assert!(read(&lie).is_err());
    // Many ends of archives in a row.
    let mut ends = file.clone();
    for _ in 0..200_000 {
        ends.extend(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0");
    }
    assert!(read(&ends).is_err());
    // More entries than the limit.
    let mut many = file[..end].to_vec();
    for _ in 0..70_000 {
        many.extend(b"PK\x01\x02");
    }
    many.extend(&file[end..]);
    assert_eq!(
        read(&many),
        Err(DocumentError::TooManyObjects {
            objects: 70_004,
            limit: 65_536
        })
    );
}

/// Reading any of these files would take minutes if its time were quadratic.
#[test]
fn reading_time_is_not_quadratic() {
    let attributes: String = (0..200_000).map(|nth| format!(" w:a{nth}=\"\"")).collect();
    let prefixes: String = (0..100_000)
        .map(|nth| format!("<w:x xmlns:a{nth}=\"x\"/>"))
        .collect();
    let field = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>";
    let tables = |levels: usize| {
        format!(
            "{}{}{}",
            "<w:tbl><w:tr><w:tc>".repeat(levels),
            p("x").repeat(20_000),
            "</w:tc></w:tr></w:tbl>".repeat(levels)
        )
    };
    let boxes = |levels: usize| {
        format!(
            "{}{}{}",
            "<w:p><w:r><w:txbxContent>".repeat(levels),
            p("x").repeat(20_000),
            "</w:txbxContent></w:r></w:p>".repeat(levels)
        )
    };
    for body in [
        format!("<w:p{attributes}>{}</w:p>", r("x")),
        format!("{prefixes}{}", p("x")),
        format!("<w:p>{}</w:p>{}", field.repeat(50_000), p("x")),
        tables(4000),
        boxes(4000),
        format!(
            "<w:p>{}</w:p>",
            "<w:r><w:t>x</w:t><w:br/></w:r>".repeat(100_000)
        ),
        format!("<w:p>{}</w:p>", r("x").repeat(100_000)),
    ] {
        let document = read(&DocxBuilder::new(&body).file()).expect("it is read");
        assert!(!document.lines().is_empty());
    }
    let styles: String = (0..20_000)
        .map(|nth| {
            format!(
                "<w:style w:styleId=\"s{nth}\"><w:basedOn w:val=\"s{}\"/></w:style>",
                nth + 1
            )
        })
        .collect();
    let docx = DocxBuilder::new(&crate::docx_builder::styled("s0", "x")).part("styles", &styles);
    assert_eq!(read(&docx.file()).map(|read| read.lines().len()), Ok(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_files_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
        deflated in any::<bool>(),
    ) {
        let document = root("document", &format!(
            "<w:body>{}<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl></w:body>", p("a &amp; b"), p("c")
        ));
        let mut zip = ZipBuilder::default();
        if deflated {
            zip.deflated("word/document.xml", document.as_bytes());
        } else {
            zip.stored("word/document.xml", document.as_bytes());
        }
        let mut file = zip.file();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        if let Ok(document) = read(&file) {
            prop_assert!(document.lines().len() < 100);
            check_words(&document);
        }
    }

    #[test]
    fn elements_in_any_order_and_nesting_are_read(choices in prop::collection::vec(0..ELEMENTS.len() * 2, 0..60)) {
        let mut xml = String::new();
        let mut open = Vec::new();
        for choice in choices {
            let element = ELEMENTS[choice / 2];
            if choice % 2 == 0 {
                xml.push_str(&format!("<{element}>word \u{a0} 1,2"));
                open.push(element.split(' ').next().unwrap_or_default());
            } else if let Some(element) = open.pop() {
                xml.push_str(&format!("</{element}>"));
            }
        }
        for element in open.iter().rev() {
            xml.push_str(&format!("</{element}>"));
        }
        let docx = DocxBuilder::new(&xml)
            .part("footnotes", &format!("<w:footnote w:id=\"1\">{xml}</w:footnote>"))
            .part("styles", &xml)
            .part("numbering", &xml)
            .part("header", &xml);
        let document = read(&docx.file()).expect("it is well formed");
        for stream in document.text_streams() {
            let mut last = 0;
            for piece in stream.index.text().pieces() {
                prop_assert!(piece.id >= last, "pieces go back");
                last = piece.id;
            }
        }
        for line in document.lines() {
            prop_assert!(!line.text.is_empty() && line.text.trim() == line.text);
        }
        check_words(&document);
    }
}

const ELEMENTS: &[&str] = &[
    "w:p",
    "w:r",
    "w:t",
    "w:tbl",
    "w:tr",
    "w:tc",
    "w:pPr",
    "w:rPr",
    "w:trPr",
    "w:tcPr",
    "w:del",
    "w:ins",
    "w:vanish",
    "w:txbxContent",
    "w:ruby",
    "w:rt",
    "w:rubyBase",
    "w:br",
    "w:tab",
    "w:fldChar w:fldCharType=\"begin\"",
    "w:fldChar w:fldCharType=\"separate\"",
    "w:fldChar w:fldCharType=\"end\"",
    "w:footnoteReference w:id=\"1\"",
    "w:footnote w:id=\"1\"",
    "w:pStyle w:val=\"a\"",
    "w:style w:styleId=\"a\"",
    "w:basedOn w:val=\"a\"",
    "w:numPr",
    "w:numId w:val=\"1\"",
    "w:num w:numId=\"1\"",
    "w:abstractNum w:abstractNumId=\"1\"",
    "w:abstractNumId w:val=\"1\"",
    "w:lvl w:ilvl=\"0\"",
    "w:lvlText w:val=\"%1.%2\"",
    "w:outlineLvl w:val=\"1\"",
    "w:framePr w:dropCap=\"drop\"",
    "mc:AlternateContent",
    "mc:Choice",
    "mc:Fallback",
    "m:den",
    "m:t",
    "m:sup",
    "wp:docPr descr=\"x\"",
    "w:sym w:font=\"Symbol\" w:char=\"61\"",
];
