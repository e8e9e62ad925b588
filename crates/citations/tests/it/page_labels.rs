//! Verdicts on citations that name a page by its printed number.

use citations::{Citation, VerificationStatus};
use documents::{DocumentBuilder, LineRole, TextStreamRole};
use passage::PieceBreak;

use crate::verdicts::{check, cite, on_page};

#[test]
fn printed_page_numbers_and_labels_count() {
    let mut builder = DocumentBuilder::new("application/pdf");
    for (label, number, text) in [
        (Some("iv"), None, "The preface was written last."),
        (Some("11"), None, "The first chapter begins at sea."),
        (None, Some("12"), "The second one ends on land."),
    ] {
        if text != "The preface was written last." {
            builder.begin_page();
        }
        builder.set_page(label.map(str::to_owned), None);
        let line = builder.add_line(text);
        builder.add_text(TextStreamRole::Body, line, text, PieceBreak::Line);
        if let Some(number) = number {
            builder.add_line(number);
            builder.set_line(LineRole::PageNumber, []);
        }
    }
    let book = builder.finish().expect("short");
    let labelled = |phrase: &str, label: &str| Citation {
        start_page_id: Some(label.to_owned()),
        ..cite(phrase)
    };
    let found = VerificationStatus::Found;
    check(&book, &on_page("The first chapter begins", 11), &found);
    check(&book, &on_page("The first chapter begins", 2), &found);
    check(&book, &on_page("The second one ends", 12), &found);
    check(&book, &labelled("The preface was written", "IV"), &found);
    // A tag without a page has the id of page 1.
    let tag = labelled("The second one ends", "page_number_1_index_0");
    check(&book, &tag, &found);
    for elsewhere in [
        on_page("The first chapter begins", 12),
        on_page("The first chapter begins", 1),
        labelled("The first chapter begins", "iv"),
        labelled("The first chapter begins", "ix"),
    ] {
        check(&book, &elsewhere, &VerificationStatus::FoundOnOtherPage);
    }
}
