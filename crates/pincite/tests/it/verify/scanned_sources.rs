//! Images and scans as sources: OCR, and its uncertain words.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use json::Value;

use crate::harness::{pincite, scratch};
use testkit::pdf_builder::{PdfBuilder, lines};

const HEAD: &str = "level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n";

/// Writes an OCR program that prints the same result for every image. Returns its path.
fn program(name: &str, says: &str) -> String {
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --list-langs ]; then echo List:; echo eng; exit; fi\n{says}\n"
    );
    let path = scratch(name, script);
    fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("it is ours");
    path.to_str().expect("plain").to_owned()
}

/// Returns OCR output of five words, the fourth with this confidence.
fn five_words(confidence: u8) -> String {
    let mut table = HEAD.to_owned();
    for (at, word) in (0..).zip(["closed", "by", "a", "bar", "of", "sand"]) {
        let sure = if word == "bar" { confidence } else { 95 };
        let left = 100 + at * 200;
        table.push_str(&format!(
            "5\\t1\\t1\\t1\\t1\\t{at}\\t{left}\\t300\\t150\\t40\\t{sure}\\t{word}\\n"
        ));
    }
    format!("cat > /dev/null; printf '{table}'")
}

/// Returns the head of a PNG with these dimensions, without image data.
fn head_of_png(width: u32, height: u32) -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    file.extend(width.to_be_bytes());
    file.extend(height.to_be_bytes());
    file.extend(b"\x08\x00\0\0\0\0\0\0\0");
    file
}

/// Writes an image of a page of text.
fn page(name: &str) -> PathBuf {
    let text = scratch(
        &format!("{name}.txt"),
        "The harbour mouth is closed by a bar of sand.\n\nNo ship was lost in that night.\n\n\n\nThe end.\n",
    );
    let picture = scratch(name, "");
    let (text, out) = (
        text.to_str().expect("plain"),
        picture.to_str().expect("plain"),
    );
    let args = [
        "evidence", text, "--quote", "The end", "--scale", "2", "-o", out,
    ];
    pincite(&args, b"").expect(0);
    picture
}

fn check(source: &Path, quote: &str, more: &[&str]) -> (crate::harness::CommandOutput, Value) {
    let citations = format!("{{\"k\":{{\"fullPhrase\":\"{quote}\"}}}}");
    let file = source.with_extension("json");
    fs::write(&file, citations).expect("the scratch directory can be written");
    let mut args = vec!["verify", "--format", "json", "--citations"];
    args.extend([
        file.to_str().expect("plain"),
        "--source",
        source.to_str().expect("plain"),
    ]);
    args.extend(more);
    let ended = pincite(&args, b"");
    let report = ended.json();
    let verification = report["verifications"]["k"].clone();
    (ended, verification)
}

#[test]
fn poorly_recognised_word_is_at_most_partly_found() {
    let picture = page("doubt.png");
    for (confidence, status, code) in [(60, "found", 0), (59, "partial_text_found", 1)] {
        let program = program(&format!("sure-{confidence}"), &five_words(confidence));
        let (ended, found) = check(&picture, "a bar of sand", &["--ocr", &program]);
        assert_eq!(found["status"].as_str(), Some(status), "{found:?}");
        assert_eq!(ended.code, Some(code));
        let boxes = found["document"]["boxes"].as_array().expect("boxes");
        assert_eq!(boxes.len(), 1, "{boxes:?}");
        if confidence < 60 {
            assert_eq!(found["doubt"]["word"].as_str(), Some("bar"));
            assert_eq!(found["doubt"]["confidence"], Value::from(59_usize));
        } else {
            assert_eq!(found["doubt"], Value::Null);
        }
        // A poorly recognised word next to the quote does not matter.
        let (_, found) = check(&picture, "closed by a", &["--ocr", &program]);
        assert_eq!(found["status"].as_str(), Some("found"), "{found:?}");
    }
}

#[test]
fn scanned_pages_of_a_pdf_are_recognised() {
    let mut pdf = PdfBuilder::new();
    pdf.page(&lines(72.0, 700.0, &["The first page is text."]));
    let image = pdf.stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
        b"0",
    );
    pdf.page_as(
        "/MediaBox[0 0 612 792]",
        &format!("/XObject<</Im {image} 0 R>>"),
        "q 100 0 0 100 50 50 cm /Im Do Q",
    );
    pdf.page(&lines(72.0, 700.0, &["The third page is text."]));
    let file = scratch("scanned.pdf", pdf.file());
    let program = program("scan", &five_words(95));
    let (_, found) = check(&file, "closed by a bar of sand", &["--ocr", &program]);
    assert_eq!(found["status"].as_str(), Some("found"), "{found:?}");
    assert_eq!(
        found["document"]["verifiedPageNumber"],
        Value::from(2_usize)
    );
    // One inch from the top.
    let boxes = found["document"]["boxes"].as_array().expect("boxes");
    assert_eq!(boxes[0]["y"], Value::from(72_usize), "{boxes:?}");
    // Without OCR the other pages are still read.
    let (ended, found) = check(
        &file,
        "third page is text",
        &["--ocr", "/nowhere/tesseract"],
    );
    assert_eq!(found["status"].as_str(), Some("found"), "{found:?}");
    assert!(
        ended.stderr.contains("install tesseract-ocr"),
        "{}",
        ended.stderr
    );
}

#[test]
fn unreadable_images_are_reported_with_a_hint() {
    let picture = page("unread.png");
    let said = |source: &Path, more: &[&str]| check(source, "a bar of sand", more).0.stderr;
    for off in ["/nowhere/tesseract", "none"] {
        let said = said(&picture, &["--ocr", off]);
        assert!(said.contains("the package tesseract-ocr"), "{said}");
    }
    // A program that hangs is stopped; invalid output is rejected.
    let hangs = program("hangs", "exec sleep 600");
    let told = said(&picture, &["--ocr", &hangs, "--limit", "seconds=2"]);
    assert!(told.contains("could not be recognised"), "{told}");
    let raves = program("raves", "cat > /dev/null; echo nonsense");
    let told = said(&picture, &["--ocr", &raves]);
    assert!(told.contains("could not be recognised"), "{told}");
    // Images that are too large or broken.
    let large = scratch("large.png", head_of_png(10_001, 10_000));
    let told = said(&large, &["--ocr", &raves]);
    assert!(told.contains("10001 × 10000 pixels"), "{told}");
    let broken = scratch("broken.png", head_of_png(100, 100));
    let told = said(&broken, &["--ocr", &raves]);
    assert!(told.contains("cannot read"), "{told}");
}

#[test]
fn tesseract_recognises_words() {
    // `make test` requires tesseract.
    let picture = page("real.png");
    let (_, found) = check(
        &picture,
        "The harbour mouth is closed by a bar of sand.",
        &[],
    );
    assert_eq!(found["status"].as_str(), Some("found"), "{found:?}");
    // The image with the passage highlighted.
    let strip = scratch("real-strip.webp", "");
    let (file, out) = (
        picture.to_str().expect("plain"),
        strip.to_str().expect("plain"),
    );
    let args = [
        "evidence",
        file,
        "--quote",
        "No ship was lost",
        "--strip",
        "-o",
        out,
    ];
    pincite(&args, b"").expect(0);
    assert!(fs::read(&strip).expect("a picture").starts_with(b"RIFF"));
}
