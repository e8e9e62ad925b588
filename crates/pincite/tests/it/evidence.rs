//! `pincite evidence`: images of quoted pages.

use crate::harness::{pincite, scratch};
use testkit::pdf_builder::{PdfBuilder, lines};

fn picture(
    source: &str,
    output: &str,
    more: &[&str],
    code: i32,
) -> (crate::harness::CommandOutput, Option<Vec<u8>>) {
    let output = scratch(output, "");
    std::fs::remove_file(&output).expect("it was made just now");
    let mut args = vec!["evidence", source, "--quote", "a bar of sand", "-o"];
    let name = output.to_str().expect("plain").to_owned();
    args.push(&name);
    args.extend(more);
    let ended = pincite(&args, b"").expect(code);
    (ended, std::fs::read(&output).ok())
}

#[test]
fn renders_a_page_and_a_strip() {
    let mut pdf = PdfBuilder::new();
    pdf.page(&lines(
        72.0,
        700.0,
        &[
            "closed by a bar of sand on the",
            "eastern side of the harbour",
        ],
    ));
    let file = scratch("bar.pdf", pdf.file());
    let file = file.to_str().expect("plain");
    let (ended, page) = picture(file, "bar.png", &[], 0);
    let page = page.expect("a picture");
    assert!(page.starts_with(b"\x89PNG"));
    // Letter paper at 108 dots per inch.
    assert!(
        ended.stderr.contains("918 by 1188 pixels"),
        "{}",
        ended.stderr
    );
    let (_, again) = picture(file, "bar-again.png", &[], 0);
    assert_eq!(Some(&page), again.as_ref(), "the same bytes each time");
    let (_, strip) = picture(file, "bar.webp", &["--strip", "--dark"], 0);
    let strip = strip.expect("a picture");
    assert!(strip.starts_with(b"RIFF") && strip.len() < page.len());
}

#[test]
fn renders_a_text_file() {
    let file = scratch(
        "bar.md",
        "# Harbour\n\nIt is closed by a *bar of sand* there.\n",
    );
    let (_, page) = picture(file.to_str().expect("plain"), "bar-md.png", &[], 0);
    assert!(page.expect("a picture").starts_with(b"\x89PNG"));
}

#[test]
fn reports_a_missing_quote() {
    let file = scratch("nobar.txt", "It is closed by a wall of stone.");
    let file = file.to_str().expect("plain");
    let (ended, page) = picture(file, "nobar.png", &[], 1);
    assert!(
        ended.stderr.contains("quote not found in"),
        "{}",
        ended.stderr
    );
    assert_eq!(page, None);
    pincite(&["evidence", file, "--quote", "x", "-o", "x.gif"], b"").expect_usage_error(&[".png"]);
}
