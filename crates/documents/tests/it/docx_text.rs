//! What is read of a DOCX.

use crate::docx_builder::{DocxBuilder, ZipBuilder, p, r, styled};
use documents::{Document, LineRole, ReadLimits, TextStreamRole};
use passage::{CommaMeaning, Quote};

fn read(docx: &DocxBuilder) -> Document {
    let read = Document::read(&docx.file(), "a.bin", &ReadLimits::default());
    read.expect("it is a DOCX")
}

fn body(inside: &str) -> Document {
    read(&DocxBuilder::new(inside))
}

fn lines(document: &Document) -> Vec<&str> {
    let lines = document.lines().iter();
    lines.map(|line| line.text.as_str()).collect()
}

fn flow(document: &Document, role: TextStreamRole) -> &str {
    let flow = document
        .text_streams()
        .iter()
        .find(|flow| flow.role == role);
    flow.map_or("", |flow| flow.index.text().source())
}

#[test]
fn paragraphs_are_lines_and_runs_touch() {
    let document = body(&format!(
        "<w:p>{}{}{}</w:p><w:p/>{}",
        r("  The ti"),
        r("de &amp; the "),
        r("bar\n &#8211; &lt;x&gt; "),
        p("Second")
    ));
    assert_eq!(lines(&document), ["The tide & the bar – <x>", "Second"]);
    assert_eq!(
        flow(&document, TextStreamRole::Body),
        "The tide & the bar – <x>\nSecond\n"
    );
    assert_eq!(document.text_streams().len(), 1);
    assert_eq!(document.pages().len(), 1);
    assert!(document.media_type().ends_with("wordprocessingml.document"));
}

#[test]
fn breaks_tabs_hyphens_and_symbols() {
    let document = body(
        "<w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t><w:br w:type=\"page\"/>\
         <w:t>co</w:t><w:softHyphen/><w:t>op</w:t><w:noBreakHyphen/><w:t>er</w:t></w:r>\
         <w:r><w:sym w:font=\"Symbol\" w:char=\"F061\"/><w:sym w:font=\"Wingdings\" w:char=\"F0FC\"/>\
         <w:sym w:font=\"Odd\" w:char=\"F041\"/><w:sym w:char=\"zz\"/></w:r>\
         <w:r><w:rPr><w:rFonts w:ascii=\"Symbol\"/></w:rPr><w:t>b\u{f0a3}é</w:t></w:r><w:r><w:t>\u{f0b7}!</w:t></w:r></w:p>",
    );
    assert_eq!(
        lines(&document),
        ["one\ttwo", "three", "coop\u{2011}erα✓β≤é!"]
    );
}

#[test]
fn raised_and_lowered_digits() {
    let run = |align: &str, text: &str| {
        format!("<w:r><w:rPr><w:vertAlign w:val=\"{align}\"/></w:rPr><w:t>{text}</w:t></w:r>")
    };
    let document = body(&format!(
        "<w:p>{}{}{}{}</w:p>",
        r("CO"),
        run("subscript", "2"),
        r(" per m"),
        run("superscript", "2"),
    ));
    assert_eq!(lines(&document), ["CO₂ per m²"]);
}

#[test]
fn formulas_do_not_run_together() {
    let document = body(
        "<w:p><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>\
         <m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>3</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>",
    );
    assert_eq!(lines(&document), ["1/2x³"]);
}

#[test]
fn revisions_are_read_as_accepted() {
    let document = body(&format!(
        "<w:p>{}<w:del w:id=\"1\"><w:r><w:delText>not </w:delText></w:r></w:del><w:ins>{}</w:ins>\
         <w:moveFrom>{}</w:moveFrom></w:p>\
         <w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{}</w:p>{}\
         <w:p><w:pPr><w:pPrChange><w:pPr><w:outlineLvl w:val=\"0\"/></w:pPr></w:pPrChange></w:pPr><w:moveTo>{}</w:moveTo></w:p>",
        r("It was "),
        r("very high"),
        r(" gone"),
        r("Two para"),
        p("graphs in one"),
        r("moved here"),
    ));
    assert_eq!(
        lines(&document),
        ["It was very high", "Two paragraphs in one", "moved here"]
    );
    assert!(document.outline().is_empty());
}

#[test]
fn fields_show_their_results() {
    let field = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let document = body(&format!(
        "<w:p>{}{}<w:r><w:instrText>PAGEREF x</w:instrText></w:r>{}{}<w:r><w:t>code</w:t></w:r>{}{}{}{}{}</w:p>\
         <w:p><w:fldSimple w:instr=\"TITLE\">{}</w:fldSimple></w:p><w:p>{}{}</w:p>{}",
        r("See page "),
        field("begin"),
        // A field inside the instruction of another.
        field("begin"),
        r("inner"),
        field("end"),
        field("separate"),
        r("7"),
        field("end"),
        r("."),
        r("A title"),
        // One that nobody ends.
        field("begin"),
        r("lost"),
        p("not lost"),
    ));
    assert_eq!(lines(&document), ["See page 7.", "A title", "not lost"]);
}

#[test]
fn hidden_text_is_hidden() {
    let styles = "<w:style w:type=\"character\" w:styleId=\"H\"><w:rPr><w:vanish/></w:rPr></w:style>\
                  <w:style w:type=\"character\" w:styleId=\"Sub\"><w:basedOn w:val=\"H\"/></w:style>";
    let run = |said: &str, text: &str| format!("<w:r><w:rPr>{said}</w:rPr><w:t>{text}</w:t></w:r>");
    let document = read(
        &DocxBuilder::new(&format!(
            "<w:p>{}{}{}{}{}</w:p><w:p>{}</w:p>",
            r("seen"),
            run("<w:vanish/>", " unseen"),
            run("<w:vanish w:val=\"0\"/>", " too"),
            run("<w:rStyle w:val=\"Sub\"/>", "by style"),
            run("<w:rStyle w:val=\"Sub\"/><w:vanish w:val=\"false\"/>", " again"),
            "<w:r><w:drawing><wp:inline><wp:docPr descr=\"A chart of tides\" title=\"\"/></wp:inline></w:drawing></w:r>",
        ))
        .part("styles", styles),
    );
    assert_eq!(lines(&document), ["seen too again"]);
    assert_eq!(
        flow(&document, TextStreamRole::Hidden),
        "unseen\nby style\nA chart of tides\n"
    );
}

const STYLES: &str = "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"><w:name w:val=\"Normal\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/><w:basedOn w:val=\"N\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Mine\"><w:name w:val=\"Mine\"/><w:basedOn w:val=\"berschrift1\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"TOC\"><w:name w:val=\"TOC Heading\"/><w:basedOn w:val=\"berschrift1\"/>\
    <w:pPr><w:outlineLvl w:val=\"9\"/></w:pPr></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"T\"><w:name w:val=\"Title\"/></w:style>\
    <w:style w:type=\"paragraph\" w:styleId=\"Loop\"><w:basedOn w:val=\"Loop\"/></w:style>";

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
fn numbers_of_lists_are_shown_and_can_be_quoted_or_left_out() {
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
        document.text_streams().iter().any(|flow| {
            let quote = Quote::new(quoted, flow.index.text()).expect("short");
            flow.index.find(&quote, None).is_some()
        })
    };
    assert!(is_in("beta gamma Delta"));
    assert!(is_in("1.b) gamma 2. Delta"));
    assert!(!is_in("1.c) gamma"));
}

fn row(cells: &[&str]) -> String {
    let cells: String = cells
        .iter()
        .map(|cell| format!("<w:tc><w:tcPr><w:tcW w:w=\"1\"/></w:tcPr>{cell}</w:tc>"))
        .collect();
    format!("<w:tr>{cells}</w:tr>")
}

#[test]
fn rows_are_lines_with_tabs_between_cells() {
    let inner = format!("<w:tbl>{}</w:tbl>", row(&[&p("x"), &p("y")]));
    let document = body(&format!(
        "<w:tbl><w:tblPr/>{}{}{}{}<w:tr><w:trPr><w:del/></w:trPr><w:tc>{}</w:tc></w:tr>\
         <w:tr><w:tc><w:tcPr><w:cellDel/></w:tcPr>{}</w:tc><w:tc>{}</w:tc></w:tr></w:tbl>{}",
        row(&[&p("Port"), &p("Height"), &p("Time")]),
        row(&[&p("Brest"), "<w:p/>", &(p("06:12") + &p("(UTC)"))]),
        row(&[
            "<w:p/>",
            &format!("<w:p>{}<w:r><w:tab/></w:r>{}</w:p>", r("a"), r("b"))
        ]),
        row(&[&(p("before") + &inner + &p("after")), &p("beside")]),
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
fn a_row_that_lays_out_a_page_is_not_one_line() {
    let long = p(&"word ".repeat(80));
    let document = body(&format!(
        "<w:tbl>{}</w:tbl>",
        row(&[&(long.clone() + &long), &p("short")])
    ));
    assert_eq!(document.lines().len(), 3);
}

#[test]
fn what_stands_apart_follows_its_paragraph() {
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
        flow(&document, TextStreamRole::Body),
        "The bar shifts yearly.\nIt moved\n"
    );
    assert_eq!(
        flow(&document, TextStreamRole::Apart),
        "Harbour report\nSince 1911.\nIn a box\nReally?\nSee the annex.\nPage 1\n"
    );
}

#[test]
fn readings_of_characters_stand_apart() {
    let document = body(&format!(
        "<w:p>{}<w:r><w:ruby><w:rubyPr/><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>{}</w:p>",
        r("昨日"),
        r("とうきょう"),
        r("東京"),
        r("へ")
    ));
    assert_eq!(lines(&document), ["昨日東京へ"]);
    assert_eq!(flow(&document, TextStreamRole::Apart), "とうきょう\n");
}

#[test]
fn drop_caps_begin_their_word() {
    let document = body(&format!(
        "<w:p><w:pPr><w:framePr w:dropCap=\"drop\" w:lines=\"3\"/></w:pPr>{}</w:p>{}",
        r("T"),
        p("he tide")
    ));
    assert_eq!(lines(&document), ["The tide"]);
}

#[test]
fn controls_and_links_are_looked_into() {
    let document = body(&format!(
        "<w:sdt><w:sdtPr><w:text/><w:alias w:val=\"Name\"/><w:placeholder><w:t>no</w:t></w:placeholder></w:sdtPr>\
         <w:sdtContent>{}</w:sdtContent></w:sdt><w:p><w:hyperlink>{}</w:hyperlink><w:smartTag>{}</w:smartTag></w:p>",
        p("In a control"),
        r("a link"),
        r(" tagged"),
    ));
    assert_eq!(lines(&document), ["In a control", "a link tagged"]);
}

#[test]
fn what_the_file_says_about_itself() {
    let document = read(&DocxBuilder::new(&p("x")).core_properties(
        "<dc:title> Of  Tides </dc:title><dc:creator>A. Writer</dc:creator><cp:keywords/>\
         <dcterms:created>2024-03-09T07:05:00Z</dcterms:created><dc:subject>The sea</dc:subject>",
    ));
    assert_eq!(document.title(), Some("Of Tides"));
    let about = document.metadata();
    assert_eq!(about.author.as_deref(), Some("A. Writer"));
    assert_eq!(about.subject.as_deref(), Some("The sea"));
    assert_eq!(about.keywords, None);
    let created = about.created.map(|date| date.to_string());
    assert_eq!(created.as_deref(), Some("2024-03-09T07:05:00Z"));
}

#[test]
fn the_language_decides_what_a_comma_means() {
    let defaults = |tag: &str| {
        format!(
            "<w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val=\"{tag}\"/></w:rPr></w:rPrDefault></w:docDefaults>"
        )
    };
    let said = |tag: &str| {
        format!(
            "<w:p><w:r><w:rPr><w:lang w:val=\"{tag}\"/></w:rPr><w:t>words of it</w:t></w:r></w:p>"
        )
    };
    let comma = |docx: DocxBuilder| read(&docx).text_streams()[0].index.text().comma();
    assert_eq!(
        comma(DocxBuilder::new(&p("wort")).part("styles", &defaults("de-DE"))),
        CommaMeaning::Decimal
    );
    // Programs say English without being told.
    assert_eq!(
        comma(DocxBuilder::new(&p("word")).part("styles", &defaults("en-US"))),
        CommaMeaning::Unsure
    );
    assert_eq!(
        comma(DocxBuilder::new(&said("en-US"))),
        CommaMeaning::Thousands
    );
    assert_eq!(
        comma(DocxBuilder::new(&(said("en-US") + &said("de-DE")))),
        CommaMeaning::Unsure
    );
    assert_eq!(
        comma(DocxBuilder::new(&p("mot")).core_properties("<dc:language>fr</dc:language>")),
        CommaMeaning::Decimal
    );
}

#[test]
fn the_strict_edition_and_other_prefixes_are_read() {
    let strict = "<ns0:document xmlns:ns0=\"http://purl.oclc.org/ooxml/wordprocessingml/main\"><ns0:body><ns0:p><ns0:r>\
                  <ns0:t>Strictly so</ns0:t></ns0:r></ns0:p></ns0:body></ns0:document>";
    let mut zip = ZipBuilder::default();
    zip.stored(
        "_rels/.rels",
        b"<Relationships><Relationship Type=\"http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument\" \
          Target=\"/Word\\Main.XML\"/></Relationships>",
    );
    let utf_16: Vec<u8> = "\u{feff}"
        .encode_utf16()
        .chain(strict.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    zip.deflated("word/main.xml", &utf_16);
    let document = Document::read(&zip.file(), "", &ReadLimits::default()).expect("it is read");
    assert_eq!(lines(&document), ["Strictly so"]);
}

#[test]
fn it_is_stored_as_it_was_read() {
    let document =
        read(&DocxBuilder::new(&(p("One") + &styled("berschrift1", "Two"))).part("styles", STYLES));
    assert_eq!(Document::from_bytes(&document.to_bytes()), Ok(document));
}

#[test]
fn it_is_laid_out_on_sheets() {
    let text = "Words of a paragraph that goes on for a while. ".repeat(20);
    let part = |title: &str| styled("berschrift1", title) + &p(&text).repeat(12);
    let document = read(
        &DocxBuilder::new(&(part("First") + &part("Second") + &part("Third")))
            .part("styles", STYLES),
    );
    assert!(document.rendered_page_count() > 2);
    assert_eq!(document.pages().len(), 1);
    let sheets: Vec<u32> = document
        .lines()
        .iter()
        .filter(|line| line.role == LineRole::Heading)
        .map(|line| document.words_of(line)[0].rendered_page)
        .collect();
    assert!(
        sheets.is_sorted() && sheets[0] == 1 && sheets[2] > 1,
        "{sheets:?}"
    );
}

#[test]
fn pages_end_where_the_file_says() {
    let asked = "<w:p><w:r><w:t>Two</w:t><w:br w:type=\"page\"/></w:r></w:p>";
    let rendered = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>Three begins</w:t></w:r>\
                    <w:r><w:t xml:space=\"preserve\"> and goes </w:t><w:lastRenderedPageBreak/><w:t>on</w:t></w:r></w:p>";
    let before = "<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>Five</w:t></w:r></w:p>";
    let section = |kind: &str| {
        format!(
            "<w:p><w:pPr><w:sectPr><w:pgSz w:w=\"1\"/>{kind}</w:sectPr></w:pPr><w:r><w:t>Last of its section</w:t></w:r></w:p>"
        )
    };
    let same = section("<w:type w:val=\"continuous\"/>");
    let empty = "<w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>";
    // At the beginning a property does not leave a page empty.
    let body = [
        &before.replace("Five", "One"),
        asked,
        rendered,
        before,
        &same,
        &p("Still five"),
        &section(""),
        &p("Six"),
        empty,
        empty,
        &p("Eight"),
    ]
    .concat();
    let document = read(&DocxBuilder::new(&body));
    let at: Vec<(u32, u32, &str)> = document
        .lines()
        .iter()
        .map(|line| (line.page, line.number, line.text.as_str()))
        .collect();
    assert_eq!(
        at,
        [
            (1, 1, "One"),
            (1, 2, "Two"),
            (2, 1, "Three begins and goes"),
            (3, 1, "on"),
            (4, 1, "Five"),
            (4, 2, "Last of its section"),
            (4, 3, "Still five"),
            (4, 4, "Last of its section"),
            (5, 1, "Six"),
            (7, 1, "Eight"),
        ]
    );
    assert_eq!(
        (document.pages().len(), document.rendered_page_count()),
        (7, 7)
    );
    let last = document.words().last().expect("it has words");
    assert_eq!(last.rendered_page, 7);
    let body = &document.text_streams()[0];
    let across = Quote::new("goes on", body.index.text()).expect("it has words");
    let found = body.index.find(&across, None).expect("it says so");
    let place = document.locate(body, found.range).expect("it has a place");
    assert_eq!(place.pages, 2..4);
}

#[test]
fn rows_of_tables_begin_pages() {
    let cell = |text: &str| format!("<w:tc><w:p><w:r>{text}</w:r></w:p></w:tc>");
    let row = |one: &str, two: &str| format!("<w:tr>{}{}</w:tr>", cell(one), cell(two));
    let body = format!(
        "<w:tbl>{}{}{}</w:tbl>{}",
        row("<w:t>a</w:t>", "<w:t>b</w:t>"),
        row("<w:lastRenderedPageBreak/><w:t>c</w:t>", "<w:t>d</w:t>"),
        row("<w:t>e</w:t>", "<w:t>f</w:t>"),
        p("After"),
    );
    let document = read(&DocxBuilder::new(&body));
    let at: Vec<(u32, &str)> = document
        .lines()
        .iter()
        .map(|line| (line.page, line.text.as_str()))
        .collect();
    assert_eq!(at, [(1, "a\tb"), (2, "c\td"), (2, "e\tf"), (2, "After")]);
    let sheets: Vec<u32> = document
        .words()
        .iter()
        .map(|word| word.rendered_page)
        .collect();
    assert_eq!(sheets, [1, 1, 2, 2, 2, 2, 2]);
}

#[test]
fn letters_stand_where_they_are_shown() {
    let level =
        "<w:lvl w:ilvl=\"0\"><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/></w:lvl>";
    let document = read(
        &DocxBuilder::new(&format!(
            "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Bold</w:t></w:r>{}<w:r><w:br/><w:t>below</w:t></w:r></w:p>\
             <w:tbl>{}{}</w:tbl><w:p><w:pPr><w:numPr><w:numId w:val=\"1\"/></w:numPr></w:pPr>{}</w:p>",
            r("and plain"),
            row(&[&p("Port"), &p("Height")]),
            row(&[&p("Brest"), &p("7.3 m")]),
            r("An item"),
        ))
        .part(
            "numbering",
            &format!(
                "<w:abstractNum w:abstractNumId=\"0\">{level}</w:abstractNum>\
                 <w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>"
            ),
        ),
    );
    assert_eq!(
        lines(&document),
        [
            "Boldand plain",
            "below",
            "Port\tHeight",
            "Brest\t7.3 m",
            "1. An item"
        ]
    );
    let body = &document.text_streams()[0];
    let place = |quoted: &str| {
        let quote = Quote::new(quoted, body.index.text()).expect("short");
        let found = body.index.find(&quote, None).expect("it is there");
        let boxes = document.boxes(body, found.range);
        assert_eq!(boxes.len(), 1, "{quoted}: {boxes:?}");
        boxes[0]
    };
    let (bold, below) = (place("Boldand plain"), place("below"));
    assert!(bold.y + bold.height <= below.y + 1.0, "{bold:?} {below:?}");
    assert!((bold.x - below.x).abs() < 0.5);
    // Cells of a row stand beside each other, those of a column below each other.
    let (port, height) = (place("Port"), place("Height"));
    let (brest, metres) = (place("Brest"), place("7.3 m"));
    assert!(port.x + port.width < height.x && (port.y - height.y).abs() < 0.5);
    assert!((height.x - metres.x).abs() < 0.5 && brest.y > port.y);
    // The number of an item stands before it.
    let item = place("An item");
    let number = document.words_of(&document.lines()[4])[0].clone();
    assert!(number.x < item.x && (number.y - item.y).abs() < 3.0);
}
