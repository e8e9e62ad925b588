//! DOCX: text, fields, properties and languages.

use documents::{Document, ReadLimits, TextStreamRole};
use passage::CommaMeaning;

use crate::docx_builder::{DocxBuilder, ZipBuilder, p, r};
use crate::docx_document::{lines, read, read_body, stream_text};

#[test]
fn paragraphs_are_lines_and_runs_touch() {
    let document = read_body(&format!(
        "<w:p>{}{}{}</w:p><w:p/>{}",
        r("  The ti"),
        r("de &amp; the "),
        r("bar\n &#8211; &lt;x&gt; "),
        p("Second")
    ));
    assert_eq!(lines(&document), ["The tide & the bar – <x>", "Second"]);
    assert_eq!(
        stream_text(&document, TextStreamRole::Body),
        "The tide & the bar – <x>\nSecond\n"
    );
    assert_eq!(document.text_streams().len(), 1);
    assert_eq!(document.pages().len(), 1);
    assert!(document.media_type().ends_with("wordprocessingml.document"));
}

#[test]
fn breaks_tabs_hyphens_and_symbols_are_read() {
    let document = read_body(
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
fn digits_are_raised_and_lowered() {
    let run = |align: &str, text: &str| {
        format!("<w:r><w:rPr><w:vertAlign w:val=\"{align}\"/></w:rPr><w:t>{text}</w:t></w:r>")
    };
    let document = read_body(&format!(
        "<w:p>{}{}{}{}</w:p>",
        r("CO"),
        run("subscript", "2"),
        r(" per m"),
        run("superscript", "2"),
    ));
    assert_eq!(lines(&document), ["CO₂ per m²"]);
}

#[test]
fn parts_of_formulas_are_separated() {
    let document = read_body(
        "<w:p><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>\
         <m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>3</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>",
    );
    assert_eq!(lines(&document), ["1/2x³"]);
}

#[test]
fn revisions_are_read_as_accepted() {
    let document = read_body(&format!(
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
    let document = read_body(&format!(
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
        // A field without an end.
        field("begin"),
        r("lost"),
        p("not lost"),
    ));
    assert_eq!(lines(&document), ["See page 7.", "A title", "not lost"]);
}

#[test]
fn hidden_text_is_a_stream_of_its_own() {
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
        stream_text(&document, TextStreamRole::Hidden),
        "unseen\nby style\nA chart of tides\n"
    );
}

#[test]
fn ruby_is_a_stream_of_its_own() {
    let document = read_body(&format!(
        "<w:p>{}<w:r><w:ruby><w:rubyPr/><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>{}</w:p>",
        r("昨日"),
        r("とうきょう"),
        r("東京"),
        r("へ")
    ));
    assert_eq!(lines(&document), ["昨日東京へ"]);
    assert_eq!(
        stream_text(&document, TextStreamRole::Apart),
        "とうきょう\n"
    );
}

#[test]
fn drop_caps_begin_their_word() {
    let document = read_body(&format!(
        "<w:p><w:pPr><w:framePr w:dropCap=\"drop\" w:lines=\"3\"/></w:pPr>{}</w:p>{}",
        r("T"),
        p("he tide")
    ));
    assert_eq!(lines(&document), ["The tide"]);
}

#[test]
fn content_controls_and_links_are_read() {
    let document = read_body(&format!(
        "<w:sdt><w:sdtPr><w:text/><w:alias w:val=\"Name\"/><w:placeholder><w:t>no</w:t></w:placeholder></w:sdtPr>\
         <w:sdtContent>{}</w:sdtContent></w:sdt><w:p><w:hyperlink>{}</w:hyperlink><w:smartTag>{}</w:smartTag></w:p>",
        p("In a control"),
        r("a link"),
        r(" tagged"),
    ));
    assert_eq!(lines(&document), ["In a control", "a link tagged"]);
}

#[test]
fn core_properties_become_metadata() {
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
fn the_language_decides_the_meaning_of_a_comma() {
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
    // English is the default of programs whose language was never set.
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
