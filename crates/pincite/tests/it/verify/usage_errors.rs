//! Mistakes on the command line, and files that are not sources.

use super::{path_text, verify};
use crate::harness::{docx, paragraph, pincite, scratch, unused_path};

#[test]
fn a_mistyped_source_is_a_usage_error() {
    let source = scratch("harbour.txt", "High tide is at noon.");
    let mistyped = source.with_file_name("habour.txt");
    let words = [
        "no such source",
        "habour.txt",
        "did you mean",
        "harbour.txt",
    ];
    verify(&["-", "--source", path_text(&mistyped)], "").expect_usage_error(&words);
    verify(&["-q", "-", "--source", path_text(&mistyped)], "").expect_usage_error(&words);
    let with_id = format!("law={}", path_text(&mistyped));
    verify(
        &["-", "--source", path_text(&source), "--source", &with_id],
        "",
    )
    .expect_usage_error(&words);
    let output = unused_path("report.html");
    let args = [
        "-",
        "--source",
        "/nowhere.txt",
        "--format",
        "html",
        "-o",
        path_text(&output),
    ];
    verify(&args, "").expect_usage_error(&["/nowhere.txt"]);
    assert!(!output.exists());
}

#[test]
fn an_id_is_given_once() {
    let (one, two) = (scratch("id-one.txt", "one"), scratch("id-two.txt", "two"));
    let (one, two) = (
        format!("law={}", path_text(&one)),
        format!("law={}", path_text(&two)),
    );
    verify(&["-", "--source", &one, "--source", &two], "")
        .expect_usage_error(&["two sources", "'law'"]);
}

#[test]
fn a_mistyped_data_directory_is_not_created() {
    let missing = unused_path("mistyped-data");
    let data = path_text(&missing);
    let backup = unused_path("mistyped-backup");
    for args in [
        vec!["keys", "list", "--data", data],
        vec!["keys", "revoke", "ada", "--data", data],
        vec!["check-data", "--data", data],
        vec!["backup", path_text(&backup), "--data", data],
        vec!["doctor", "--data", data],
    ] {
        pincite(&args, b"").expect_usage_error(&["mistyped-data"]);
        assert!(!missing.exists() && !backup.exists(), "{args:?}");
    }
}

#[test]
fn quiet_never_hides_an_error() {
    let source = scratch("quiet.txt", "High tide is at noon.");
    let broken = scratch("quiet.pdf", "%PDF-1.4 broken");
    let args = [
        "-q",
        "-",
        "--source",
        path_text(&source),
        "--source",
        path_text(&broken),
    ];
    let ended = verify(&args, "“High tide” (quiet.txt, p. 1)").expect(1);
    assert!(
        ended.stderr.starts_with("error: cannot read "),
        "{}",
        ended.stderr
    );
    let args = ["-q", "-", "--source", path_text(&source)];
    let ended = verify(&args, "“High tide” (nowhere.txt, p. 1)").expect(1);
    assert!(
        ended.stderr.contains("error: unknown source 'nowhere.txt'"),
        "{}",
        ended.stderr
    );
    let args = [
        "-q",
        "-",
        "--source",
        path_text(&source),
        "--require-citations",
    ];
    let ended = verify(&args, "Nothing.").expect(1);
    assert!(
        ended
            .stderr
            .contains("error: the answer contains no citations"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_binary_is_no_answer() {
    let source = scratch("binary-source.txt", "High tide is at noon.");
    for (name, content) in [
        ("a.png", &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..]),
        ("a.bin", b"\0\x01\x02\xff\xfe\0"),
        ("a.zip", b"PK\x03\x04\x14\0\0\0"),
        ("a.rtf", b"{\\rtf1 High tide}"),
        ("a.pdf", b"%PDF-1.4\nbroken"),
    ] {
        let answer = scratch(name, content);
        verify(&[path_text(&answer), "--source", path_text(&source)], "")
            .expect_usage_error(&["cannot read the answer", name]);
    }
}

#[test]
fn texts_in_other_encodings_are_answers() {
    let source = scratch("encoded-source.txt", "Die Flut kam früh am Morgen.");
    let utf16: Vec<u8> = "\u{feff}„Die Flut kam früh“ (encoded-source, S. 1)"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let latin = b"\"Die Flut kam fr\xfch\" (encoded-source, S. 1)".to_vec();
    for (name, content) in [("utf16.txt", utf16), ("latin.txt", latin)] {
        let answer = scratch(name, content);
        let ended = verify(&[path_text(&answer), "--source", path_text(&source)], "").expect(0);
        assert!(
            ended.text().contains("1 of 1 quote verified"),
            "{}",
            ended.text()
        );
    }
}

#[test]
fn the_answer_is_never_its_own_source() {
    let folder = unused_path("own");
    std::fs::create_dir_all(folder.join("drafts")).expect("a folder");
    let text = "He wrote “Low tide is at six in the morning” (log.txt, p. 1).\n";
    let file = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, content).expect("a file");
        path
    };
    let answer = file("answer.md", text.as_bytes());
    file("drafts/copy.md", text.as_bytes());
    file("drafts/windows.txt", text.replace('\n', "\r\n").as_bytes());
    file("drafts/word.docx", &docx(&paragraph(text.trim()), &[]));
    let answer = path_text(&answer);
    // By path, by content, and through a folder.
    let copy = folder.join("drafts/copy.md");
    for source in [answer, path_text(&copy), path_text(&folder)] {
        verify(&[answer, "--source", source, "--quotes"], "")
            .expect_usage_error(&["the answer itself"]);
        verify(&["-", "--source", source, "--quotes"], text)
            .expect_usage_error(&["the answer itself"]);
    }
    file("log.txt", b"High tide is at noon.");
    let ended = verify(&[answer, "--source", path_text(&folder), "--quotes"], "").expect(1);
    assert!(ended.text().contains("not found"), "{}", ended.text());
    assert_eq!(
        ended.stderr.matches("was not used as a source").count(),
        4,
        "{}",
        ended.stderr
    );
    // A report about the answer, and the file with the citations, are no sources either.
    for format in ["json", "html", "sarif", "junit", "markdown"] {
        let output = folder.join(format!("report.{format}"));
        let args = [
            answer,
            "--source",
            path_text(&folder),
            "--format",
            format,
            "-o",
            path_text(&output),
        ];
        verify(&args, "").expect(1);
        verify(&args, "").expect(1);
    }
    let citations = file(
        "citations.json",
        b"{\"k\":{\"fullPhrase\":\"Low tide is at six in the morning\"}}",
    );
    let args = [
        "--citations",
        path_text(&citations),
        "--source",
        path_text(&folder),
        "--format",
        "json",
    ];
    let report = verify(&args, "").json();
    // The answer is a source of citations that are given apart from it.
    assert_ne!(
        report["verifications"]["k"]["label"].as_str(),
        Some("citations.json")
    );
}
