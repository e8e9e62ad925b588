//! PDF: text in form fields and annotations.

use testkit::pdf_builder::{PdfBuilder, text};

use crate::pdf_document::{assert_near, read, texts};

/// Returns a page with this content and these annotations. Each has keys and an appearance.
fn page(content: &str, annotations: &[(&str, &str)]) -> PdfBuilder {
    let mut pdf = PdfBuilder::new();
    let mut list = String::new();
    for (keys, appearance) in annotations {
        let form = pdf.stream(
            "/Type/XObject/Subtype/Form/BBox[0 0 200 20]/Resources<</Font<</Helv 3 0 R>>>>",
            appearance.as_bytes(),
        );
        let keys = keys.replace("FORM", &format!("{form} 0 R"));
        let annotation = pdf.object(format!("<</Type/Annot/Rect[100 600 300 620]{keys}>>"));
        list.push_str(&format!("{annotation} 0 R "));
    }
    pdf.page_as(
        &format!("/MediaBox[0 0 612 792]/Annots[{list}]"),
        "",
        content,
    );
    pdf
}

/// Appearance of a text field.
fn value(words: &str) -> String {
    format!("/Tx BMC q BT /Helv 10 Tf 2 5 Td ({words}) Tj ET Q EMC")
}

#[test]
fn form_fields_and_annotations_are_read_where_they_are_shown() {
    let field = "/Subtype/Widget/FT/Tx/T(amount)/V(1,250 euros)/AP<</N FORM>>";
    let pdf = page(
        &text(100.0, 700.0, 10.0, "The rent is"),
        &[(field, &value("1,250 euros"))],
    );
    let document = read(&pdf);
    assert_eq!(texts(&document), ["The rent is", "1,250 euros"]);
    let word = &document.words()[3];
    assert_near(word.x, 102.0);
    assert_near(word.y, 792.0 - 605.0 - 7.18);
}

#[test]
fn the_content_of_the_page_does_not_move_or_hide_annotations() {
    let note = "/Subtype/FreeText/AP<</N FORM>>";
    for before in [
        // Transformations, clips, text state and marked content that are never undone.
        "0.1 0 0 -0.1 0 792 cm",
        "0 0 1 1 re W n",
        "q 5 0 0 5 0 0 cm q",
        "BT /F1 900 Tf 500 Tc 7 Tr 90 Ts 1 Tz ET",
        "/Span <</ActualText(other)>> BDC",
    ] {
        let document = read(&page(before, &[(note, &value("Paid in full"))]));
        assert_eq!(texts(&document), ["Paid in full"], "{before}");
        let word = &document.words()[0];
        assert_near(word.x, 102.0);
        assert_near(word.height, 9.25);
    }
}

#[test]
fn the_shown_state_of_a_field_is_read_and_hidden_annotations_are_not() {
    let states = |state: &str| format!("/Subtype/Widget/FT/Btn{state}/AP<</N<</Yes FORM>>>>");
    let off = "/Subtype/Widget/FT/Btn/AP<</N<</Off FORM>>>>";
    for (keys, shown) in [
        (states("/AS/Yes").as_str(), true),
        (states("/AS/Off").as_str(), false),
        (states("").as_str(), false),
        (off, true),
        ("/Subtype/Stamp/F 2/AP<</N FORM>>", false),
        ("/Subtype/Stamp/F 32/AP<</N FORM>>", false),
        ("/Subtype/Stamp/F 4/AP<</N FORM>>", true),
        ("/Subtype/Stamp/AP<</D FORM>>", false),
    ] {
        let document = read(&page("", &[(keys, &value("Approved"))]));
        let expected: &[&str] = if shown { &["Approved"] } else { &[] };
        assert_eq!(texts(&document), expected, "{keys}");
    }
}

/// Returns a page with these form fields, which have no appearance.
fn form(catalog: &str, fields: &[&str]) -> PdfBuilder {
    let mut pdf = PdfBuilder::new();
    let parent = pdf.object("<</FT/Tx/T(group)/DA(/Helv 9 Tf 0 g)>>");
    let mut list = String::new();
    for (at, keys) in fields.iter().enumerate() {
        let keys = keys.replace("PARENT", &format!("{parent} 0 R"));
        let (low, high) = (600 - 40 * at, 620 - 40 * at);
        let field = pdf.object(format!(
            "<</Type/Annot/Subtype/Widget/Rect[100 {low} 300 {high}]{keys}>>"
        ));
        list.push_str(&format!("{field} 0 R "));
    }
    pdf.page_as(&format!("/MediaBox[0 0 612 792]/Annots[{list}]"), "", "");
    pdf.catalog(&format!("/AcroForm<</Fields[{list}]{catalog}>>"));
    pdf
}

#[test]
fn values_of_form_fields_without_an_appearance_are_read() {
    let defaults = "/DR<</Font<</Helv 3 0 R>>>>/DA(/Helv 0 Tf 0 g)";
    let fields = [
        "/FT/Tx/T(amount)/V(1,250 euros)",
        "/Parent PARENT/V(Ada Larsen)",
        "/FT/Ch/T(port)/V(Nordvik)",
        "/FT/Tx/T(note)/V<FEFF00520075006E00F8>",
        // Not shown: a password, a hidden field, a button, an empty value.
        "/FT/Tx/T(secret)/Ff 8192/V(swordfish)",
        "/FT/Tx/T(hidden)/F 2/V(invisible)",
        "/FT/Btn/T(box)/V/Yes",
        "/FT/Tx/T(empty)/V()",
    ];
    for catalog in [defaults, ""] {
        let document = read(&form(catalog, &fields));
        let expected = ["1,250 euros", "Ada Larsen", "Nordvik", "Runø"];
        assert_eq!(texts(&document), expected, "{catalog}");
    }
    let document = read(&form(defaults, &fields));
    let word = &document.words()[0];
    assert_near(word.x, 102.0);
    assert!(word.y > 792.0 - 620.0 && word.y + word.height < 792.0 - 600.0);
}

#[test]
fn long_values_are_divided_into_lines() {
    let words =
        "The quay was built of oak and the harbour was dredged in the same year. ".repeat(2);
    let field = format!("/FT/Tx/T(text)/Ff 4096/V({words})");
    let document = read(&form("/DA(/Helv 9 Tf 0 g)", &[&field]));
    let lines = texts(&document);
    assert!(lines.len() >= 3, "{lines:?}");
    assert_eq!(lines.join(" "), words.trim());
}
