//! DOCX: headings, lists, tables, notes and text boxes.

use documents::{LineRole, TextStreamRole};
use passage::Quote;

use crate::docx_builder::{DocxBuilder, p, r, styled};
use crate::docx_document::{STYLES, lines, read, read_body, stream_text, table_row};

#[test]
fn headings_make_the_outline() {
    let document = read(
        &DocxBuilder::new(&format!(
            "{}{}{}<w:p><w:pPr><w:outlineLvl w:val=\"2\"/></w:pPr>{}<w:r><w:br/></w:r>{}</w:p>{}{}",
            styled("T", "The Tides"),
            styled("berschrift1", "One"),
            styled("Mine", "Two"),
            r("Three"),
            r("and more"),
            styled("TOC", "Contents"),
            styled("Loop", "text"),
        ))
        .part("styles", STYLES),
    );
    let outline: Vec<(&str, u32)> = document
        .outline()
        .iter()
        .map(|heading| (heading.title.as_str(), heading.depth))
        .collect();
    assert_eq!(outline, [("One", 0), ("Two", 0), ("Three and more", 2)]);
    let roles: Vec<bool> = document
        .lines()
        .iter()
        .map(|line| line.role == LineRole::Heading)
        .collect();
    assert_eq!(roles, [true, true, true, true, false, false]);
    assert_eq!(document.title(), Some("The Tides"));
}

#[test]
fn quotes_match_with_and_without_list_numbers() {
    let level = |at: u32, format: &str, text: &str| {
        format!(
            "<w:lvl w:ilvl=\"{at}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{text}\"/></w:lvl>"
        )
    };
    let numbering = format!(
        "<w:abstractNum w:abstractNumId=\"5\">{}{}</w:abstractNum><w:abstractNum w:abstractNumId=\"6\">{}</w:abstractNum>\
         <w:num w:numId=\"1\"><w:abstractNumId w:val=\"5\"/></w:num>\
         <w:num w:numId=\"2\"><w:abstractNumId w:val=\"6\"/></w:num>\
         <w:num w:numId=\"3\"><w:abstractNumId w:val=\"5\"/><w:lvlOverride w:ilvl=\"0\"><w:startOverride w:val=\"4\"/></w:lvlOverride></w:num>",
        level(0, "decimal", "%1."),
        level(1, "lowerLetter", "%1.%2)"),
        level(0, "bullet", "\u{f0b7}"),
    );
    let item = |list: u32, level: u32, text: &str| {
        format!(
            "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr></w:pPr>{}</w:p>",
            r(text)
        )
    };
    let document = read(
        &DocxBuilder::new(&format!(
            "{}{}{}{}{}{}{}",
            item(1, 0, "Alpha"),
            item(1, 1, "beta"),
            item(1, 1, "gamma"),
            item(1, 0, "Delta"),
            item(1, 1, "again"),
            item(2, 0, "bullet"),
            item(3, 0, "begun anew"),
        ))
        .part("numbering", &numbering),
    );
    assert_eq!(
        lines(&document),
        [
            "1. Alpha",
            "1.a) beta",
            "1.b) gamma",
            "2. Delta",
            "2.a) again",
            "bullet",
            "4. begun anew"
        ]
    );
    let is_in = |quoted: &str| {
        document.text_streams().iter().any(|stream| {
            let quote = Quote::new(quoted, stream.index.text()).expect("short");
            stream.index.find(&quote, None).is_some()
        })
    };
    assert!(is_in("beta gamma Delta"));
    assert!(is_in("1.b) gamma 2. Delta"));
    assert!(!is_in("1.c) gamma"));
}

#[test]
fn rows_are_lines_with_tabs_between_cells() {
    let inner = format!("<w:tbl>{}</w:tbl>", table_row(&[&p("x"), &p("y")]));
    let document = read_body(&format!(
        "<w:tbl><w:tblPr/>{}{}{}{}<w:tr><w:trPr><w:del/></w:trPr><w:tc>{}</w:tc></w:tr>\
         <w:tr><w:tc><w:tcPr><w:cellDel/></w:tcPr>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>{}",
        table_row(&[&p("Port"), &p("Height"), &p("Time")]),
        table_row(&[&p("Brest"), "<w:p/>", &(p("06:12") + &p("(UTC)"))]),
        table_row(&[
            "<w:p/>",
            &format!("<w:p>{}<w:r><w:tab/></w:r>{}</w:p>", r("a"), r("b"))
        ]),
        table_row(&[&(p("before") + &inner + &p("after")), &p("beside")]),
        p("deleted row"),
        p("deleted cell"),
        p("kept"),
        p("End"),
    ));
    assert_eq!(
        lines(&document),
        [
            "Port\tHeight\tTime",
            "Brest\t06:12 (UTC)",
            "a b",
            "before",
            "x\ty",
            "after",
            "beside",
            "kept",
            "End"
        ]
    );
}

#[test]
fn a_long_table_row_is_several_lines() {
    let long = p(&"word ".repeat(80));
    let document = read_body(&format!(
        "<w:tbl>{}</w:tbl>",
        table_row(&[&(long.clone() + &long), &p("short")])
    ));
    assert_eq!(document.lines().len(), 3);
}

#[test]
fn notes_and_text_boxes_follow_their_paragraph() {
    let note = |kind: &str, id: u32, text: &str| {
        format!(
            "<w:{kind} w:id=\"{id}\"><w:p><w:r><w:{kind}Ref/></w:r>{}</w:p></w:{kind}>",
            r(text)
        )
    };
    let reference = |kind: &str, id: u32| format!("<w:r><w:{kind}Reference w:id=\"{id}\"/></w:r>");
    let text_box = format!(
        "<w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wp:txbx><w:txbxContent>{0}</w:txbxContent></wp:txbx>\
         </w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>{0}</w:txbxContent></v:textbox></w:pict>\
         </mc:Fallback></mc:AlternateContent></w:r>",
        p("In a box")
    );
    let document = read(
        &DocxBuilder::new(&format!(
            "<w:p>{}{}{}{}{}</w:p><w:p>{}{}{}<w:del>{}</w:del></w:p>",
            r("The bar"),
            reference("footnote", 2),
            r(" shifts"),
            text_box,
            r(" yearly."),
            r("It moved"),
            reference("comment", 0),
            reference("endnote", 2),
            reference("footnote", 3),
        ))
        .part(
            "footnotes",
            &format!(
                "<w:footnote w:type=\"separator\" w:id=\"0\">{}</w:footnote>{}{}",
                p("----"),
                note("footnote", 2, "Since 1911."),
                note("footnote", 3, "Deleted."),
            ),
        )
        .part("endnotes", &note("endnote", 2, "See the annex."))
        .part(
            "comments",
            &format!(
                "<w:comment w:id=\"0\" w:author=\"B\">{}</w:comment>",
                p("Really?")
            ),
        )
        .part("header", &p("Harbour report"))
        .part("header", &p("Harbour report"))
        .part("footer", &p("Page 1")),
    );
    let lines: Vec<(LineRole, &str)> = document
        .lines()
        .iter()
        .map(|line| (line.role, line.text.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            (LineRole::Running, "Harbour report"),
            (LineRole::Text, "The bar shifts yearly."),
            (LineRole::Footnote, "Since 1911."),
            (LineRole::Aside, "In a box"),
            (LineRole::Text, "It moved"),
            (LineRole::Aside, "Really?"),
            (LineRole::Footnote, "See the annex."),
            (LineRole::Running, "Page 1"),
        ]
    );
    assert_eq!(
        stream_text(&document, TextStreamRole::Body),
        "The bar shifts yearly.\nIt moved\n"
    );
    assert_eq!(
        stream_text(&document, TextStreamRole::Apart),
        "Harbour report\nSince 1911.\nIn a box\nReally?\nSee the annex.\nPage 1\n"
    );
}
